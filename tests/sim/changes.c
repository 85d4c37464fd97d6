// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the atlas tells of changed mappings must be so: pieces in ascending order, inside what the
 * record replaced, with a difference between before and after, and the after as the atlas has it.
 */
#include "tests/sim/world.h"

static bool has_offset(const struct world *w, const struct mapping *m)
{
	const struct file *file = atlas_file(w->atlas, m->file);

	return file && (file->kind == REC_FILE_PATH || file->kind == REC_FILE_PSEUDO);
}

static bool same_piece(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end;
}

static bool same_contents(const struct mapping *a, const struct mapping *b)
{
	return a->flags == b->flags && a->file == b->file && a->offset == b->offset;
}

static bool kind_fits(enum mapping_change kind, const struct mapping *before,
		      const struct mapping *after)
{
	switch (kind) {
	case MAPPING_ADDED:
		return !before && after;
	case MAPPING_REMOVED:
		return before && !after;
	case MAPPING_CHANGED:
		return before && after && same_piece(before, after) &&
		       !same_contents(before, after);
	default:
		return false;
	}
}

static bool nothing_in(const struct space *space, const struct mapping *piece)
{
	struct mapping_iter it = space_mappings(space, piece->start, piece->end);

	return !mapping_next(&it);
}

/* Is the piece there as it is told? It may be of several equal mappings, side by side. */
static bool is_there(const struct world *w, const struct space *space, const struct mapping *piece)
{
	uint64_t at = piece->start;
	struct mapping m;

	while (at < piece->end) {
		if (!atlas_find(space, at, &m) || m.flags != piece->flags || m.file != piece->file)
			return false;
		if (has_offset(w, piece) && piece->offset - m.offset != piece->start - m.start)
			return false;
		at = m.end;
	}
	return true;
}

void changes_told(void *ctx, const struct rec_maps *rec, const struct space *space,
		  enum mapping_change kind, const struct mapping *before,
		  const struct mapping *after)
{
	struct world *w = ctx;
	const struct mapping *piece = after ? after : before;

	if (!piece || piece->start >= piece->end || !kind_fits(kind, before, after)) {
		world_fail(w, "a change of kind %d is told that is none", kind);
		return;
	}
	if (w->told_record == w->user.nr_applied && piece->start < w->told_end)
		world_fail(w, "changes are told out of order: %#llx is behind %#llx",
			   (unsigned long long)piece->start, (unsigned long long)w->told_end);
	w->told_record = w->user.nr_applied;
	w->told_end = piece->end;
	if (after ? !is_there(w, space, piece) : !nothing_in(space, piece))
		world_fail(w, "a change of [%#llx, %#llx), kind %d, cause %u, is told wrongly",
			   (unsigned long long)piece->start, (unsigned long long)piece->end, kind,
			   rec->cause);
}
