// SPDX-License-Identifier: GPL-2.0-only
/* System calls that make and end tasks: clone, exec, exit; and the reaping of zombies. */
#include "tests/sim/world.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* --- clone -------------------------------------------------------------------------------- */

enum {
	CLONE_BEGIN = 0,
	CLONE_ATTACH,
	CLONE_OBSERVE,
	CLONE_WAKE,
};

static bool can_clone(const struct k_task *t)
{
	return task_can_call(t) && !t->kthread;
}

bool clone_start(struct world *w, struct cpu *c)
{
	const uint32_t x = c->arg[1];

	c->task = pick_task(w, c->arg[0], c->op == OP_FORK ? task_can_call : can_clone);
	if (!c->task || (c->task->kthread && c->task->tid != 2))
		return false;
	if (c->op == OP_THREAD && c->task->group->leader->tid == 1)
		return false;
	c->clone = (struct clone_request){
	    .thread = c->op == OP_THREAD,
	    .shares_mm = c->op == OP_VFORK || c->op == OP_CLONE_VM,
	    .vfork = c->op == OP_VFORK,
	    .same_parent = c->op != OP_THREAD && x % 16 == 0,
	    .new_pid_ns = c->op == OP_FORK && x / 16 % 16 == 0 && !c->task->kthread,
	    .subreaper = x / 256 % 8 == 0,
	    .ignores_children = x / 2048 % 8 == 0,
	};
	return true;
}

static enum step clone_begin_step(struct world *w, struct cpu *c)
{
	const bool copies = c->task->mm && !c->clone.thread && !c->clone.shares_mm;

	if (copies && c->task->mm->locked_by >= 0)
		return STEP_BLOCKED;
	c->other = clone_begin(&w->kernel, c->task, &c->clone);
	if (!c->other)
		return STEP_DONE;
	world_trace(w, c, "tid %u begins a %s: space %llx for the child", c->task->tid,
		    operation_name(c->op), (unsigned long long)mm_key(w, c->other->mm));
	c->pc = CLONE_ATTACH;
	return STEP_AGAIN;
}

/* Is a walk looking at this process, or at its space, right now? */
static bool walk_is_at(const struct world *w, const struct k_group *g)
{
	const struct cpu *walker = &w->cpu[WALKER];

	return walker->op != OP_NONE && walker->other && walker->other->group == g;
}

/*
 * A copy that the reader makes is exact if what it has of the original is, at this place in the
 * ring, what the kernel copied. It is not, and the child is observed before it runs, where
 * - others can have changed the original since the kernel made its copy;
 * - a range of the original was handed over, so the reader does not know it;
 * - a walk has reserved before the FORK and may read after it, when the forker has gone on.
 * Asked twice. After the FORK's reserve, for the last of these; and before it, since a walk may
 * have taken what was handed over and tell it behind the FORK, and be gone by the time of the
 * second look.
 */
static bool copy_is_exact(const struct world *w, const struct k_task *forker)
{
	const struct k_mm *mm = forker->mm;

	if (mm->shared_once && w->config.mutation != MUTATION_NO_FORK_MAPS)
		return false;
	if (walk_is_at(w, forker->group) && w->config.mutation != MUTATION_FORK_IN_WALK)
		return false;
	return mm->handed.lo == mm->handed.hi;
}

static enum step clone_attach_step(struct world *w, struct cpu *c)
{
	if (w->kernel.cgroup_locked_by >= 0)
		return STEP_BLOCKED;
	if (!clone_attach(&w->kernel, c->task, c->other, &c->clone)) {
		world_trace(w, c, "tid %u: clone fails", c->task->tid);
		return STEP_DONE;
	}
	world_trace(w, c, "the child is there: tid %u of %u", c->other->tid,
		    c->other->group->leader->tid);
	c->pc = CLONE_WAKE;
	if (hook_fires(w, c, HOOK_FORK)) {
		c->copy_doubtful = c->task->mm && !copy_is_exact(w, c->task);
		program_task(c, REC_FORK, c->other, false);
		c->pc = CLONE_OBSERVE;
	}
	return STEP_AGAIN;
}

static void clone_observe(struct world *w, struct cpu *c)
{
	struct k_mm *mm = c->other->mm;

	c->pc = CLONE_WAKE;
	if (mm && mm != c->task->mm && (c->copy_doubtful || !copy_is_exact(w, c->task)))
		program_observe_whole(c, mm, c->other, REC_CAUSE_FORK, false);
}

enum step clone_step(struct world *w, struct cpu *c)
{
	enum step step = STEP_DONE;

	switch (c->pc) {
	case CLONE_BEGIN:
		step = clone_begin_step(w, c);
		break;
	case CLONE_ATTACH:
		step = clone_attach_step(w, c);
		break;
	case CLONE_OBSERVE:
		clone_observe(w, c);
		step = STEP_AGAIN;
		break;
	default:
		clone_wake(c->task, c->other, &c->clone);
		world_trace(w, c, "tid %u runs", c->other->tid);
		break;
	}
	if (step == STEP_DONE)
		c->task->cpu = -1;
	return step;
}

/* --- exit --------------------------------------------------------------------------------- */

enum {
	EXIT_BEGIN = 0,
	EXIT_COUNT,
	EXIT_MM,
	EXIT_HOOK,
	EXIT_NOTIFY,
	EXIT_FREE_HOOK,
	EXIT_DONE,
};

static bool is_killed(const struct k_task *t)
{
	return t->state == K_LIVE && t->woken && t->cpu < 0 && !t->exiting && t->killed;
}

static bool can_exit(const struct k_task *t)
{
	return task_can_call(t) && t->tid > 2 && t->group->leader->tid > 1;
}

bool exit_start(struct world *w, struct cpu *c)
{
	c->task = pick_task(w, c->arg[0], is_killed);
	if (c->task)
		c->op = OP_EXIT;
	else
		c->task = pick_task(w, c->arg[0], can_exit);
	return c->task;
}

static bool fill_exit(struct world *w, struct cpu *c, union record *r)
{
	const struct k_group *g = c->task->group;

	program_hdr(w, &c->program, sizeof(r->exit));
	r->exit.start_ns = c->task->start;
	r->exit.process_start_ns = g->leader->start;
	r->exit.exit_code = c->task->exit_code;
	r->exit.group_exit_code = g->exiting ? g->exit_code : 0;
	r->exit.exit_flags = (g->exiting ? REC_EXIT_GROUP : 0) | (g->live == 0 ? REC_EXIT_LAST : 0);
	r->exit.reserved = 0;
	return true;
}

static bool fill_free(struct world *w, struct cpu *c, union record *r)
{
	program_hdr(w, &c->program, sizeof(r->free));
	r->free.start_ns = c->other->start;
	return true;
}

static void free_hook(struct world *w, struct cpu *c)
{
	if (c->other && hook_fires(w, c, HOOK_FREE))
		program_record(c, REC_FREE, c->other, fill_free);
}

static void exit_hook(struct world *w, struct cpu *c)
{
	if (hook_fires(w, c, HOOK_EXIT))
		program_record(c, REC_EXIT, c->task, fill_exit);
}

static void exit_notify_step(struct world *w, struct cpu *c)
{
	struct k_group *g = c->task->group;

	/* The reader drops the end of what it never heard of. */
	if (!c->program.submitted || !g->told || c->program.place < g->told_place)
		g->exit_lost = true;
	c->task->cpu = -1;
	c->other = exit_notify(&w->kernel, c->task);
	world_trace(w, c, "it is dead%s", c->other ? ", and its group's leader is released" : "");
}

enum step exit_step(struct world *w, struct cpu *c)
{
	struct k_task *t = c->task;

	switch (c->pc++) {
	case EXIT_BEGIN:
		exit_begin(&w->kernel, t, c->op == OP_EXIT_GROUP, (c->arg[1] & 0xff) << 8);
		world_trace(w, c, "tid %u of %u begins to exit%s", t->tid, t->group->leader->tid,
			    t->group->exiting ? ", with its group" : "");
		return STEP_AGAIN;
	case EXIT_COUNT:
		t->group->live--;
		world_trace(w, c, "%d threads of its group stay", t->group->live);
		return STEP_AGAIN;
	case EXIT_MM:
		world_trace(w, c, "it leaves space %llx", (unsigned long long)mm_key(w, t->mm));
		task_leave_mm(&w->kernel, t);
		return STEP_AGAIN;
	case EXIT_HOOK:
		c->program.submitted = false;
		exit_hook(w, c);
		return STEP_AGAIN;
	case EXIT_NOTIFY:
		exit_notify_step(w, c);
		return c->other ? STEP_AGAIN : STEP_DONE;
	case EXIT_FREE_HOOK:
		free_hook(w, c);
		return STEP_AGAIN;
	default:
		task_put(c->other);
		return STEP_DONE;
	}
}

/* --- reap --------------------------------------------------------------------------------- */

bool reap_start(struct world *w, struct cpu *c)
{
	c->task = NULL;
	c->other = pick_task(w, c->arg[0], task_can_be_reaped);
	if (c->other)
		c->other->refs++;
	return c->other;
}

/* The FREE comes an RCU grace period after the release: the tid may be in use again. */
enum step reap_step(struct world *w, struct cpu *c)
{
	switch (c->pc++) {
	case 0:
		if (!task_can_be_reaped(c->other))
			break;
		world_trace(w, c, "tid %u is reaped", c->other->tid);
		task_release(&w->kernel, c->other);
		return STEP_AGAIN;
	case 1:
		free_hook(w, c);
		return STEP_AGAIN;
	default:
		break;
	}
	task_put(c->other);
	return STEP_DONE;
}
