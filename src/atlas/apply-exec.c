// SPDX-License-Identifier: GPL-2.0-only
/*
 * EXEC. The kernel has killed the other threads by then, so their EXITs come before; whoever is
 * still listed was lost. The caller may have been any thread: it is the leader now, under the
 * leader's identity, and no EXIT ever comes for the tid that it had.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "atlas/apply.h"
#include "atlas/process.h"
#include "atlas/space.h"
#include "atlas/task.h"

/* File name, NUL, arguments, NUL; NULL = no memory. */
static char *image_new(const struct rec_exec *rec)
{
	char *image = malloc((size_t)rec->filename_len + rec->args_len + 2);

	if (!image)
		return NULL;
	memcpy(image, rec->text, rec->filename_len);
	image[rec->filename_len] = '\0';
	memcpy(image + rec->filename_len + 1, rec->text + rec->filename_len, rec->args_len);
	image[rec->filename_len + 1 + rec->args_len] = '\0';
	return image;
}

static void image_set(struct process_node *process, const struct rec_exec *rec, char *image)
{
	free(process->image);
	process->image = image;
	process->pub.exec_filename = image;
	process->pub.args = image + rec->filename_len + 1;
	process->pub.args_len = rec->args_len;
	process->pub.exec_flags = rec->exec_flags;
	process->pub.exec_ns = rec->task.hdr.time_ns;
	process->pub.flags |= PROCESS_EXECED;
	process->pub.nr_execs++;
}

static void others_drop(struct atlas *atlas, struct task_node *survivor, uint32_t old_tid)
{
	struct task_node *task = survivor->process->threads, *next;

	for (; task; task = next) {
		next = task->next;
		if (task == survivor)
			continue;
		if (task->pub.tid == old_tid)
			task_drop(atlas, task);
		else
			task_missed(atlas, task);
	}
}

/* What was said of an end concerned threads of the old image. */
static void end_forget(struct process_node *process)
{
	process->group_exit = false;
	process->last_seen = false;
	process->leader_exit_code = 0;
	process->pub.exit_ns = 0;
}

int apply_exec(struct atlas *atlas, const struct rec_exec *rec)
{
	char *image = image_new(rec);
	struct space_node *space;
	enum task_novelty novelty;
	struct task_node *task;
	int error;

	if (!image)
		return -ENOMEM;
	error = task_observe(atlas, &rec->task, &task, &novelty);
	if (error) {
		free(image);
		return error;
	}
	if (novelty == TASK_FIRST && atlas->state.seeded) {
		task_birth_missed(atlas, task);
		task->process->pub.flags |= PROCESS_BIRTH_MISSED;
	}
	others_drop(atlas, task, rec->old_tid);
	end_forget(task->process);
	image_set(task->process, rec, image);
	/* Without memory for the new space there is none: the old one is certainly wrong. */
	if (rec->task.space)
		error = space_open(atlas, rec->task.space, NULL, &space);
	space_leave(atlas, task->process);
	if (rec->task.space && !error)
		space_join(atlas, task->process, space);
	return error;
}
