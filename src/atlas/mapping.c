// SPDX-License-Identifier: GPL-2.0-only
#include "atlas/mapping.h"

#include "atlas/file.h"

/* Until its FILE record is in, a key counts as a file, which nearly all are. */
static bool has_offset(const struct atlas *atlas, const struct mapping *mapping)
{
	const struct file_node *file = file_by_number(atlas, mapping->file);

	if (!file)
		return false;
	return (file->pub.kind != REC_FILE_SPECIAL && file->pub.kind != REC_FILE_ANON) ||
	       file->pub.inode;
}

static uint64_t offset_at(const struct atlas *atlas, const struct mapping *mapping, uint64_t addr)
{
	return has_offset(atlas, mapping) ? mapping->offset + (addr - mapping->start)
					  : mapping->offset;
}

struct mapping mapping_cut(const struct atlas *atlas, const struct mapping *mapping, uint64_t start,
			   uint64_t end)
{
	struct mapping part = *mapping;

	if (start > mapping->start) {
		part.start = start;
		part.offset = offset_at(atlas, mapping, start);
	}
	if (end < mapping->end)
		part.end = end;
	return part;
}

bool mapping_equal(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->file == b->file && a->flags == b->flags;
}

bool mapping_same_at(const struct atlas *atlas, const struct mapping *a, const struct mapping *b,
		     uint64_t addr)
{
	return a->file == b->file && a->flags == b->flags &&
	       offset_at(atlas, a, addr) == offset_at(atlas, b, addr);
}

bool mapping_continues(const struct atlas *atlas, const struct mapping *a, const struct mapping *b)
{
	return mapping_same_at(atlas, a, b, b->start);
}

/* --- asked from outside ------------------------------------------------------------------- */

/* What the kernel's vma_is_initial_heap() says; before Linux 6.11, <= and >=. */
bool mapping_is_heap(const struct mapping *mapping, const struct space *space, bool heap_touches)
{
	if (heap_touches)
		return mapping->start <= space->brk && mapping->end >= space->start_brk;
	return mapping->start < space->brk && mapping->end > space->start_brk;
}

/* The same for vma_is_initial_stack(). */
bool mapping_is_stack(const struct mapping *mapping, const struct space *space)
{
	return mapping->start <= space->start_stack && mapping->end >= space->start_stack;
}

bool atlas_find(const struct space *space, uint64_t addr, struct mapping *ret)
{
	const struct maptree *tree = &((const struct space_node *)space)->tree;
	const struct mapping *mapping = maptree_at(tree, maptree_seek(tree, addr));

	if (!mapping || mapping->start > addr)
		return false;
	*ret = *mapping;
	return true;
}

struct mapping_iter space_mappings(const struct space *space, uint64_t start, uint64_t end)
{
	struct mapplace place = maptree_seek(&((const struct space_node *)space)->tree, start);

	return (struct mapping_iter){
	    .space = space,
	    .end = end,
	    .chunk = place.chunk,
	    .slot = place.slot,
	};
}

const struct mapping *mapping_next(struct mapping_iter *it)
{
	const struct maptree *tree = &((const struct space_node *)it->space)->tree;
	struct mapplace place = {.chunk = it->chunk, .slot = it->slot};
	const struct mapping *mapping = maptree_at(tree, place);

	if (!mapping || mapping->start >= it->end)
		return NULL;
	place = maptree_next(tree, place);
	it->chunk = place.chunk;
	it->slot = place.slot;
	return mapping;
}
