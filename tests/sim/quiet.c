// SPDX-License-Identifier: GPL-2.0-only
/* Quiet points: everybody comes to rest, and user space heals what it knows to be doubtful. */
#include "tests/sim/world.h"

#define ROUNDS_MAX 200 /* of healing: some reads fail again and again, by chance */

/* Threads that were told to die, and that an exec waits for, get a cpu. */
static bool start_due_exits(struct world *w)
{
	const uint32_t arg[3] = {};
	bool any = false;

	for (int i = 0; i < K_TASKS; i++) {
		const struct k_task *t = &w->kernel.task[i];
		const bool due =
		    t->state == K_LIVE && t->killed && t->woken && t->cpu < 0 && !t->exiting;

		for (int n = 0; due && n < CPUS; n++) {
			if (w->cpu[n].op == OP_NONE) {
				any |= operation_start(w, &w->cpu[n], OP_EXIT, arg);
				break;
			}
		}
	}
	return any;
}

static bool step_all(struct world *w, bool *ret_idle)
{
	const uint64_t head = w->ring.head;
	bool progress = false;

	*ret_idle = true;
	for (int i = 0; i < CPUS_ALL; i++) {
		struct cpu *c = &w->cpu[i];

		if (c->op == OP_NONE)
			continue;
		*ret_idle = false;
		progress |= cpu_step(w, c) != STEP_BLOCKED;
		user_consume(w, RING_PLACES);
	}
	return progress || w->ring.head != head;
}

void world_settle(struct world *w)
{
	bool idle;

	do {
		const bool progress = step_all(w, &idle);

		if (!progress && !idle && !start_due_exits(w)) {
			world_fail(w, "the simulation is stuck");
			return;
		}
		user_consume(w, RING_PLACES);
	} while (!idle && !w->failed);
	user_poll(w);
}

static void walk(struct world *w, enum operation op, uint32_t task_number, uint32_t salt)
{
	const uint32_t arg[3] = {task_number, 0, salt};

	if (!operation_start(w, &w->cpu[WALKER], op, arg))
		world_fail(w, "a walk cannot start");
	world_settle(w);
}

/* A task whose space user space knows to be in doubt, or whose space was handed over; or -1. */
static int task_to_repair(const struct world *w)
{
	for (int i = 0; i < K_TASKS; i++) {
		const struct k_task *t = &w->kernel.task[i];
		const struct process *process;

		if (t->state != K_LIVE || t->exiting || !t->mm)
			continue;
		if (t->mm->handed.lo < t->mm->handed.hi)
			return i;
		process = atlas_process(w->atlas, t->group->leader->tid);
		if (process && process->space &&
		    (process->space->state & (SPACE_COMPLETE | SPACE_SUSPECT)) != SPACE_COMPLETE)
			return i;
	}
	return -1;
}

/* One round. False: nothing was in doubt. */
static bool heal_once(struct world *w, uint32_t round)
{
	const struct atlas_state *state = atlas_state(w->atlas);
	int task;

	if (!hooks_all_attached(w)) {
		user_attach(w, (1u << HOOK_NR) - 1);
		return true;
	}
	if (w->user.needs_walk || !state->seeded || (state->suspect && !state->suspect_spaces)) {
		walk(w, OP_WALK, 0, round);
		return true;
	}
	task = task_to_repair(w);
	if (task >= 0) {
		walk(w, OP_REPAIR, (uint32_t)task, round);
		return true;
	}
	if (!state->suspect)
		return false;
	walk(w, OP_WALK, 0, round);
	return true;
}

/* What nothing refers to is forgotten; the kernel side cannot know what went. */
static void collect(struct world *w)
{
	if (!atlas_collect(w->atlas, w->kernel.now))
		return;
	for (int i = 0; i < K_FILES; i++) {
		w->kernel.file[i].told = false;
		w->user.file[i].known = false;
	}
	for (int i = 0; i < K_CGROUPS; i++) {
		w->kernel.cgroup[i].told = false;
		w->user.cgroup_known[i] = false;
	}
}

static uint64_t drift(const struct world *w)
{
	struct atlas_counts counts;
	uint64_t all = 0;

	atlas_counts(w->atlas, &counts);
	for (int i = 0; i < MAPPING_CHANGE_NR; i++)
		all += counts.drift[i];
	return all;
}

void world_heal(struct world *w)
{
	uint32_t round = 1;
	uint64_t before;

	world_settle(w);
	collect(w);
	do {
		while (!w->failed && heal_once(w, round))
			if (round++ > ROUNDS_MAX)
				world_fail(w, "the atlas does not heal");
		/* A walk over what is right already finds nothing to correct. */
		before = drift(w);
		if (!w->failed)
			walk(w, OP_WALK, 0, round++);
	} while (!w->failed &&
		 (w->user.needs_walk || atlas_state(w->atlas)->suspect || task_to_repair(w) >= 0));
	if (!w->failed && drift(w) != before)
		world_fail(w, "a walk found drift though nothing had moved");
}
