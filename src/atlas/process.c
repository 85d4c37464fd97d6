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
	return keymap_find(&atlas->processes, tgid);
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

	if (keymap_set(&atlas->processes, process->pub.tgid, process))
		return -ENOMEM;
	process->older = before;
	if (before)
		before->newer = process;
	return 0;
}

/* Move one from further back in its chain to the front. */
static void chain_raise(struct atlas *atlas, struct process_node *process)
{
	struct process_node *newer = process->newer, *older = process->older;

	if (!newer)
		return;
	newer->older = older;
	if (older)
		older->newer = newer;
	process->newer = NULL;
	chain_push(atlas, process); /* the tgid has a holder: cannot fail */
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
	DL_APPEND(atlas->present, process);
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
		keymap_remove(&atlas->processes, process->pub.tgid);
	DL_DELETE(atlas->gone, process);
	atlas->counts.gone--;
	free(process->image);
	free(process);
}

void process_set_status(struct process_node *process)
{
	process->pub.wait_status =
	    process->group_exit ? process->group_exit_code : process->leader_exit_code;
}

void process_end(struct atlas *atlas, struct process_node *process, uint64_t time_ns, bool surely)
{
	process->pub.state = PROCESS_ZOMBIE;
	process->unsure = !surely;
	if (!process->pub.exit_ns)
		process->pub.exit_ns = time_ns;
	process_set_status(process);
	atlas->counts.processes--;
	atlas->counts.zombies++;
	if (surely)
		process_confirm_end(atlas, process);
	else
		space_linger(atlas, process);
}

void process_end_if_threadless(struct atlas *atlas, struct process_node *process, uint64_t time_ns)
{
	/* A dead leader waits for the EXIT of the last thread, unless that was said already. */
	if (process->pub.state != PROCESS_RUNNING || process->pub.nr_threads ||
	    (process->threads && !process->last_seen))
		return;
	if (!process->last_seen)
		process->pub.flags |= PROCESS_EXIT_MISSED;
	process_end(atlas, process, time_ns, process->last_seen);
}

void process_confirm_end(struct atlas *atlas, struct process_node *process)
{
	while (process->threads)
		task_drop(atlas, process->threads);
	process->unsure = false;
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
	DL_DELETE(atlas->present, process);
	DL_APPEND(atlas->gone, process);
}

/* Take it out of where the dead are; it is in no state for a moment. */
static void undo_end(struct atlas *atlas, struct process_node *process)
{
	if (process->pub.state == PROCESS_GONE) {
		DL_DELETE(atlas->gone, process);
		DL_APPEND(atlas->present, process);
		atlas->counts.gone--;
	} else {
		atlas->counts.zombies--;
	}
	process->pub.flags &= ~PROCESS_EXIT_MISSED;
}

void process_revive(struct atlas *atlas, struct process_node *process, uint64_t time_ns)
{
	struct process_node *holder = process_find(atlas, process->pub.tgid);

	chain_raise(atlas, process);
	if (holder != process && holder->pub.state != PROCESS_GONE)
		process_gone(atlas, holder, time_ns);
	undo_end(atlas, process);
	if (process->end_counted)
		atlas->counts.process_exits--;
	process->end_counted = false;
	process->last_seen = false;
	process->unsure = false;
	process->pub.state = PROCESS_RUNNING;
	process->pub.exit_ns = 0;
	process->pub.wait_status = 0;
	atlas->counts.processes++;
	space_resume(atlas, process);
}

void process_unbury(struct atlas *atlas, struct process_node *process)
{
	undo_end(atlas, process);
	process->pub.state = PROCESS_ZOMBIE;
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
	if (leader || !node->leader_told)
		refresh_from_leader(process, rec, cgroup);
	node->leader_told |= leader;
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
	return (struct process_iter){
	    .atlas = atlas,
	    .next = atlas->present,
	    .gone = gone,
	};
}

const struct process *process_next(struct process_iter *it)
{
	const struct process_node *node = it->next;

	if (!node && it->gone) {
		node = it->atlas->gone;
		it->gone = false;
	}
	if (!node)
		return NULL;
	it->next = node->next;
	return &node->pub;
}
