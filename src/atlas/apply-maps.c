// SPDX-License-Identifier: GPL-2.0-only
/*
 * MAPS: replace what is known of a range.
 *
 *	rec	          lo                  hi
 *	          ....[==m0==)   [=m1=)   [==m2==)....
 *	before	 [==a======)        [==b==)  [======c======)
 *	after	 [a==)[==m0==)   [=m1=)   [==m2==)[==c======)
 *
 * The range that is replaced reaches from the first to behind the last mapping of the record where
 * these stick out of [lo, hi). What lies across its ends (a, c) is cut, and the rest stays.
 */
#include <errno.h>

#include "atlas/apply.h"
#include "atlas/decode.h"
#include "atlas/file.h"
#include "atlas/mapping.h"
#include "atlas/process.h"
#include "atlas/space.h"
#include "base/array.h"

struct range {
	uint64_t lo, hi;
};

/* What the pieces of a change are counted by, and who is told. */
struct change {
	struct atlas *atlas;
	const struct rec_maps *rec;
	struct space_node *space;
	struct process_node *process; /* that made it; NULL = not known, or nobody */
	bool drift;
};

/* The record's mappings to atlas.after, with a free place before and behind. */
static int after_fill(struct atlas *atlas, const struct rec_maps *rec)
{
	struct mapping_list *after = &atlas->after;
	uint64_t key = 0;
	uint32_t number = 0;

	after->nr = 0;
	if (array_reserve(&after->list, &after->capacity, (size_t)rec->nr + 2,
			  sizeof(*after->list)))
		return -ENOMEM;
	for (uint32_t i = 0; i < rec->nr; i++) {
		const struct rec_mapping *m = &rec->mapping[i];

		/* Neighbours mostly are of one file. */
		if (m->file != key) {
			if (file_number(atlas, m->file, &number))
				return -ENOMEM;
			key = m->file;
		}
		after->list[1 + i] = (struct mapping){
		    .start = m->start,
		    .end = m->end,
		    .offset = m->offset,
		    .file = number,
		    .flags = m->map_flags,
		};
	}
	after->nr = rec->nr;
	return 0;
}

/* What is known of the range, whole mappings, to atlas.before; where they are to *ret. */
static int before_fill(struct atlas *atlas, const struct space_node *space, struct range range,
		       struct mapspan *ret)
{
	struct mapping_list *before = &atlas->before;
	struct mapplace place = maptree_seek(&space->tree, range.lo);
	const struct mapping *mapping;

	before->nr = 0;
	ret->first = place;
	while ((mapping = maptree_at(&space->tree, place)) && mapping->start < range.hi) {
		if (array_reserve(&before->list, &before->capacity, before->nr + 1,
				  sizeof(*before->list)))
			return -ENOMEM;
		before->list[before->nr++] = *mapping;
		place = maptree_next(&space->tree, place);
	}
	ret->last = place;
	return 0;
}

static bool lists_equal(const struct mapping_list *a, const struct mapping *b)
{
	for (size_t i = 0; i < a->nr; i++)
		if (!mapping_equal(&a->list[i], &b[i]))
			return false;
	return true;
}

/* Put the new mappings in place, and what is left of those that were cut. */
static int mappings_replace(struct atlas *atlas, struct space_node *space, struct range range,
			    struct mapspan span)
{
	const struct mapping_list *before = &atlas->before;
	struct mapping *list = atlas->after.list + 1;
	uint32_t nr = (uint32_t)atlas->after.nr;
	const struct mapping *last;
	int error;

	if (before->nr) {
		last = &before->list[before->nr - 1];
		if (last->end > range.hi)
			list[nr++] = mapping_cut(atlas, last, range.hi, last->end);
		if (before->list[0].start < range.lo) {
			*--list = mapping_cut(atlas, before->list, before->list[0].start, range.lo);
			nr++;
		}
	}
	error = maptree_splice(&space->tree, &atlas->pool, span, list, nr);
	space->pub.nr_mappings = maptree_nr(&space->tree);
	return error;
}

static void piece_count(void *ctx, enum mapping_change kind, const struct mapping *before,
			const struct mapping *after)
{
	struct change *change = ctx;
	struct atlas *atlas = change->atlas;

	change->space->pub.nr_changes++;
	if (!(change->rec->hdr.flags & REC_F_WALK))
		atlas->counts.pieces[kind]++;
	if (change->process)
		change->process->pub.nr_map_changes++;
	if (change->drift)
		atlas->counts.drift[kind]++;
	if (atlas->on_mapping)
		atlas->on_mapping(atlas->on_mapping_ctx, change->rec, &change->space->pub, kind,
				  before, after);
}

/* Whose thread made us look; a walk finds what it finds. */
static struct process_node *maker_of(const struct atlas *atlas, const struct rec_maps *rec)
{
	struct process_node *process = NULL;

	if (!(rec->hdr.flags & REC_F_WALK))
		process = process_find(atlas, rec->hdr.tgid);
	return process && process->pub.state == PROCESS_RUNNING ? process : NULL;
}

/* A walk should find what is known already, where nothing is known to be missing. */
static bool would_be_drift(const struct atlas *atlas, const struct rec_maps *rec,
			   const struct space_node *space)
{
	return (rec->hdr.flags & REC_F_WALK) && atlas->state.seeded && !atlas->state.suspect &&
	       space->pub.nr_processes && (space->pub.state & SPACE_COMPLETE) &&
	       !(space->pub.state & SPACE_SUSPECT);
}

/* The space that the record speaks of; made, floating, if its key is not known. */
static int space_find(struct atlas *atlas, const struct rec_maps *rec, struct space_node **ret)
{
	struct space_node *space = space_by_key(atlas, rec->space);

	if (!space) {
		if (space_open(atlas, rec->space, NULL, &space))
			return -ENOMEM;
		if (!atlas->state.seeded && (rec->hdr.flags & REC_F_WALK))
			space->pub.state |= SPACE_SEEDED;
		spaces_trim(atlas, false);
	}
	atlas->counts.orphans += !space->pub.nr_processes;
	*ret = space;
	return 0;
}

static int observation_apply(struct atlas *atlas, const struct rec_maps *rec,
			     struct space_node *space, struct range range)
{
	struct change change = {.atlas = atlas, .rec = rec, .space = space};
	struct mapping_list *after = &atlas->after, shown;
	struct mapspan span;

	if (after_fill(atlas, rec))
		return -ENOMEM;
	if (rec->nr) {
		uint64_t first = after->list[1].start, last = after->list[rec->nr].end;

		range.lo = first < range.lo ? first : range.lo;
		range.hi = last > range.hi ? last : range.hi;
	}
	if (before_fill(atlas, space, range, &span))
		return -ENOMEM;
	change.process = maker_of(atlas, rec);
	change.drift = would_be_drift(atlas, rec, space);
	space->pub.start_brk = rec->start_brk;
	space->pub.brk = rec->brk;
	space->pub.start_stack = rec->start_stack;
	space->pub.observed_ns = rec->hdr.time_ns;
	/* A walk mostly finds what is known: then nothing is copied that is shared. */
	if (atlas->before.nr != after->nr || !lists_equal(&atlas->before, after->list + 1)) {
		if (mappings_replace(atlas, space, range, span))
			return -ENOMEM;
		shown = (struct mapping_list){.list = after->list + 1, .nr = after->nr};
		mappings_diff(atlas, &atlas->before, &shown, range.lo, range.hi, piece_count,
			      &change);
	}
	space_observed(atlas, space, range.lo, range.hi, rec->maps_flags);
	return 0;
}

int apply_maps(struct atlas *atlas, const struct rec_maps *rec)
{
	struct space_node *space;
	struct range range;
	int error;

	maps_range(rec, &range.lo, &range.hi);
	if (!(rec->hdr.flags & REC_F_WALK))
		atlas->counts.observations[rec->cause]++;
	if (space_find(atlas, rec, &space))
		return -ENOMEM;
	if (rec->maps_flags & REC_MAPS_SUSPECT) {
		space_doubt(atlas, space, range.lo, range.hi);
		return 0;
	}
	error = observation_apply(atlas, rec, space, range);
	if (error)
		space_doubt(atlas, space, range.lo, range.hi);
	return error;
}
