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

/* A leader is dead or dying, and so is its process, which we know. */
static int known_process_dead(struct atlas *atlas, struct process_node *process,
			      const struct rec_task *rec)
{
	struct task_names names;
	int error = task_names_get(atlas, rec, &names);

	if (error)
		return error;
	process_refresh(process, rec, names.exe, names.cgroup, true);
	process->met = atlas->walk.generation;
	if (process->pub.state == PROCESS_RUNNING) {
		if (!process->last_seen)
			process->pub.flags |= PROCESS_EXIT_MISSED;
		while (process->threads)
			task_missed(atlas, process->threads);
		process_end(atlas, process, rec->hdr.time_ns, true);
	} else if (process->pub.state == PROCESS_GONE && !process->newer) {
		bool missed = process->pub.flags & PROCESS_EXIT_MISSED;

		process_unbury(atlas, process);
		process->pub.flags |= missed ? PROCESS_EXIT_MISSED : 0;
	}
	process_confirm_end(atlas, process);
	return 0;
}

/* A leader is dead or dying: others of its process live, or we did not know the process. */
static int leader_dead(struct atlas *atlas, const struct rec_task *rec)
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
	return 0;
}

/* How many threads live was read after the record was reserved: if none does, the process is dead,
 * whatever EXITs are still to come; if one does, an EXIT with REC_EXIT_LAST is. */
static int create_dead(struct atlas *atlas, const struct rec_task *rec)
{
	struct process_node *process;
	int error;

	process = process_find_at(atlas, rec->hdr.tgid, rec->process_start_ns);
	if (process && !rec->nr_threads)
		return known_process_dead(atlas, process, rec);
	error = leader_dead(atlas, rec);
	if (error || rec->nr_threads)
		return error;
	process = process_find(atlas, rec->hdr.tgid);
	process_end(atlas, process, rec->hdr.time_ns, true);
	process->pub.exit_ns = 0; /* nobody knows */
	return 0;
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

/* The process of which every thread has moved. The record names its leader, which need not be known
 * when other threads are. */
static struct process_node *moved_process(const struct atlas *atlas, const struct rec_move *rec,
					  const struct task_node *task)
{
	if (task || rec->hdr.tid != rec->hdr.tgid)
		return task ? task->process : NULL;
	return process_find_at(atlas, rec->hdr.tgid, rec->start_ns);
}

int apply_move(struct atlas *atlas, const struct rec_move *rec)
{
	struct task_node *task = task_find_at(atlas, rec->hdr.tid, rec->start_ns), *each;
	struct process_node *process;
	struct cgroup *cgroup;
	int error;

	if (!rec->cgroup_id)
		return 0;
	error = cgroup_get(atlas, rec->cgroup_hierarchy, rec->cgroup_id, &cgroup);
	if (error)
		return error;
	if (task)
		task->pub.cgroup = cgroup;
	if (task && task->pub.tid == task->process->pub.tgid)
		task->process->pub.cgroup = cgroup;
	process = rec->move_flags & REC_MOVE_GROUP ? moved_process(atlas, rec, task) : NULL;
	if (!process)
		return 0;
	for (each = process->threads; each; each = each->next)
		each->pub.cgroup = cgroup;
	process->pub.cgroup = cgroup;
	return 0;
}
