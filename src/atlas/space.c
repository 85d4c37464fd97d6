// SPDX-License-Identifier: GPL-2.0-only
/*
 * A look at a whole space comes in several records, from one with FIRST to one with LAST, and other
 * records of the same space between them. Whether everything was seen is told by one address,
 * look_to: FIRST sets it; whatever record touches it from below moves it up; a range that could not
 * be read pulls it back. LAST completes the space only if look_to has come to its end. So a record
 * that is missing leaves a gap which nothing closes but a record of that very range, and looks of
 * several observers may interleave: each FIRST begins anew, and any LAST may end it.
 */
#include "atlas/space.h"

#include <errno.h>
#include <stdlib.h>
#include <utlist.h>

/* state.suspect_spaces counts suspect spaces in which somebody runs: call with -1 before anything
 * of that changes, with 1 afterwards. */
static void suspects_count(struct atlas *atlas, const struct space_node *space, int by)
{
	if (space->pub.nr_processes && (space->pub.state & SPACE_SUSPECT))
		atlas->state.suspect_spaces += (uint32_t)by;
}

struct space_node *space_by_key(const struct atlas *atlas, uint64_t key)
{
	return keymap_find(&atlas->space_keys, key);
}

static void space_unbind(struct atlas *atlas, struct space_node *space)
{
	if (!space->key)
		return;
	keymap_remove(&atlas->space_keys, space->key);
	space->key = 0;
}

static void space_free(struct atlas *atlas, struct space_node *space)
{
	maptree_done(&space->tree, &atlas->pool);
	free(space);
	atlas->nr_spaces--;
}

void space_close(struct atlas *atlas, struct space_node *space)
{
	space_unbind(atlas, space);
	DL_DELETE(atlas->floating, space);
	atlas->nr_floating--;
	space_free(atlas, space);
}

static void space_copy(struct space_node *space, const struct space_node *source)
{
	maptree_share(&space->tree, &source->tree);
	space->pub.state = source->pub.state & (SPACE_COMPLETE | SPACE_SUSPECT);
	space->pub.start_brk = source->pub.start_brk;
	space->pub.brk = source->pub.brk;
	space->pub.start_stack = source->pub.start_stack;
	space->pub.observed_ns = source->pub.observed_ns;
	space->pub.nr_mappings = source->pub.nr_mappings;
	space->whole_seq = source->whole_seq;
	space->suspect_lo = source->suspect_lo;
	space->suspect_hi = source->suspect_hi;
}

static struct space_node *space_new(struct atlas *atlas, const struct space_node *source)
{
	struct space_node *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	space->pub.number = ++atlas->last_space;
	if (source)
		space_copy(space, source);
	atlas->nr_spaces++;
	return space;
}

int space_open(struct atlas *atlas, uint64_t key, const struct space_node *source,
	       struct space_node **ret)
{
	struct space_node *before = space_by_key(atlas, key), *space;

	space = space_new(atlas, source);
	if (!space)
		return -ENOMEM;
	if (keymap_set(&atlas->space_keys, key, space)) {
		space_free(atlas, space);
		return -ENOMEM;
	}
	space->key = key;
	if (before)
		before->key = 0;
	if (before && !before->refs)
		space_close(atlas, before);
	DL_APPEND(atlas->floating, space);
	atlas->nr_floating++;
	*ret = space;
	return 0;
}

void spaces_trim(struct atlas *atlas, bool all)
{
	while (atlas->floating && (all || atlas->nr_floating > FLOATING_MAX))
		space_close(atlas, atlas->floating);
}

/* --- who runs where ----------------------------------------------------------------------- */

static void space_ref(struct atlas *atlas, struct space_node *space)
{
	if (!space->refs++) {
		DL_DELETE(atlas->floating, space);
		atlas->nr_floating--;
		DL_APPEND(atlas->spaces, space);
	}
}

static void space_unref(struct atlas *atlas, struct space_node *space)
{
	if (--space->refs)
		return;
	space_unbind(atlas, space);
	DL_DELETE(atlas->spaces, space);
	space_free(atlas, space);
}

static void hold_set(struct atlas *atlas, struct process_node *process, enum hold hold)
{
	struct space_node *space = space_of(process);

	suspects_count(atlas, space, -1);
	space->pub.nr_processes -= process->hold == HOLD_RUNS;
	space->holders -= process->hold != HOLD_NONE;
	process->hold = (uint8_t)hold;
	space->pub.nr_processes += process->hold == HOLD_RUNS;
	space->holders += process->hold != HOLD_NONE;
	suspects_count(atlas, space, 1);
	if (!space->holders)
		space_unbind(atlas, space);
}

void space_join(struct atlas *atlas, struct process_node *process, struct space_node *space)
{
	space_ref(atlas, space);
	process->pub.space = &space->pub;
	process->joined_seq = atlas->seq;
	hold_set(atlas, process, HOLD_RUNS);
}

void space_leave(struct atlas *atlas, struct process_node *process)
{
	struct space_node *space = space_of(process);

	if (!space)
		return;
	hold_set(atlas, process, HOLD_NONE);
	process->pub.space = NULL;
	space_unref(atlas, space);
}

void space_linger(struct atlas *atlas, struct process_node *process)
{
	if (process->hold == HOLD_RUNS)
		hold_set(atlas, process, HOLD_LINGERS);
}

void space_resume(struct atlas *atlas, struct process_node *process)
{
	if (process->hold == HOLD_LINGERS)
		hold_set(atlas, process, HOLD_RUNS);
	else
		space_leave(atlas, process);
}

void space_freeze(struct atlas *atlas, struct process_node *process)
{
	struct space_node *space = space_of(process), *copy;

	if (process->hold == HOLD_NONE)
		return;
	if (space->holders == 1) {
		hold_set(atlas, process, HOLD_NONE);
		return;
	}
	copy = space_new(atlas, space);
	if (copy) {
		copy->pub.state = space->pub.state;
		copy->pub.nr_changes = space->pub.nr_changes;
		copy->refs = 1;
		DL_APPEND(atlas->spaces, copy);
	} else {
		atlas_doubt(atlas, atlas->state.last_ns);
	}
	space_leave(atlas, process);
	process->pub.space = copy ? &copy->pub : NULL;
}

int space_follow(struct atlas *atlas, struct process_node *process, uint64_t key)
{
	struct space_node *space = space_of(process);
	int error;

	if (!key || (space && space->key == key))
		return 0;
	space = space_by_key(atlas, key);
	if (!space) {
		error = space_open(atlas, key, NULL, &space);
		if (error)
			return error;
	}
	if (!space->refs && !atlas->state.seeded && !(process->pub.flags & PROCESS_SEEN_FROM_BIRTH))
		space->pub.state |= SPACE_SEEDED;
	space_leave(atlas, process);
	space_join(atlas, process, space);
	return 0;
}

/* --- what is known ------------------------------------------------------------------------ */

void space_doubt(struct atlas *atlas, struct space_node *space, uint64_t lo, uint64_t hi)
{
	bool suspect = space->suspect_lo < space->suspect_hi;

	suspects_count(atlas, space, -1);
	space->pub.state |= SPACE_SUSPECT;
	suspects_count(atlas, space, 1);
	if (!suspect || lo < space->suspect_lo)
		space->suspect_lo = lo;
	if (!suspect || hi > space->suspect_hi)
		space->suspect_hi = hi;
	if (space->look_to > lo)
		space->look_to = lo;
}

/* Take [lo, hi) off the suspect range where it covers an end of it. */
static void suspicion_trim(struct space_node *space, uint64_t lo, uint64_t hi)
{
	if (lo <= space->suspect_lo && hi > space->suspect_lo)
		space->suspect_lo = hi;
	if (hi >= space->suspect_hi && lo < space->suspect_hi)
		space->suspect_hi = lo;
}

/* Was this the end of a look that saw everything? */
static bool look_on(struct space_node *space, uint64_t seq, uint64_t lo, uint64_t hi,
		    uint32_t maps_flags)
{
	if (maps_flags & REC_MAPS_FIRST) {
		space->look_seq = seq;
		space->look_to = hi;
	} else if (lo <= space->look_to && hi > space->look_to) {
		space->look_to = hi;
	}
	return (maps_flags & REC_MAPS_LAST) && space->look_seq && space->look_to >= hi;
}

void space_observed(struct atlas *atlas, struct space_node *space, uint64_t lo, uint64_t hi,
		    uint32_t maps_flags)
{
	suspicion_trim(space, lo, hi);
	if (look_on(space, atlas->seq, lo, hi, maps_flags)) {
		space->pub.state |= SPACE_COMPLETE;
		space->whole_seq = space->look_seq;
		space->suspect_hi = space->suspect_lo;
	}
	if (space->suspect_lo < space->suspect_hi)
		return;
	space->suspect_lo = space->suspect_hi = 0;
	suspects_count(atlas, space, -1);
	space->pub.state &= ~SPACE_SUSPECT;
	suspects_count(atlas, space, 1);
}

/* --- asked from outside ------------------------------------------------------------------- */

struct space_iter atlas_spaces(const struct atlas *atlas)
{
	return (struct space_iter){.next = atlas->spaces};
}

const struct space *space_next(struct space_iter *it)
{
	const struct space_node *space = it->next;

	while (space && !space->pub.nr_processes)
		space = space->next;
	it->next = space ? space->next : NULL;
	return space ? &space->pub : NULL;
}
