// SPDX-License-Identifier: GPL-2.0-only
/* What changes a task's labels: its name, its cgroup, its owner; and the renaming of files. */
#include "tests/sim/world.h"

#include <stdio.h>
#include <string.h>

/* --- rename ------------------------------------------------------------------------------- */

static bool has_user_space(const struct k_task *t)
{
	return task_can_call(t) && t->mm;
}

static void fill_rename(struct world *w, struct cpu *c, union record *r, const char *comm)
{
	program_hdr(w, &c->program, sizeof(r->rename));
	r->rename.start_ns = c->program.task->start;
	memcpy(r->rename.comm, comm, REC_COMM_BYTES);
}

static bool fill_announced(struct world *w, struct cpu *c, union record *r)
{
	fill_rename(w, c, r, c->comm);
	return true;
}

static bool fill_written(struct world *w, struct cpu *c, union record *r)
{
	fill_rename(w, c, r, c->program.task->comm);
	return true;
}

static void comm_write(struct world *w, struct cpu *c, struct k_task *t)
{
	memcpy(t->comm, c->comm, REC_COMM_BYTES);
	t->comm_locked_by = -1;
	world_trace(w, c, "the name of tid %u is written: %s", t->tid, t->comm);
	c->pc++;
}

/* The hook, then the write. */
enum step comm_step(struct world *w, struct cpu *c, struct k_task *t)
{
	if (t->comm_locked_by == c->number) {
		comm_write(w, c, t);
		return STEP_AGAIN;
	}
	if (t->comm_locked_by >= 0)
		return STEP_BLOCKED;
	memset(c->comm, 0, sizeof(c->comm));
	snprintf(c->comm, sizeof(c->comm), "comm-%llu",
		 (unsigned long long)(w->kernel.now / 1000 % 100000000));
	t->comm_locked_by = c->number;
	c->pc++;
	if (hook_fires(w, c, HOOK_RENAME))
		program_record(c, REC_RENAME, t, fill_announced);
	else
		comm_write(w, c, t);
	return STEP_AGAIN;
}

bool rename_start(struct world *w, struct cpu *c)
{
	struct kernel *k = &w->kernel;

	c->task = pick_task(w, c->arg[0], has_user_space);
	if (!c->task)
		return false;
	c->other = c->task;
	for (int i = 0; i < K_TASKS; i++) {
		struct k_task *t = &k->task[(c->arg[1] + (uint32_t)i) % K_TASKS];

		if (t->group == c->task->group && (t->state == K_LIVE || t->state == K_ZOMBIE)) {
			c->other = t;
			break;
		}
	}
	c->other->refs++;
	return true;
}

/*
 * The hook comes before the write, so a walk that reserves after the one and reads before the other
 * would leave the old name for good: the name is told again once it is written.
 */
enum step rename_step(struct world *w, struct cpu *c)
{
	if (c->pc < 2)
		return comm_step(w, c, c->other);
	if (c->pc++ == 2) {
		if (w->config.mutation != MUTATION_RENAME_ONCE && hook_fires(w, c, HOOK_RENAME))
			program_record(c, REC_RENAME, c->other, fill_written);
		return STEP_AGAIN;
	}
	c->task->cpu = -1;
	task_put(c->other);
	return STEP_DONE;
}

/* --- move --------------------------------------------------------------------------------- */

static bool fits_move(const struct k_task *t)
{
	return t->state == K_LIVE && !t->exiting;
}

bool move_start(struct world *w, struct cpu *c)
{
	struct k_task *t = pick_task(w, c->arg[0], fits_move);

	c->task = NULL;
	c->whole_group = c->arg[1] & 1;
	c->other = t && c->whole_group ? t->group->leader : t;
	if (c->other)
		c->other->refs++;
	return c->other;
}

static bool fill_move(struct world *w, struct cpu *c, union record *r)
{
	const struct k_task *t = c->other;

	program_hdr(w, &c->program, sizeof(r->move));
	r->move.start_ns = t->start;
	/* What the hook is told: a leader that is dead stays where it was. */
	r->move.cgroup_id = (uint64_t)c->cgroup * 10;
	r->move.cgroup_hierarchy = 0;
	r->move.move_flags = c->whole_group ? REC_MOVE_GROUP : 0;
	meet_cgroup(w, &c->program, c->cgroup);
	return true;
}

static void cgroup_write(struct world *w, struct cpu *c)
{
	struct kernel *k = &w->kernel;

	for (int i = 0; i < K_TASKS; i++) {
		struct k_task *t = &k->task[i];

		if (t->state == K_LIVE && !t->exiting &&
		    (t == c->other || (c->whole_group && t->group == c->other->group)))
			t->cgroup = c->cgroup;
	}
}

/* All of it under cgroup_mutex, the hook as well. */
enum step move_step(struct world *w, struct cpu *c)
{
	struct kernel *k = &w->kernel;

	switch (c->pc) {
	case 0:
		if (k->cgroup_locked_by >= 0)
			return STEP_BLOCKED;
		if (c->other->state != K_LIVE && c->other->state != K_ZOMBIE)
			break;
		k->cgroup_locked_by = c->number;
		c->cgroup = (uint8_t)(1 + c->arg[1] / 2 % (K_CGROUPS - 1));
		cgroup_write(w, c);
		world_trace(w, c, "tid %u%s moves to cgroup %d", c->other->tid,
			    c->whole_group ? " and its group" : "", c->cgroup);
		c->pc = 1;
		return STEP_AGAIN;
	case 1:
		if (hook_fires(w, c, HOOK_MOVE))
			program_record(c, REC_MOVE, c->other, fill_move);
		c->pc = 2;
		return STEP_AGAIN;
	default:
		k->cgroup_locked_by = -1;
		break;
	}
	task_put(c->other);
	return STEP_DONE;
}

/* --- identity ----------------------------------------------------------------------------- */

bool identity_start(struct world *w, struct cpu *c)
{
	c->task = pick_task(w, c->arg[0], has_user_space);
	return c->task;
}

/* setuid(), setgid(), setns(): the same record as at birth. */
enum step identity_step(struct world *w, struct cpu *c)
{
	struct k_task *t = c->task;

	switch (c->pc++) {
	case 0:
		t->uid = c->arg[1] % 4 * 1000;
		t->gid = c->arg[1] / 4 % 4 * 1000;
		t->mnt_ns = 1 + c->arg[1] / 16 % 3;
		world_trace(w, c, "tid %u becomes uid %u, gid %u, mnt_ns %u", t->tid, t->uid,
			    t->gid, t->mnt_ns);
		return STEP_AGAIN;
	case 1:
		if (hook_fires(w, c, HOOK_IDENTITY))
			program_task(c, REC_CREATE, t, false);
		return STEP_AGAIN;
	default:
		t->cpu = -1;
		return STEP_DONE;
	}
}

/* --- files -------------------------------------------------------------------------------- */

bool rename_file_start(struct world *w, struct cpu *c)
{
	(void)w;
	c->task = NULL;
	return true;
}

/* No hook: the kernel side finds the new name the next time that it meets the file. */
enum step rename_file_step(struct world *w, struct cpu *c)
{
	const int number = 1 + (int)(c->arg[0] % (K_FILES - 1));
	struct k_file *f = &w->kernel.file[number];

	f->version++;
	f->told = false;
	world_trace(w, c, "file %d has another name", number);
	return STEP_DONE;
}
