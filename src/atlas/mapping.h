/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of mappings, and what differs between two states of a range. */
#ifndef TASKATLAS_ATLAS_MAPPING_H
#define TASKATLAS_ATLAS_MAPPING_H

#include "atlas/model.h"

/* The part [start, end) of a mapping, which must not be empty. Its offset moves along if it is of
 * a file; a name alone (special, anonymous) has no offset. */
struct mapping mapping_cut(const struct atlas *atlas, const struct mapping *mapping, uint64_t start,
			   uint64_t end);

/* Equal in everything: the very same mapping. */
bool mapping_equal(const struct mapping *a, const struct mapping *b);

/* Would an access find the same at addr, which both hold? Where they begin and end does not count.
 */
bool mapping_same_at(const struct atlas *atlas, const struct mapping *a, const struct mapping *b,
		     uint64_t addr);

/* Does b, which starts where a ends, go on with the same? */
bool mapping_continues(const struct atlas *atlas, const struct mapping *a, const struct mapping *b);

typedef void (*diff_fn)(void *ctx, enum mapping_change change, const struct mapping *before,
			const struct mapping *after);

/*
 * Compare two sorted lists of mappings inside [lo, hi), beyond which they may reach. fn gets each
 * maximal piece that differs, ascending; mappings cut to it, NULL where there is none.
 */
void mappings_diff(const struct atlas *atlas, const struct mapping_list *before,
		   const struct mapping_list *after, uint64_t lo, uint64_t hi, diff_fn fn,
		   void *ctx);

#endif
