// SPDX-License-Identifier: GPL-2.0-only
/*
 * FORK.
 *
 * What a child with a space of its own starts with: usually a copy of its forker's mappings. But a
 * walk may have come between: the child can be found before its FORK is told, so its CREATE and an
 * observation of its space lie before the FORK in the ring. That observation was read after the
 * kernel had copied the mappings, and the child has not run since, nor can anybody else have
 * changed its space: it is exact. The forker's space in the atlas is as of the FORK, and another
 * thread may have changed it since the copy. So a complete observation of the child stays; in all
 * other cases the forker's space is taken, and where that is not exact the kernel side observes the
 * child right behind the FORK.
 */
#include "atlas/apply.h"
#include "atlas/process.h"
#include "atlas/space.h"
#include "atlas/task.h"

/* Who forked it: told once, never changed. */
static void lineage_set(struct process_node *child, const struct rec_task *rec)
{
	if (!rec->forker_tgid || (child->pub.flags & PROCESS_FORKER_KNOWN))
		return;
	child->pub.forker_tgid = rec->forker_tgid;
	child->pub.forker_tid = rec->forker_tid;
	child->pub.forker_start_ns = rec->forker_start_ns;
	child->pub.flags |= PROCESS_FORKER_KNOWN;
}

/* Was the space of this process observed whole since the process came into it? */
static bool was_observed(const struct process_node *process, uint64_t key)
{
	const struct space_node *space = space_of(process);

	return space && space->key == key && space->whole_seq > process->joined_seq &&
	       (space->pub.state & SPACE_COMPLETE) && !(space->pub.state & SPACE_SUSPECT);
}

static int fork_own_space(struct atlas *atlas, struct process_node *child, uint64_t key,
			  const struct process_node *forker)
{
	const struct space_node *source = forker ? space_of(forker) : NULL;
	bool observed = was_observed(child, key);
	struct space_node *space;
	int error;

	if (observed)
		source = space_of(child);
	error = space_open(atlas, key, source, &space);
	if (error)
		return error;
	space_leave(atlas, child);
	space_join(atlas, child, space);
	if (!observed) {
		error = maptree_drop_dontfork(&space->tree, &atlas->pool);
		space->pub.nr_mappings = maptree_nr(&space->tree);
	}
	if (error)
		space_doubt(atlas, space, 0, MAP_END);
	return error;
}

static int process_fork(struct atlas *atlas, const struct rec_task *rec, struct process_node *child)
{
	struct process_node *forker;
	int error = 0;

	forker = process_find_at(atlas, rec->forker_tgid, rec->forker_start_ns);
	atlas->counts.process_forks++;
	lineage_set(child, rec);
	child->pub.flags |= PROCESS_SEEN_FROM_BIRTH;
	child->pub.flags &= ~PROCESS_BIRTH_MISSED;
	if (forker) {
		forker->pub.nr_forks++;
		if (!child->pub.tag)
			child->pub.tag = forker->pub.tag;
	}
	if (!rec->space)
		return 0;
	if (!(rec->task_flags & REC_TASK_SHARES_SPACE))
		return fork_own_space(atlas, child, rec->space, forker);
	/* The record says where the forker runs, too. */
	if (forker && forker->pub.state == PROCESS_RUNNING)
		error = space_follow(atlas, forker, rec->space);
	return error ? error : space_follow(atlas, child, rec->space);
}

int apply_fork(struct atlas *atlas, const struct rec_task *rec)
{
	enum task_novelty novelty;
	struct task_node *task;
	int error;

	error = task_observe(atlas, rec, &task, &novelty);
	if (error)
		return error;
	task_birth_seen(atlas, task);
	if (rec->hdr.tid == rec->hdr.tgid)
		return process_fork(atlas, rec, task->process);
	atlas->counts.thread_forks++;
	if (novelty == TASK_FIRST && atlas->state.seeded)
		task->process->pub.flags |= PROCESS_BIRTH_MISSED;
	return space_follow(atlas, task->process, rec->space);
}
