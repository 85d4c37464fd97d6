// SPDX-License-Identifier: GPL-2.0-only
#include "atlas/process.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "atlas/space.h"
#include "atlas/task.h"

struct process_node *process_find(const struct atlas *atlas, uint32_t tgid)
{
	struct process_node *process;

	HASH_FIND(hh, atlas->processes, &tgid, sizeof(tgid), process);
	return process;
}

struct process_node *process_find_at(const struct atlas *atlas, uint32_t tgid, uint64_t start_ns)
{
	struct process_node *process = process_find(atlas, tgid);

	while (process && process->pub.start_ns != start_ns)
		process = process->older;
	return process;
}

/* Let it be the newest holder of its tgid. It is in no chain. */
static int chain_push(struct atlas *atlas, struct process_node *process)
{
	struct process_node *before = process_find(atlas, process->pub.tgid);

	HASH_ADD(hh, atlas->processes, pub.tgid, sizeof(process->pub.tgid), process);
	if (!table_holds(process))
		return -ENOMEM;
	process->older = before;
	if (before) {
		HASH_DEL(atlas->processes, before);
		before->newer = process;
	}
	return 0;
}

/* Move one from further back in its chain to the front. */
static int chain_raise(struct atlas *atlas, struct process_node *process)
{
	struct process_node *newer = process->newer, *older = process->older;

	if (!newer)
		return 0;
	if (chain_push(atlas, process))
		return -ENOMEM;
	process->newer = NULL;
	newer->older = older;
	if (older)
		older->newer = newer;
	return 0;
}

struct process_node *process_new(struct atlas *atlas, uint32_t tgid, uint64_t start_ns)
{
	struct process_node *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->pub.tgid = tgid;
	process->pub.start_ns = start_ns;
	process->pub.state = PROCESS_RUNNING;
	process->pub.exec_filename = "";
	process->pub.args = "";
	if (chain_push(atlas, process)) {
		free(process);
		return NULL;
	}
	atlas->counts.processes++;
	return process;
}

void process_free(struct atlas *atlas, struct process_node *process)
{
	assert(process->pub.state == PROCESS_GONE && !process->older);
	space_leave(atlas, process);
	if (process->newer)
		process->newer->older = NULL;
	else
		HASH_DEL(atlas->processes, process);
	DL_DELETE2(atlas->gone, process, gone_prev, gone_next);
	atlas->counts.gone--;
	free(process->image);
	free(process);
}

void process_set_status(struct process_node *process)
{
	process->pub.wait_status = process->group_exit ? process->group_exit_code
						       : process->leader_exit_code;
}

void process_end(struct atlas *atlas, struct process_node *process, uint64_t time_ns, bool surely)
{
	while (process->threads) {
		if (!surely && process->threads->pub.leader_exited)
			task_stash(atlas, process->threads);
		else
			task_drop(atlas, process->threads);
	}
	process->pub.state = PROCESS_ZOMBIE;
	if (!process->pub.exit_ns)
		process->pub.exit_ns = time_ns;
	process_set_status(process);
	atlas->counts.processes--;
	atlas->counts.zombies++;
	if (surely)
		space_freeze(atlas, process);
	else
		space_linger(atlas, process);
}

void process_end_if_threadless(struct atlas *atlas, struct process_node *process, uint64_t time_ns)
{
	if (process->pub.state != PROCESS_RUNNING || process->pub.nr_threads)
		return;
	process->pub.flags |= PROCESS_EXIT_MISSED;
	process_end(atlas, process, time_ns, false);
}

void process_confirm_end(struct atlas *atlas, struct process_node *process)
{
	task_stash_drop(process);
	space_freeze(atlas, process);
}

void process_gone(struct atlas *atlas, struct process_node *process, uint64_t time_ns)
{
	if (process->pub.state == PROCESS_RUNNING) {
		if (!process->last_seen)
			process->pub.flags |= PROCESS_EXIT_MISSED;
		while (process->threads)
			task_missed(atlas, process->threads);
		process_end(atlas, process, time_ns, true);
	}
	process_confirm_end(atlas, process);
	process->pub.state = PROCESS_GONE;
	process->gone_ns = time_ns;
	atlas->counts.zombies--;
	atlas->counts.gone++;
	DL_APPEND2(atlas->gone, process, gone_prev, gone_next);
}

/* Take it out of where the dead are; it is in no state for a moment. */
static void undo_end(struct atlas *atlas, struct process_node *process)
{
	if (process->pub.state == PROCESS_GONE) {
		DL_DELETE2(atlas->gone, process, gone_prev, gone_next);
		atlas->counts.gone--;
	} else {
		atlas->counts.zombies--;
	}
	process->pub.flags &= ~PROCESS_EXIT_MISSED;
}

int process_revive(struct atlas *atlas, struct process_node *process, uint64_t time_ns)
{
	struct process_node *holder = process_find(atlas, process->pub.tgid);

	if (chain_raise(atlas, process))
		return -ENOMEM;
	if (holder != process && holder->pub.state != PROCESS_GONE)
		process_gone(atlas, holder, time_ns);
	undo_end(atlas, process);
	if (process->end_counted)
		atlas->counts.process_exits--;
	process->end_counted = false;
	process->last_seen = false;
	process->pub.state = PROCESS_RUNNING;
	process->pub.exit_ns = 0;
	process->pub.wait_status = 0;
	atlas->counts.processes++;
	space_resume(atlas, process);
	return task_unstash(atlas, process);
}

void process_unbury(struct atlas *atlas, struct process_node *process)
{
	undo_end(atlas, process);
	process->pub.state = PROCESS_ZOMBIE;
	process->met = atlas->walk.generation;
	atlas->counts.zombies++;
}

static void refresh_from_leader(struct process *process, const struct rec_task *rec,
				const struct cgroup *cgroup)
{
	process->uid = rec->uid;
	process->gid = rec->gid;
	if (rec->mnt_ns)
		process->mnt_ns = rec->mnt_ns;
	if (cgroup)
		process->cgroup = cgroup;
	memcpy(process->comm, rec->comm, sizeof(process->comm));
}

void process_refresh(struct process_node *node, const struct rec_task *rec, uint32_t exe,
		     const struct cgroup *cgroup, bool leader)
{
	struct process *process = &node->pub;

	/* What a dying task has lost already comes as 0, and takes nothing away. */
	if (rec->ns_tgid)
		process->ns_tgid = rec->ns_tgid;
	if (rec->pid_ns)
		process->pid_ns = rec->pid_ns;
	if (exe)
		process->exe = exe;
	process->parent_tgid = rec->parent_tgid;
	process->parent_start_ns = rec->parent_start_ns;
	if (rec->task_flags & REC_TASK_KTHREAD)
		process->flags |= PROCESS_KTHREAD;
	else
		process->flags &= ~PROCESS_KTHREAD;
	if (leader)
		refresh_from_leader(process, rec, cgroup);
}

/* --- asked from outside ------------------------------------------------------------------- */

const struct process *atlas_process(const struct atlas *atlas, uint32_t tgid)
{
	struct process_node *node = process_find(atlas, tgid);

	return node ? &node->pub : NULL;
}

const struct process *atlas_process_at(const struct atlas *atlas, uint32_t tgid, uint64_t start_ns)
{
	struct process_node *node = process_find_at(atlas, tgid, start_ns);

	return node ? &node->pub : NULL;
}

void atlas_tag(struct atlas *atlas, const struct process *process, uint16_t tag)
{
	(void)atlas;
	((struct process_node *)process)->pub.tag = tag;
}

struct process_iter atlas_processes(const struct atlas *atlas, bool gone)
{
	return (struct process_iter) {
		.atlas = atlas,
		.next = atlas->processes,
		.gone = gone,
	};
}

/* Table order; behind each holder of a tgid come those that had it before. */
static const struct process_node *successor(const struct process_iter *it,
					    const struct process_node *node)
{
	if (it->gone && node->older)
		return node->older;
	while (node->newer)
		node = node->newer;
	return node->hh.next;
}

const struct process *process_next(struct process_iter *it)
{
	const struct process_node *node = it->next;

	while (node && node->pub.state == PROCESS_GONE && !it->gone)
		node = successor(it, node);
	if (!node)
		return NULL;
	it->next = successor(it, node);
	return &node->pub;
}
