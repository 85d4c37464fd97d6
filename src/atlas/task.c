// SPDX-License-Identifier: GPL-2.0-only
#include "atlas/task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "atlas/cgroup.h"
#include "atlas/file.h"
#include "atlas/process.h"

struct task_node *task_find(const struct atlas *atlas, uint32_t tid)
{
	struct task_node *task;

	HASH_FIND(hh, atlas->tasks, &tid, sizeof(tid), task);
	return task;
}

struct task_node *task_find_at(const struct atlas *atlas, uint32_t tid, uint64_t start_ns)
{
	struct task_node *task = task_find(atlas, tid);

	return task && task->pub.start_ns == start_ns ? task : NULL;
}

static struct task_node *task_new(struct atlas *atlas, uint32_t tid, uint64_t start_ns)
{
	struct task_node *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->pub.tid = tid;
	task->pub.start_ns = start_ns;
	HASH_ADD(hh, atlas->tasks, pub.tid, sizeof(tid), task);
	if (!table_holds(task)) {
		free(task);
		return NULL;
	}
	atlas->counts.tasks++;
	return task;
}

static void task_free(struct atlas *atlas, struct task_node *task)
{
	HASH_DEL(atlas->tasks, task);
	atlas->counts.tasks--;
	free(task);
}

static void task_attach(struct task_node *task, struct process_node *process)
{
	task->process = process;
	DL_APPEND(process->threads, task);
	process->pub.nr_threads++;
}

void task_drop(struct atlas *atlas, struct task_node *task)
{
	DL_DELETE(task->process->threads, task);
	task->process->pub.nr_threads -= !task->pub.leader_exited;
	task_free(atlas, task);
}

void task_stash(struct atlas *atlas, struct task_node *leader)
{
	DL_DELETE(leader->process->threads, leader);
	HASH_DEL(atlas->tasks, leader);
	atlas->counts.tasks--;
	leader->process->dead_leader = leader;
}

void task_stash_drop(struct process_node *process)
{
	free(process->dead_leader);
	process->dead_leader = NULL;
}

int task_unstash(struct atlas *atlas, struct process_node *process)
{
	struct task_node *leader = process->dead_leader;

	if (!leader)
		return 0;
	if (task_find(atlas, leader->pub.tid)) {
		task_stash_drop(process);
		return 0;
	}
	HASH_ADD(hh, atlas->tasks, pub.tid, sizeof(leader->pub.tid), leader);
	if (!table_holds(leader)) {
		task_stash_drop(process);
		return -ENOMEM;
	}
	atlas->counts.tasks++;
	process->dead_leader = NULL;
	DL_APPEND(process->threads, leader);
	return 0;
}

void task_missed(struct atlas *atlas, struct task_node *task)
{
	if (!task->pub.leader_exited) {
		atlas->counts.exits_missed++;
		task->process->exits_missed++;
	}
	task_drop(atlas, task);
}

void task_leader_exited(struct task_node *leader)
{
	leader->process->pub.nr_threads -= !leader->pub.leader_exited;
	leader->pub.leader_exited = true;
}

void task_birth_missed(struct atlas *atlas, struct task_node *task)
{
	task->birth_missed = true;
	atlas->counts.births_missed++;
}

void task_birth_seen(struct atlas *atlas, struct task_node *task)
{
	atlas->counts.births_missed -= task->birth_missed;
	task->birth_missed = false;
}

/* --- observing ---------------------------------------------------------------------------- */

static bool is_of(const struct task_node *task, const struct rec_task *rec)
{
	return task && task->pub.start_ns == rec->start_ns &&
	       task->process->pub.tgid == rec->hdr.tgid &&
	       task->process->pub.start_ns == rec->process_start_ns;
}

/* A number was given to somebody else, so whoever had it is dead. */
static void number_passed_on(struct atlas *atlas, uint32_t number, uint32_t tgid,
			     uint64_t process_start_ns, uint64_t time_ns)
{
	struct process_node *process = process_find(atlas, number);
	struct task_node *task;

	if (process && process->pub.state != PROCESS_GONE &&
	    (number != tgid || process->pub.start_ns != process_start_ns))
		process_gone(atlas, process, time_ns);
	task = task_find(atlas, number);
	if (!task)
		return;
	process = task->process;
	if (process->pub.tgid == tgid && process->pub.start_ns == process_start_ns)
		return;
	task_missed(atlas, task);
	process_end_if_threadless(atlas, process, time_ns);
}

/* The process of a record's task, running. 0, -ENOMEM. */
static int process_observe(struct atlas *atlas, const struct rec_task *rec,
			   struct process_node **ret, enum task_novelty *ret_novelty)
{
	struct process_node *process;
	enum task_novelty novelty = TASK_NEW;

	process = process_find_at(atlas, rec->hdr.tgid, rec->process_start_ns);
	if (!process) {
		process = process_new(atlas, rec->hdr.tgid, rec->process_start_ns);
		novelty = TASK_FIRST;
	} else if (process->pub.state != PROCESS_RUNNING) {
		if (process->pub.state == PROCESS_GONE)
			novelty = TASK_RETURNED;
		if (process_revive(atlas, process, rec->hdr.time_ns))
			return -ENOMEM;
	}
	if (!process)
		return -ENOMEM;
	*ret = process;
	*ret_novelty = novelty;
	return 0;
}

/* A thread that nobody knew, in a process that perhaps nobody knew. */
static int task_make(struct atlas *atlas, const struct rec_task *rec, struct task_node **ret,
		     enum task_novelty *ret_novelty)
{
	uint32_t tid = rec->hdr.tid, tgid = rec->hdr.tgid;
	struct process_node *process = NULL;
	struct task_node *before, *task;

	number_passed_on(atlas, tgid, tgid, rec->process_start_ns, rec->hdr.time_ns);
	if (tid != tgid)
		number_passed_on(atlas, tid, tgid, rec->process_start_ns, rec->hdr.time_ns);
	before = task_find(atlas, tid); /* an earlier thread of the same process */
	if (before) {
		process = before->process;
		task_missed(atlas, before);
	}
	/* Before the process: it is the simpler one to undo. */
	task = task_new(atlas, tid, rec->start_ns);
	if (!task)
		goto no_memory;
	if (process_observe(atlas, rec, &process, ret_novelty)) {
		task_free(atlas, task);
		goto no_memory;
	}
	task_attach(task, process);
	*ret = task;
	return 0;

no_memory:
	if (process)
		process_end_if_threadless(atlas, process, rec->hdr.time_ns);
	return -ENOMEM;
}

static void task_refresh(struct task *task, const struct rec_task *rec,
			 const struct cgroup *cgroup)
{
	if (rec->ns_tid)
		task->ns_tid = rec->ns_tid;
	task->uid = rec->uid;
	task->gid = rec->gid;
	if (cgroup)
		task->cgroup = cgroup;
	memcpy(task->comm, rec->comm, sizeof(task->comm));
}

/* The leader, or the only thread that is known. */
static bool speaks_for_process(const struct task_node *task)
{
	return task->pub.tid == task->process->pub.tgid ||
	       (task->process->threads == task && !task->next);
}

int task_observe(struct atlas *atlas, const struct rec_task *rec, struct task_node **ret,
		 enum task_novelty *ret_novelty)
{
	struct task_node *task;
	struct cgroup *cgroup;
	enum task_novelty novelty = TASK_KNOWN;
	uint32_t exe;
	int error;

	error = file_number(atlas, rec->exe, &exe);
	if (!error)
		error = cgroup_get(atlas, rec->cgroup_hierarchy, rec->cgroup_id, &cgroup);
	if (error)
		return error;
	task = task_find(atlas, rec->hdr.tid);
	if (!is_of(task, rec)) {
		error = task_make(atlas, rec, &task, &novelty);
		if (error)
			return error;
	}
	/* An exec gives a dead leader's identity to the thread that called it. */
	if (task->pub.leader_exited)
		task->process->pub.nr_threads++;
	task->pub.leader_exited = false;
	task_refresh(&task->pub, rec, cgroup);
	process_refresh(task->process, rec, exe, cgroup, speaks_for_process(task));
	task->met = atlas->walk.generation;
	task->process->met = atlas->walk.generation;
	*ret = task;
	*ret_novelty = novelty;
	return 0;
}

/* --- asked from outside ------------------------------------------------------------------- */

const struct task *atlas_task(const struct atlas *atlas, uint32_t tid,
			      const struct process **ret_process)
{
	struct task_node *task = task_find(atlas, tid);

	if (!task)
		return NULL;
	if (ret_process)
		*ret_process = &task->process->pub;
	return &task->pub;
}

struct task_iter atlas_threads(const struct process *process)
{
	return (struct task_iter) { .next = ((const struct process_node *)process)->threads };
}

const struct task *task_next(struct task_iter *it)
{
	const struct task_node *task = it->next;

	if (!task)
		return NULL;
	it->next = task->next;
	return &task->pub;
}
