// SPDX-License-Identifier: GPL-2.0-only
#include "atlas/maptree.h"

static const char *chunk_check(const struct mapchunk *chunk, uint64_t *end)
{
	uint32_t dontfork = 0;

	if (!chunk->refs)
		return "a chunk is held and has no references";
	if (!chunk->nr || chunk->nr > chunk->capacity || chunk->capacity > MAPCHUNK_MAX)
		return "a chunk is empty or overfull";
	for (uint32_t i = 0; i < chunk->nr; i++) {
		const struct mapping *mapping = &chunk->mapping[i];

		if (mapping->start >= mapping->end)
			return "a mapping is empty";
		if (mapping->start < *end)
			return "mappings overlap or are not sorted";
		*end = mapping->end;
		dontfork += !!(mapping->flags & REC_MAP_DONTFORK);
	}
	return dontfork == chunk->nr_dontfork ? NULL : "nr_dontfork of a chunk is wrong";
}

const char *maptree_check(const struct maptree *tree)
{
	const struct maproot *root = tree->root;
	uint64_t end = 0, nr = 0, dontfork = 0;

	if (!root)
		return NULL;
	if (!root->refs || !root->nr_chunks || root->nr_chunks > root->capacity)
		return "a root has no references, or no chunks, or too many";
	for (uint32_t i = 0; i < root->nr_chunks; i++) {
		const struct mapchunk *chunk = root->slot[i].chunk;
		const char *why = chunk_check(chunk, &end);

		if (why)
			return why;
		if (root->slot[i].start != chunk->mapping[0].start)
			return "a slot does not say where its chunk starts";
		if (root->nr_chunks > 1 && chunk->nr < MAPCHUNK_MIN)
			return "a chunk is less than a third full";
		nr += chunk->nr;
		dontfork += chunk->nr_dontfork;
	}
	if (nr != root->nr || dontfork != root->nr_dontfork)
		return "the counts of a root are wrong";
	return NULL;
}
