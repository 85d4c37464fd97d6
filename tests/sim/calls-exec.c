// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec. The order is the kernel's: the other threads die; a thread that is not the leader takes
 * over the leader's start time and tid; a new space comes in, the old one is left; comm is written;
 * the image is mapped, piece by piece, with no hook for any of it; then sched_process_exec.
 */
#include "tests/sim/world.h"

#include <assert.h>
#include <stdio.h>

enum {
	EXEC_KILL = 0,
	EXEC_WAIT,
	EXEC_TAKE_START,
	EXEC_TAKE_TID,
	EXEC_SPACE,
	EXEC_RENAME,
	EXEC_COMM,
	EXEC_MAP_TEXT,
	EXEC_MAP_DATA,
	EXEC_MAP_STACK,
	EXEC_HOOK,
	EXEC_OBSERVE,
	EXEC_RETURN,
};

#define WAITING_MAX 3 /* of the cpus; the others are needed for the exits that these wait for */

static bool can_exec(const struct k_task *t)
{
	return task_can_call(t) && t->mm && !t->group->exec && !t->group->exiting;
}

bool exec_start(struct world *w, struct cpu *c)
{
	int waiting = 0;

	for (int i = 0; i < CPUS; i++)
		waiting += w->cpu[i].op == OP_EXEC;
	c->task = pick_task(w, c->arg[0], can_exec);
	return c->task && waiting < WAITING_MAX;
}

static enum step exec_wait(struct world *w, struct cpu *c)
{
	if (!exec_is_alone(&w->kernel, c->task))
		return STEP_BLOCKED;
	c->program.old_tid = c->task->tid;
	c->pc = task_is_leader(c->task) ? EXEC_SPACE : EXEC_TAKE_START;
	world_trace(w, c, "tid %u is alone", c->task->tid);
	return STEP_AGAIN;
}

static void exec_space(struct world *w, struct cpu *c)
{
	struct k_task *t = c->task;
	const bool good =
	    exec_switch_mm(&w->kernel, t, (uint8_t)(1 + 6 * (c->arg[1] & 1) + (c->arg[1] & 2)));

	assert(good);
	(void)good;
	t->group->exec_told = false;
	t->group->exec_number = ++w->kernel.nr_execs;
	world_trace(w, c, "tid %u is in its new space %llx", t->tid,
		    (unsigned long long)mm_key(w, t->mm));
}

/* Maps a piece of the image in one step. */
static enum step exec_map(struct world *w, struct cpu *c, int page, uint8_t file, uint8_t flags)
{
	struct k_mm *mm = c->task->mm;
	const struct change change = {
	    .kind = CHANGE_MAP,
	    .range = {page, page + 2},
	    .file = file,
	    .flags = flags,
	};

	if (mm->locked_by >= 0)
		return STEP_BLOCKED;
	mm_change_begin(mm, &change);
	mm_change_end(mm, &change);
	world_trace(w, c, "map pages [%d, %d) of the image", page, page + 2);
	c->pc++;
	return STEP_AGAIN;
}

static enum step exec_image(struct world *w, struct cpu *c)
{
	struct k_task *t = c->task;
	const int page = (int)(c->arg[1] >> 8 & 1);

	switch (c->pc) {
	case EXEC_MAP_TEXT:
		return exec_map(w, c, page, t->mm->exe, REC_MAP_READ | REC_MAP_EXEC);
	case EXEC_MAP_DATA:
		return exec_map(w, c, page + 2, t->mm->exe, REC_MAP_READ | REC_MAP_WRITE);
	case EXEC_MAP_STACK:
		return exec_map(w, c, K_STACK_PAGE, 0,
				REC_MAP_READ | REC_MAP_WRITE | REC_MAP_GROWSDOWN);
	case EXEC_HOOK:
		c->pc = EXEC_RETURN;
		if (hook_fires(w, c, HOOK_EXEC)) {
			program_task(c, REC_EXEC, t, false);
			c->pc = EXEC_OBSERVE;
		}
		return STEP_AGAIN;
	case EXEC_OBSERVE:
		c->pc++;
		program_observe_whole(c, t->mm, t, REC_CAUSE_EXEC, false);
		return STEP_AGAIN;
	default:
		t->group->exec = NULL;
		t->cpu = -1;
		return STEP_DONE;
	}
}

enum step exec_step(struct world *w, struct cpu *c)
{
	struct k_task *t = c->task;

	switch (c->pc) {
	case EXEC_KILL:
		if (t->killed || t->group->exec || t->group->exiting) {
			t->cpu = -1;
			return STEP_DONE;
		}
		t->group->exec = t;
		group_kill_others(&w->kernel, t);
		world_trace(w, c, "tid %u of %u begins an exec", t->tid, t->group->leader->tid);
		break;
	case EXEC_WAIT:
		return exec_wait(w, c);
	case EXEC_TAKE_START:
		exec_take_start(t);
		world_trace(w, c, "tid %u takes over the leader's start", t->tid);
		break;
	case EXEC_TAKE_TID:
		exec_take_tid(&w->kernel, t);
		world_trace(w, c, "tid %u is now %u", c->program.old_tid, t->tid);
		break;
	case EXEC_SPACE:
		exec_space(w, c);
		break;
	case EXEC_RENAME:
	case EXEC_COMM:
		return comm_step(w, c, t);
	default:
		return exec_image(w, c);
	}
	c->pc++;
	return STEP_AGAIN;
}
