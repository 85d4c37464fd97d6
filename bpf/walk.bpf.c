// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The walk over all tasks, or over those of one process: the seed, the repair, the scrub, and the
 * lesson at start. Paced: when the ring is half full the program asks for the same task again
 * (which ends user space's read()), and goes on in the middle of a space where it was.
 */
#include "task.bpf.h"

#define AGAIN 1

/* Where printed paths begin, and how to know a mapping that the kernel named: from the caller. */
static __always_inline void learn(struct task_struct *task)
{
	u64 mm = (u64)BPF_CORE_READ(task, mm);
	u32 ops = bpf_core_field_offset(struct vm_area_struct, vm_ops);
	u32 nr;
	struct scratch *s;

	root_dentry = (u64)BPF_CORE_READ(task, fs, root.dentry);
	root_mnt = (u64)BPF_CORE_READ(task, fs, root.mnt);
	nr = scratch_claim(REC_NONE);
	s = scratch_get(nr);
	if (!s)
		return;
	s->leaf_here = 0;
	if (learn_vdso && !entry_at(nr, mm, learn_vdso, 0) && s->entry)
		bpf_probe_read_kernel(&special_ops, sizeof(special_ops), (void *)s->entry + ops);
	scratch_release(nr);
}

/* Each space once a walk: most threads, and some processes, share one. 0 = done, or AGAIN. */
static __always_inline int space_walk(struct task_struct *task)
{
	u64 mm = (u64)BPF_CORE_READ(task, mm), stopped;
	u32 *last, number = walk_number;

	if (!mm || (BPF_CORE_READ(task, flags) & PF_KTHREAD))
		return 0;
	last = bpf_map_lookup_elem(&spaces_walked, &mm);
	if (last && *last == number)
		return 0;
	if (walk_space != mm) {
		walk_space = mm;
		walk_at = 0;
	}
	stopped =
	    observe(mm, walk_at, OBSERVE_END, address_of(task), REC_CAUSE_WALK | OBSERVE_WALK);
	if (stopped > OBSERVE_GONE && stopped < OBSERVE_END) {
		walk_at = stopped;
		return AGAIN;
	}
	walk_space = 0;
	if (stopped == OBSERVE_END)
		bpf_map_update_elem(&spaces_walked, &mm, &number, BPF_ANY);
	return 0;
}

/*
 * Before the first reserve and until the last submit all may know whom we look at. A forker that
 * finds itself here, after its own reserve, knows that what is read of it now may be newer than its
 * FORK and still stand before it in the ring: user space would copy that for the child.
 */
static __always_inline int task_walk(struct task_struct *task)
{
	u64 mm = (u64)BPF_CORE_READ(task, mm);
	int again;

	walk_sees_tgid = BPF_CORE_READ(task, tgid);
	walk_sees_space = mm;
	/* A task whose space is half walked was told already. */
	if (walk_space != mm || !walk_at)
		task_tell(task, REC_F_WALK);
	again = space_walk(task);
	walk_sees_tgid = 0;
	walk_sees_space = 0;
	return again;
}

static __always_inline void walk_end(void)
{
	struct rec_walk *r = record_reserve(rec_walk, REC_WALK_END, REC_F_WALK, 0, walk_tgid);

	if (!r)
		return;
	r->walk = walk_number;
	r->walk_flags = walk_flags;
	walk_ended = walk_number;
	record_submit(r);
}

SEC("iter/task")
int walk(struct bpf_iter__task *ctx)
{
	struct seq_file *seq = ctx->meta->seq;
	struct task_struct *task = ctx->task;
	char met = 1;

	if (!task) {
		if (walk_mode == WALK_OBSERVE)
			walk_end();
		return 0;
	}
	if (walk_mode == WALK_LEARN) {
		learn(task);
		return 0;
	}
	if (bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) > ring_bytes / 2)
		return AGAIN;
	if (walk_mode == WALK_OBSERVE && task_walk(task))
		return AGAIN;
	/* What read() returns for: every few tasks, so that the ring is drained in between. */
	bpf_seq_write(seq, &met, 1);
	return 0;
}
