// SPDX-License-Identifier: GPL-2.0-only
/*
 * Forgetting. Processes go by time and number. Files and cgroups are not counted by those who refer
 * to them, which would cost a look-up for each mapping that comes or goes; instead, when there are
 * too many, everything that is alive is marked and the rest goes. Chunks of mappings that several
 * spaces share are looked at once.
 */
#include "atlas/retain.h"

#include "atlas/cgroup.h"
#include "atlas/file.h"
#include "atlas/process.h"

void retain_trim(struct atlas *atlas)
{
	while (atlas->counts.gone > atlas->limits.retain_processes) {
		process_free(atlas, atlas->gone);
		atlas->counts.retained_dropped++;
	}
}

static void processes_forget(struct atlas *atlas, uint64_t now_ns)
{
	struct process_node *process;

	/* The times of several CPUs may be out of order by a little; the list is in record order.
	 */
	while ((process = atlas->gone)) {
		if (process->gone_ns > now_ns ||
		    now_ns - process->gone_ns < atlas->limits.retain_ns)
			return;
		process_free(atlas, process);
	}
}

static void file_mark(struct atlas *atlas, uint32_t number)
{
	struct file_node *file = file_by_number(atlas, number);

	if (file)
		file->marked = true;
}

static void cgroup_mark(const struct cgroup *cgroup)
{
	if (cgroup)
		((struct cgroup_node *)cgroup)->marked = true;
}

static void space_mark(struct atlas *atlas, const struct space_node *space)
{
	const struct maproot *root = space->tree.root;

	for (uint32_t i = 0; root && i < root->nr_chunks; i++) {
		struct mapchunk *chunk = root->slot[i].chunk;

		if (chunk->mark == atlas->chunk_mark)
			continue;
		chunk->mark = atlas->chunk_mark;
		for (uint32_t j = 0; j < chunk->nr; j++)
			file_mark(atlas, chunk->mapping[j].file);
	}
}

static void mark(struct atlas *atlas)
{
	struct process_iter it = atlas_processes(atlas, true);
	const struct process *process;
	struct space_node *space;
	struct task_node *task;
	size_t at = 0;

	/* 0 is what new chunks carry. */
	if (!++atlas->chunk_mark)
		atlas->chunk_mark = 1;
	while ((process = process_next(&it))) {
		file_mark(atlas, process->exe);
		cgroup_mark(process->cgroup);
	}
	while ((task = keymap_next(&atlas->tasks, &at)))
		cgroup_mark(task->pub.cgroup);
	for (space = atlas->spaces; space; space = space->next)
		space_mark(atlas, space);
	for (space = atlas->floating; space; space = space->next)
		space_mark(atlas, space);
}

static size_t files_sweep(struct atlas *atlas)
{
	struct file_node *file;
	size_t dropped = 0;

	for (uint32_t number = 1; number < atlas->files_end; number++) {
		file = atlas->files[number];
		if (file && !file->marked) {
			file_free(atlas, file);
			dropped++;
		} else if (file) {
			file->marked = false;
		}
	}
	return dropped;
}

/* More than the limit, and an eighth more than the last collection had to keep: where more are in
 * use than the limit says, looking again and again finds nothing. */
static bool too_many(const struct atlas *atlas, size_t nr, size_t kept)
{
	return nr > atlas->limits.max_files && nr > kept + kept / 8;
}

size_t atlas_collect(struct atlas *atlas, uint64_t now_ns)
{
	size_t dropped;

	processes_forget(atlas, now_ns);
	if (!too_many(atlas, files_nr(atlas), atlas->files_kept) &&
	    !too_many(atlas, atlas->nr_cgroups, atlas->cgroups_kept))
		return 0;
	mark(atlas);
	dropped = files_sweep(atlas) + cgroups_sweep(atlas);
	atlas->files_kept = files_nr(atlas);
	atlas->cgroups_kept = atlas->nr_cgroups;
	return dropped;
}
