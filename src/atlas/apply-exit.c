// SPDX-License-Identifier: GPL-2.0-only
/*
 * EXIT and FREE.
 *
 * A process ends with its last known thread. If no EXIT said REC_EXIT_LAST by then, there is a
 * thread that is not known (its FORK was lost, or the walk has not come to it yet): the process
 * counts as ended, but keeps its space, and its dead leader, until something settles it. If LAST
 * was said while other threads are listed, their EXITs are on the way.
 */
#include "atlas/apply.h"
#include "atlas/process.h"
#include "atlas/task.h"

/* An EXIT of a thread that had been taken for dead is not missed after all. */
static void exit_found(struct atlas *atlas, struct process_node *process, bool leader)
{
	if (!process->exits_missed)
		return;
	process->exits_missed--;
	atlas->counts.exits_missed--;
	atlas->counts.thread_exits += !leader;
}

static void end_count(struct atlas *atlas, struct process_node *process)
{
	atlas->counts.process_exits += !process->end_counted;
	process->end_counted = true;
}

/* What the record says of the process, whatever state that is in. */
static void codes_take(struct process_node *process, const struct rec_exit *rec)
{
	if (rec->exit_flags & REC_EXIT_GROUP) {
		process->group_exit = true;
		process->group_exit_code = rec->group_exit_code;
	}
	if (rec->hdr.tid == rec->hdr.tgid)
		process->leader_exit_code = rec->exit_code;
	if (rec->exit_flags & REC_EXIT_LAST) {
		process->last_seen = true;
		process->pub.exit_ns = rec->hdr.time_ns;
	}
}

/* In a process that was taken for dead, or that is a zombie. */
static void exit_late(struct atlas *atlas, struct process_node *process, const struct rec_exit *rec)
{
	exit_found(atlas, process, rec->hdr.tid == rec->hdr.tgid);
	process_set_status(process);
	if (!(rec->exit_flags & REC_EXIT_LAST))
		return;
	end_count(atlas, process);
	if (process->pub.state == PROCESS_ZOMBIE) {
		process->pub.flags &= ~PROCESS_EXIT_MISSED;
		process_confirm_end(atlas, process);
	} else if (process->pub.flags & PROCESS_EXIT_MISSED) {
		process->pub.flags &= ~PROCESS_EXIT_MISSED;
		/* Dead and not reaped, unless somebody has the tgid by now. */
		if (process->newer)
			return;
		process->met = atlas->walk.generation;
		process_unbury(atlas, process);
	}
}

static void thread_exit(struct atlas *atlas, struct task_node *task)
{
	struct process_node *process = task->process;
	bool leader = task->pub.tid == process->pub.tgid;

	atlas->counts.thread_exits += !leader;
	if (leader)
		task_leader_exited(task);
	else
		task_drop(atlas, task);
}

/* The live thread that the record names; NULL = none known. */
static struct task_node *thread_of(const struct atlas *atlas, const struct process_node *process,
				   const struct rec_exit *rec)
{
	struct task_node *task = task_find_at(atlas, rec->hdr.tid, rec->start_ns);

	return task && task->process == process && !task->pub.leader_exited ? task : NULL;
}

int apply_exit(struct atlas *atlas, const struct rec_exit *rec)
{
	struct process_node *process;
	struct task_node *task;
	bool known;

	process = process_find_at(atlas, rec->hdr.tgid, rec->process_start_ns);
	if (!process)
		return 0;
	codes_take(process, rec);
	if (process->pub.state != PROCESS_RUNNING) {
		exit_late(atlas, process, rec);
		return 0;
	}
	task = thread_of(atlas, process, rec);
	known = task;
	if (known)
		thread_exit(atlas, task);
	else
		exit_found(atlas, process, rec->hdr.tid == rec->hdr.tgid);
	if (process->pub.nr_threads || (!known && !process->last_seen))
		return 0;
	end_count(atlas, process);
	process->met = atlas->walk.generation; /* a zombie since its BEGIN is no leftover */
	process_end(atlas, process, rec->hdr.time_ns, process->last_seen);
	return 0;
}

int apply_free(struct atlas *atlas, const struct rec_free *rec)
{
	struct process_node *process;

	/* After an exec by another thread, the old leader goes under that thread's tid. */
	if (rec->hdr.tid != rec->hdr.tgid)
		return 0;
	process = process_find_at(atlas, rec->hdr.tgid, rec->start_ns);
	if (!process || process->pub.state == PROCESS_GONE)
		return 0;
	if (process->pub.state == PROCESS_RUNNING && process->last_seen)
		end_count(atlas, process);
	process_gone(atlas, process, rec->hdr.time_ns);
	return 0;
}
