// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program that observes mappings: a range after a call, or a whole space. Mapping by mapping,
 * and cut into records where there are more mappings than fit:
 *
 *	reserve 1 | read a, b | look: c begins at n | reserve 2 | submit 1: [lo, n) | read c ...
 *
 * Whoever reads without the lock of the space may meet a mapping in the middle of being written,
 * and gets garbage; a walk of a space that never was shared takes the lock.
 */
#include "tests/sim/world.h"

enum {
	OBSERVE_RESERVE = 0,
	OBSERVE_CHECK,
	OBSERVE_READ,
	OBSERVE_CLOSE,
	OBSERVE_SUBMIT,
};

static void unlock(struct cpu *c)
{
	struct program *p = &c->program;

	if (p->locks && p->mm->locked_by == c->number)
		p->mm->locked_by = -1;
}

static bool is_empty(struct k_range range)
{
	return range.lo >= range.hi;
}

static struct k_range hull(struct k_range a, struct k_range b)
{
	if (is_empty(a) || is_empty(b))
		return is_empty(a) ? b : a;
	return (struct k_range){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/* What an earlier program left with the space is ours now, since we have reserved. */
static void take_handed(struct program *p)
{
	p->took = p->mm->handed;
	p->mm->handed = (struct k_range){};
	if (p->whole)
		return;
	p->range = hull(p->range, p->took);
	p->cursor = p->range.lo < 0 ? 0 : p->range.lo;
}

static void hand_over(struct program *p, struct k_range range)
{
	p->mm->handed = hull(p->mm->handed, range);
}

static enum step reserve(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;

	p->pc = OBSERVE_CHECK;
	if (w->config.mutation == MUTATION_READ_FIRST)
		return STEP_AGAIN;
	p->place = program_reserve(w, c, REC_MAPS);
	world_trace(w, c, "reserve #%lld for space %llx pages [%d, %d)", (long long)p->place,
		    (unsigned long long)mm_key(w, p->mm), p->range.lo, p->range.hi);
	if (p->place == RING_FULL)
		return program_end(p);
	take_handed(p);
	return STEP_AGAIN;
}

static enum step give_up(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;

	unlock(c);
	hand_over(p, p->took);
	if (p->place != RING_FULL)
		ring_discard(&w->ring, p->place);
	return program_end(p);
}

static enum step check(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;
	struct rec_maps *r = &record_of(p)->maps;

	if (p->from_walk && (p->task->mm != p->mm || p->task->exiting)) {
		world_trace(w, c, "tid %u has left the space: discard", p->task->tid);
		return give_up(w, c);
	}
	if (p->locks) {
		if (p->mm->locked_by >= 0)
			return STEP_BLOCKED;
		p->mm->locked_by = c->number;
	}
	*r = (struct rec_maps){
	    .space = mm_key(w, p->mm),
	    .start_brk = p->mm->start_brk,
	    .brk = p->mm->brk,
	    .start_stack = p->mm->start_stack,
	    .cause = p->cause,
	};
	world_trace(w, c, "look at the space%s", p->locks ? ", under its lock" : "");
	p->pc = OBSERVE_READ;
	return STEP_AGAIN;
}

/* Tell, or leave with the space, that the rest of the range could not be read. */
static enum step fail(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;

	if (p->failure == FAILURE_SUSPECT) {
		record_of(p)->maps.nr = 0;
		record_of(p)->maps.maps_flags = REC_MAPS_SUSPECT;
		world_trace(w, c, "the read fails: the range is suspect");
		p->pc = OBSERVE_CLOSE;
		return STEP_AGAIN;
	}
	hand_over(p, p->range);
	world_trace(w, c, "the read fails: the range is left with the space");
	return give_up(w, c);
}

/* Append the mapping; what lies below the cursor was told by the mapping before it. */
static void append(struct world *w, struct program *p, struct k_range mapping)
{
	struct rec_maps *r = &record_of(p)->maps;
	const struct k_page *page;
	bool torn;

	if (r->nr && mapping.lo < p->cursor)
		mapping.lo = p->cursor;
	page = &p->mm->page[mapping.lo];
	torn = !p->locks && (p->mm->torn >> mapping.lo & 1);
	r->mapping[r->nr++] = (struct rec_mapping){
	    .start = page_address(mapping.lo),
	    .end = page_address(mapping.hi),
	    .offset = file_is_real(page->file)
			  ? (page->offset + (torn ? 5u : 0u)) * (uint64_t)PAGE_BYTES
			  : 0,
	    .file = file_key(page->file),
	    .map_flags = page->flags ^ (torn ? REC_MAP_READ | REC_MAP_SHARED : 0u),
	};
	meet_file(w, p, page->file);
	p->cursor = mapping.hi;
}

/* One mapping, or the end of the chunk. p->cursor is behind what was read. */
static enum step read_next(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;
	struct k_range mapping;

	if (p->fail_in >= 0 && p->fail_in-- == 0)
		return fail(w, c);
	if (p->cursor >= p->range.hi || !mm_mapping(p->mm, p->cursor, &mapping) ||
	    mapping.lo >= p->range.hi) {
		p->cursor = p->range.hi;
		p->pc = OBSERVE_CLOSE;
		world_trace(w, c, "nothing more");
	} else if (record_of(p)->maps.nr == (uint32_t)p->chunk) {
		p->cursor = mapping.lo > p->cursor ? mapping.lo : p->cursor;
		p->pc = OBSERVE_CLOSE;
		world_trace(w, c, "the record is full; more from page %d", p->cursor);
	} else {
		append(w, p, mapping);
		world_trace(w, c, "read pages [%d, %d)", mapping.lo, mapping.hi);
	}
	return STEP_AGAIN;
}

static bool is_last(struct program *p)
{
	return (record_of(p)->maps.maps_flags & REC_MAPS_SUSPECT) || p->cursor >= p->range.hi;
}

/* The next chunk is reserved before anything beyond this one is read. */
static enum step close(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;

	p->pc = OBSERVE_SUBMIT;
	if (w->config.mutation == MUTATION_READ_FIRST) {
		p->place = program_reserve(w, c, REC_MAPS);
		world_trace(w, c, "reserve #%lld", (long long)p->place);
		if (p->place == RING_FULL)
			return give_up(w, c);
	} else if (!is_last(p)) {
		p->next_place = program_reserve(w, c, REC_MAPS);
		world_trace(w, c, "reserve #%lld", (long long)p->next_place);
	}
	unlock(c);
	return STEP_AGAIN;
}

static void next_chunk(struct program *p)
{
	p->place = p->next_place;
	p->next_place = RING_FULL;
	p->range.lo = p->cursor;
	p->first = false;
	p->pc = OBSERVE_CHECK;
}

static enum step submit(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;
	struct rec_maps *r = &record_of(p)->maps;
	const bool last = is_last(p), suspect = r->maps_flags & REC_MAPS_SUSPECT;
	const int hi = last ? p->range.hi : p->cursor;

	program_hdr(w, p, sizeof(*r) + sizeof(r->mapping[0]) * r->nr);
	r->lo = p->whole && p->first ? 0 : page_address(p->range.lo);
	r->hi = p->whole && last ? K_TOP : page_address(hi);
	if (p->whole && p->first)
		r->maps_flags |= REC_MAPS_FIRST;
	if (p->whole && last && !suspect)
		r->maps_flags |= REC_MAPS_LAST;
	ring_submit(&w->ring, p->place, p->data, record_of(p)->hdr.size);
	world_trace(w, c, "submit #%lld: pages [%d, %d), %u mappings", (long long)p->place,
		    p->range.lo, hi, r->nr);
	if (!last) {
		next_chunk(p);
		if (p->place != RING_FULL || w->config.mutation == MUTATION_READ_FIRST)
			return STEP_AGAIN;
		return program_end(p);
	}
	p->submitted = true;
	return program_end(p);
}

enum step observe_step(struct world *w, struct cpu *c)
{
	switch (c->program.pc) {
	case OBSERVE_RESERVE:
		return reserve(w, c);
	case OBSERVE_CHECK:
		return check(w, c);
	case OBSERVE_READ:
		return read_next(w, c);
	case OBSERVE_CLOSE:
		return close(w, c);
	default:
		return submit(w, c);
	}
}
