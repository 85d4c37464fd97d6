// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looking up, sharing and splicing. A splice replaces the mappings between two places:
 *
 *	chunk a            chunk b                          list
 *	[ left | removed ] [ removed | right ]      +       [ new ]
 *
 * Where a and b are one chunk and the outcome fits it well, it is edited in place. Otherwise the
 * chunks from a to b give way to as few new ones as hold left + new + right, evenly filled; a
 * neighbour is taken in if that alone would be less than MAPCHUNK_MIN. All memory is allocated
 * before the first change.
 */
#include "atlas/maptree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define CAPACITY_STEP 8
#define SEEK_BLOCK 16u

static uint16_t capacity_for(uint32_t nr)
{
	uint32_t capacity = (nr + CAPACITY_STEP - 1) / CAPACITY_STEP * CAPACITY_STEP;

	return (uint16_t)(capacity < MAPCHUNK_MAX ? capacity : MAPCHUNK_MAX);
}

static bool is_roomy(const struct mapchunk *chunk, uint32_t nr)
{
	return chunk->capacity > nr + nr / 4 + CAPACITY_STEP;
}

static struct mapchunk *chunk_new(struct mappool *pool, uint32_t nr)
{
	uint16_t capacity = capacity_for(nr);
	struct mapchunk *chunk = malloc(mapchunk_bytes(capacity));

	if (!chunk)
		return NULL;
	*chunk = (struct mapchunk){.refs = 1, .capacity = capacity};
	pool->bytes += heap_bytes(mapchunk_bytes(capacity));
	return chunk;
}

static void chunk_put(struct mapchunk *chunk, struct mappool *pool)
{
	if (--chunk->refs)
		return;
	pool->bytes -= heap_bytes(mapchunk_bytes(chunk->capacity));
	free(chunk);
}

static uint16_t count_dontfork(const struct mapping *list, uint32_t nr)
{
	uint16_t count = 0;

	for (uint32_t i = 0; i < nr; i++)
		count += !!(list[i].flags & REC_MAP_DONTFORK);
	return count;
}

static void root_put(struct maproot *root, struct mappool *pool)
{
	if (!root || --root->refs)
		return;
	for (uint32_t i = 0; i < root->nr_chunks; i++)
		chunk_put(root->slot[i].chunk, pool);
	pool->bytes -= heap_bytes(maproot_bytes(root->capacity));
	free(root);
}

void maptree_done(struct maptree *tree, struct mappool *pool)
{
	root_put(tree->root, pool);
	tree->root = NULL;
}

void maptree_share(struct maptree *dst, const struct maptree *src)
{
	dst->root = src->root;
	if (dst->root)
		dst->root->refs++;
}

/* --- places ------------------------------------------------------------------------------- */

/*
 * The first mapping in a chunk that ends behind addr. A plain bisection waits for memory six times,
 * one time after the other; so first the ends of all blocks are fetched side by side, then the
 * block.
 */
static uint32_t chunk_seek(const struct mapchunk *chunk, uint64_t addr)
{
	uint32_t low = 0, high;

	for (uint32_t end = SEEK_BLOCK; end <= MAPCHUNK_MAX; end += SEEK_BLOCK)
		__builtin_prefetch(&chunk->mapping[end - 1]);
	while (low + SEEK_BLOCK < chunk->nr && chunk->mapping[low + SEEK_BLOCK - 1].end <= addr)
		low += SEEK_BLOCK;
	for (uint32_t i = 0; i < SEEK_BLOCK; i += 2) /* two share a cache line */
		__builtin_prefetch(&chunk->mapping[low + i]);
	high = low + SEEK_BLOCK < chunk->nr ? low + SEEK_BLOCK : chunk->nr;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (chunk->mapping[middle].end > addr)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The last chunk that starts at or before addr; 0 if there is none. */
static uint32_t root_seek(const struct maproot *root, uint64_t addr)
{
	uint32_t low = 0, high = root->nr_chunks;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (root->slot[middle].start > addr)
			high = middle;
		else
			low = middle + 1;
	}
	return low ? low - 1 : 0;
}

struct mapplace maptree_seek(const struct maptree *tree, uint64_t addr)
{
	struct mapplace place = {0};

	if (!tree->root)
		return place;
	place.chunk = root_seek(tree->root, addr);
	place.slot = chunk_seek(tree->root->slot[place.chunk].chunk, addr);
	if (place.slot == tree->root->slot[place.chunk].chunk->nr)
		place = (struct mapplace){.chunk = place.chunk + 1};
	return place;
}

const struct mapping *maptree_at(const struct maptree *tree, struct mapplace place)
{
	const struct maproot *root = tree->root;

	if (!root || place.chunk >= root->nr_chunks ||
	    place.slot >= root->slot[place.chunk].chunk->nr)
		return NULL;
	return &root->slot[place.chunk].chunk->mapping[place.slot];
}

struct mapplace maptree_next(const struct maptree *tree, struct mapplace place)
{
	if (++place.slot >= tree->root->slot[place.chunk].chunk->nr)
		place = (struct mapplace){.chunk = place.chunk + 1};
	return place;
}

/* --- changing ----------------------------------------------------------------------------- */

/* What a splice replaces: slots [first_slot, last_slot) of chunks first..last, which are counted
 * from the start of the first and to the end of the last. */
struct window {
	uint32_t first, first_slot;
	uint32_t last, last_slot;
};

/* A copy of the root, its chunks shared; or a first root. */
static struct maproot *root_copy(const struct maproot *old, struct mappool *pool, uint32_t capacity)
{
	struct maproot *root = malloc(maproot_bytes(capacity));

	if (!root)
		return NULL;
	*root = (struct maproot){0};
	if (old)
		memcpy(root, old, maproot_bytes(old->nr_chunks));
	root->refs = 1;
	root->capacity = capacity;
	pool->bytes += heap_bytes(maproot_bytes(capacity));
	for (uint32_t i = 0; i < root->nr_chunks; i++)
		root->slot[i].chunk->refs++;
	return root;
}

/* Let the root be ours alone, with room for `chunks` of them. */
static int root_own(struct maptree *tree, struct mappool *pool, uint32_t chunks)
{
	struct maproot *old = tree->root, *root;
	uint32_t capacity = old ? old->capacity : 0;
	bool fits = chunks <= capacity && chunks >= capacity / 4;

	if (!fits)
		capacity = chunks + chunks / 4;
	if (old && capacity < old->nr_chunks) /* until the splice is done, it holds them too */
		capacity = old->nr_chunks;
	if (!old || old->refs > 1) {
		root = root_copy(old, pool, capacity);
		if (!root)
			return -ENOMEM;
		root_put(old, pool);
	} else {
		if (fits)
			return 0;
		root = realloc(old, maproot_bytes(capacity));
		if (!root)
			return -ENOMEM;
		pool->bytes -= heap_bytes(maproot_bytes(root->capacity));
		pool->bytes += heap_bytes(maproot_bytes(capacity));
		root->capacity = capacity;
	}
	tree->root = root;
	return 0;
}

/* Let the chunk in this slot be ours alone, with room for `nr` mappings. */
static struct mapchunk *chunk_own(struct mapslot *slot, struct mappool *pool, uint32_t nr)
{
	struct mapchunk *old = slot->chunk, *chunk;
	uint16_t capacity = capacity_for(nr > old->nr ? nr : old->nr);

	if (old->refs > 1) {
		chunk = chunk_new(pool, capacity);
		if (!chunk)
			return NULL;
		chunk->nr = old->nr;
		chunk->nr_dontfork = old->nr_dontfork;
		memcpy(chunk->mapping, old->mapping, old->nr * sizeof(*old->mapping));
		old->refs--;
		slot->chunk = chunk;
	} else if (capacity > old->capacity) {
		chunk = realloc(old, mapchunk_bytes(capacity));
		if (!chunk)
			return NULL;
		pool->bytes -= heap_bytes(mapchunk_bytes(chunk->capacity));
		chunk->capacity = capacity;
		pool->bytes += heap_bytes(mapchunk_bytes(capacity));
		slot->chunk = chunk;
	}
	return slot->chunk;
}

/* Give back what a chunk has too much of. */
static void chunk_trim(struct mapslot *slot, struct mappool *pool)
{
	struct mapchunk *chunk = slot->chunk;
	uint16_t old = chunk->capacity, capacity = capacity_for(chunk->nr);

	if (!is_roomy(chunk, chunk->nr))
		return;
	chunk = realloc(chunk, mapchunk_bytes(capacity));
	if (!chunk)
		return;
	chunk->capacity = capacity;
	slot->chunk = chunk;
	pool->bytes -= heap_bytes(mapchunk_bytes(old));
	pool->bytes += heap_bytes(mapchunk_bytes(capacity));
}

static int splice_in_place(struct maptree *tree, struct mappool *pool, const struct window *w,
			   const struct mapping *list, uint32_t nr)
{
	uint32_t removed = w->last_slot - w->first_slot;
	struct mapslot *slot;
	struct mapchunk *chunk;
	int dontfork;

	if (root_own(tree, pool, tree->root->nr_chunks))
		return -ENOMEM;
	slot = &tree->root->slot[w->first];
	chunk = chunk_own(slot, pool, slot->chunk->nr - removed + nr);
	if (!chunk)
		return -ENOMEM;
	dontfork =
	    count_dontfork(list, nr) - count_dontfork(chunk->mapping + w->first_slot, removed);
	memmove(chunk->mapping + w->first_slot + nr, chunk->mapping + w->last_slot,
		(chunk->nr - w->last_slot) * sizeof(*list));
	if (nr)
		memcpy(chunk->mapping + w->first_slot, list, nr * sizeof(*list));
	chunk->nr = (uint16_t)(chunk->nr - removed + nr);
	chunk->nr_dontfork = (uint16_t)(chunk->nr_dontfork + dontfork);
	tree->root->nr = tree->root->nr - removed + nr;
	tree->root->nr_dontfork += (uint32_t)dontfork;
	slot->start = chunk->mapping[0].start;
	chunk_trim(slot, pool);
	return 0;
}

/* What new chunks are filled from: runs of mappings, one after the other. */
struct source {
	struct {
		const struct mapping *list;
		uint32_t nr;
	} run[5];
	uint32_t nr_runs, at; /* the run that is read */
	uint32_t total;
};

static void source_add(struct source *from, const struct mapping *list, uint32_t nr)
{
	if (!nr)
		return;
	from->run[from->nr_runs].list = list;
	from->run[from->nr_runs++].nr = nr;
	from->total += nr;
}

static void source_take(struct source *from, struct mapchunk *chunk, uint32_t nr)
{
	while (nr) {
		uint32_t part = from->run[from->at].nr < nr ? from->run[from->at].nr : nr;

		memcpy(chunk->mapping + chunk->nr, from->run[from->at].list,
		       part * sizeof(*chunk->mapping));
		chunk->nr = (uint16_t)(chunk->nr + part);
		from->run[from->at].list += part;
		from->run[from->at].nr -= part;
		if (!from->run[from->at].nr)
			from->at++;
		nr -= part;
	}
	chunk->nr_dontfork = count_dontfork(chunk->mapping, chunk->nr);
}

/* New chunks, evenly filled, into slots[0..nr_chunks). */
static int chunks_make(struct mapslot *slots, uint32_t nr_chunks, struct mappool *pool,
		       struct source *from)
{
	for (uint32_t i = 0; i < nr_chunks; i++) {
		uint32_t share = from->total / nr_chunks + (i < from->total % nr_chunks);

		slots[i].chunk = chunk_new(pool, share);
		if (!slots[i].chunk) {
			while (i--)
				chunk_put(slots[i].chunk, pool);
			return -ENOMEM;
		}
		source_take(from, slots[i].chunk, share);
		slots[i].start = slots[i].chunk->mapping[0].start;
	}
	return 0;
}

/* Chunks first..last give way to `fresh`. The root is ours and has the room. */
static void slots_replace(struct maproot *root, struct mappool *pool, uint32_t first,
			  uint32_t nr_old, const struct mapslot *fresh, uint32_t nr_fresh)
{
	for (uint32_t i = first; i < first + nr_old; i++) {
		root->nr -= root->slot[i].chunk->nr;
		root->nr_dontfork -= root->slot[i].chunk->nr_dontfork;
		chunk_put(root->slot[i].chunk, pool);
	}
	memmove(root->slot + first + nr_fresh, root->slot + first + nr_old,
		(root->nr_chunks - first - nr_old) * sizeof(*fresh));
	if (nr_fresh)
		memcpy(root->slot + first, fresh, nr_fresh * sizeof(*fresh));
	root->nr_chunks = root->nr_chunks - nr_old + nr_fresh;
	for (uint32_t i = first; i < first + nr_fresh; i++) {
		root->nr += root->slot[i].chunk->nr;
		root->nr_dontfork += root->slot[i].chunk->nr_dontfork;
	}
}

/* Left + new + right, and a neighbour where that is too little for a chunk. */
static struct source splice_source(const struct maproot *root, struct window *w,
				   const struct mapping *list, uint32_t nr)
{
	const struct mapchunk *a = NULL, *b = NULL, *neighbour;
	struct source from = {0};
	uint32_t total = nr;

	if (root) {
		a = root->slot[w->first].chunk;
		b = root->slot[w->last].chunk;
		total += w->first_slot + b->nr - w->last_slot;
	}
	if (root && total && total < MAPCHUNK_MIN && w->first) {
		neighbour = root->slot[--w->first].chunk;
		source_add(&from, neighbour->mapping, neighbour->nr);
	}
	if (a)
		source_add(&from, a->mapping, w->first_slot);
	source_add(&from, list, nr);
	if (b)
		source_add(&from, b->mapping + w->last_slot, b->nr - w->last_slot);
	if (root && total && from.total < MAPCHUNK_MIN && w->last + 1 < root->nr_chunks) {
		neighbour = root->slot[++w->last].chunk;
		source_add(&from, neighbour->mapping, neighbour->nr);
	}
	return from;
}

static int splice_rebuild(struct maptree *tree, struct mappool *pool, struct window *w,
			  const struct mapping *list, uint32_t nr)
{
	struct source from = splice_source(tree->root, w, list, nr);
	uint32_t nr_fresh = (from.total + MAPCHUNK_MAX - 1) / MAPCHUNK_MAX;
	uint32_t nr_old = tree->root ? w->last - w->first + 1 : 0;
	uint32_t nr_chunks = tree->root ? tree->root->nr_chunks : 0;
	struct mapslot *fresh;
	int error = -ENOMEM;

	if (nr_old == nr_chunks && !nr_fresh) {
		maptree_done(tree, pool);
		return 0;
	}
	fresh = malloc((nr_fresh + 1) * sizeof(*fresh));
	if (!fresh)
		return -ENOMEM;
	if (chunks_make(fresh, nr_fresh, pool, &from))
		goto out;
	error = root_own(tree, pool, nr_chunks - nr_old + nr_fresh);
	if (error) {
		for (uint32_t i = 0; i < nr_fresh; i++)
			chunk_put(fresh[i].chunk, pool);
		goto out;
	}
	slots_replace(tree->root, pool, w->first, nr_old, fresh, nr_fresh);
out:
	free(fresh);
	return error;
}

struct mapspan maptree_span(const struct maptree *tree, uint64_t lo, uint64_t hi)
{
	struct mapspan span = {.first = maptree_seek(tree, lo), .last = maptree_seek(tree, hi - 1)};
	const struct mapping *mapping = maptree_at(tree, span.last);

	/* The last one may reach beyond. */
	if (mapping && mapping->start < hi)
		span.last = maptree_next(tree, span.last);
	return span;
}

/* A place between two chunks counts to the one before, so that no more chunks than needed are in
 * the window. */
static struct window window_of(const struct maproot *root, struct mapspan span)
{
	struct mapplace first = span.first, last = span.last;

	if (last.chunk > first.chunk && !last.slot) {
		last.chunk--;
		last.slot = root->slot[last.chunk].chunk->nr;
	}
	if (first.chunk == root->nr_chunks) {
		first.chunk = last.chunk = root->nr_chunks - 1;
		first.slot = last.slot = root->slot[first.chunk].chunk->nr;
	}
	return (struct window){
	    .first = first.chunk,
	    .first_slot = first.slot,
	    .last = last.chunk,
	    .last_slot = last.slot,
	};
}

int maptree_splice(struct maptree *tree, struct mappool *pool, struct mapspan span,
		   const struct mapping *list, uint32_t nr)
{
	struct window w = {0};
	uint64_t total;

	if (!tree->root)
		return nr ? splice_rebuild(tree, pool, &w, list, nr) : 0;
	w = window_of(tree->root, span);
	if (w.first == w.last && w.first_slot == w.last_slot && !nr)
		return 0;
	total = w.first_slot + (uint64_t)nr + (tree->root->slot[w.last].chunk->nr - w.last_slot);
	if (w.first == w.last && total && total <= MAPCHUNK_MAX &&
	    (total >= MAPCHUNK_MIN || tree->root->nr_chunks == 1))
		return splice_in_place(tree, pool, &w, list, nr);
	return splice_rebuild(tree, pool, &w, list, nr);
}

/* The first run of such mappings in a chunk that has one. */
static struct mapspan dontfork_run(const struct mapchunk *chunk, uint32_t number)
{
	uint32_t first = 0, last;

	while (!(chunk->mapping[first].flags & REC_MAP_DONTFORK))
		first++;
	for (last = first + 1; last < chunk->nr; last++)
		if (!(chunk->mapping[last].flags & REC_MAP_DONTFORK))
			break;
	return (struct mapspan){
	    .first = {.chunk = number, .slot = first},
	    .last = {.chunk = number, .slot = last},
	};
}

int maptree_drop_dontfork(struct maptree *tree, struct mappool *pool)
{
	uint32_t i = 0;

	while (tree->root && tree->root->nr_dontfork && i < tree->root->nr_chunks) {
		const struct mapchunk *chunk = tree->root->slot[i].chunk;

		if (!chunk->nr_dontfork) {
			i++;
			continue;
		}
		if (maptree_splice(tree, pool, dontfork_run(chunk, i), NULL, 0))
			return -ENOMEM;
		/* A chunk that became too small has been joined with the one before. */
		if (i)
			i--;
	}
	return 0;
}
