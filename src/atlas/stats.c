// SPDX-License-Identifier: GPL-2.0-only
#include "atlas/file.h"
#include "base/array.h"

const struct atlas_state *atlas_state(const struct atlas *atlas)
{
	return &atlas->state;
}

void atlas_counts(const struct atlas *atlas, struct atlas_counts *ret)
{
	struct space_iter it = atlas_spaces(atlas);
	const struct space *space;

	*ret = atlas->counts;
	while ((space = space_next(&it))) {
		ret->spaces++;
		ret->mappings += space->nr_mappings;
	}
	ret->files = files_nr(atlas);
	ret->cgroups = atlas->nr_cgroups;
}

static size_t keymap_bytes(const struct keymap *map)
{
	return map->capacity ? heap_bytes(map->capacity * sizeof(*map->slots)) : 0;
}

size_t atlas_mapping_bytes(const struct atlas *atlas)
{
	return (size_t)atlas->pool.bytes +
	       atlas->nr_spaces * heap_bytes(sizeof(struct space_node)) +
	       keymap_bytes(&atlas->space_keys);
}

size_t atlas_task_bytes(const struct atlas *atlas)
{
	const struct atlas_counts *counts = &atlas->counts;
	size_t processes = (size_t)counts->processes + counts->zombies + counts->gone;

	return processes * heap_bytes(sizeof(struct process_node)) +
	       counts->tasks * heap_bytes(sizeof(struct task_node)) +
	       keymap_bytes(&atlas->processes) + keymap_bytes(&atlas->tasks);
}
