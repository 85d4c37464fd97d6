// SPDX-License-Identifier: GPL-2.0-only
/* Spaces and mappings: ranges, protection, file, offset, and names as far as they were told. */
#include "tests/sim/compare.h"

#include <string.h>

static int nr_processes_in(const struct world *w, const struct k_mm *mm)
{
	int nr = 0;

	for (int tid = 1; tid < K_TIDS; tid++) {
		const struct k_task *leader = w->kernel.by_tid[tid];

		if (!leader || !task_is_leader(leader))
			continue;
		for (int i = 0; i < K_TASKS; i++) {
			const struct k_task *t = &w->kernel.task[i];

			if (t->state == K_LIVE && t->group == leader->group && t->mm == mm) {
				nr++;
				break;
			}
		}
	}
	return nr;
}

static bool same_name(struct world *w, const struct file *file, int number, uint32_t version)
{
	char name[32];
	const uint32_t len = file_name(&w->kernel, number, version, name);
	const uint16_t flags = file_is_deleted(&w->kernel, number, version) ? REC_FILE_DELETED : 0;

	return file->kind == w->kernel.file[number].kind && file->name_len == len &&
	       !memcmp(file->name, name, len) && file->inode == file_inode(number) &&
	       file->generation == version && file->flags == flags;
}

static void compare_file(struct world *w, uint32_t tgid, uint32_t atlas_number, int number,
			 enum strictness strictness)
{
	const struct file *file = atlas_file(w->atlas, atlas_number);

	if (!number || !file) {
		if (number || atlas_number)
			world_fail(w, "%u: file is number %u in the atlas, %d in the kernel", tgid,
				   atlas_number, number);
		return;
	}
	if (strictness == COMPARE_ALL) {
		if (!same_name(w, file, number, w->kernel.file[number].version))
			world_fail(w, "%u: file %d is %s (kind %u) in the atlas", tgid, number,
				   file->name, file->kind);
		return;
	}
	if (w->user.file[number].known && !same_name(w, file, number, w->user.file[number].version))
		world_fail(w, "%u: file %d is %s (kind %u) in the atlas, told otherwise", tgid,
			   number, file->name, file->kind);
}

static void compare_mapping(struct world *w, const struct process *p, const struct mapping *m,
			    const struct k_mm *mm, struct k_range range, enum strictness strictness)
{
	const struct k_page *page = &mm->page[range.lo];
	const uint64_t offset = file_is_real(page->file) ? page->offset * (uint64_t)PAGE_BYTES : 0;

	if (m->start != page_address(range.lo) || m->end != page_address(range.hi))
		world_fail(w,
			   "%u: mapping [%#llx, %#llx) in the atlas, pages [%d, %d) in the kernel",
			   p->tgid, (unsigned long long)m->start, (unsigned long long)m->end,
			   range.lo, range.hi);
	if (m->flags != page->flags || m->offset != offset)
		world_fail(w,
			   "%u: pages [%d, %d) have flags %#x, offset %#llx in the atlas, %#x, "
			   "%#llx in the kernel",
			   p->tgid, range.lo, range.hi, m->flags, (unsigned long long)m->offset,
			   page->flags, (unsigned long long)offset);
	compare_file(w, p->tgid, m->file, page->file, strictness);
}

static void compare_mappings(struct world *w, const struct process *p, const struct k_mm *mm,
			     enum strictness strictness)
{
	struct mapping_iter it = space_mappings(p->space, 0, UINT64_MAX);
	const struct mapping *m;
	struct k_range range = {};

	while (!w->failed && mm_mapping(mm, range.hi, &range)) {
		m = mapping_next(&it);
		if (!m) {
			world_fail(w, "%u: pages [%d, %d) are not mapped in the atlas", p->tgid,
				   range.lo, range.hi);
			return;
		}
		compare_mapping(w, p, m, mm, range, strictness);
	}
	m = w->failed ? NULL : mapping_next(&it);
	if (m)
		world_fail(w, "%u: mapping [%#llx, %#llx) is not in the kernel", p->tgid,
			   (unsigned long long)m->start, (unsigned long long)m->end);
}

/* Two processes are in one space in the atlas if and only if they are in the kernel. */
static void compare_sharing(struct world *w, const struct process *p, const struct k_mm *mm)
{
	for (int i = 0; i < K_TASKS; i++) {
		const struct k_task *t = &w->kernel.task[i];
		const struct process *other;

		if (t->state != K_LIVE || t->exiting || !t->mm)
			continue;
		other = atlas_process(w->atlas, t->group->leader->tid);
		if (other && (other->space == p->space) != (t->mm == mm))
			world_fail(w,
				   "%u and %u: sharing a space is %d in the atlas, %d in the "
				   "kernel",
				   p->tgid, other->tgid, other->space == p->space, t->mm == mm);
	}
}

void compare_space(struct world *w, const struct process *p, const struct k_task *t,
		   enum strictness strictness)
{
	const struct space *space = p->space;
	const struct k_mm *mm = t->mm;

	if (!mm || !space) {
		if (mm || space)
			world_fail(w, "%u: has %s space in the atlas, %s in the kernel", p->tgid,
				   space ? "a" : "no", mm ? "one" : "none");
		return;
	}
	if (space->nr_processes != (uint32_t)nr_processes_in(w, mm))
		world_fail(w, "%u: space is shared by %u in the atlas, %d in the kernel", p->tgid,
			   space->nr_processes, nr_processes_in(w, mm));
	compare_sharing(w, p, mm);
	compare_file(w, p->tgid, p->exe, mm->exe, strictness);
	if ((space->state & (SPACE_COMPLETE | SPACE_SUSPECT)) != SPACE_COMPLETE) {
		if (strictness == COMPARE_ALL)
			world_fail(w, "%u: healed, but its space is %s", p->tgid,
				   space->state & SPACE_SUSPECT ? "suspect" : "incomplete");
		return;
	}
	/* What was left for the next one to observe, user space looks for on its next tick. */
	if (mm->handed.lo < mm->handed.hi)
		return;
	if (space->start_brk != mm->start_brk || space->brk != mm->brk ||
	    space->start_stack != mm->start_stack)
		world_fail(w, "%u: brk is %#llx in the atlas, %#llx in the kernel", p->tgid,
			   (unsigned long long)space->brk, (unsigned long long)mm->brk);
	compare_mappings(w, p, mm, strictness);
}
