// SPDX-License-Identifier: GPL-2.0-only
/* The definition of what an atlas is: processes, tasks, names; spaces are in check-space.c. */
#include "atlas/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "atlas/cgroup.h"
#include "atlas/file.h"
#include "atlas/process.h"
#include "atlas/task.h"

int broken(struct checker *check, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(check->why, check->why_size, format, args);
	va_end(args);
	return -EUCLEAN;
}

/* --- processes ---------------------------------------------------------------------------- */

static int check_threads(struct checker *check, const struct process_node *process)
{
	const struct task_node *task;
	uint32_t live = 0, listed = 0;

	for (task = process->threads; task; task = task->next) {
		if (task->process != process)
			return broken(check, "thread %u is listed by another process than its own",
				      task->pub.tid);
		live += !task->pub.leader_exited;
		listed++;
	}
	if (live != process->pub.nr_threads)
		return broken(check, "process %u counts %u threads, has %u", process->pub.tgid,
			      process->pub.nr_threads, live);
	if (process->pub.state == PROCESS_RUNNING ? !listed : live || listed > process->unsure)
		return broken(check, "process %u in state %u has %u threads", process->pub.tgid,
			      process->pub.state, listed);
	if (process->unsure && process->pub.state != PROCESS_ZOMBIE)
		return broken(check, "process %u in state %u may have ended", process->pub.tgid,
			      process->pub.state);
	return 0;
}

static int check_hold(struct checker *check, const struct process_node *process)
{
	const struct space_node *space = (const struct space_node *)process->pub.space;
	static const enum hold most[PROCESS_STATE_NR] = {
	    [PROCESS_RUNNING] = HOLD_RUNS,
	    [PROCESS_ZOMBIE] = HOLD_LINGERS,
	    [PROCESS_GONE] = HOLD_NONE,
	};

	if (process->hold > most[process->pub.state] || (process->hold && !space))
		return broken(check, "process %u in state %u holds its space as %u",
			      process->pub.tgid, process->pub.state, process->hold);
	if (!space || process->hold)
		return process->pub.state != PROCESS_RUNNING || !space || process->hold == HOLD_RUNS
			   ? 0
			   : broken(check, "process %u runs and does not hold its space",
				    process->pub.tgid);
	if (process->pub.state == PROCESS_RUNNING || space->key || space->refs != 1)
		return broken(check, "process %u has a frozen space that is not",
			      process->pub.tgid);
	return 0;
}

static int check_process(struct checker *check, const struct process_node *process)
{
	const struct process_node *older = process->older;
	int error;

	if (process->pub.state <= PROCESS_NONE || process->pub.state >= PROCESS_STATE_NR)
		return broken(check, "process %u in state %u", process->pub.tgid,
			      process->pub.state);
	if (older && (older->newer != process || older->pub.tgid != process->pub.tgid ||
		      older->pub.state != PROCESS_GONE))
		return broken(check, "the chain of tgid %u is broken", process->pub.tgid);
	error = check_threads(check, process);
	return error ? error : check_hold(check, process);
}

static int check_lists(struct checker *check)
{
	const struct atlas_counts *counts = &check->atlas->counts;
	const struct process_node *process;
	uint32_t nr = 0;

	for (process = check->atlas->present; process; process = process->next, nr++)
		if (process->pub.state == PROCESS_GONE)
			return broken(check, "process %u is listed as present, and is gone",
				      process->pub.tgid);
	if (nr != counts->processes + counts->zombies)
		return broken(check, "%u processes are listed as present, counted %u and %u", nr,
			      counts->processes, counts->zombies);
	for (nr = 0, process = check->atlas->gone; process; process = process->next, nr++)
		if (process->pub.state != PROCESS_GONE)
			return broken(check, "process %u is listed as gone, and is not",
				      process->pub.tgid);
	if (nr != counts->gone || nr > check->atlas->limits.retain_processes)
		return broken(check, "%u processes are listed as gone, counted %u, at most %u", nr,
			      counts->gone, check->atlas->limits.retain_processes);
	return 0;
}

int check_processes(struct checker *check)
{
	const struct atlas_counts *counts = &check->atlas->counts;
	const struct process_node *head, *process;
	uint32_t nr[PROCESS_STATE_NR] = {0};
	size_t at = 0;
	int error;

	while ((head = keymap_next(&check->atlas->processes, &at))) {
		if (head->newer || process_find(check->atlas, head->pub.tgid) != head)
			return broken(check, "tgid %u does not find its holder", head->pub.tgid);
		for (process = head; process; process = process->older) {
			error = check_process(check, process);
			if (error)
				return error;
			nr[process->pub.state]++;
		}
	}
	if (nr[PROCESS_RUNNING] != counts->processes || nr[PROCESS_ZOMBIE] != counts->zombies ||
	    nr[PROCESS_GONE] != counts->gone)
		return broken(check, "%u running, %u zombies, %u gone; counted %u, %u, %u",
			      nr[PROCESS_RUNNING], nr[PROCESS_ZOMBIE], nr[PROCESS_GONE],
			      counts->processes, counts->zombies, counts->gone);
	return check_lists(check);
}

int check_tasks(struct checker *check)
{
	const struct task_node *task;
	size_t at = 0;

	while ((task = keymap_next(&check->atlas->tasks, &at))) {
		const struct process *process = &task->process->pub;
		bool leader = task->pub.tid == process->tgid;

		if (task_find(check->atlas, task->pub.tid) != task)
			return broken(check, "tid %u does not find its task", task->pub.tid);
		if ((process->state != PROCESS_RUNNING && !task->pub.leader_exited) ||
		    process_find(check->atlas, process->tgid) != task->process)
			return broken(check, "task %u is of a process that does not run",
				      task->pub.tid);
		if (leader && task->pub.start_ns != process->start_ns)
			return broken(check, "task %u leads a process of another start time",
				      task->pub.tid);
		if (task->pub.leader_exited && !leader)
			return broken(check, "task %u is an exited leader, and no leader",
				      task->pub.tid);
	}
	if (check->atlas->tasks.nr != check->atlas->counts.tasks)
		return broken(check, "%zu tasks, counted %u", check->atlas->tasks.nr,
			      check->atlas->counts.tasks);
	return 0;
}

/* --- names -------------------------------------------------------------------------------- */

static int check_files(struct checker *check)
{
	const struct atlas *atlas = check->atlas;
	const struct file_node *file;
	uint32_t numbers = atlas->files_end ? atlas->files_end - 1 : 0;
	size_t at = 0;

	while ((file = keymap_next(&atlas->file_keys, &at)))
		if (file_by_number(atlas, file->number) != file || file->marked)
			return broken(check, "file %u is not under its number", file->number);
	if (files_nr(atlas) + atlas->nr_free != numbers)
		return broken(check, "%u files and %zu free numbers of %u", files_nr(atlas),
			      atlas->nr_free, numbers);
	return 0;
}

int check_names(struct checker *check)
{
	const struct cgroup_node *first, *cgroup;
	size_t at = 0, nr = 0;

	while ((first = keymap_next(&check->atlas->cgroups, &at)))
		for (cgroup = first; cgroup; cgroup = cgroup->sibling, nr++)
			if (cgroup->pub.id != first->pub.id || cgroup->marked)
				return broken(check, "cgroup %llu is not under its id",
					      (unsigned long long)cgroup->pub.id);
	if (nr != check->atlas->nr_cgroups)
		return broken(check, "%zu cgroups, counted %u", nr, check->atlas->nr_cgroups);
	return check_files(check);
}

int atlas_check(const struct atlas *atlas, char *why, size_t why_size)
{
	struct checker check = {.atlas = atlas, .why = why, .why_size = why_size};
	int error;

	error = check_processes(&check);
	if (!error)
		error = check_tasks(&check);
	if (!error)
		error = check_spaces(&check);
	if (!error)
		error = check_chunks(&check);
	return error ? error : check_names(&check);
}
