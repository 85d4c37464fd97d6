// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks and losses. A full walk has a generation of its own; whatever a CREATE, FORK or EXEC speaks
 * of carries the present one. When the walk ends, what carries an older one is not there any more.
 *
 * That holds only if no CREATE of the walk was lost. And a loss that is told after BEGIN may be
 * older than BEGIN or not: the atlas stays suspect, and the next walk decides.
 */
#include <utlist.h>

#include "atlas/apply.h"
#include "atlas/process.h"
#include "atlas/space.h"
#include "atlas/task.h"

void atlas_doubt(struct atlas *atlas, uint64_t time_ns)
{
	if (!atlas->state.suspect)
		atlas->state.suspect_since_ns = time_ns;
	atlas->state.suspect = true;
	atlas->walk.lost = true;
}

int apply_loss(struct atlas *atlas, const struct rec_loss *rec)
{
	if (!rec->count)
		return 0;
	atlas->counts.lost[rec->lost_kind] += rec->count;
	atlas->counts.lost_by_cause[rec->cause] += rec->count;
	/* A read that failed has said itself where, by a suspect range. */
	if (rec->cause == REC_LOSS_READ_FAILED)
		return 0;
	if (rec->lost_kind == REC_CREATE || rec->lost_kind == REC_NONE)
		atlas->walk.creates_lost = true;
	atlas_doubt(atlas, rec->hdr.time_ns);
	return 0;
}

int apply_walk_begin(struct atlas *atlas, const struct rec_walk *rec)
{
	if (!(rec->walk_flags & REC_WALK_FULL))
		return 0;
	atlas->walk = (struct walk_state) {
		.generation = atlas->walk.generation + 1,
		.number = rec->walk,
		.open = true,
	};
	return 0;
}

/* Threads that were not met, of a process that runs. */
static void threads_sweep(struct atlas *atlas, struct process_node *process, uint64_t time_ns)
{
	struct task_node *task = process->threads, *next;
	uint32_t live = process->pub.nr_threads;

	for (; task; task = next) {
		next = task->next;
		if (task->met != atlas->walk.generation)
			task_missed(atlas, task);
	}
	/* A dead leader that nobody's EXIT was missing for is left to wait for its last thread. */
	if (live)
		process_end_if_threadless(atlas, process, time_ns);
}

static void sweep(struct atlas *atlas, uint64_t time_ns)
{
	struct process_node *process;

	for (process = atlas->processes; process; process = process->hh.next) {
		if (process->pub.state == PROCESS_GONE)
			continue;
		if (process->met != atlas->walk.generation)
			process_gone(atlas, process, time_ns);
		else if (process->pub.state == PROCESS_RUNNING)
			threads_sweep(atlas, process, time_ns);
	}
	spaces_trim(atlas, true);
}

int apply_walk_end(struct atlas *atlas, const struct rec_walk *rec)
{
	if (!(rec->walk_flags & REC_WALK_FULL) || !atlas->walk.open ||
	    atlas->walk.number != rec->walk)
		return 0;
	atlas->walk.open = false;
	if (rec->walk_flags & REC_WALK_FAILED)
		return 0;
	if (!atlas->walk.creates_lost)
		sweep(atlas, rec->hdr.time_ns);
	atlas->state.walks++;
	if (!atlas->state.seeded)
		atlas->state.seeded_ns = rec->hdr.time_ns;
	atlas->state.seeded = true;
	if (!atlas->walk.lost) {
		atlas->state.suspect = false;
		atlas->state.suspect_since_ns = 0;
	}
	return 0;
}
