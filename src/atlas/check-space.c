// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reference counts are counted again: pointers are collected, sorted, and each run of equal ones is
 * compared with the count in what it points to.
 */
#include <errno.h>
#include <stdlib.h>

#include "atlas/check.h"
#include "atlas/file.h"
#include "atlas/space.h"
#include "base/array.h"

struct pointers {
	const void **list;
	size_t nr, capacity;
};

static int pointer_add(struct pointers *pointers, const void *pointer)
{
	if (array_reserve(&pointers->list, &pointers->capacity, pointers->nr + 1,
			  sizeof(*pointers->list)))
		return -ENOMEM;
	pointers->list[pointers->nr++] = pointer;
	return 0;
}

static int compare(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t) * (const void *const *)a;
	uintptr_t y = (uintptr_t) * (const void *const *)b;

	return x < y ? -1 : x > y;
}

static void pointers_sort(struct pointers *pointers)
{
	if (pointers->nr)
		qsort(pointers->list, pointers->nr, sizeof(*pointers->list), compare);
}

/* How many equal ones there are at `at`. */
static size_t run_length(const struct pointers *pointers, size_t at)
{
	size_t end = at;

	while (end < pointers->nr && pointers->list[end] == pointers->list[at])
		end++;
	return end - at;
}

/* --- spaces ------------------------------------------------------------------------------- */

static int check_mappings(struct checker *check, const struct space_node *space)
{
	struct mapping_iter it = space_mappings(&space->pub, 0, UINT64_MAX);
	const char *why = maptree_check(&space->tree);
	const struct mapping *mapping;

	if (why)
		return broken(check, "%s", why);
	if (space->pub.nr_mappings != maptree_nr(&space->tree))
		return broken(check, "a space says the wrong number of mappings");
	while ((mapping = mapping_next(&it))) {
		if (mapping->start % MAP_PAGE || mapping->end % MAP_PAGE)
			return broken(check, "a mapping is not page aligned");
		if (mapping->file && !file_by_number(check->atlas, mapping->file))
			return broken(check, "a mapping is of file %u, which is not there",
				      mapping->file);
	}
	return 0;
}

static int check_space(struct checker *check, const struct space_node *space)
{
	const struct space *pub = &space->pub;
	bool suspect = space->suspect_lo < space->suspect_hi;

	if (space->key && space_by_key(check->atlas, space->key) != space)
		return broken(check, "a key does not find its space");
	if (suspect != !!(pub->state & SPACE_SUSPECT))
		return broken(check, "space %llu is suspect for nothing, or not for something",
			      (unsigned long long)pub->number);
	if (pub->nr_processes > space->holders || space->holders > space->refs)
		return broken(check, "space %llu: %u run, %u hold, %u refer",
			      (unsigned long long)pub->number, pub->nr_processes, space->holders,
			      space->refs);
	return check_mappings(check, space);
}

static int check_lists(struct checker *check)
{
	const struct atlas *atlas = check->atlas;
	const struct space_node *space;
	uint32_t nr = 0, floating = 0, suspect = 0;
	int error;

	for (space = atlas->spaces; space; space = space->next, nr++) {
		error = check_space(check, space);
		if (error)
			return error;
		if (!space->refs)
			return broken(check, "a space is listed, and nobody refers to it");
		suspect += space->pub.nr_processes && (space->pub.state & SPACE_SUSPECT);
	}
	for (space = atlas->floating; space; space = space->next, nr++, floating++) {
		error = check_space(check, space);
		if (error)
			return error;
		if (space->refs || !space->key)
			return broken(check, "a space floats that is bound, or has no key");
	}
	if (nr != atlas->nr_spaces || floating != atlas->nr_floating || floating > FLOATING_MAX)
		return broken(check, "%u spaces, %u of them floating; counted %u, %u", nr, floating,
			      atlas->nr_spaces, atlas->nr_floating);
	if (suspect != atlas->state.suspect_spaces)
		return broken(check, "%u spaces are suspect, counted %u", suspect,
			      atlas->state.suspect_spaces);
	return 0;
}

/* One pointer for each process that does `hold` or more with a space. */
static int collect_holds(const struct atlas *atlas, struct pointers *ret, enum hold hold)
{
	struct process_iter it = atlas_processes(atlas, true);
	const struct process *process;

	ret->nr = 0;
	while ((process = process_next(&it)))
		if (process->space && ((const struct process_node *)process)->hold >= hold &&
		    pointer_add(ret, process->space))
			return -ENOMEM;
	pointers_sort(ret);
	return 0;
}

static uint32_t holds_said(const struct space_node *space, enum hold hold)
{
	if (hold == HOLD_NONE)
		return space->refs;
	return hold == HOLD_LINGERS ? space->holders : space->pub.nr_processes;
}

static int check_holds(struct checker *check, struct pointers *found, enum hold hold)
{
	const struct space_node *space;
	size_t length, said = 0;
	int error = collect_holds(check->atlas, found, hold);

	for (size_t at = 0; !error && at < found->nr; at += length) {
		space = found->list[at];
		length = run_length(found, at);
		if (length != holds_said(space, hold))
			error = broken(check, "space %llu counts %u processes at level %u, has %zu",
				       (unsigned long long)space->pub.number,
				       holds_said(space, hold), hold, length);
	}
	for (space = check->atlas->spaces; space; space = space->next)
		said += holds_said(space, hold);
	if (!error && said != found->nr)
		error = broken(check, "spaces count %zu processes at level %u, there are %zu", said,
			       hold, found->nr);
	return error;
}

int check_spaces(struct checker *check)
{
	struct pointers found = {0};
	int error = check_lists(check);

	for (enum hold hold = HOLD_NONE; !error && hold <= HOLD_RUNS; hold++)
		error = check_holds(check, &found, hold);
	free(found.list);
	return error;
}

/* --- chunks ------------------------------------------------------------------------------- */

static int collect_roots(const struct space_node *space, struct pointers *roots)
{
	for (; space; space = space->next)
		if (space->tree.root && pointer_add(roots, space->tree.root))
			return -ENOMEM;
	return 0;
}

/* Each root's count; its chunks are collected, and its bytes added up. */
static int check_roots(struct checker *check, const struct pointers *roots, struct pointers *chunks,
		       uint64_t *bytes)
{
	size_t length;

	for (size_t at = 0; at < roots->nr; at += length) {
		const struct maproot *root = roots->list[at];

		length = run_length(roots, at);
		if (length != root->refs)
			return broken(check, "a root of mappings counts %u trees, %zu have it",
				      root->refs, length);
		for (uint32_t i = 0; i < root->nr_chunks; i++)
			if (pointer_add(chunks, root->slot[i].chunk))
				return -ENOMEM;
		*bytes += heap_bytes(maproot_bytes(root->capacity));
	}
	pointers_sort(chunks);
	return 0;
}

static int check_chunk_refs(struct checker *check, const struct pointers *chunks, uint64_t *bytes)
{
	size_t length;

	for (size_t at = 0; at < chunks->nr; at += length) {
		const struct mapchunk *chunk = chunks->list[at];

		length = run_length(chunks, at);
		if (length != chunk->refs)
			return broken(check, "a chunk of mappings counts %u roots, %zu have it",
				      chunk->refs, length);
		*bytes += heap_bytes(mapchunk_bytes(chunk->capacity));
	}
	return 0;
}

int check_chunks(struct checker *check)
{
	struct pointers roots = {0}, chunks = {0};
	uint64_t bytes = 0;
	int error;

	error = collect_roots(check->atlas->spaces, &roots);
	if (!error)
		error = collect_roots(check->atlas->floating, &roots);
	pointers_sort(&roots);
	if (!error)
		error = check_roots(check, &roots, &chunks, &bytes);
	if (!error)
		error = check_chunk_refs(check, &chunks, &bytes);
	if (!error && bytes != check->atlas->pool.bytes)
		error =
		    broken(check, "mappings take %llu bytes, counted %llu",
			   (unsigned long long)bytes, (unsigned long long)check->atlas->pool.bytes);
	free(roots.list);
	free(chunks.list);
	return error;
}
