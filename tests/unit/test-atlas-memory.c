// SPDX-License-Identifier: GPL-2.0-only
/*
 * No memory: a scripted host is applied over and over, and each time another allocation fails.
 * Whatever record it hits, the atlas stays sound, says that it is suspect, goes on, and leaks
 * nothing. Needs glibc's own names for malloc; with a sanitizer's malloc there is nothing to test.
 */
#include "records.h"

#include <errno.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) || !defined(__GLIBC__)
#define CAN_FAIL 0
#else
#define CAN_FAIL 1
#endif

static long countdown = -1; /* allocations until one fails; negative = none does */
static long balance;        /* allocations that were not freed */

#if CAN_FAIL
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);

static bool fails(void)
{
	return countdown >= 0 && countdown-- == 0;
}

void *malloc(size_t size)
{
	void *new = fails() ? NULL : __libc_malloc(size);

	balance += new != NULL;
	return new;
}

void *calloc(size_t nr, size_t size)
{
	void *new = fails() ? NULL : __libc_calloc(nr, size);

	balance += new != NULL;
	return new;
}

void *realloc(void *old, size_t size)
{
	void *new = fails() ? NULL : __libc_realloc(old, size);

	balance += new != NULL && !old;
	return new;
}

void *reallocarray(void *old, size_t nr, size_t size)
{
	if (size && nr > SIZE_MAX / size)
		return NULL;
	return realloc(old, nr * size);
}

void free(void *old)
{
	balance -= old != NULL;
	__libc_free(old);
}
#endif

union any_record {
	struct rec_hdr hdr;
	struct rec_task task;
	struct rec_exec exec;
	struct rec_exit exit;
	struct rec_free free;
	struct rec_move move;
	struct rec_maps maps;
	struct rec_file file;
	struct rec_cgroup cgroup;
	struct rec_walk walk;
	char bytes[sizeof(struct rec_maps) + 40 * sizeof(struct rec_mapping)];
};

/* One record of the script. The countdown counts inside atlas_apply() only. */
static void apply(struct feed *feed, enum rec_kind kind, union any_record *record, size_t size,
		  long *left)
{
	int error;

	record->hdr.kind = (uint16_t)kind;
	record->hdr.size = (uint32_t)size;
	record->hdr.time_ns = feed->now_ns += 1000;
	countdown = *left;
	error = atlas_apply(feed->atlas, record, size);
	*left = countdown;
	countdown = -1;
	feed_check(feed);
	if (error) {
		assert_int_equal(error, -ENOMEM);
		assert_true(atlas_state(feed->atlas)->suspect);
	}
}

static void apply_task(struct feed *feed, enum rec_kind kind, struct rec_task rec, long *left)
{
	union any_record record = {.task = rec};

	record.task.nr_threads = 1;
	apply(feed, kind, &record, sizeof(rec), left);
}

static void apply_maps(struct feed *feed, uint64_t space, uint32_t first, uint32_t nr, long *left)
{
	union any_record record = {.maps = {.space = space,
					    .lo = first * 0x2000ull,
					    .hi = (first + 40) * 0x2000ull,
					    .nr = nr,
					    .cause = REC_CAUSE_MMAP}};
	struct rec_mapping *mapping = record.maps.mapping;

	for (uint32_t i = 0; i < nr; i++)
		mapping[i] = (struct rec_mapping){
		    .start = (first + i) * 0x2000ull,
		    .end = (first + i) * 0x2000ull + 0x1000,
		    .file = first + i + 1,
		    .map_flags = i % 8 ? 0 : REC_MAP_DONTFORK,
		};
	apply(feed, REC_MAPS, &record, sizeof(record), left);
}

static void apply_exec(struct feed *feed, uint32_t tgid, uint64_t space, long *left)
{
	union any_record record = {.exec = {.task = {WHO(tgid, tgid, 500), .space = space,
						     .exe = space, .cgroup_id = space},
					    .old_tid = tgid,
					    .filename_len = 8,
					    .args_len = 8}};

	apply(feed, REC_EXEC, &record, sizeof(struct rec_exec) + 16, left);
}

static void apply_exit(struct feed *feed, uint32_t tid, uint32_t tgid, uint32_t flags, long *left)
{
	union any_record record = {.exit = {WHO(tid, tgid, 500), .exit_flags = flags}};

	apply(feed, REC_EXIT, &record, sizeof(struct rec_exit), left);
}

static void apply_names(struct feed *feed, long *left)
{
	union any_record file = {.file = {.file = 77, .file_kind = REC_FILE_PATH, .name_len = 8}};
	union any_record cgroup = {.cgroup = {.id = 77, .path_len = 8}};
	union any_record move = {
	    .move = {.hdr.tid = 20, .hdr.tgid = 20, .start_ns = 500, .cgroup_id = 78}};

	apply(feed, REC_FILE, &file, sizeof(struct rec_file) + 8, left);
	apply(feed, REC_CGROUP, &cgroup, sizeof(struct rec_cgroup) + 8, left);
	apply(feed, REC_MOVE, &move, sizeof(struct rec_move), left);
}

static struct rec_task forked(uint32_t tgid, uint64_t space, uint32_t flags)
{
	return (struct rec_task){WHO(tgid, tgid, 500), .space = space, .forker_tgid = 10,
				 .forker_start_ns = 500, .task_flags = flags};
}

static void script(struct feed *feed, long *left)
{
	apply_task(feed, REC_CREATE,
		   (struct rec_task){WHO(10, 10, 500), .space = 1, .exe = 5, .cgroup_id = 3}, left);
	apply_task(feed, REC_CREATE, (struct rec_task){WHO(11, 10, 500), .space = 1}, left);
	for (uint32_t i = 0; i < 6; i++)
		apply_maps(feed, 1, i * 40, 40, left);
	apply_task(feed, REC_FORK, forked(20, 2, 0), left);
	apply_maps(feed, 2, 20, 40, left);
	apply_maps(feed, 2, 60, 0, left);
	apply_maps(feed, 2, 100, 0, left);
	apply_maps(feed, 99, 0, 10, left);
	apply_task(feed, REC_FORK, forked(21, 1, REC_TASK_SHARES_SPACE), left);
	apply_names(feed, left);
	apply_exit(feed, 21, 21, REC_EXIT_LAST, left);
	apply_exec(feed, 20, 7, left);
	apply_maps(feed, 7, 0, 40, left);
	/* Everybody else's tid is used anew. */
	apply_task(feed, REC_FORK, (struct rec_task){WHO(11, 20, 500), .space = 7}, left);
	apply_task(feed, REC_FORK, (struct rec_task){WHO(10, 10, 900), .space = 9}, left);
	apply_task(feed, REC_CREATE, forked(21, 11, 0), left);
	for (uint32_t tid = 100; tid < 200; tid++) /* tables grow */
		apply_task(feed, REC_CREATE,
			   (struct rec_task){WHO(tid, tid - tid % 2, 500), .space = tid}, left);
}

static void test_each_allocation_fails(void **state)
{
	long nr = 0, left;

	(void)state;
	if (!CAN_FAIL)
		skip();
	do {
		const long before = balance;
		struct feed *feed = feed_new();

		left = nr;
		script(feed, &left);
		feed_free(feed);
		assert_int_equal(balance, before);
		nr++;
	} while (left < 0);
	/* The last round needed fewer allocations than it would have let through. */
	assert_true(nr > 100);
}

/* The atlas itself. */
static void test_new(void **state)
{
	struct atlas *atlas = NULL;

	(void)state;
	if (!CAN_FAIL)
		skip();
	countdown = 0;
	assert_int_equal(atlas_new(&atlas, &ATLAS_LIMITS_DEFAULT), -ENOMEM);
	countdown = -1;
	assert_null(atlas);
	atlas_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_each_allocation_fails),
	    cmocka_unit_test(test_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
