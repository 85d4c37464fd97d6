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
	return keymap_find(&atlas->tasks, tid);
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
	if (keymap_set(&atlas->tasks, tid, task)) {
		free(task);
		return NULL;
	}
	atlas->counts.tasks++;
	return task;
}

static void task_free(struct atlas *atlas, struct task_node *task)
{
	keymap_remove(&atlas->tasks, task->pub.tid);
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

/*
 * A number is that of the record's task now, or of its leader: whoever else had it is dead. A
 * process keeps its number until it is reaped, however long its leader is dead.
 */
static void number_passed_on(struct atlas *atlas, uint32_t number, const struct rec_task *rec)
{
	struct process_node *process = process_find(atlas, number);
	struct task_node *task;

	if (process && process->pub.state != PROCESS_GONE &&
	    (number != rec->hdr.tgid || process->pub.start_ns != rec->process_start_ns))
		process_gone(atlas, process, rec->hdr.time_ns);
	task = task_find(atlas, number);
	if (!task)
		return;
	process = task->process;
	if (number == process->pub.tgid && number == rec->hdr.tgid &&
	    process->pub.start_ns == rec->process_start_ns)
		return; /* the leader itself */
	task_missed(atlas, task);
	process_end_if_threadless(atlas, process, rec->hdr.time_ns);
}

/* The process of a record's task, running; `process` if it is known. 0, -ENOMEM. */
static int process_observe(struct atlas *atlas, const struct rec_task *rec,
			   struct process_node *process, struct process_node **ret,
			   enum task_novelty *ret_novelty)
{
	enum task_novelty novelty = TASK_NEW;

	if (!process) {
		process = process_new(atlas, rec->hdr.tgid, rec->process_start_ns);
		novelty = TASK_FIRST;
	} else if (process->pub.state != PROCESS_RUNNING) {
		if (process->pub.state == PROCESS_GONE)
			novelty = TASK_RETURNED;
		process_revive(atlas, process, rec->hdr.time_ns);
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
	struct process_node *process;
	struct task_node *task;

	process = process_find_at(atlas, rec->hdr.tgid, rec->process_start_ns);
	if (!process || process->pub.state != PROCESS_RUNNING || rec->hdr.tid == rec->hdr.tgid)
		number_passed_on(atlas, rec->hdr.tgid, rec);
	if (rec->hdr.tid != rec->hdr.tgid)
		number_passed_on(atlas, rec->hdr.tid, rec);
	/* Before the process: it is the simpler one to undo. */
	task = task_new(atlas, rec->hdr.tid, rec->start_ns);
	if (!task)
		return -ENOMEM;
	if (process_observe(atlas, rec, process, &process, ret_novelty)) {
		task_free(atlas, task);
		return -ENOMEM;
	}
	task_attach(task, process);
	*ret = task;
	return 0;
}

static void task_refresh(struct task *task, const struct rec_task *rec, const struct cgroup *cgroup)
{
	if (rec->ns_tid)
		task->ns_tid = rec->ns_tid;
	task->uid = rec->uid;
	task->gid = rec->gid;
	if (cgroup)
		task->cgroup = cgroup;
	memcpy(task->comm, rec->comm, sizeof(task->comm));
}

int task_names_get(struct atlas *atlas, const struct rec_task *rec, struct task_names *ret)
{
	int error = file_number(atlas, rec->exe, &ret->exe);

	return error ? error
		     : cgroup_get(atlas, rec->cgroup_hierarchy, rec->cgroup_id, &ret->cgroup);
}

/* The record's task, listed in a process that runs. */
static int task_get(struct atlas *atlas, const struct rec_task *rec, struct task_node **ret,
		    enum task_novelty *ret_novelty)
{
	struct task_node *task = task_find(atlas, rec->hdr.tid);

	if (!is_of(task, rec))
		return task_make(atlas, rec, ret, ret_novelty);
	*ret = task;
	*ret_novelty = TASK_KNOWN;
	/* A dead leader may still be listed by a process that may have ended. */
	if (task->process->pub.state != PROCESS_RUNNING)
		process_revive(atlas, task->process, rec->hdr.time_ns);
	return 0;
}

int task_observe(struct atlas *atlas, const struct rec_task *rec, struct task_node **ret,
		 enum task_novelty *ret_novelty)
{
	enum task_novelty novelty;
	struct task_names names;
	struct task_node *task;
	int error;

	error = task_names_get(atlas, rec, &names);
	if (!error)
		error = task_get(atlas, rec, &task, &novelty);
	if (error)
		return error;
	/* An exec gives a dead leader's identity to the thread that called it. */
	if (task->pub.leader_exited)
		task->process->pub.nr_threads++;
	task->pub.leader_exited = false;
	task_refresh(&task->pub, rec, names.cgroup);
	process_refresh(task->process, rec, names.exe, names.cgroup, rec->hdr.tid == rec->hdr.tgid);
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
	return (struct task_iter){.next = ((const struct process_node *)process)->threads};
}

const struct task *task_next(struct task_iter *it)
{
	const struct task_node *task = it->next;

	if (!task)
		return NULL;
	it->next = task->next;
	return &task->pub;
}
