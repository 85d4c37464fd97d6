// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel side's programs do, but for the reading of mappings (observe.c): reserve, read,
 * submit, each a step of its own. A task's identity is read in three steps.
 */
#include "tests/sim/world.h"

#include <stdio.h>
#include <string.h>

uint64_t file_key(int file)
{
	return file ? 0xf000000ull + (uint64_t)file * 64 : 0;
}

uint64_t mm_key(const struct world *w, const struct k_mm *mm)
{
	return mm ? 0x5000000ull + (uint64_t)mm_number(&w->kernel, mm) * 64 : 0;
}

uint64_t page_address(int page)
{
	return K_BASE + (uint64_t)((int64_t)page * PAGE_BYTES);
}

/* A number that depends on the operation's arguments and on where in it we are. */
static uint32_t chance(const struct cpu *c, uint32_t salt)
{
	uint32_t x = c->arg[2] ^ ((uint32_t)c->pc * 0x9e3779b9u) ^ (c->cursor * 0x85ebca6bu) ^ salt;

	x = (x ^ (x >> 16)) * 0x7feb352du;
	x = (x ^ (x >> 15)) * 0x846ca68bu;
	return x ^ (x >> 16);
}

bool hook_fires(struct world *w, struct cpu *c, enum hook hook)
{
	if (!(w->attached & (1u << hook)))
		return false;
	if (!w->config.skip_once_in || chance(c, 1) % w->config.skip_once_in)
		return true;
	w->user.lost[REC_NONE][REC_LOSS_SKIPPED]++;
	world_trace(w, c, "the program is skipped");
	return false;
}

static struct program *program_new(struct cpu *c, enum program_kind kind, uint16_t record_kind,
				   struct k_task *task)
{
	struct program *p = &c->program;

	p->kind = kind;
	p->pc = 0;
	p->record_kind = record_kind;
	p->hdr_flags = 0;
	p->place = RING_FULL;
	p->task = task;
	p->from_walk = false;
	p->files = 0;
	p->cgroups = 0;
	p->submitted = false;
	return p;
}

void program_record(struct cpu *c, uint16_t kind, struct k_task *task, record_fill_fn fill)
{
	program_new(c, PROGRAM_RECORD, kind, task)->fill = fill;
}

void program_task(struct cpu *c, uint16_t kind, struct k_task *task, bool from_walk)
{
	struct program *p = program_new(c, PROGRAM_TASK, kind, task);

	p->from_walk = from_walk;
	p->hdr_flags = from_walk ? REC_F_WALK : 0;
}

void program_observe(struct cpu *c, struct k_mm *mm, struct k_task *task, struct k_range range,
		     uint16_t cause)
{
	struct program *p = program_new(c, PROGRAM_OBSERVE, REC_MAPS, task);

	p->mm = mm;
	p->range = range;
	p->took = (struct k_range){};
	p->cursor = range.lo < 0 ? 0 : range.lo;
	p->chunk = 1 + (int)(chance(c, 2) % CHUNK_MAX);
	p->next_place = RING_FULL;
	p->cause = cause;
	p->whole = false;
	p->first = true;
	p->locks = false;
	p->fail_in = -1;
}

void program_observe_whole(struct cpu *c, struct k_mm *mm, struct k_task *task, uint16_t cause,
			   bool from_walk)
{
	struct program *p = &c->program;

	program_observe(c, mm, task, (struct k_range){0, K_PAGES}, cause);
	p->whole = true;
	p->from_walk = from_walk;
	p->hdr_flags = from_walk ? REC_F_WALK : 0;
	p->locks = from_walk && !mm->shared_once;
}

/* Decides once a program whether one of its reads will fail, and which. */
static void choose_failure(const struct world *w, struct cpu *c)
{
	struct program *p = &c->program;
	const uint32_t x = chance(c, 3);

	p->failure = x & 1 ? FAILURE_SUSPECT : FAILURE_HANDED_OVER;
	if (w->config.fail_once_in && (x >> 3) % w->config.fail_once_in == 0)
		p->fail_in = (int)(x >> 1 & 3);
}

int64_t program_reserve(struct world *w, struct cpu *c, uint16_t kind)
{
	int64_t place = ring_reserve(&w->ring, c->number);

	if (place != RING_FULL)
		return place;
	w->user.lost[kind][REC_LOSS_RING_FULL]++;
	world_trace(w, c, "the ring is full: a record is lost");
	return RING_FULL;
}

void program_hdr(struct world *w, struct program *p, size_t size)
{
	const struct k_task *t = p->task;

	record_of(p)->hdr = (struct rec_hdr){
	    .kind = p->record_kind,
	    .flags = p->hdr_flags,
	    .size = (uint32_t)size,
	    .time_ns = w->kernel.now,
	    .tid = t ? t->tid : 0,
	    .tgid = t && t->group ? t->group->leader->tid : 0,
	};
}

enum step program_end(struct program *p)
{
	if (!p->files && !p->cgroups) {
		p->kind = PROGRAM_NONE;
		return STEP_DONE;
	}
	p->kind = PROGRAM_NAMES;
	p->pc = 0;
	return STEP_AGAIN;
}

void meet_file(struct world *w, struct program *p, int file)
{
	if (!file || w->kernel.file[file].told)
		return;
	w->kernel.file[file].told = true;
	p->files |= (uint16_t)(1u << file);
}

void meet_cgroup(struct world *w, struct program *p, int cgroup)
{
	if (!cgroup || w->kernel.cgroup[cgroup].told)
		return;
	w->kernel.cgroup[cgroup].told = true;
	p->cgroups |= (uint8_t)(1u << cgroup);
}

/* --- small records ------------------------------------------------------------------------ */

static enum step record_submit(struct world *w, struct cpu *c, bool good)
{
	struct program *p = &c->program;

	if (good) {
		ring_submit(&w->ring, p->place, p->data, record_of(p)->hdr.size);
		p->submitted = true;
	} else {
		ring_discard(&w->ring, p->place);
	}
	world_trace(w, c, "%s", good ? "fill and submit" : "discard");
	return program_end(p);
}

static enum step record_step(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;

	if (p->pc++ == 0) {
		p->place = program_reserve(w, c, p->record_kind);
		if (p->place == RING_FULL)
			return program_end(p);
		world_trace(w, c, "reserve #%lld", (long long)p->place);
		return STEP_AGAIN;
	}
	return record_submit(w, c, p->fill(w, c, record_of(p)));
}

/* --- names -------------------------------------------------------------------------------- */

static void file_fill(struct world *w, struct program *p, int file)
{
	const struct k_file *f = &w->kernel.file[file];
	struct rec_file *r = &record_of(p)->file;
	const uint32_t len = file_name(&w->kernel, file, f->version, r->name);
	const size_t size = (sizeof(*r) + len + 7) & ~(size_t)7;

	program_hdr(w, p, size);
	r->file = file_key(file);
	r->inode = file_inode(file);
	r->dev = file_is_real(file) ? 8u << 20 | 1 : 0;
	r->generation = f->version;
	r->file_kind = f->kind;
	r->file_flags = file_is_deleted(&w->kernel, file, f->version) ? REC_FILE_DELETED : 0;
	r->name_len = len;
}

static void cgroup_fill(struct world *w, struct program *p, int cgroup)
{
	struct rec_cgroup *r = &record_of(p)->cgroup;
	const int len = sprintf(r->path, "/group/%d", cgroup);
	const size_t size = (sizeof(*r) + (size_t)len + 7) & ~(size_t)7;

	program_hdr(w, p, size);
	r->id = (uint64_t)cgroup * 10;
	r->hierarchy = 0;
	r->cgroup_flags = 0;
	r->path_len = (uint16_t)len;
}

static void name_forget(struct world *w, bool is_file, int number)
{
	if (is_file)
		w->kernel.file[number].told = false;
	else
		w->kernel.cgroup[number].told = false;
}

static void name_done(struct program *p, bool is_file, int number)
{
	if (is_file)
		p->files &= (uint16_t) ~(1u << number);
	else
		p->cgroups &= (uint8_t) ~(1u << number);
	p->pc = 0;
}

static enum step names_step(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;
	const bool is_file = p->files != 0;
	const int number = __builtin_ctz(is_file ? p->files : p->cgroups);

	p->record_kind = is_file ? REC_FILE : REC_CGROUP;
	if (p->pc == 0) {
		p->place = program_reserve(w, c, p->record_kind);
		p->pc = 1;
		world_trace(w, c, "reserve #%lld for the name of %s %d", (long long)p->place,
			    is_file ? "file" : "cgroup", number);
		if (p->place != RING_FULL)
			return STEP_AGAIN;
		name_forget(w, is_file, number);
	} else {
		if (is_file)
			file_fill(w, p, number);
		else
			cgroup_fill(w, p, number);
		ring_submit(&w->ring, p->place, p->data, record_of(p)->hdr.size);
		world_trace(w, c, "submit the name");
	}
	name_done(p, is_file, number);
	return p->files || p->cgroups ? STEP_AGAIN : program_end(p);
}

enum step program_step(struct world *w, struct cpu *c)
{
	switch (c->program.kind) {
	case PROGRAM_RECORD:
		return record_step(w, c);
	case PROGRAM_TASK:
		return task_record_step(w, c);
	case PROGRAM_OBSERVE:
		if (c->program.pc == 0)
			choose_failure(w, c);
		return observe_step(w, c);
	case PROGRAM_NAMES:
		return names_step(w, c);
	case PROGRAM_NONE:
		break;
	}
	return STEP_DONE;
}
