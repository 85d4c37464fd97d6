// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * System calls that change mappings: when one returns, its range is observed. One program for all
 * of them; the attach cookie (enum call) says how the range is found. The arguments are still in
 * the task's saved registers, so there is no hook at entry.
 *
 * The range is widened by a page at both ends: a call that splits or merges mappings writes into
 * the neighbours' VMAs too, and somebody who read one of them in that moment needs to be put right.
 * Calls that failed are observed as well, unless they failed before they could do anything: a
 * failed mprotect() has changed the part before the hole, a failed MAP_FIXED may have unmapped.
 */
#include "task.bpf.h"
#include <bpf/bpf_tracing.h>

#define EINVAL 22
#define MAP_FIXED 0x10
#define MREMAP_FIXED 2

#define PR_SET_NAME 15
#define PR_SET_MM 35
#define PR_SET_MEMORY_MERGE 67
#define PR_SET_VMA 0x53564d41
#define ARCH_MAP_VDSO_X32 0x2001
#define ARCH_MAP_VDSO_64 0x2003
#define ARCH_SHSTK_ENABLE 0x5001
#define ARCH_SHSTK_DISABLE 0x5002

/* Advice that changes VMA flags, and so splits or merges: NORMAL, RANDOM, SEQUENTIAL, DONTFORK,
 * DOFORK, MERGEABLE, UNMERGEABLE, HUGEPAGE, NOHUGEPAGE, DONTDUMP, DODUMP, WIPEONFORK, KEEPONFORK.
 */
#define SPLITTING_ADVICE 0xffc07u

struct arguments {
	u64 a1, a2, a3, a4, a5;
};

static __always_inline void arguments_read(struct arguments *a, struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	a->a1 = PT_REGS_PARM1_SYSCALL(regs);
	a->a2 = PT_REGS_PARM2_SYSCALL(regs);
	a->a3 = PT_REGS_PARM3_SYSCALL(regs);
	a->a4 = PT_REGS_PARM4_SYSCALL(regs);
	a->a5 = PT_REGS_PARM5_SYSCALL(regs);
}

static __always_inline void observe_range(u64 mm, u64 addr, u64 len, u32 cause)
{
	u64 lo = PAGE_DOWN(addr), hi = PAGE_UP(addr + len);

	if (addr + len < addr || hi > OBSERVE_END - PAGE_BYTES || hi < lo)
		hi = OBSERVE_END - PAGE_BYTES;
	observe(mm, lo >= PAGE_BYTES ? lo - PAGE_BYTES : 0, hi + PAGE_BYTES, 0, cause);
}

static __always_inline void after_mmap(u64 mm, const struct arguments *a, long ret, int failed)
{
	if (!failed)
		observe_range(mm, ret, a->a2, REC_CAUSE_MMAP);
	else if (ret != -EINVAL && (a->a4 & MAP_FIXED))
		observe_range(mm, a->a1, a->a2, REC_CAUSE_MMAP);
}

static __always_inline void after_mremap(u64 mm, const struct arguments *a, long ret, int failed)
{
	if (ret == -EINVAL)
		return;
	observe_range(mm, a->a1, a->a2, REC_CAUSE_MREMAP);
	if (!failed)
		observe_range(mm, ret, a->a3, REC_CAUSE_MREMAP);
	else if (a->a4 & MREMAP_FIXED)
		observe_range(mm, a->a5, a->a3, REC_CAUSE_MREMAP);
}

/*
 * The old break is not known any more. Nothing but the heap lies between it and the next mapping,
 * whichever way it moved: so from the new break to the end of the next mapping.
 */
static __always_inline void after_brk(u64 mm)
{
	u64 brk = PAGE_UP(BPF_CORE_READ((struct mm_struct *)mm, brk));

	if (brk >= PAGE_BYTES)
		observe(mm, brk - PAGE_BYTES, OBSERVE_END, 0, REC_CAUSE_BRK | OBSERVE_NEXT);
}

static __always_inline void observe_whole(u64 mm, u32 cause)
{
	observe(mm, 0, OBSERVE_END, 0, cause);
}

/* As task_rename() told it before it was set; see there. */
static __always_inline void name_tell_again(struct task_struct *task)
{
	struct rec_rename *r = record_reserve(rec_rename, REC_RENAME, 0, task->pid, task->tgid);

	if (!r)
		return;
	r->start_ns = task->start_boottime;
	bpf_probe_read_kernel(r->comm, sizeof(r->comm), &task->comm);
	record_submit(r);
}

static __always_inline void after_prctl(u64 mm, const struct arguments *a, struct task_struct *task,
					int failed)
{
	if (a->a1 == PR_SET_VMA)
		observe_range(mm, a->a3, a->a4, REC_CAUSE_MADVISE);
	else if (a->a1 == PR_SET_MM || a->a1 == PR_SET_MEMORY_MERGE)
		observe_whole(mm, REC_CAUSE_OTHER);
	else if (a->a1 == PR_SET_NAME && !failed)
		name_tell_again(task);
}

SEC("tp/syscalls/sys_exit_mmap")
int on_call(struct trace_event_raw_sys_exit *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 mm = (u64)BPF_CORE_READ(task, mm), call = bpf_get_attach_cookie(ctx);
	long ret = ctx->ret;
	int failed = ret < 0 && ret >= -4095;
	struct arguments a;

	if (!mm)
		return 0;
	arguments_read(&a, task);
	switch (call) {
	case CALL_MMAP:
		after_mmap(mm, &a, ret, failed);
		break;
	case CALL_MUNMAP:
		if (ret != -EINVAL)
			observe_range(mm, a.a1, a.a2, REC_CAUSE_MUNMAP);
		break;
	case CALL_MREMAP:
		after_mremap(mm, &a, ret, failed);
		break;
	case CALL_MPROTECT:
		if (ret != -EINVAL)
			observe_range(mm, a.a1, a.a2, REC_CAUSE_MPROTECT);
		break;
	case CALL_ADVISE:
		if (ret != -EINVAL && a.a3 < 32 && (SPLITTING_ADVICE & (1u << a.a3)))
			observe_range(mm, a.a1, a.a2, REC_CAUSE_MADVISE);
		break;
	case CALL_RANGE:
		if (ret != -EINVAL)
			observe_range(mm, a.a1, a.a2, REC_CAUSE_MADVISE);
		break;
	case CALL_BRK:
		after_brk(mm);
		break;
	case CALL_SHM:
		if (!failed)
			observe_whole(mm, REC_CAUSE_SHM);
		break;
	case CALL_WHOLE:
		observe_whole(mm, REC_CAUSE_OTHER);
		break;
	case CALL_PRCTL:
		after_prctl(mm, &a, task, failed);
		break;
	case CALL_ARCH_PRCTL:
		if ((a.a1 >= ARCH_MAP_VDSO_X32 && a.a1 <= ARCH_MAP_VDSO_64) ||
		    a.a1 == ARCH_SHSTK_ENABLE || a.a1 == ARCH_SHSTK_DISABLE)
			observe_whole(mm, REC_CAUSE_OTHER);
		break;
	case CALL_IDENTITY:
		if (!failed)
			task_tell(task, 0);
		break;
	}
	return 0;
}
