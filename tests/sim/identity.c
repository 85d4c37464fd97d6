// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs that tell who a task is: CREATE, FORK, EXEC. One function fills the same fields for
 * all three, in three reads between which anything may happen.
 */
#include "tests/sim/world.h"

#include <stdio.h>
#include <string.h>

enum {
	TASK_RESERVE = 0,
	TASK_READ_WHO,
	TASK_READ_LABELS,
	TASK_READ_SPACE,
	TASK_SUBMIT,
};

/*
 * A walker looks again after its reserve. False: the EXIT is there or is coming, so discard. A
 * dying leader is told as the zombie that it is or will be: its EXIT may be there and yet have
 * meant nothing to the reader, who had not heard of the process, while other threads of it run on.
 */
static bool walk_may_tell(const struct world *w, const struct k_task *t, uint32_t *flags)
{
	const bool dying = t->exiting && w->config.mutation != MUTATION_DYING_DISCARDED;

	if (task_is_leader(t) && (t->state == K_ZOMBIE || (t->state == K_LIVE && dying))) {
		*flags |= REC_TASK_ZOMBIE;
		return true;
	}
	return t->state == K_LIVE && !t->exiting;
}

static bool read_who(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;
	struct rec_task *r = &record_of(p)->task;
	const struct k_task *t = p->task;
	uint32_t flags = t->kthread ? REC_TASK_KTHREAD : 0;

	memset(r, 0, sizeof(*r));
	if (p->from_walk && !walk_may_tell(w, t, &flags))
		return false;
	program_hdr(w, p, sizeof(*r));
	r->task_flags = flags;
	r->start_ns = t->start;
	r->process_start_ns = t->group->leader->start;
	r->ns_tid = task_ns_tid(t);
	r->ns_tgid = task_ns_tid(t->group->leader);
	return true;
}

static void read_labels(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;
	struct rec_task *r = &record_of(p)->task;
	const struct k_task *t = p->task;

	memcpy(r->comm, t->comm, REC_COMM_BYTES);
	r->uid = t->uid;
	r->gid = t->gid;
	r->mnt_ns = t->mnt_ns;
	r->pid_ns = t->group->pid_ns;
	r->cgroup_id = (uint64_t)t->cgroup * 10;
	meet_cgroup(w, p, t->cgroup);
}

static void read_space(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;
	struct rec_task *r = &record_of(p)->task;
	const struct k_task *t = p->task;
	const struct k_group *parent = t->group->parent;

	r->nr_threads = (uint32_t)t->group->live;
	if (parent) {
		r->parent_tgid = parent->leader->tid;
		r->parent_start_ns = parent->leader->start;
	}
	if (t->mm && !(r->task_flags & REC_TASK_ZOMBIE)) {
		r->space = mm_key(w, t->mm);
		r->exe = file_key(t->mm->exe);
		meet_file(w, p, t->mm->exe);
	}
}

static void add_forker(struct cpu *c)
{
	struct rec_task *r = &record_of(&c->program)->task;
	struct k_group *g = c->program.task->group;

	r->forker_tid = c->task->tid;
	r->forker_tgid = c->task->group->leader->tid;
	r->forker_start_ns = c->task->group->leader->start;
	if (c->clone.thread || c->clone.shares_mm)
		r->task_flags |= REC_TASK_SHARES_SPACE;
	if (c->clone.thread)
		return;
	g->fork_told = true;
	g->forker_tid = r->forker_tid;
	g->forker_tgid = r->forker_tgid;
	g->forker_start = r->forker_start_ns;
}

static void add_image(struct cpu *c)
{
	struct program *p = &c->program;
	struct rec_exec *r = &record_of(p)->exec;
	struct k_group *g = p->task->group;
	int name, args;

	name = sprintf(r->text, "/bin/program-%u", g->exec_number);
	args = sprintf(r->text + name, "program-%u", g->exec_number) + 1;
	args += sprintf(r->text + name + args, "--option") + 1;
	r->old_tid = p->old_tid;
	r->exec_flags = g->exec_number % 3 ? 0 : REC_EXEC_SCRIPT;
	r->filename_len = (uint32_t)name;
	r->args_len = (uint32_t)args;
	record_of(p)->hdr.size = (uint32_t)((sizeof(*r) + (size_t)(name + args) + 7) & ~(size_t)7);
	g->exec_told = true;
	g->nr_execs_told++;
}

static void note_told(const struct program *p)
{
	struct k_group *g = p->task->group;

	if (!g->told || p->place < g->told_place)
		g->told_place = p->place;
	g->told = true;
}

static enum step task_submit(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;

	if (p->record_kind == REC_FORK)
		add_forker(c);
	if (p->record_kind == REC_EXEC)
		add_image(c);
	ring_submit(&w->ring, p->place, p->data, record_of(p)->hdr.size);
	p->submitted = true;
	note_told(p);
	world_trace(w, c, "submit: tid %u of %u, %.16s, space %llx", record_of(p)->hdr.tid,
		    record_of(p)->hdr.tgid, record_of(p)->task.comm,
		    (unsigned long long)record_of(p)->task.space);
	return program_end(p);
}

static bool task_reserve(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;

	p->place = program_reserve(w, c, p->record_kind);
	world_trace(w, c, "reserve #%lld", (long long)p->place);
	return p->place != RING_FULL;
}

enum step task_record_step(struct world *w, struct cpu *c)
{
	struct program *p = &c->program;
	const bool late = w->config.mutation == MUTATION_READ_FIRST;

	switch (p->pc++) {
	case TASK_RESERVE:
		return late || task_reserve(w, c) ? STEP_AGAIN : program_end(p);
	case TASK_READ_WHO:
		if (read_who(w, c)) {
			world_trace(w, c, "read who it is");
			return STEP_AGAIN;
		}
		if (!late)
			ring_discard(&w->ring, p->place);
		world_trace(w, c, "tid %u is exiting: discard", p->task->tid);
		return program_end(p);
	case TASK_READ_LABELS:
		read_labels(w, c);
		world_trace(w, c, "read its name, owner, cgroup");
		return STEP_AGAIN;
	case TASK_READ_SPACE:
		read_space(w, c);
		world_trace(w, c, "read its space and parent");
		return STEP_AGAIN;
	default:
		if (late && p->place == RING_FULL)
			return task_reserve(w, c) ? STEP_AGAIN : program_end(p);
		return task_submit(w, c);
	}
}
