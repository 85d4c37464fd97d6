// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls that change mappings. The change is made under the lock of the space, in two steps;
 * at the call's exit a program observes what it touched, and one page more on each side, since
 * cutting and merging write into the neighbours.
 */
#include "tests/sim/world.h"

enum {
	MAP_LOCK = 0,
	MAP_UNLOCK,
	MAP_HOOK,
	MAP_OBSERVE_TO,
	MAP_RETURN,
};

static bool fits(const struct k_task *t)
{
	return task_can_call(t) && t->mm;
}

bool map_call_start(struct world *w, struct cpu *c)
{
	c->task = pick_task(w, c->arg[0], fits);
	return c->task;
}

static struct k_range choose_range(uint32_t x)
{
	const int lo = (int)(x % K_PAGES);
	const int hi = lo + 1 + (int)(x / K_PAGES % 4);

	return (struct k_range){lo, hi < K_PAGES ? hi : K_PAGES};
}

static uint8_t choose_flags(uint32_t x)
{
	const uint8_t rare = x % 8 == 0 ? REC_MAP_DONTFORK : x % 8 == 1 ? REC_MAP_GROWSDOWN : 0;

	/* Few combinations, so that neighbours are equal often and merge. */
	return (uint8_t)((x >> 3 & 1 ? REC_MAP_READ : REC_MAP_READ | REC_MAP_WRITE) |
			 (x >> 4 & 1 ? REC_MAP_SHARED : 0) | rare);
}

/* A part of a mapping goes somewhere else. False: there is nothing to move, or no room. */
static bool choose_move(const struct k_mm *mm, struct change *change, uint32_t x)
{
	struct k_range mapping;
	int size, to;

	if (!mm_mapping(mm, (int)(x % K_PAGES), &mapping))
		return false;
	size = 1 + (int)(x / 32 % 3);
	if (size < mapping.hi - mapping.lo)
		mapping.hi = mapping.lo + size;
	size = mapping.hi - mapping.lo;
	to = (int)(x / 128 % (uint32_t)(K_PAGES - size + 1));
	if (to < mapping.hi && mapping.lo < to + size)
		return false;
	change->range = mapping;
	change->to = (struct k_range){to, to + size};
	return true;
}

static bool choose_brk(const struct k_mm *mm, struct change *change, uint32_t x)
{
	const int old = (int)((mm->brk + PAGE_BYTES - 1 - K_BASE) / PAGE_BYTES);
	const int new = K_HEAP_PAGE + (int)(x % (K_HEAP_END - K_HEAP_PAGE + 1));

	change->range = (struct k_range){old < new ? old : new, old < new ? new : old};
	for (int i = old; i < new; i++)
		if (mm->page[i].used)
			return false;
	change->brk = page_address(new) - (new > K_HEAP_PAGE &&x & 64 ? 16 : 0);
	change->flags = REC_MAP_READ | REC_MAP_WRITE;
	return new != old;
}

static bool choose_change(struct cpu *c)
{
	const struct k_mm *mm = c->task->mm;
	const uint32_t x = c->arg[1], y = c->arg[2];

	c->change = (struct change){
	    .range = choose_range(x),
	    .flags = choose_flags(y),
	    .file = (uint8_t)(y >> 8 & 1 ? (y >> 9) % K_FILES : 0),
	    .offset = (uint16_t)(y >> 16 & 3),
	    .merges = (y >> 20 & 3) != 0,
	};
	switch (c->op) {
	case OP_MMAP:
		c->change.kind = CHANGE_MAP;
		return true;
	case OP_MUNMAP:
		c->change.kind = CHANGE_UNMAP;
		return true;
	case OP_MPROTECT:
		c->change.kind = CHANGE_PROTECT;
		return true;
	case OP_MADVISE:
		c->change.kind = CHANGE_DONTFORK;
		c->change.flags = y & 1 ? REC_MAP_DONTFORK : 0;
		return true;
	case OP_MREMAP:
		c->change.kind = CHANGE_MOVE;
		return choose_move(mm, &c->change, x);
	default:
		c->change.kind = CHANGE_BRK;
		return choose_brk(mm, &c->change, x);
	}
}

static uint16_t cause_of(enum operation op)
{
	switch (op) {
	case OP_MMAP:
		return REC_CAUSE_MMAP;
	case OP_MUNMAP:
		return REC_CAUSE_MUNMAP;
	case OP_MPROTECT:
		return REC_CAUSE_MPROTECT;
	case OP_MADVISE:
		return REC_CAUSE_MADVISE;
	case OP_MREMAP:
		return REC_CAUSE_MREMAP;
	default:
		return REC_CAUSE_BRK;
	}
}

static void observe(struct world *w, struct cpu *c, struct k_range range)
{
	if (w->config.mutation != MUTATION_NO_NEIGHBOURS) {
		range.lo--;
		range.hi++;
	}
	program_observe(c, c->task->mm, c->task, range, cause_of(c->op));
}

static enum step lock_and_begin(struct world *w, struct cpu *c)
{
	struct k_mm *mm = c->task->mm;

	if (mm->locked_by >= 0)
		return STEP_BLOCKED;
	if (!choose_change(c)) {
		world_trace(w, c, "tid %u: %s fails", c->task->tid, operation_name(c->op));
		return STEP_DONE;
	}
	mm->locked_by = c->number;
	mm_change_begin(mm, &c->change);
	world_trace(w, c, "tid %u begins to change pages [%d, %d) of space %llx", c->task->tid,
		    c->change.range.lo, c->change.range.hi, (unsigned long long)mm_key(w, mm));
	return STEP_AGAIN;
}

enum step map_call_step(struct world *w, struct cpu *c)
{
	struct k_mm *mm = c->task->mm;

	switch (c->pc) {
	case MAP_LOCK:
		c->pc = MAP_UNLOCK;
		switch (lock_and_begin(w, c)) {
		case STEP_BLOCKED:
			c->pc = MAP_LOCK;
			return STEP_BLOCKED;
		case STEP_DONE:
			break;
		case STEP_AGAIN:
			return STEP_AGAIN;
		}
		break;
	case MAP_UNLOCK:
		mm_change_end(mm, &c->change);
		mm->locked_by = -1;
		world_trace(w, c, "the change is made");
		c->pc = MAP_HOOK;
		return STEP_AGAIN;
	case MAP_HOOK:
		if (!hook_fires(w, c, HOOK_MAPS))
			break;
		observe(w, c, c->change.range);
		c->pc = c->change.to.lo < c->change.to.hi ? MAP_OBSERVE_TO : MAP_RETURN;
		return STEP_AGAIN;
	case MAP_OBSERVE_TO:
		observe(w, c, c->change.to);
		c->pc = MAP_RETURN;
		return STEP_AGAIN;
	default:
		break;
	}
	c->task->cpu = -1;
	return STEP_DONE;
}
