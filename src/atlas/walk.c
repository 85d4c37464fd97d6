// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks and losses. A full walk has a generation of its own; whatever a CREATE, FORK or EXEC speaks
 * of carries the present one. When the walk ends, what carries an older one is not there any more.
 *
 * That holds only if no CREATE of the walk was lost. And a loss that is told after BEGIN may be
 * older than BEGIN or not: the atlas stays suspect, and the next walk decides.
 *
 * A walk heals what was lost before its BEGIN, if it has come to every space. It may not have: a
 * process that it has not come to yet forks, and the child, which it does not come to any more, has
 * a copy of what was wrong. So each space knows since when it was seen whole, a copy knows it of
 * what it was copied from, and if one was not since BEGIN, another walk is needed.
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
	atlas->walk.heal_seq = 0;
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

#define MET_NEVER UINT32_MAX

/* Who holds the tgid of a walk over one process, if it waits to be reaped. */
static struct process_node *walked_zombie(const struct atlas *atlas, const struct rec_walk *rec)
{
	struct process_node *process = process_find(atlas, rec->hdr.tgid);

	return process && process->pub.state == PROCESS_ZOMBIE ? process : NULL;
}

/* A walk over one process that does not meet its zombie: it was reaped. Its FREE, which the kernel
 * sends after a grace period, may take seconds. */
static int zombie_walk_begin(struct atlas *atlas, const struct rec_walk *rec)
{
	struct process_node *zombie = walked_zombie(atlas, rec);

	if (zombie)
		zombie->met = MET_NEVER;
	return 0;
}

static int zombie_walk_end(struct atlas *atlas, const struct rec_walk *rec)
{
	struct process_node *zombie = walked_zombie(atlas, rec);

	if (!zombie || zombie->met != MET_NEVER)
		return 0;
	zombie->met = atlas->walk.generation;
	if (!(rec->walk_flags & REC_WALK_FAILED))
		process_gone(atlas, zombie, rec->hdr.time_ns);
	return 0;
}

int apply_walk_begin(struct atlas *atlas, const struct rec_walk *rec)
{
	if (!(rec->walk_flags & REC_WALK_FULL))
		return zombie_walk_begin(atlas, rec);
	atlas->walk = (struct walk_state){
	    .generation = atlas->walk.generation + 1,
	    .number = rec->walk,
	    .open = true,
	    .heal_seq = atlas->walk.heal_seq ? atlas->walk.heal_seq : atlas->seq,
	};
	return 0;
}

/* Threads that were not met, of a process that runs. */
static void threads_sweep(struct atlas *atlas, struct process_node *process, uint64_t time_ns)
{
	struct task_node *task = process->threads, *next;

	for (; task; task = next) {
		next = task->next;
		if (task->met != atlas->walk.generation)
			task_missed(atlas, task);
	}
	/* A dead leader that was met waits for the EXIT of the last thread. */
	process_end_if_threadless(atlas, process, time_ns);
}

static void sweep(struct atlas *atlas, uint64_t time_ns)
{
	struct process_node *process = atlas->present, *next;

	for (; process; process = next) {
		next = process->next;
		if (process->met != atlas->walk.generation)
			process_gone(atlas, process, time_ns);
		else if (process->pub.state == PROCESS_RUNNING)
			threads_sweep(atlas, process, time_ns);
	}
	spaces_trim(atlas, true);
}

/* Is all that counts as known seen since the walk that heals began? */
static bool is_healed(const struct atlas *atlas)
{
	const struct space_node *space;

	if (atlas->walk.lost)
		return false;
	for (space = atlas->spaces; space; space = space->next)
		if (space->pub.nr_processes && space->whole_seq < atlas->walk.heal_seq &&
		    (space->pub.state & (SPACE_COMPLETE | SPACE_SUSPECT)) == SPACE_COMPLETE)
			return false;
	return true;
}

int apply_walk_end(struct atlas *atlas, const struct rec_walk *rec)
{
	if (!(rec->walk_flags & REC_WALK_FULL))
		return zombie_walk_end(atlas, rec);
	if (!atlas->walk.open || atlas->walk.number != rec->walk)
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
	if (atlas->state.suspect && is_healed(atlas)) {
		atlas->state.suspect = false;
		atlas->state.suspect_since_ns = 0;
	}
	return 0;
}
