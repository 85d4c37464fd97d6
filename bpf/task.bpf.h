/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a record says of a task: one function for CREATE, FORK and EXEC. */
#ifndef TASKATLAS_TASK_BPF_H
#define TASKATLAS_TASK_BPF_H

#include "cgroup.bpf.h"
#include "observe.bpf.h"
#include "scratch.bpf.h"

#define PF_EXITING 0x4
#define PF_KTHREAD 0x200000
#define EXIT_DEAD 0x10
#define PID_LEVEL_MAX 32

/* The number of a pid in its own, innermost namespace, and that namespace. */
static __always_inline u32 pid_inside(struct pid *pid, u32 *ns_inum)
{
	u32 level = BPF_CORE_READ(pid, level) % PID_LEVEL_MAX;
	struct upid *own = &pid->numbers[level];

	if (!pid)
		return 0;
	*ns_inum = BPF_CORE_READ(own, ns, ns.inum);
	return BPF_CORE_READ(own, nr);
}

/* Key of the executable; its FILE record goes out if it was not yet. */
static __always_inline u64 exe_tell(struct mm_struct *mm)
{
	u64 file = mm ? (u64)BPF_CORE_READ(mm, exe_file) : 0, key;
	u32 nr;

	if (!file)
		return 0;
	nr = scratch_claim(REC_FILE);
	if (nr == SCRATCH_NONE)
		return 0;
	key = file_tell(nr, file);
	scratch_release(nr);
	return key;
}

/* Every field behind the header, with those of a FORK at 0. `r` was reserved before. */
static __always_inline void task_fill(struct rec_task *r, struct task_struct *t)
{
	struct task_struct *leader = BPF_CORE_READ(t, group_leader);
	struct task_struct *parent = BPF_CORE_READ(t, real_parent, group_leader);
	struct mm_struct *mm = BPF_CORE_READ(t, mm);
	u32 flags = BPF_CORE_READ(t, flags);
	struct cgroup_place place = cgroup_of(t);
	u32 unused;

	r->start_ns = BPF_CORE_READ(t, start_boottime);
	r->process_start_ns = BPF_CORE_READ(leader, start_boottime);
	r->task_flags = 0;
	if (flags & PF_KTHREAD) {
		r->task_flags |= REC_TASK_KTHREAD;
		mm = 0; /* a kernel thread may borrow one for a while */
	}
	r->space = (u64)mm;
	r->exe = exe_tell(mm);
	r->cgroup_id = place.id;
	r->cgroup_hierarchy = place.hierarchy;
	r->parent_start_ns = BPF_CORE_READ(parent, start_boottime);
	r->parent_tgid = BPF_CORE_READ(parent, tgid);
	r->forker_start_ns = 0;
	r->forker_tid = 0;
	r->forker_tgid = 0;
	r->pid_ns = 0;
	r->ns_tid = pid_inside(BPF_CORE_READ(t, thread_pid), &r->pid_ns);
	r->ns_tgid = pid_inside(BPF_CORE_READ(leader, thread_pid), &unused);
	r->uid = BPF_CORE_READ(t, real_cred, uid.val);
	r->gid = BPF_CORE_READ(t, real_cred, gid.val);
	r->mnt_ns = BPF_CORE_READ(t, nsproxy, mnt_ns, ns.inum);
	r->nr_threads = BPF_CORE_READ(t, signal, live.counter);
	bpf_probe_read_kernel(r->comm, sizeof(r->comm), &t->comm);
}

/*
 * CREATE: "this task is". What is dying and no leader has its EXIT before or behind this; a dying
 * leader stays as long as its process does. 0, or -1 and counted.
 */
static __always_inline int task_tell(struct task_struct *t, u32 flags)
{
	struct rec_task *r = record_reserve(rec_task, REC_CREATE, flags, 0, 0);
	u32 exit_state, dying;

	if (!r)
		return -1;
	r->hdr.tid = BPF_CORE_READ(t, pid);
	r->hdr.tgid = BPF_CORE_READ(t, tgid);
	exit_state = BPF_CORE_READ(t, exit_state);
	dying = exit_state || (BPF_CORE_READ(t, flags) & PF_EXITING);
	task_fill(r, t);
	/* A thread that takes over its leader's number right now: its EXEC will follow. */
	if (exit_state == EXIT_DEAD || (dying && r->hdr.tid != r->hdr.tgid) ||
	    r->hdr.tid != (u32)BPF_CORE_READ(t, pid) ||
	    (r->hdr.tid == r->hdr.tgid && r->start_ns != r->process_start_ns)) {
		bpf_ringbuf_discard(r, BPF_RB_NO_WAKEUP);
		return 0;
	}
	if (dying) {
		r->task_flags |= REC_TASK_ZOMBIE;
		r->space = 0;
	}
	record_submit(r);
	return 0;
}

#endif
