// SPDX-License-Identifier: GPL-2.0-only
/* Tasks and thread groups: clone, exec, exit, reap. */
#include "tests/sim/kernel.h"

#include <assert.h>
#include <stddef.h>

#define ROOT_PID_NS 1u

bool task_can_call(const struct k_task *t)
{
	return t->state == K_LIVE && t->woken && t->cpu < 0 && !t->exiting && !t->killed &&
	       !t->vfork_child;
}

bool task_is_leader(const struct k_task *t)
{
	return t->group->leader == t;
}

int kernel_nr_tasks(const struct kernel *k)
{
	return K_TIDS - 3 - k->nr_free_tids;
}

uint32_t task_ns_tid(const struct k_task *t)
{
	return t->group->pid_ns == ROOT_PID_NS ? t->tid : t->tid + 1000;
}

static struct k_task *task_new(struct kernel *k)
{
	for (int i = 1; i < K_TASKS; i++)
		if (k->task[i].state == K_FREE)
			return &k->task[i];
	return NULL;
}

static struct k_group *group_new(struct kernel *k)
{
	for (int i = 1; i < K_TASKS; i++)
		if (!k->group[i].objects)
			return &k->group[i];
	return NULL;
}

void task_put(struct k_task *t)
{
	if (t->refs)
		t->refs--;
	if (t->refs || (t->state != K_DEAD && t->state != K_NEW) || !t->group)
		return;
	t->group->objects--;
	t->group = NULL;
	t->state = K_FREE;
}

/* --- clone -------------------------------------------------------------------------------- */

static bool clone_has_room(const struct kernel *k, const struct k_task *t,
			   const struct clone_request *request)
{
	if (k->nr_free_tids < 1 || k->free_mm < 0)
		return false;
	return !request->thread || t->group->threads < K_THREADS_MAX;
}

/* The child is a copy of its maker; what it does not take over is set here. */
static void child_init(struct kernel *k, struct k_task *child, const struct k_task *t)
{
	*child = *t;
	child->state = K_NEW;
	child->refs = 0;
	child->tid = 0;
	child->start = kernel_tick(k);
	child->cpu = -1;
	child->woken = false;
	child->killed = false;
	child->vfork_child = NULL;
	child->vfork_parent = NULL;
	child->comm_locked_by = -1;
}

struct k_task *clone_begin(struct kernel *k, struct k_task *t, const struct clone_request *request)
{
	struct k_task *child = task_new(k);

	if (!child || !clone_has_room(k, t, request))
		return NULL;
	child_init(k, child, t);
	child->group = request->thread ? t->group : group_new(k);
	assert(child->group);
	child->group->objects++;
	if (child->mm && (request->thread || request->shares_mm)) {
		child->mm->users++;
		child->mm->shared_once = true;
	} else if (child->mm) {
		child->mm = mm_copy(k, t->mm);
	}
	return child;
}

static void clone_abort(struct kernel *k, struct k_task *child)
{
	if (child->mm)
		mm_put(k, child->mm);
	child->mm = NULL;
	task_put(child);
}

static void group_init(struct k_task *t, struct k_task *child, const struct clone_request *request)
{
	struct k_group *g = child->group;

	*g = (struct k_group){
	    .objects = g->objects,
	    .live = 1,
	    .threads = 1,
	    .leader = child,
	    .parent = request->same_parent && t->group->parent ? t->group->parent : t->group,
	    .pid_ns = request->new_pid_ns ? (uint32_t)child->start : t->group->pid_ns,
	    .subreaper = request->subreaper,
	    .ignores_children = request->ignores_children,
	};
}

bool clone_attach(struct kernel *k, struct k_task *t, struct k_task *child,
		  const struct clone_request *request)
{
	if (t->killed || k->nr_free_tids < 1 ||
	    (request->thread && t->group->threads >= K_THREADS_MAX)) {
		clone_abort(k, child);
		return false;
	}
	child->tid = k->free_tid[--k->nr_free_tids];
	k->by_tid[child->tid] = child;
	child->state = K_LIVE;
	child->cgroup = t->cgroup;
	if (!request->thread) {
		group_init(t, child, request);
		return true;
	}
	t->group->live++;
	t->group->threads++;
	return true;
}

void clone_wake(struct k_task *t, struct k_task *child, const struct clone_request *request)
{
	child->woken = true;
	if (!request->vfork)
		return;
	t->vfork_child = child;
	child->vfork_parent = t;
}

/* --- exit --------------------------------------------------------------------------------- */

void group_kill_others(struct kernel *k, struct k_task *t)
{
	for (int i = 0; i < K_TASKS; i++) {
		struct k_task *other = &k->task[i];

		if (other->state == K_LIVE && other->group == t->group && other != t &&
		    !other->exiting)
			other->killed = true;
	}
}

static void vfork_done(struct k_task *t)
{
	if (t->vfork_parent)
		t->vfork_parent->vfork_child = NULL;
	t->vfork_parent = NULL;
}

void task_leave_mm(struct kernel *k, struct k_task *t)
{
	vfork_done(t);
	if (t->mm)
		mm_put(k, t->mm);
	t->mm = NULL;
}

void exit_begin(struct kernel *k, struct k_task *t, bool group, uint32_t code)
{
	struct k_group *g = t->group;

	if (group && !g->exiting && !g->exec) {
		g->exiting = true;
		g->exit_code = code;
		group_kill_others(k, t);
	}
	t->exit_code = g->exiting ? g->exit_code : code;
	t->exiting = true;
	if (t->vfork_child) {
		t->vfork_child->vfork_parent = NULL;
		t->vfork_child = NULL;
	}
}

/* Any thread that has not begun to exit? */
static bool group_has_heir(const struct kernel *k, const struct k_group *g)
{
	for (int i = 0; i < K_TASKS; i++)
		if (k->task[i].state == K_LIVE && k->task[i].group == g && !k->task[i].exiting)
			return true;
	return false;
}

static struct k_group *reaper_of(struct kernel *k, struct k_group *g)
{
	for (struct k_group *up = g->parent; up; up = up->parent)
		if (up->subreaper && group_has_heir(k, up))
			return up;
	return k->by_tid[1]->group;
}

/* Children whose group the exit leaves without a thread go to a subreaper, or to init. */
static void reparent_children(struct kernel *k, struct k_group *g)
{
	struct k_group *reaper;

	if (group_has_heir(k, g))
		return;
	reaper = reaper_of(k, g);
	for (int i = 1; i < K_TASKS; i++) {
		if (k->group[i].objects && k->group[i].parent == g) {
			k->group[i].parent = reaper;
			k->group[i].reparented = true;
		}
	}
}

bool task_can_be_reaped(const struct k_task *t)
{
	return t->state == K_ZOMBIE && t->group->threads == 1;
}

uint32_t group_wait_status(const struct k_group *g)
{
	return g->exiting ? g->exit_code : g->leader->exit_code;
}

static void note_ended(struct kernel *k, const struct k_task *leader)
{
	k->ended[k->nr_ended++ % K_ENDED] = (struct k_ended){
	    .tgid = leader->tid,
	    .start = leader->start,
	    .wait_status = group_wait_status(leader->group),
	    .status_told = !leader->group->exit_lost,
	};
}

void task_release(struct kernel *k, struct k_task *t)
{
	if (t->group->leader == t)
		note_ended(k, t);
	k->by_tid[t->tid] = NULL;
	k->free_tid[k->nr_free_tids++] = (uint8_t)t->tid;
	t->group->threads--;
	t->state = K_DEAD;
	t->cpu = -1;
	if (!t->refs)
		task_put(t);
}

struct k_task *exit_notify(struct kernel *k, struct k_task *t)
{
	struct k_group *g = t->group;
	struct k_task *leader = g->leader;

	reparent_children(k, g);
	if (t == leader)
		t->state = K_ZOMBIE;
	else
		task_release(k, t);
	if (!task_can_be_reaped(leader) || !g->parent->ignores_children)
		return NULL;
	leader->refs++; /* for who tells the FREE */
	task_release(k, leader);
	return leader;
}

/* --- exec --------------------------------------------------------------------------------- */

bool exec_is_alone(const struct kernel *k, const struct k_task *t)
{
	for (int i = 0; i < K_TASKS; i++) {
		const struct k_task *other = &k->task[i];

		if (other->group == t->group && other != t &&
		    (other->state == K_LIVE || other->state == K_NEW))
			return false;
	}
	return true;
}

void exec_take_start(struct k_task *t)
{
	t->start = t->group->leader->start;
}

void exec_take_tid(struct kernel *k, struct k_task *t)
{
	struct k_task *leader = t->group->leader;
	const uint32_t old = t->tid;

	t->tid = leader->tid;
	leader->tid = old;
	k->by_tid[t->tid] = t;
	k->by_tid[old] = leader;
	t->group->leader = t;
	task_release(k, leader);
}

bool exec_switch_mm(struct kernel *k, struct k_task *t, uint8_t exe)
{
	struct k_mm *mm = mm_new(k);

	if (!mm)
		return false;
	mm->exe = exe;
	task_leave_mm(k, t);
	t->mm = mm;
	return true;
}
