/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records for tests, made and applied in one go. A feed has a clock that goes on by a microsecond
 * with each record. Every record is applied, and every invariant is checked behind it.
 *
 *	struct feed *feed = feed_new();
 *	feed_task(feed, REC_CREATE, (struct rec_task) { WHO(7, 7, 100), .space = 0x10 });
 *	feed_maps(feed, (struct rec_maps) { .space = 0x10, .hi = 0x9000 }, 1,
 *		  (struct rec_mapping[]) { { .start = 0x1000, .end = 0x3000 } });
 *	feed_free(feed);
 */
#ifndef TASKATLAS_TESTS_RECORDS_H
#define TASKATLAS_TESTS_RECORDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "atlas/atlas.h"

#define SPACE_END UINT64_MAX /* `hi` of the last record of a whole space */

/* The identity of a task in a record: its tid, its tgid, the start time of its leader. A thread's
 * own start time is that and its tid. */
#define WHO(id, group, start)                                                                      \
	.hdr.tid = (id), .hdr.tgid = (group), .process_start_ns = (start),                         \
	.start_ns = THREAD_START(id, group, start)
#define THREAD_START(id, group, start) ((start) + ((id) == (group) ? 0 : (id)))

struct feed {
	struct atlas *atlas;
	uint64_t now_ns;
	uint16_t flags; /* rec_hdr.flags of what is made from now on */
	uint32_t walk;  /* number of the present walk */
};

static inline struct feed *feed_new_with(const struct atlas_limits *limits)
{
	struct feed *feed = calloc(1, sizeof(*feed));

	assert_non_null(feed);
	feed->now_ns = 1000000000;
	assert_int_equal(atlas_new(&feed->atlas, limits), 0);
	return feed;
}

static inline struct feed *feed_new(void)
{
	return feed_new_with(&ATLAS_LIMITS_DEFAULT);
}

static inline void feed_free(struct feed *feed)
{
	atlas_free(feed->atlas);
	free(feed);
}

static inline void feed_check(const struct feed *feed)
{
	char why[256] = "";

	if (atlas_check(feed->atlas, why, sizeof(why)))
		fail_msg("atlas_check: %s", why);
}

/* Complete the header of a record of `size` bytes and apply it; what atlas_apply() says. */
static inline int feed_try(struct feed *feed, enum rec_kind kind, void *record, size_t size)
{
	struct rec_hdr *hdr = record;
	int error;

	hdr->kind = (uint16_t)kind;
	hdr->flags = feed->flags;
	hdr->size = (uint32_t)size;
	hdr->time_ns = feed->now_ns += 1000;
	error = atlas_apply(feed->atlas, record, size);
	feed_check(feed);
	return error;
}

static inline void feed_apply(struct feed *feed, enum rec_kind kind, void *record, size_t size)
{
	assert_int_equal(feed_try(feed, kind, record, size), 0);
}

static inline void feed_task(struct feed *feed, enum rec_kind kind, struct rec_task rec)
{
	if (!rec.nr_threads && !(rec.task_flags & REC_TASK_ZOMBIE))
		rec.nr_threads = 1;
	feed_apply(feed, kind, &rec, sizeof(rec));
}

static inline void feed_exec(struct feed *feed, struct rec_exec rec, const char *filename,
			     const char *args, uint32_t args_len)
{
	size_t len = strlen(filename);
	size_t size = (sizeof(rec) + len + args_len + 7) & ~(size_t)7;
	struct rec_exec *whole = calloc(1, size);

	assert_non_null(whole);
	*whole = rec;
	if (!whole->old_tid)
		whole->old_tid = rec.task.hdr.tid;
	whole->filename_len = (uint32_t)len;
	whole->args_len = args_len;
	memcpy(whole->text, filename, len);
	memcpy(whole->text + len, args, args_len);
	feed_apply(feed, REC_EXEC, whole, size);
	free(whole);
}

static inline void feed_exit(struct feed *feed, struct rec_exit rec)
{
	feed_apply(feed, REC_EXIT, &rec, sizeof(rec));
}

static inline void feed_reap(struct feed *feed, uint32_t tgid, uint64_t start_ns)
{
	struct rec_free rec = {.hdr.tid = tgid, .hdr.tgid = tgid, .start_ns = start_ns};

	feed_apply(feed, REC_FREE, &rec, sizeof(rec));
}

static inline int feed_try_maps(struct feed *feed, struct rec_maps rec, uint32_t nr,
				const struct rec_mapping *mapping)
{
	size_t size = sizeof(rec) + nr * sizeof(*mapping);
	struct rec_maps *whole = calloc(1, size);
	int error;

	assert_non_null(whole);
	*whole = rec;
	whole->nr = nr;
	if (!whole->cause)
		whole->cause = feed->flags & REC_F_WALK ? REC_CAUSE_WALK : REC_CAUSE_MMAP;
	if (nr)
		memcpy(whole->mapping, mapping, nr * sizeof(*mapping));
	error = feed_try(feed, REC_MAPS, whole, size);
	free(whole);
	return error;
}

static inline void feed_maps(struct feed *feed, struct rec_maps rec, uint32_t nr,
			     const struct rec_mapping *mapping)
{
	assert_int_equal(feed_try_maps(feed, rec, nr, mapping), 0);
}

/* An observation of a whole space in one record. */
static inline void feed_whole(struct feed *feed, uint64_t space, uint32_t nr,
			      const struct rec_mapping *mapping)
{
	feed_maps(feed,
		  (struct rec_maps){.space = space,
				    .hi = SPACE_END,
				    .maps_flags = REC_MAPS_FIRST | REC_MAPS_LAST},
		  nr, mapping);
}

static inline void feed_file(struct feed *feed, struct rec_file rec, const char *name)
{
	size_t len = strlen(name);
	size_t size = (sizeof(rec) + len + 7) & ~(size_t)7;
	struct rec_file *whole = calloc(1, size);

	assert_non_null(whole);
	*whole = rec;
	if (!whole->file_kind)
		whole->file_kind = REC_FILE_PATH;
	whole->name_len = (uint32_t)len;
	memcpy(whole->name, name, len);
	feed_apply(feed, REC_FILE, whole, size);
	free(whole);
}

static inline void feed_cgroup(struct feed *feed, struct rec_cgroup rec, const char *path)
{
	size_t len = strlen(path);
	size_t size = (sizeof(rec) + len + 7) & ~(size_t)7;
	struct rec_cgroup *whole = calloc(1, size);

	assert_non_null(whole);
	*whole = rec;
	whole->path_len = (uint16_t)len;
	memcpy(whole->path, path, len);
	feed_apply(feed, REC_CGROUP, whole, size);
	free(whole);
}

static inline void feed_loss(struct feed *feed, uint64_t count, enum rec_kind kind,
			     enum rec_loss_cause cause)
{
	struct rec_loss rec = {.count = count, .lost_kind = kind, .cause = cause};

	feed_apply(feed, REC_LOSS, &rec, sizeof(rec));
}

/* From here on records are those of a full walk. */
static inline void feed_walk_begin(struct feed *feed)
{
	struct rec_walk rec = {.walk = ++feed->walk, .walk_flags = REC_WALK_FULL};

	feed->flags = REC_F_WALK;
	feed_apply(feed, REC_WALK_BEGIN, &rec, sizeof(rec));
}

static inline void feed_walk_end(struct feed *feed, uint32_t more_flags)
{
	struct rec_walk rec = {.walk = feed->walk, .walk_flags = REC_WALK_FULL | more_flags};

	feed_apply(feed, REC_WALK_END, &rec, sizeof(rec));
	feed->flags = 0;
}

/* A seed that meets nobody. */
static inline void feed_seed(struct feed *feed)
{
	feed_walk_begin(feed);
	feed_walk_end(feed, REC_WALK_SEED);
}

/* --- asking ------------------------------------------------------------------------------- */

static inline const struct process *must_process(const struct feed *feed, uint32_t tgid)
{
	const struct process *process = atlas_process(feed->atlas, tgid);

	assert_non_null(process);
	return process;
}

static inline struct atlas_counts counts_of(const struct feed *feed)
{
	struct atlas_counts counts;

	atlas_counts(feed->atlas, &counts);
	return counts;
}

/* The mappings of a space are exactly these; `file` is a file number here. */
static inline void assert_mappings(const struct space *space, size_t nr,
				   const struct mapping *expected)
{
	struct mapping_iter it = space_mappings(space, 0, UINT64_MAX);
	const struct mapping *mapping;
	size_t i = 0;

	while ((mapping = mapping_next(&it))) {
		assert_true(i < nr);
		assert_int_equal(mapping->start, expected[i].start);
		assert_int_equal(mapping->end, expected[i].end);
		assert_int_equal(mapping->offset, expected[i].offset);
		assert_int_equal(mapping->file, expected[i].file);
		assert_int_equal(mapping->flags, expected[i].flags);
		i++;
	}
	assert_int_equal(i, nr);
	assert_int_equal(space->nr_mappings, nr);
}

#define LIST(...)                                                                                  \
	sizeof((const struct mapping[]){__VA_ARGS__}) / sizeof(struct mapping),                    \
	    (const struct mapping[])                                                               \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define RECLIST(...)                                                                               \
	sizeof((const struct rec_mapping[]){__VA_ARGS__}) / sizeof(struct rec_mapping),            \
	    (const struct rec_mapping[])                                                           \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

#endif
