// SPDX-License-Identifier: GPL-2.0-only
/*
 * Both lists are walked together from boundary to boundary:
 *
 *	before	[====a====)[===b===)
 *	after	      [====a==)     [==c==)
 *	pieces	[rem )[same)[rem)[ ][add  )
 *
 * A piece is held back until it is seen that the next one does not go on with it, so that a mapping
 * which was split or merged meanwhile, or is reported in several parts, makes one piece.
 */
#include "atlas/mapping.h"

/* What one side has from `at` on. */
struct side {
	const struct mapping_list *list;
	size_t next;                 /* the first that ends behind `at` */
	const struct mapping *holds; /* the one that holds `at`; NULL = a gap */
	uint64_t until;              /* where that changes */
};

struct piece {
	enum mapping_change change;
	struct mapping before, after; /* before: unless ADDED; after: unless REMOVED */
};

static void side_move(struct side *side, uint64_t at, uint64_t hi)
{
	const struct mapping *mapping;

	while (side->next < side->list->nr && side->list->list[side->next].end <= at)
		side->next++;
	side->holds = NULL;
	side->until = hi;
	if (side->next == side->list->nr)
		return;
	mapping = &side->list->list[side->next];
	if (mapping->start > at) {
		side->until = mapping->start;
	} else {
		side->holds = mapping;
		side->until = mapping->end;
	}
	if (side->until > hi)
		side->until = hi;
}

static struct piece piece_make(const struct atlas *atlas, const struct side *before,
			       const struct side *after, uint64_t start, uint64_t end)
{
	struct piece piece = {0};

	if (before->holds)
		piece.before = mapping_cut(atlas, before->holds, start, end);
	if (after->holds)
		piece.after = mapping_cut(atlas, after->holds, start, end);
	if (!before->holds && after->holds)
		piece.change = MAPPING_ADDED;
	else if (before->holds && !after->holds)
		piece.change = MAPPING_REMOVED;
	else if (before->holds && !mapping_same_at(atlas, &piece.before, &piece.after, start))
		piece.change = MAPPING_CHANGED;
	return piece;
}

static bool goes_on(const struct atlas *atlas, const struct mapping *a, const struct mapping *b)
{
	return a->end == b->start && mapping_continues(atlas, a, b);
}

/* Let `piece` reach over `next`, which lies right behind it, if that is the same change. */
static bool piece_extend(const struct atlas *atlas, struct piece *piece, const struct piece *next)
{
	if (piece->change != next->change)
		return false;
	if (piece->change != MAPPING_ADDED && !goes_on(atlas, &piece->before, &next->before))
		return false;
	if (piece->change != MAPPING_REMOVED && !goes_on(atlas, &piece->after, &next->after))
		return false;
	piece->before.end = next->before.end;
	piece->after.end = next->after.end;
	return true;
}

static void piece_tell(const struct piece *piece, diff_fn fn, void *ctx)
{
	if (piece->change != MAPPING_NONE)
		fn(ctx, piece->change, piece->change == MAPPING_ADDED ? NULL : &piece->before,
		   piece->change == MAPPING_REMOVED ? NULL : &piece->after);
}

void mappings_diff(const struct atlas *atlas, const struct mapping_list *before,
		   const struct mapping_list *after, uint64_t lo, uint64_t hi, diff_fn fn,
		   void *ctx)
{
	struct side old = {.list = before}, new = {.list = after};
	struct piece piece = {0}, next;
	uint64_t end;

	for (uint64_t at = lo; at < hi; at = end) {
		side_move(&old, at, hi);
		side_move(&new, at, hi);
		end = old.until < new.until ? old.until : new.until;
		next = piece_make(atlas, &old, &new, at, end);
		if (piece_extend(atlas, &piece, &next))
			continue;
		piece_tell(&piece, fn, ctx);
		piece = next;
	}
	piece_tell(&piece, fn, ctx);
}
