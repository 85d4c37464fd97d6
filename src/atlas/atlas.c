// SPDX-License-Identifier: GPL-2.0-only
/* Life and death of an atlas, and the way of a record into it. */
#include "atlas/atlas.h"

#include <errno.h>
#include <stdlib.h>

#include "atlas/apply.h"
#include "atlas/cgroup.h"
#include "atlas/decode.h"
#include "atlas/file.h"
#include "atlas/process.h"
#include "atlas/retain.h"
#include "atlas/space.h"

int atlas_new(struct atlas **ret, const struct atlas_limits *limits)
{
	struct atlas *atlas = calloc(1, sizeof(*atlas));

	if (!atlas)
		return -ENOMEM;
	atlas->limits = *limits;
	*ret = atlas;
	return 0;
}

void atlas_free(struct atlas *atlas)
{
	if (!atlas)
		return;
	while (atlas->present) {
		space_leave(atlas, atlas->present);
		process_gone(atlas, atlas->present, 0);
	}
	while (atlas->gone)
		process_free(atlas, atlas->gone);
	spaces_trim(atlas, true);
	for (uint32_t number = 1; number < atlas->files_end; number++)
		if (atlas->files[number])
			file_free(atlas, atlas->files[number]);
	cgroups_sweep(atlas);
	keymap_done(&atlas->processes);
	keymap_done(&atlas->tasks);
	keymap_done(&atlas->space_keys);
	keymap_done(&atlas->file_keys);
	keymap_done(&atlas->cgroups);
	free(atlas->files);
	free(atlas->free_numbers);
	free(atlas->before.list);
	free(atlas->after.list);
	free(atlas);
}

void atlas_on_mapping(struct atlas *atlas, atlas_mapping_fn fn, void *ctx)
{
	atlas->on_mapping = fn;
	atlas->on_mapping_ctx = ctx;
}

static int dispatch(struct atlas *atlas, const struct rec_hdr *record)
{
	switch (record->kind) {
#define X(KIND, kind, type)                                                                        \
	case REC_##KIND:                                                                           \
		return apply_##kind(atlas, (const struct type *)record);
		RECORDS(X)
#undef X
	}
	return -EPROTO;
}

int atlas_apply(struct atlas *atlas, const void *bytes, size_t size)
{
	const struct rec_hdr *record;
	int error;

	error = record_decode(bytes, size, &record);
	if (error)
		return error;
	atlas->seq++;
	atlas->counts.records[record->kind]++;
	if (!atlas->state.first_ns)
		atlas->state.first_ns = record->time_ns;
	atlas->state.last_ns = record->time_ns;
	error = dispatch(atlas, record);
	if (error)
		atlas_doubt(atlas, record->time_ns);
	retain_trim(atlas);
	return error;
}
