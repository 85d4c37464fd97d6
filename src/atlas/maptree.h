/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mappings of one space: sorted by address, disjoint, in two levels. The root is an array of
 * (first address, chunk); a chunk is an array of mappings. Both are counted and shared: a copy is
 * one increment, and whoever changes a shared root or chunk copies just that one first.
 *
 *	root (refs 2)   [ 0x1000 | 0x7f10.. | 0x7ffd.. ]
 *	                     |        |          |
 *	chunks           [m m m]  [m m m m]   [m m m]      each with its own refs
 *
 * n mappings in c chunks: seek O(log n); splice O(log n + chunk), and O(c) more where a chunk is
 * added or dropped, which is once in MAPCHUNK_MAX / 2 changes; the first change after a copy O(c).
 *
 * Invariants, see maptree_check(): no chunk is empty; none but a single one holds fewer than
 * MAPCHUNK_MIN. A chunk has room for a quarter and eight mappings more than it holds, at most.
 *
 * Knows nothing of files, pages or spaces. Errors: 0 or -ENOMEM with the mappings unchanged.
 */
#ifndef TASKATLAS_MAPTREE_H
#define TASKATLAS_MAPTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "atlas/atlas.h"

#define MAPCHUNK_MAX 127u
#define MAPCHUNK_MIN (MAPCHUNK_MAX / 3)

struct mapchunk {
	uint32_t refs; /* roots that hold it */
	uint32_t mark; /* for whoever visits chunks; not shared state of the tree */
	uint16_t nr;   /* mappings in use */
	uint16_t capacity;
	uint16_t nr_dontfork; /* with REC_MAP_DONTFORK */
	uint16_t reserved;
	struct mapping mapping[];
};
_Static_assert(sizeof(struct mapping) == 32, "a mapping takes 32 bytes");
_Static_assert(sizeof(struct mapchunk) == 16, "a chunk fits into 4 KiB with malloc's header");

struct mapslot {
	uint64_t start; /* of the chunk's first mapping */
	struct mapchunk *chunk;
};

struct maproot {
	uint32_t refs; /* trees that hold it */
	uint32_t nr_chunks;
	uint32_t capacity;
	uint32_t nr_dontfork; /* in all chunks */
	uint64_t nr;          /* the same for mappings */
	struct mapslot slot[];
};

/* What is allocated for them. */
static inline size_t mapchunk_bytes(uint32_t capacity)
{
	return sizeof(struct mapchunk) + capacity * sizeof(struct mapping);
}

static inline size_t maproot_bytes(uint32_t capacity)
{
	return sizeof(struct maproot) + capacity * sizeof(struct mapslot);
}

/* Bytes held by all trees that were made with it, with those of the heap itself. */
struct mappool {
	uint64_t bytes;
};

/* Zero is a valid, empty tree. */
struct maptree {
	struct maproot *root; /* NULL = empty */
};

/* A place in a tree: chunk == nr_chunks is behind the last mapping. */
struct mapplace {
	uint32_t chunk, slot;
};

/* Mappings that follow each other: from the one at `first` to before the one at `last`. */
struct mapspan {
	struct mapplace first, last;
};

/* Drop everything; the tree is empty afterwards. */
void maptree_done(struct maptree *tree, struct mappool *pool);

/* Make dst, which must be empty, a copy of src. O(1). */
void maptree_share(struct maptree *dst, const struct maptree *src);

static inline uint64_t maptree_nr(const struct maptree *tree)
{
	return tree->root ? tree->root->nr : 0;
}

/* Of the first mapping that ends behind addr. */
struct mapplace maptree_seek(const struct maptree *tree, uint64_t addr);

/* The mapping there; NULL behind the last one. */
const struct mapping *maptree_at(const struct maptree *tree, struct mapplace place);

/* The place behind it. */
struct mapplace maptree_next(const struct maptree *tree, struct mapplace place);

/* Every mapping that touches [lo, hi), which is not empty. */
struct mapspan maptree_span(const struct maptree *tree, uint64_t lo, uint64_t hi);

/*
 * Put list[0..nr) in place of a span. The list is sorted, and lies between what is left on both
 * sides. -ENOMEM: nothing changed.
 */
int maptree_splice(struct maptree *tree, struct mappool *pool, struct mapspan span,
		   const struct mapping *list, uint32_t nr);

/* Remove every mapping with REC_MAP_DONTFORK. -ENOMEM: some may be left. */
int maptree_drop_dontfork(struct maptree *tree, struct mappool *pool);

/* Every invariant of one tree, reference counts apart. NULL, or what is broken. */
const char *maptree_check(const struct maptree *tree);

#endif
