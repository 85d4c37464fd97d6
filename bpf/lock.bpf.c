// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whatever changes mappings holds the space's lock for writing. Where the kernel lets us see it
 * released at little cost, that tells of the changes that no call in our list made: a stack that
 * grew by a page fault, a driver that maps inside an ioctl(), advice given to another process,
 * programs of 32 bits, the kernel itself.
 *
 * Attached only where the tracepoint has no cgroup path among its arguments (6.12 has one, 6.18 has
 * none): the kernel would build that text at every page fault.
 */
#include "task.bpf.h"
#include <bpf/bpf_tracing.h>

#define TS_COMPAT 0x2   /* arch/x86/include/asm/thread_info.h */
#define INLINE_MAPS 256 /* mappings in a space that is observed whole, here and now */

#if defined(__TARGET_ARCH_x86)
#define call_number(regs) ((regs)->orig_ax)
#define stack_pointer(regs) ((regs)->sp)
#define task_is_compat(task) ((task)->thread_info.status & TS_COMPAT)
#elif defined(__TARGET_ARCH_arm64)
#define call_number(regs) ((u64)(regs)->syscallno)
#define stack_pointer(regs) ((regs)->sp)
#define task_is_compat(task) 0
#endif

/*
 * Is the task inside a call whose own hook will observe what it does (or that is known to change
 * nothing)? An exception has -1 in place of the number of a call.
 */
static __always_inline int call_has_hook(struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	u64 nr = call_number(regs);
	u8 *hooked;
	u32 key = nr;

	if (nr >= CALL_NUMBERS || task_is_compat(task))
		return 0;
	hooked = bpf_map_lookup_elem(&calls_hooked, &key);
	return hooked && *hooked;
}

/* Has a stack grown since we last looked? */
static __always_inline int stack_moved(u64 key, struct mm_struct *mm)
{
	u64 pages = BPF_CORE_READ(mm, stack_vm), *known = bpf_map_lookup_elem(&stacks, &key);

	if (known && *known == pages)
		return 0;
	bpf_map_update_elem(&stacks, &key, &pages, BPF_ANY);
	return 1;
}

static __always_inline void stack_observe(u64 mm, struct task_struct *task)
{
	u64 main_stack = PAGE_DOWN(BPF_CORE_READ((struct mm_struct *)mm, start_stack));
	u64 sp = PAGE_DOWN(stack_pointer((struct pt_regs *)bpf_task_pt_regs(task)));

	observe(mm, main_stack, main_stack + PAGE_BYTES, 0, REC_CAUSE_STACK);
	if (sp && sp < OBSERVE_END - PAGE_BYTES)
		observe(mm, sp, sp + PAGE_BYTES, 0, REC_CAUSE_STACK);
}

/* Everything at once if that is little, or if it is not ours to hand over; else it is walked. */
static __always_inline void space_observe(u64 key, struct mm_struct *mm, int own)
{
	u32 how = REC_CAUSE_OTHER;

	if (own && BPF_CORE_READ(mm, map_count) > INLINE_MAPS)
		how |= OBSERVE_HAND_OVER;
	observe(key, 0, OBSERVE_END, 0, how);
}

SEC("tp_btf/mmap_lock_released")
int BPF_PROG(on_unlock, struct mm_struct *mm, bool write)
{
	struct task_struct *task = bpf_get_current_task_btf();
	int own = task->mm == mm;

	if (task->flags & PF_KTHREAD)
		return 0;
	if (!write) {
		u64 key = own ? address_of(mm) : 0;

		if (own && stack_moved(key, mm))
			stack_observe(key, task);
	} else if (!call_has_hook(task) && mm->mm_users.counter > 0) {
		space_observe(address_of(mm), mm, own);
	}
	return 0;
}
