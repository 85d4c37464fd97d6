// SPDX-License-Identifier: GPL-2.0-only
/*
 * A record of fixed size has exactly that size. One with a variable part may be longer than its
 * lengths say, since the kernel side reserves in steps; the rest is ignored.
 */
#include "atlas/decode.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "atlas/model.h"

static bool page_aligned(uint64_t addr)
{
	return addr % MAP_PAGE == 0;
}

static bool task_is_sound(const struct rec_task *rec)
{
	if (!rec->hdr.tid || !rec->hdr.tgid)
		return false;
	if ((rec->task_flags & REC_TASK_ZOMBIE) && rec->hdr.tid != rec->hdr.tgid)
		return false;
	/* The identity of a process is that of its leader. */
	return rec->hdr.tid != rec->hdr.tgid || rec->start_ns == rec->process_start_ns;
}

static bool create_is_sound(const struct rec_task *rec)
{
	return rec->hdr.size == sizeof(*rec) && task_is_sound(rec);
}

static bool fork_is_sound(const struct rec_task *rec)
{
	return create_is_sound(rec) && !(rec->task_flags & REC_TASK_ZOMBIE);
}

/* Whoever calls exec has become the leader by then. */
static bool exec_is_sound(const struct rec_exec *rec)
{
	return task_is_sound(&rec->task) && rec->task.hdr.tid == rec->task.hdr.tgid &&
	       rec->filename_len <= REC_NAME_MAX && rec->args_len <= REC_ARGS_MAX &&
	       sizeof(*rec) + rec->filename_len + rec->args_len <= rec->task.hdr.size;
}

static bool exit_is_sound(const struct rec_exit *rec)
{
	return rec->hdr.size == sizeof(*rec);
}

static bool free_is_sound(const struct rec_free *rec)
{
	return rec->hdr.size == sizeof(*rec);
}

static bool rename_is_sound(const struct rec_rename *rec)
{
	return rec->hdr.size == sizeof(*rec);
}

static bool move_is_sound(const struct rec_move *rec)
{
	return rec->hdr.size == sizeof(*rec);
}

void maps_range(const struct rec_maps *rec, uint64_t *ret_lo, uint64_t *ret_hi)
{
	*ret_lo = rec->lo & ~(MAP_PAGE - 1);
	*ret_hi = rec->hi < MAP_END ? (rec->hi + MAP_PAGE - 1) & ~(MAP_PAGE - 1) : MAP_END;
}

static bool mappings_are_sound(const struct rec_maps *rec, uint64_t lo, uint64_t hi)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < rec->nr; i++) {
		const struct rec_mapping *m = &rec->mapping[i];

		if (!page_aligned(m->start) || !page_aligned(m->end) || m->start >= m->end)
			return false;
		if (m->start < end || m->start >= hi || m->end <= lo)
			return false;
		end = m->end;
	}
	return true;
}

static bool maps_is_sound(const struct rec_maps *rec)
{
	uint64_t lo, hi;

	if (rec->nr > (rec->hdr.size - sizeof(*rec)) / sizeof(struct rec_mapping))
		return false;
	if (!rec->space || rec->cause >= REC_CAUSE_NR || rec->lo >= rec->hi)
		return false;
	if ((rec->maps_flags & REC_MAPS_FIRST) && rec->lo)
		return false;
	if ((rec->maps_flags & REC_MAPS_SUSPECT) && rec->nr)
		return false;
	maps_range(rec, &lo, &hi);
	return lo < hi && mappings_are_sound(rec, lo, hi);
}

static bool file_is_sound(const struct rec_file *rec)
{
	return rec->file && rec->file_kind > REC_FILE_NONE && rec->file_kind < REC_FILE_KIND_NR &&
	       rec->name_len <= REC_NAME_MAX && sizeof(*rec) + rec->name_len <= rec->hdr.size;
}

static bool cgroup_is_sound(const struct rec_cgroup *rec)
{
	return rec->path_len <= REC_NAME_MAX && sizeof(*rec) + rec->path_len <= rec->hdr.size;
}

static bool walk_begin_is_sound(const struct rec_walk *rec)
{
	return rec->hdr.size == sizeof(*rec);
}

static bool walk_end_is_sound(const struct rec_walk *rec)
{
	return rec->hdr.size == sizeof(*rec);
}

static bool loss_is_sound(const struct rec_loss *rec)
{
	return rec->hdr.size == sizeof(*rec) && rec->lost_kind < REC_NR &&
	       rec->cause < REC_LOSS_CAUSE_NR;
}

/* The fixed part of each kind is there before its own check looks at it. */
static bool is_sound(const struct rec_hdr *hdr)
{
	switch (hdr->kind) {
#define X(KIND, kind, type)                                                                        \
	case REC_##KIND:                                                                           \
		return hdr->size >= sizeof(struct type) &&                                         \
		       kind##_is_sound((const struct type *)hdr);
		RECORDS(X)
#undef X
	}
	return false;
}

int record_decode(const void *bytes, size_t size, const struct rec_hdr **ret)
{
	const struct rec_hdr *hdr = bytes;

	if ((uintptr_t)bytes % _Alignof(struct rec_hdr) || size < sizeof(*hdr) || size % 8)
		return -EPROTO;
	if (hdr->size != size || !is_sound(hdr))
		return -EPROTO;
	*ret = hdr;
	return 0;
}
