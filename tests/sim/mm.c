// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces. A change cuts the mappings at both ends of its range, changes what is inside, and
 * merges at the seams:
 *
 *	before   |aaaaaaaa|  |bbbb|
 *	change        [mmmmmmm)
 *	after    |aaaa|mmmmmmm|bbb|
 */
#include "tests/sim/kernel.h"

#include <string.h>

struct k_mm *mm_new(struct kernel *k)
{
	struct k_mm *mm;
	int next;

	if (k->free_mm < 0)
		return NULL;
	mm = &k->mm[k->free_mm];
	next = mm->next_free;
	*mm = (struct k_mm){
	    .users = 1,
	    .locked_by = -1,
	    .start_brk = K_BASE + K_HEAP_PAGE * PAGE_BYTES,
	    .brk = K_BASE + K_HEAP_PAGE * PAGE_BYTES,
	    .start_stack = K_BASE + (K_STACK_PAGE + 1) * PAGE_BYTES + 128,
	};
	k->free_mm = next;
	return mm;
}

int mm_number(const struct kernel *k, const struct k_mm *mm)
{
	return (int)(mm - k->mm) + 1;
}

void mm_put(struct kernel *k, struct k_mm *mm)
{
	if (--mm->users > 0)
		return;
	mm->next_free = k->free_mm;
	k->free_mm = (int)(mm - k->mm);
}

struct k_mm *mm_copy(struct kernel *k, const struct k_mm *from)
{
	struct k_mm *mm = mm_new(k);

	if (!mm)
		return NULL;
	memcpy(mm->page, from->page, sizeof(mm->page));
	for (int i = 0; i < K_PAGES; i++)
		if (mm->page[i].flags & REC_MAP_DONTFORK)
			mm->page[i] = (struct k_page){};
	mm->start_brk = from->start_brk;
	mm->brk = from->brk;
	mm->start_stack = from->start_stack;
	mm->exe = from->exe;
	return mm;
}

bool mm_mapping(const struct k_mm *mm, int page, struct k_range *ret)
{
	int lo, hi;

	while (page < K_PAGES && !mm->page[page].used)
		page++;
	if (page >= K_PAGES)
		return false;
	for (lo = page; !mm->page[lo].starts; lo--)
		;
	for (hi = page + 1; hi < K_PAGES && mm->page[hi].used && !mm->page[hi].starts; hi++)
		;
	*ret = (struct k_range){lo, hi};
	return true;
}

/* The mappings that a change of the range writes: those inside, those cut, those merged with. */
static uint32_t pages_written(const struct k_mm *mm, struct k_range range)
{
	uint32_t pages = 0;
	int page = range.lo > 0 ? range.lo - 1 : 0;
	struct k_range mapping;

	while (page < range.hi + 1 && mm_mapping(mm, page, &mapping)) {
		if (mapping.lo > range.hi)
			break;
		for (int i = mapping.lo; i < mapping.hi; i++)
			pages |= 1u << i;
		page = mapping.hi;
	}
	return pages;
}

void mm_change_begin(struct k_mm *mm, const struct change *change)
{
	mm->torn = pages_written(mm, change->range);
	if (change->to.lo < change->to.hi)
		mm->torn |= pages_written(mm, change->to);
}

static void cut_at(struct k_mm *mm, int page)
{
	if (page > 0 && page < K_PAGES && mm->page[page].used)
		mm->page[page].starts = true;
}

static bool can_merge(const struct k_page *left, const struct k_page *right)
{
	if (!left->used || !right->used || left->flags != right->flags || left->file != right->file)
		return false;
	return !file_is_real(left->file) || right->offset == left->offset + 1;
}

static void merge_at(struct k_mm *mm, int page)
{
	if (page > 0 && page < K_PAGES && can_merge(&mm->page[page - 1], &mm->page[page]))
		mm->page[page].starts = false;
}

static void map_range(struct k_mm *mm, const struct change *change, struct k_range range)
{
	for (int i = range.lo; i < range.hi; i++)
		mm->page[i] = (struct k_page){
		    .used = true,
		    .starts = i == range.lo,
		    .flags = change->flags,
		    .file = change->file,
		    .offset =
			file_is_real(change->file) ? (uint16_t)(change->offset + i - range.lo) : 0,
		};
}

static void unmap_range(struct k_mm *mm, struct k_range range)
{
	for (int i = range.lo; i < range.hi; i++)
		mm->page[i] = (struct k_page){};
}

static void protect_range(struct k_mm *mm, const struct change *change)
{
	const uint8_t mask = change->kind == CHANGE_DONTFORK
				 ? REC_MAP_DONTFORK
				 : REC_MAP_READ | REC_MAP_WRITE | REC_MAP_EXEC;

	for (int i = change->range.lo; i < change->range.hi; i++)
		if (mm->page[i].used)
			mm->page[i].flags =
			    (uint8_t)((mm->page[i].flags & ~mask) | (change->flags & mask));
}

static void move_range(struct k_mm *mm, const struct change *change)
{
	struct k_page moved[K_PAGES];
	const int nr = change->range.hi - change->range.lo;

	memcpy(moved, &mm->page[change->range.lo], sizeof(moved[0]) * (size_t)nr);
	unmap_range(mm, change->range);
	memcpy(&mm->page[change->to.lo], moved, sizeof(moved[0]) * (size_t)nr);
}

static void merge_around(struct k_mm *mm, struct k_range range)
{
	for (int i = range.lo; i <= range.hi; i++)
		merge_at(mm, i);
}

void mm_change_end(struct k_mm *mm, const struct change *change)
{
	cut_at(mm, change->range.lo);
	cut_at(mm, change->range.hi);
	cut_at(mm, change->to.lo);
	cut_at(mm, change->to.hi);
	switch (change->kind) {
	case CHANGE_MAP:
		map_range(mm, change, change->range);
		break;
	case CHANGE_UNMAP:
		unmap_range(mm, change->range);
		break;
	case CHANGE_PROTECT:
	case CHANGE_DONTFORK:
		protect_range(mm, change);
		break;
	case CHANGE_MOVE:
		move_range(mm, change);
		break;
	case CHANGE_BRK:
		if (change->brk > mm->brk)
			map_range(mm, change, change->range);
		else
			unmap_range(mm, change->range);
		mm->brk = change->brk;
		break;
	case CHANGE_NONE:
		break;
	}
	if (change->merges) {
		merge_around(mm, change->range);
		if (change->to.lo < change->to.hi)
			merge_around(mm, change->to);
	}
	mm->torn = 0;
}
