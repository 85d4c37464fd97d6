// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is the atlas what the kernel is? Called at quiet points only: no cpu is in an operation, and the
 * ring is empty. Processes and threads here, spaces and mappings in compare-maps.c.
 *
 * COMPARE_CLAIMS takes the atlas at its word: where it says that it is not complete, or suspect,
 * nothing is asked. COMPARE_ALL comes after user space has healed everything and walked once more.
 */
#include "tests/sim/compare.h"

#include <string.h>

#define SAY(...) world_fail(w, __VA_ARGS__)

/* `field` of the process or thread with this number. */
#define SAME(number, field, atlas, kernel)                                                         \
	do {                                                                                       \
		if ((uint64_t)(atlas) != (uint64_t)(kernel))                                       \
			SAY("%u: " field " is %#llx in the atlas, %#llx in the kernel", number,    \
			    (unsigned long long)(atlas), (unsigned long long)(kernel));            \
	} while (0)

static int nr_live(const struct world *w, const struct k_group *g)
{
	int nr = 0;

	for (int i = 0; i < K_TASKS; i++)
		nr += w->kernel.task[i].state == K_LIVE && w->kernel.task[i].group == g;
	return nr;
}

static const struct k_task *live_thread(const struct world *w, const struct k_group *g)
{
	for (int i = 0; i < K_TASKS; i++)
		if (w->kernel.task[i].state == K_LIVE && w->kernel.task[i].group == g)
			return &w->kernel.task[i];
	return NULL;
}

static void compare_cgroup(struct world *w, uint32_t number, const struct cgroup *cgroup,
			   const struct k_task *t)
{
	char path[32];

	if (!cgroup) {
		SAY("%u: no cgroup in the atlas", number);
		return;
	}
	SAME(number, "cgroup", cgroup->id, t->cgroup * 10u);
	if (w->user.cgroup_known[t->cgroup])
		SAME(number, "cgroup known", cgroup->known, true);
	snprintf(path, sizeof(path), "/group/%d", t->cgroup);
	if (cgroup->known && strcmp(cgroup->path, path))
		SAY("%u: cgroup path is %s, not %s", number, cgroup->path, path);
}

static void compare_thread(struct world *w, const struct task *task, const struct process *process,
			   const struct k_task *t)
{
	const struct process *found = NULL;
	const bool exited = t->state == K_ZOMBIE;

	SAME(t->tid, "start", task->start_ns, t->start);
	SAME(t->tid, "leader_exited", task->leader_exited, exited);
	SAME(t->tid, "ns_tid", task->ns_tid, task_ns_tid(t));
	SAME(t->tid, "uid", task->uid, t->uid);
	SAME(t->tid, "gid", task->gid, t->gid);
	if (memcmp(task->comm, t->comm, REC_COMM_BYTES))
		SAY("%u: comm is %.16s in the atlas, %.16s in the kernel", t->tid, task->comm,
		    t->comm);
	if (atlas_task(w->atlas, t->tid, &found) != task || found != process)
		SAY("%u: found by tid is another one than listed", t->tid);
	if (!exited)
		compare_cgroup(w, t->tid, task->cgroup, t);
}

static const struct k_task *thread_at(const struct world *w, const struct k_group *g, uint32_t tid)
{
	const struct k_task *t = tid < K_TIDS ? w->kernel.by_tid[tid] : NULL;

	return t && t->group == g ? t : NULL;
}

static void compare_threads(struct world *w, const struct process *process, const struct k_group *g)
{
	struct task_iter it = atlas_threads(process);
	const struct task *task;
	int nr = 0, expected = nr_live(w, g);

	SAME(process->tgid, "nr_threads", process->nr_threads, expected);
	if (expected && g->leader->state == K_ZOMBIE)
		expected++;
	while ((task = task_next(&it))) {
		const struct k_task *t = thread_at(w, g, task->tid);

		nr++;
		if (t)
			compare_thread(w, task, process, t);
		else
			SAY("%u: thread %u is not in the kernel", process->tgid, task->tid);
	}
	SAME(process->tgid, "listed threads", nr, expected);
}

static void compare_lineage(struct world *w, const struct process *p, const struct k_group *g,
			    enum strictness strictness)
{
	const struct k_task *parent = g->parent ? g->parent->leader : NULL;
	const uint32_t seen = PROCESS_SEEN_FROM_BIRTH | PROCESS_FORKER_KNOWN;

	SAME(p->tgid, "birth flags", p->flags & seen, g->fork_told ? seen : 0);
	if (g->fork_told) {
		SAME(p->tgid, "forker tid", p->forker_tid, g->forker_tid);
		SAME(p->tgid, "forker tgid", p->forker_tgid, g->forker_tgid);
		SAME(p->tgid, "forker start", p->forker_start_ns, g->forker_start);
	}
	if (g->reparented && strictness != COMPARE_ALL)
		return;
	SAME(p->tgid, "parent tgid", p->parent_tgid, parent ? parent->tid : 0);
	SAME(p->tgid, "parent start", p->parent_start_ns, parent ? parent->start : 0);
}

static void compare_image(struct world *w, const struct process *p, const struct k_group *g)
{
	char name[64], args[64];
	int name_len, len;

	if (!g->exec_told) {
		if (!g->nr_execs_told)
			SAME(p->tgid, "execed", p->flags & PROCESS_EXECED, 0);
		return;
	}
	SAME(p->tgid, "execed", p->flags & PROCESS_EXECED, PROCESS_EXECED);
	SAME(p->tgid, "nr_execs", p->nr_execs, g->nr_execs_told);
	SAME(p->tgid, "exec flags", p->exec_flags, g->exec_number % 3 ? 0 : REC_EXEC_SCRIPT);
	name_len = snprintf(name, sizeof(name), "/bin/program-%u", g->exec_number);
	len = snprintf(args, sizeof(args), "program-%u%c--option", g->exec_number, 0) + 1;
	if (strcmp(p->exec_filename, name) || (int)strlen(p->exec_filename) != name_len)
		SAY("%u: executed is %s in the atlas, %s in the kernel", p->tgid, p->exec_filename,
		    name);
	if ((int)p->args_len != len || memcmp(p->args, args, (size_t)len))
		SAY("%u: arguments are %s in the atlas, %s in the kernel", p->tgid, p->args, args);
}

static void compare_end(struct world *w, const struct process *p, const struct k_group *g)
{
	if (g->exit_lost)
		return;
	SAME(p->tgid, "wait status", p->wait_status, group_wait_status(g));
	SAME(p->tgid, "end unknown", p->exit_ns == 0, 0);
	SAME(p->tgid, "exit missed", p->flags & PROCESS_EXIT_MISSED, 0);
}

static void compare_process(struct world *w, const struct process *p, const struct k_group *g,
			    enum strictness strictness)
{
	const struct k_task *leader = g->leader;
	const struct k_task *live = live_thread(w, g);

	SAME(p->tgid, "start", p->start_ns, leader->start);
	SAME(p->tgid, "state", p->state, live ? PROCESS_RUNNING : PROCESS_ZOMBIE);
	SAME(p->tgid, "ns_tgid", p->ns_tgid, task_ns_tid(leader));
	SAME(p->tgid, "pid_ns", p->pid_ns, g->pid_ns);
	SAME(p->tgid, "mnt_ns", p->mnt_ns, leader->mnt_ns);
	SAME(p->tgid, "uid", p->uid, leader->uid);
	SAME(p->tgid, "gid", p->gid, leader->gid);
	SAME(p->tgid, "kthread", p->flags & PROCESS_KTHREAD, leader->kthread ? PROCESS_KTHREAD : 0);
	if (memcmp(p->comm, leader->comm, REC_COMM_BYTES))
		SAY("%u: comm is %.16s in the atlas, %.16s in the kernel", p->tgid, p->comm,
		    leader->comm);
	if (leader->state == K_LIVE)
		compare_cgroup(w, p->tgid, p->cgroup, leader);
	compare_threads(w, p, g);
	compare_lineage(w, p, g, strictness);
	compare_image(w, p, g);
	if (live)
		compare_space(w, p, live, strictness);
	else
		compare_end(w, p, g);
}

/* A leader that was past its exit hook when the hooks were attached is met by the next walk. */
static bool may_be_unknown(const struct k_group *g, enum strictness strictness)
{
	return strictness == COMPARE_CLAIMS && g->leader->state == K_ZOMBIE && g->exit_lost;
}

static void compare_processes(struct world *w, enum strictness strictness)
{
	struct process_iter it = atlas_processes(w->atlas, false);
	const struct process *p;

	for (int tid = 1; tid < K_TIDS; tid++) {
		const struct k_task *t = w->kernel.by_tid[tid];

		if (!t || !task_is_leader(t) || may_be_unknown(t->group, strictness))
			continue;
		p = atlas_process(w->atlas, t->tid);
		if (p && p->state != PROCESS_GONE)
			compare_process(w, p, t->group, strictness);
		else
			SAY("%u: the process is %s", t->tid, p ? "gone" : "unknown");
	}
	while ((p = process_next(&it))) {
		const struct k_task *t = p->tgid < K_TIDS ? w->kernel.by_tid[p->tgid] : NULL;

		if (!t || !task_is_leader(t))
			SAY("%u: the process, in state %u, is not in the kernel", p->tgid,
			    p->state);
	}
}

/* Who was reaped may be forgotten; if not, it is gone, and ended as it ended. */
static void compare_ended(struct world *w)
{
	for (int i = 0; i < K_ENDED; i++) {
		const struct k_ended *ended = &w->kernel.ended[i];
		const struct process *p = atlas_process_at(w->atlas, ended->tgid, ended->start);

		if (!ended->tgid || !p)
			continue;
		SAME(p->tgid, "state after the end", p->state, PROCESS_GONE);
		if (ended->status_told)
			SAME(p->tgid, "wait status after the end", p->wait_status,
			     ended->wait_status);
	}
}

void compare(struct world *w, enum strictness strictness)
{
	const struct atlas_state *state = atlas_state(w->atlas);
	char why[256];

	if (w->failed)
		return;
	if (atlas_check(w->atlas, why, sizeof(why)))
		SAY("atlas_check(): %s", why);
	if (strictness == COMPARE_ALL && (state->suspect || state->suspect_spaces))
		SAY("healed, but still suspect");
	if (!state->seeded || w->user.needs_walk || (state->suspect && !state->suspect_spaces))
		return;
	compare_processes(w, strictness);
	compare_ended(w);
}
