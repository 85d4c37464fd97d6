// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What happens to tasks: birth, exec, end, name, cgroup. */
#include "task.bpf.h"
#include <bpf/bpf_tracing.h>

#define CLONE_VM 0x100
#define CLONE_THREAD 0x10000
#define SIGNAL_GROUP_EXIT 0x4

/*
 * Could anybody else have changed the forker's space since the child got its copy? Others use it
 * now; or the process had threads that are gone by now (their run time was added up); or it was
 * shared with another process once.
 */
static __always_inline int had_other_users(struct task_struct *parent, struct mm_struct *mm)
{
	u64 key = (u64)mm;

	return BPF_CORE_READ(mm, mm_users.counter) > 1 ||
	       BPF_CORE_READ(parent, signal, nr_threads) > 1 ||
	       BPF_CORE_READ(parent, signal, sum_sched_runtime) ||
	       bpf_map_lookup_elem(&spaces_shared, &key);
}

/* Is a walk reading the forker right now? Asked after the reserve of FORK: see walk.bpf.c. */
static __always_inline int walk_sees(struct task_struct *parent, struct mm_struct *mm)
{
	return walk_sees_tgid == (u32)parent->tgid || walk_sees_space == (u64)mm;
}

static __always_inline void shared_mark(struct mm_struct *mm)
{
	u64 key = (u64)mm;
	u32 one = 1;

	bpf_map_update_elem(&spaces_shared, &key, &one, BPF_ANY);
}

/*
 * task_newtask rather than sched_process_fork: at the end of copy_process(), so that threads which
 * the kernel makes for a process (io_uring workers, vhost) are seen too. The child has not run.
 */
SEC("tp_btf/task_newtask")
int BPF_PROG(on_newtask, struct task_struct *child, u64 clone_flags)
{
	struct task_struct *parent = bpf_get_current_task_btf();
	struct mm_struct *mm = BPF_CORE_READ(child, mm), *parent_mm = BPF_CORE_READ(parent, mm);
	struct rec_task *r;
	int walked;

	if (!child->pid) /* an idle task of a CPU that comes up */
		return 0;
	r = record_reserve(rec_task, REC_FORK, 0, child->pid, child->tgid);
	if (!r)
		return 0;
	walked = walk_sees(parent, parent_mm);
	task_fill(r, child);
	r->forker_start_ns = BPF_CORE_READ(parent, group_leader, start_boottime);
	r->forker_tid = parent->pid;
	r->forker_tgid = parent->tgid;
	if (mm && mm == parent_mm)
		r->task_flags |= REC_TASK_SHARES_SPACE;
	record_submit(r);

	if (!mm || (child->flags & PF_KTHREAD))
		return 0;
	if (mm == parent_mm) {
		if ((clone_flags & CLONE_VM) && !(clone_flags & CLONE_THREAD))
			shared_mark(mm);
	} else if (walked || had_other_users(parent, parent_mm)) {
		observe((u64)mm, 0, OBSERVE_END, address_of(child), REC_CAUSE_FORK);
	}
	return 0;
}

/* At text[]: what exec was asked to run, then the arguments. Returns the bytes of both. */
static __always_inline u32 exec_text(struct scratch *s, struct rec_exec *r,
				     struct linux_binprm *bprm, struct mm_struct *mm)
{
	u64 start = BPF_CORE_READ(mm, arg_start), end = BPF_CORE_READ(mm, arg_end);
	const char *filename = BPF_CORE_READ(bprm, filename);
	long len = bpf_probe_read_kernel_str(s->text, REC_NAME_MAX + 1, filename);
	u32 name = len > 0 ? len - 1 : 0, args;

	r->exec_flags = 0;
	if (name >= REC_NAME_MAX)
		r->exec_flags |= REC_EXEC_NAME_CUT;
	/* The interpreter's name took the place of the script's: it was a `#!` line. */
	if (BPF_CORE_READ(bprm, interp) != filename)
		r->exec_flags |= REC_EXEC_SCRIPT;
	name &= REC_NAME_MAX;
	r->filename_len = name;
	args = end - start;
	if (end <= start || end - start > args_bytes) {
		args = end <= start ? 0 : args_bytes;
		r->exec_flags |= end <= start ? 0 : REC_EXEC_ARGS_CUT;
	}
	if (args > REC_ARGS_MAX)
		args = REC_ARGS_MAX;
	if (args && bpf_probe_read_user(s->text + name, args, (void *)start)) {
		r->exec_flags |= REC_EXEC_ARGS_MISSING;
		args = 0;
	}
	r->args_len = args;
	return name + args;
}

/* The texts are the task's own, and say how large the record is: read first. All else after. */
static __always_inline void exec_tell(struct scratch *s, struct task_struct *task, u32 old_tid,
				      struct linux_binprm *bprm)
{
	struct rec_exec *r = scratch_record(s, rec_exec);
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	u32 size = (sizeof(*r) + exec_text(s, r, bprm, mm) + 7) & ~7u;
	struct bpf_dynptr record;

	if (size > sizeof(*r) + REC_NAME_MAX + 1 + REC_ARGS_MAX)
		size = sizeof(*r) + REC_NAME_MAX + 1 + REC_ARGS_MAX;
	exe_tell(mm); /* before the EXEC, so that who reads that can name the executable */
	if (bpf_ringbuf_reserve_dynptr(&ring, size, 0, &record)) {
		bpf_ringbuf_discard_dynptr(&record, 0);
		count(&counters.ring_full[REC_EXEC]);
		return;
	}
	header_fill(&r->task.hdr, REC_EXEC, 0, size, task->pid, task->tgid);
	task_fill(&r->task, task);
	r->old_tid = old_tid;
	bpf_dynptr_write(&record, 0, r, size, 0);
	bpf_ringbuf_submit_dynptr(&record, ring_wakeup());
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, pid_t old_tid, struct linux_binprm *bprm)
{
	u64 mm = (u64)BPF_CORE_READ(task, mm);
	u32 nr = scratch_claim(REC_EXEC);
	struct scratch *s = scratch_get(nr);

	if (s) {
		exec_tell(s, task, old_tid, bprm);
		scratch_release(nr);
	}
	observe(mm, 0, OBSERVE_END, address_of(task), REC_CAUSE_EXEC);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	struct rec_exit *r = record_reserve(rec_exit, REC_EXIT, 0, task->pid, task->tgid);
	struct signal_struct *signal = task->signal;

	if (!r)
		return 0;
	r->start_ns = task->start_boottime;
	r->process_start_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	r->exit_code = task->exit_code;
	r->group_exit_code = signal->group_exit_code;
	r->exit_flags = 0;
	if (signal->flags & SIGNAL_GROUP_EXIT)
		r->exit_flags |= REC_EXIT_GROUP;
	if (signal->live.counter <= 0)
		r->exit_flags |= REC_EXIT_LAST;
	r->reserved = 0;
	record_submit(r);
	return 0;
}

/* Reaped. Threads that are no leaders are reaped at once and have nothing to add to their EXIT. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(on_free, struct task_struct *task)
{
	struct rec_free *r;

	if (task->pid != task->tgid)
		return 0;
	r = record_reserve(rec_free, REC_FREE, 0, task->pid, task->tgid);
	if (!r)
		return 0;
	r->start_ns = task->start_boottime;
	record_submit(r);
	return 0;
}

/* Called before the new name is set: a walk in between would tell the old one, and later. prctl()
 * tells it again afterwards (syscall.bpf.c). */
SEC("tp_btf/task_rename")
int BPF_PROG(on_rename, struct task_struct *task, const char *comm)
{
	struct rec_rename *r = record_reserve(rec_rename, REC_RENAME, 0, task->pid, task->tgid);

	if (!r)
		return 0;
	r->start_ns = task->start_boottime;
	__builtin_memset(r->comm, 0, sizeof(r->comm));
	bpf_probe_read_kernel_str(r->comm, sizeof(r->comm), comm);
	record_submit(r);
	return 0;
}

/*
 * A dead leader is not moved itself, though it stands for its group: what counts is where the group
 * went, if that is in the hierarchy that is told.
 */
static __always_inline int move_tell(struct task_struct *task, struct cgroup *to, bool group)
{
	u32 hierarchy = BPF_CORE_READ(to, root, hierarchy_id); /* never changes */
	struct rec_move *r = record_reserve(rec_move, REC_MOVE, 0, task->pid, task->tgid);
	struct cgroup_place place;

	if (!r)
		return 0;
	place = cgroup_of(task);
	if (hierarchy == place.hierarchy || (!hierarchy && BPF_CORE_READ(to, level)))
		place = cgroup_place(to, hierarchy);
	r->start_ns = task->start_boottime;
	r->cgroup_id = place.id;
	r->cgroup_hierarchy = place.hierarchy;
	r->move_flags = group ? REC_MOVE_GROUP : 0;
	record_submit(r);
	return 0;
}

SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(on_attach, struct cgroup *to, const char *path, struct task_struct *task, bool group)
{
	return move_tell(task, to, group);
}

SEC("tp_btf/cgroup_transfer_tasks")
int BPF_PROG(on_transfer, struct cgroup *to, const char *path, struct task_struct *task, bool group)
{
	return move_tell(task, to, group);
}
