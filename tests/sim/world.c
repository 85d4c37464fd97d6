// SPDX-License-Identifier: GPL-2.0-only
/* The world's life, and what a cpu does in a step. */
#include "tests/sim/world.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

static const struct {
	const char *name;
	bool (*start)(struct world *w, struct cpu *c);
	enum step (*step)(struct world *w, struct cpu *c);
} operations[OP_NR] = {
    [OP_NONE] = {.name = "none"},
    [OP_MMAP] = {"mmap", map_call_start, map_call_step},
    [OP_MUNMAP] = {"munmap", map_call_start, map_call_step},
    [OP_MPROTECT] = {"mprotect", map_call_start, map_call_step},
    [OP_MADVISE] = {"madvise", map_call_start, map_call_step},
    [OP_MREMAP] = {"mremap", map_call_start, map_call_step},
    [OP_BRK] = {"brk", map_call_start, map_call_step},
    [OP_THREAD] = {"thread", clone_start, clone_step},
    [OP_FORK] = {"fork", clone_start, clone_step},
    [OP_VFORK] = {"vfork", clone_start, clone_step},
    [OP_CLONE_VM] = {"clone_vm", clone_start, clone_step},
    [OP_EXEC] = {"exec", exec_start, exec_step},
    [OP_EXIT] = {"exit", exit_start, exit_step},
    [OP_EXIT_GROUP] = {"exit_group", exit_start, exit_step},
    [OP_REAP] = {"reap", reap_start, reap_step},
    [OP_RENAME] = {"rename", rename_start, rename_step},
    [OP_MOVE] = {"move", move_start, move_step},
    [OP_IDENTITY] = {"identity", identity_start, identity_step},
    [OP_RENAME_FILE] = {"rename_file", rename_file_start, rename_file_step},
    [OP_WALK] = {"walk", walk_start, walk_step},
    [OP_REPAIR] = {"repair", walk_start, walk_step},
};

const char *operation_name(enum operation op)
{
	return operations[op].name;
}

int world_init(struct world *w, const struct config *config)
{
	const struct atlas_limits limits = {
	    .retain_ns = 200000,
	    .retain_processes = 8,
	    .max_files = 4,
	};

	memset(&w->user, 0, sizeof(w->user));
	memset(w->cpu, 0, sizeof(w->cpu));
	w->config = *config;
	w->attached = 1u << HOOK_NONE;
	w->steps = 0;
	w->failed = false;
	w->why[0] = '\0';
	w->ring.head = w->ring.tail = 0;
	w->ring.limit = config->ring_limit;
	for (int i = 0; i < CPUS_ALL; i++)
		w->cpu[i].number = i;
	w->told_end = 0;
	kernel_init(&w->kernel);
	if (atlas_new(&w->atlas, &limits))
		return -ENOMEM;
	atlas_on_mapping(w->atlas, changes_told, w);
	return 0;
}

void world_done(struct world *w)
{
	atlas_free(w->atlas);
	w->atlas = NULL;
}

void world_fail(struct world *w, const char *format, ...)
{
	va_list args;

	if (w->failed)
		return;
	w->failed = true;
	va_start(args, format);
	vsnprintf(w->why, sizeof(w->why), format, args);
	va_end(args);
}

void world_trace(struct world *w, const struct cpu *c, const char *format, ...)
{
	va_list args;

	if (!w->config.trace)
		return;
	fprintf(w->config.trace, "#   cpu %d %-9s ", c->number, operation_name(c->op));
	va_start(args, format);
	vfprintf(w->config.trace, format, args);
	va_end(args);
	fputc('\n', w->config.trace);
}

struct k_task *pick_task(struct world *w, uint32_t from, bool (*fits)(const struct k_task *t))
{
	for (uint32_t i = 0; i < K_TASKS; i++) {
		struct k_task *t = &w->kernel.task[(from + i) % K_TASKS];

		if (fits(t))
			return t;
	}
	return NULL;
}

bool hooks_all_attached(const struct world *w)
{
	return w->attached == (1u << HOOK_NR) - 1;
}

bool operation_start(struct world *w, struct cpu *c, enum operation op, const uint32_t arg[3])
{
	const bool walks = op == OP_WALK || op == OP_REPAIR;

	if (c->op != OP_NONE || op == OP_NONE || walks != (c->number == WALKER))
		return false;
	c->op = op;
	c->pc = 0;
	memcpy(c->arg, arg, sizeof(c->arg));
	c->cursor = 0;
	c->program.kind = PROGRAM_NONE;
	if (!operations[op].start(w, c)) {
		c->op = OP_NONE;
		return false;
	}
	if (c->task)
		c->task->cpu = c->number;
	return true;
}

enum step cpu_step(struct world *w, struct cpu *c)
{
	enum step step;

	kernel_tick(&w->kernel);
	if (c->program.kind != PROGRAM_NONE) {
		step = program_step(w, c);
		w->steps += step != STEP_BLOCKED;
		return step == STEP_BLOCKED ? STEP_BLOCKED : STEP_AGAIN;
	}
	step = operations[c->op].step(w, c);
	w->steps += step != STEP_BLOCKED;
	if (step == STEP_DONE)
		c->op = OP_NONE;
	return step;
}
