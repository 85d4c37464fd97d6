// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks: over all tasks in tid order, or over the threads of one process. For each a CREATE, and
 * for each space that was not met yet an observation of all of it.
 */
#include "tests/sim/world.h"

enum {
	WALK_NEXT = 0,
	WALK_SPACE,
	WALK_LEAVE,
	WALK_END,
	WALK_ENDED,
};

static void tell_mark(struct world *w, const struct cpu *c, uint16_t kind, uint32_t more)
{
	const struct rec_walk r = {
	    .hdr = {.kind = kind,
		    .flags = REC_F_WALK,
		    .size = sizeof(r),
		    .time_ns = w->kernel.now,
		    .tgid = c->tgid},
	    .walk = c->walk,
	    .walk_flags = c->walk_flags | more,
	};

	user_apply(w, &r, sizeof(r));
}

/* The names of everything will be told anew where they are met. */
static void names_again(struct world *w)
{
	for (int i = 0; i < K_FILES; i++)
		w->kernel.file[i].told = false;
	for (int i = 0; i < K_CGROUPS; i++)
		w->kernel.cgroup[i].told = false;
	w->user.needs_names = false;
}

static bool is_live(const struct k_task *t)
{
	return t->state == K_LIVE && t->group;
}

bool walk_start(struct world *w, struct cpu *c)
{
	const struct k_task *t = pick_task(w, c->arg[0], is_live);
	const bool full = c->op == OP_WALK;

	if (!t || !hooks_all_attached(w) || (full && !user_may_walk(w)))
		return false;
	user_poll(w);
	if (full && !user_may_walk(w))
		return false;
	c->task = NULL;
	c->other = NULL;
	c->cursor = 1;
	c->seen = 0;
	c->tgid = full ? 0 : t->group->leader->tid;
	c->walk = ++w->user.walks;
	c->walk_flags = full ? REC_WALK_FULL : 0;
	if (full && !atlas_state(w->atlas)->seeded)
		c->walk_flags |= REC_WALK_SEED;
	if (full)
		w->user.needs_walk = false;
	if (full && w->user.needs_names)
		names_again(w);
	world_trace(w, c, "a walk begins");
	tell_mark(w, c, REC_WALK_BEGIN, 0);
	return true;
}

static struct k_task *next_task(struct world *w, struct cpu *c)
{
	while (c->cursor < K_TIDS) {
		struct k_task *t = w->kernel.by_tid[c->cursor++];

		if (t && (!c->tgid || t->group->leader->tid == c->tgid))
			return t;
	}
	return NULL;
}

static bool fill_end(struct world *w, struct cpu *c, union record *r)
{
	program_hdr(w, &c->program, sizeof(r->walk));
	r->hdr.flags = REC_F_WALK;
	r->hdr.tgid = c->tgid;
	r->walk.walk = c->walk;
	r->walk.walk_flags = c->walk_flags;
	return true;
}

static void look_at_next(struct world *w, struct cpu *c)
{
	c->other = next_task(w, c);
	if (!c->other) {
		c->pc = WALK_END;
		return;
	}
	c->other->refs++;
	world_trace(w, c, "the walk is at tid %u", c->other->tid);
	program_task(c, REC_CREATE, c->other, true);
	c->pc = WALK_SPACE;
}

static void look_at_space(struct world *w, struct cpu *c)
{
	struct k_mm *mm = c->other->mm;

	c->pc = WALK_LEAVE;
	c->observed = 0;
	if (!mm || c->other->exiting)
		return;
	c->observed = 1u << (mm_number(&w->kernel, mm) - 1);
	if (c->seen & c->observed) {
		c->observed = 0;
		return;
	}
	c->seen |= c->observed;
	program_observe_whole(c, mm, c->other, REC_CAUSE_WALK, true);
}

/* A space whose observation broke off is met again under another task. */
static void leave_task(struct cpu *c)
{
	if (c->observed && !c->program.submitted)
		c->seen &= ~c->observed;
	task_put(c->other);
	c->other = NULL;
	c->pc = WALK_NEXT;
}

/* If the end itself was lost, user space says so once the ring is drained. */
static enum step walk_ended(struct world *w, struct cpu *c)
{
	if (c->program.submitted)
		return STEP_DONE;
	if (ring_used(&w->ring))
		return STEP_BLOCKED;
	tell_mark(w, c, REC_WALK_END, REC_WALK_FAILED);
	w->user.needs_walk = true;
	return STEP_DONE;
}

enum step walk_step(struct world *w, struct cpu *c)
{
	switch (c->pc) {
	case WALK_NEXT:
		look_at_next(w, c);
		return STEP_AGAIN;
	case WALK_SPACE:
		look_at_space(w, c);
		return STEP_AGAIN;
	case WALK_LEAVE:
		leave_task(c);
		return STEP_AGAIN;
	case WALK_END:
		c->pc = WALK_ENDED;
		program_record(c, REC_WALK_END, NULL, fill_end);
		return STEP_AGAIN;
	default:
		return walk_ended(w, c);
	}
}
