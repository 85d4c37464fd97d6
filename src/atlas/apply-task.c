// SPDX-License-Identifier: GPL-2.0-only
/* CREATE, RENAME, MOVE: what a task is. */
#include <string.h>

#include "atlas/apply.h"
#include "atlas/cgroup.h"
#include "atlas/process.h"
#include "atlas/space.h"
#include "atlas/task.h"

/* After the seed nobody is new but by FORK. */
static void birth_check(struct atlas *atlas, struct task_node *task, enum task_novelty novelty)
{
	struct process_node *process = task->process;

	if (novelty == TASK_RETURNED && process->exits_missed) {
		process->exits_missed--;
		atlas->counts.exits_missed--;
	}
	if (novelty <= TASK_RETURNED || !atlas->state.seeded)
		return;
	task_birth_missed(atlas, task);
	if (novelty == TASK_FIRST)
		process->pub.flags |= PROCESS_BIRTH_MISSED;
}

/* The walk found a dead thread, still listed, that is no leader. */
static int thread_dead(struct atlas *atlas, const struct rec_task *rec)
{
	struct task_node *task = task_find_at(atlas, rec->hdr.tid, rec->start_ns);
	struct process_node *process;

	if (!task || task->process->pub.tgid != rec->hdr.tgid)
		return 0;
	process = task->process;
	task_missed(atlas, task);
	process_end_if_threadless(atlas, process, rec->hdr.time_ns);
	return 0;
}

/* The walk found a process dead, not reaped, that we know. */
static void known_process_dead(struct atlas *atlas, struct process_node *process, uint64_t time_ns)
{
	if (process->pub.state == PROCESS_RUNNING) {
		if (!process->last_seen)
			process->pub.flags |= PROCESS_EXIT_MISSED;
		while (process->threads)
			task_missed(atlas, process->threads);
		process_end(atlas, process, time_ns, true);
	}
	/* Who has the tgid now is dead but not reaped; who had it before is not meant. */
	if (process->pub.state == PROCESS_GONE && !process->newer) {
		bool missed = process->pub.flags & PROCESS_EXIT_MISSED;

		process_unbury(atlas, process);
		if (missed)
			process->pub.flags |= PROCESS_EXIT_MISSED;
	}
	process_confirm_end(atlas, process);
	process->met = atlas->walk.generation;
}

/* A dead leader: others of its process run on, or we did not know the process. */
static int leader_dead(struct atlas *atlas, const struct rec_task *rec, bool others)
{
	struct task_node *task = task_find_at(atlas, rec->hdr.tid, rec->start_ns);
	bool lived = task && !task->pub.leader_exited;
	enum task_novelty novelty;
	int error;

	error = task_observe(atlas, rec, &task, &novelty);
	if (error)
		return error;
	birth_check(atlas, task, novelty);
	if (lived && novelty == TASK_KNOWN) {
		task->process->exits_missed++;
		atlas->counts.exits_missed++;
	}
	task_leader_exited(task);
	if (!others) {
		struct process_node *process = task->process;

		process_end(atlas, process, rec->hdr.time_ns, true);
		process->pub.exit_ns = 0;
	}
	return 0;
}

static int create_dead(struct atlas *atlas, const struct rec_task *rec)
{
	struct process_node *process;
	bool others;

	if (rec->hdr.tid != rec->hdr.tgid)
		return thread_dead(atlas, rec);
	process = process_find_at(atlas, rec->hdr.tgid, rec->process_start_ns);
	others = rec->nr_threads > 0;
	if (process && !others) {
		struct cgroup *cgroup;
		int error = cgroup_get(atlas, rec->cgroup_hierarchy, rec->cgroup_id, &cgroup);

		if (error)
			return error;
		known_process_dead(atlas, process, rec->hdr.time_ns);
		process_refresh(process, rec, 0, cgroup, true);
		return 0;
	}
	return leader_dead(atlas, rec, others);
}

int apply_create(struct atlas *atlas, const struct rec_task *rec)
{
	enum task_novelty novelty;
	struct task_node *task;
	int error;

	if (rec->task_flags & REC_TASK_ZOMBIE)
		return create_dead(atlas, rec);
	error = task_observe(atlas, rec, &task, &novelty);
	if (error)
		return error;
	birth_check(atlas, task, novelty);
	return space_follow(atlas, task->process, rec->space);
}

int apply_rename(struct atlas *atlas, const struct rec_rename *rec)
{
	struct task_node *task = task_find_at(atlas, rec->hdr.tid, rec->start_ns);

	if (!task)
		return 0;
	memcpy(task->pub.comm, rec->comm, sizeof(task->pub.comm));
	if (task->pub.tid == task->process->pub.tgid)
		memcpy(task->process->pub.comm, rec->comm, sizeof(rec->comm));
	return 0;
}

int apply_move(struct atlas *atlas, const struct rec_move *rec)
{
	struct task_node *task = task_find_at(atlas, rec->hdr.tid, rec->start_ns), *each;
	struct process_node *process;
	struct cgroup *cgroup;
	int error;

	if (!task || !rec->cgroup_id)
		return 0;
	error = cgroup_get(atlas, rec->cgroup_hierarchy, rec->cgroup_id, &cgroup);
	if (error)
		return error;
	process = task->process;
	task->pub.cgroup = cgroup;
	if (rec->move_flags & REC_MOVE_GROUP)
		for (each = process->threads; each; each = each->next)
			each->pub.cgroup = cgroup;
	if ((rec->move_flags & REC_MOVE_GROUP) || task->pub.tid == process->pub.tgid)
		process->pub.cgroup = cgroup;
	return 0;
}
