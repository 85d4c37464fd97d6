// SPDX-License-Identifier: GPL-2.0-only
#include "atlas/maps.h"

#include <string.h>

#define DEV_MINOR_BITS 20

const struct space *maps_space(const struct process *process)
{
	return process->state == PROCESS_RUNNING ? process->space : NULL;
}

bool maps_complete(const struct atlas *atlas, const struct process *process)
{
	const struct space *space = maps_space(process);

	if (!atlas_state(atlas)->seeded)
		return false;
	if (!space)
		return process->state != PROCESS_RUNNING || process->flags & PROCESS_KTHREAD;
	return space->state & SPACE_COMPLETE && !(space->state & SPACE_SUSPECT);
}

/* A name that the kernel made up, not a file's. */
static void name_fixed(struct maps_line *line, const char *name)
{
	line->name = name;
	line->name_len = strlen(name);
}

static void name_of_file(struct maps_line *line, const struct file *file)
{
	line->major = file->dev >> DEV_MINOR_BITS;
	line->minor = file->dev & ((1u << DEV_MINOR_BITS) - 1);
	line->inode = file->inode;
	if (file->kind == REC_FILE_NONE)
		return;
	line->name = file->name;
	line->name_len = file->name_len;
	line->deleted = file->flags & REC_FILE_DELETED;
	line->cut = file->flags & REC_FILE_CUT;
	if (line->cut)
		line->before = "...";
	if (line->deleted)
		line->after = " (deleted)";
	if (file->kind == REC_FILE_ANON) {
		line->before = file->inode ? "[anon_shmem:" : "[anon:";
		line->after = "]";
	}
}

/* The order of get_vma_name(): file, special mapping, heap, stack, anonymous name. */
static void name_fill(struct maps_line *line, const struct file *file, const struct host *host,
		      const struct space *space, const struct mapping *mapping)
{
	if (file && (file->kind != REC_FILE_ANON || file->inode))
		name_of_file(line, file);
	else if (mapping_is_heap(mapping, space, host->heap_touches))
		name_fixed(line, "[heap]");
	else if (mapping_is_stack(mapping, space))
		name_fixed(line, "[stack]");
	else if (file)
		name_of_file(line, file);
}

static void line_begin(struct maps_line *ret, const struct mapping *mapping)
{
	*ret = (struct maps_line){
	    .start = mapping->start,
	    .end = mapping->end,
	    .offset = mapping->offset,
	    .prot = {mapping->flags & REC_MAP_READ ? 'r' : '-',
		     mapping->flags & REC_MAP_WRITE ? 'w' : '-',
		     mapping->flags & REC_MAP_EXEC ? 'x' : '-'},
	    .shared = mapping->flags & REC_MAP_SHARED,
	    .before = "",
	    .after = "",
	};
}

void maps_line_fill(struct maps_line *ret, const struct atlas *atlas, const struct host *host,
		    const struct space *space, const struct mapping *mapping)
{
	line_begin(ret, mapping);
	name_fill(ret, atlas_file(atlas, mapping->file), host, space, mapping);
}

struct maps_iter maps_lines(const struct atlas *atlas, const struct host *host,
			    const struct process *process)
{
	struct maps_iter it = {.atlas = atlas, .host = host, .space = maps_space(process)};

	if (it.space)
		it.mappings = space_mappings(it.space, 0, UINT64_MAX);
	return it;
}

bool maps_next(struct maps_iter *it, struct maps_line *ret)
{
	const struct mapping *mapping;

	if (!it->space)
		return false;
	mapping = mapping_next(&it->mappings);
	if (mapping) {
		maps_line_fill(ret, it->atlas, it->host, it->space, mapping);
		return true;
	}
	if (it->gate_done || !it->host->has_gate)
		return false;
	it->gate_done = true;
	line_begin(ret, &it->host->gate);
	name_fixed(ret, "[vsyscall]");
	return true;
}
