// SPDX-License-Identifier: GPL-2.0-only
/* What is no record is refused, and changes nothing. */
#include "records.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#define PROTO -EPROTO

static struct rec_task a_task(void)
{
	return (struct rec_task){WHO(10, 10, 500), .space = 0x10, .nr_threads = 1};
}

static int try_task(struct feed *feed, enum rec_kind kind, struct rec_task rec)
{
	return feed_try(feed, kind, &rec, sizeof(rec));
}

static void test_header(void **state)
{
	struct feed *feed = feed_new();
	struct rec_task rec = a_task();
	_Alignas(8) char shifted[sizeof(rec) + 8];

	(void)state;
	rec.hdr.kind = REC_CREATE;
	rec.hdr.size = sizeof(rec);
	for (size_t size = 0; size < sizeof(rec); size++)
		assert_int_equal(atlas_apply(feed->atlas, &rec, size), PROTO);
	assert_int_equal(atlas_apply(feed->atlas, &rec, sizeof(rec) + 8), PROTO);
	rec.hdr.size = sizeof(rec) - 8;
	assert_int_equal(atlas_apply(feed->atlas, &rec, sizeof(rec)), PROTO);
	assert_int_equal(atlas_apply(feed->atlas, &rec, sizeof(rec) - 8), PROTO);
	rec.hdr.size = sizeof(rec);
	for (unsigned kind = 0; kind <= UINT16_MAX; kind++) {
		rec.hdr.kind = (uint16_t)kind;
		if (kind == REC_NONE || kind >= REC_NR)
			assert_int_equal(atlas_apply(feed->atlas, &rec, sizeof(rec)), PROTO);
	}
	rec.hdr.kind = REC_CREATE;
	memcpy(shifted + 4, &rec, sizeof(rec));
	assert_int_equal(atlas_apply(feed->atlas, shifted + 4, sizeof(rec)), PROTO);
	assert_int_equal(counts_of(feed).processes, 0);
	assert_int_equal(counts_of(feed).records[REC_CREATE], 0);
	assert_int_equal(atlas_state(feed->atlas)->first_ns, 0);
	assert_int_equal(atlas_apply(feed->atlas, &rec, sizeof(rec)), 0);
	feed_free(feed);
}

static void test_tasks(void **state)
{
	struct feed *feed = feed_new();
	struct rec_task rec = a_task();

	(void)state;
	rec.hdr.tid = 0;
	assert_int_equal(try_task(feed, REC_CREATE, rec), PROTO);
	rec = a_task();
	rec.hdr.tgid = 0;
	assert_int_equal(try_task(feed, REC_FORK, rec), PROTO);
	rec = a_task();
	rec.start_ns = 501; /* a leader that is not the leader */
	assert_int_equal(try_task(feed, REC_CREATE, rec), PROTO);
	rec = a_task();
	rec.task_flags = REC_TASK_ZOMBIE; /* born dead */
	assert_int_equal(try_task(feed, REC_FORK, rec), PROTO);
	rec = (struct rec_task){WHO(11, 10, 500), .task_flags = REC_TASK_ZOMBIE};
	assert_int_equal(try_task(feed, REC_CREATE, rec), PROTO); /* just leaders are told dead */
	assert_int_equal(counts_of(feed).processes, 0);
	feed_free(feed);
}

static void test_exec(void **state)
{
	struct feed *feed = feed_new();
	union {
		struct rec_exec rec;
		char bytes[sizeof(struct rec_exec) + 16];
	} exec = {.rec = {.task = a_task(), .filename_len = 8, .args_len = 8}};

	(void)state;
	assert_int_equal(feed_try(feed, REC_EXEC, &exec, sizeof(exec)), 0);
	exec.rec.args_len = 9;
	assert_int_equal(feed_try(feed, REC_EXEC, &exec, sizeof(exec)), PROTO);
	exec.rec.args_len = UINT32_MAX - 7;
	assert_int_equal(feed_try(feed, REC_EXEC, &exec, sizeof(exec)), PROTO);
	exec.rec.args_len = 0;
	exec.rec.filename_len = UINT32_MAX;
	assert_int_equal(feed_try(feed, REC_EXEC, &exec, sizeof(exec)), PROTO);
	exec.rec.filename_len = 8;
	exec.rec.task.hdr.tid = 11; /* no leader */
	assert_int_equal(feed_try(feed, REC_EXEC, &exec, sizeof(exec)), PROTO);
	assert_int_equal(feed_try(feed, REC_EXEC, &exec, sizeof(exec.rec) - 8), PROTO);
	assert_int_equal(must_process(feed, 10)->nr_execs, 1);
	feed_free(feed);
}

static int try_one(struct feed *feed, struct rec_maps rec, uint64_t start, uint64_t end)
{
	struct rec_mapping mapping = {.start = start, .end = end};

	return feed_try_maps(feed, rec, 1, &mapping);
}

static void test_maps(void **state)
{
	struct feed *feed = feed_new();
	const struct rec_maps rec = {.space = 1, .lo = 0x2000, .hi = 0x4000};
	struct rec_maps bad;

	(void)state;
	assert_int_equal(try_one(feed, rec, 0x1000, 0x5000), 0);
	assert_int_equal(try_one(feed, rec, 0x1000, 0x2000), PROTO); /* touches it not */
	assert_int_equal(try_one(feed, rec, 0x4000, 0x5000), PROTO);
	assert_int_equal(try_one(feed, rec, 0x2000, 0x2000), PROTO);
	assert_int_equal(try_one(feed, rec, 0x3000, 0x2000), PROTO);
	assert_int_equal(try_one(feed, rec, 0x2001, 0x3000), PROTO);
	assert_int_equal(try_one(feed, rec, 0x2000, 0x3001), PROTO);
	assert_int_equal(feed_try_maps(feed, rec,
				       RECLIST({.start = 0x1000, .end = 0x3000},
					       {.start = 0x2000, .end = 0x4000})),
			 PROTO);
	assert_int_equal(feed_try_maps(feed, rec,
				       RECLIST({.start = 0x3000, .end = 0x4000},
					       {.start = 0x2000, .end = 0x3000})),
			 PROTO);
	bad = rec;
	bad.space = 0;
	assert_int_equal(feed_try_maps(feed, bad, 0, NULL), PROTO);
	bad = rec;
	bad.hi = bad.lo;
	assert_int_equal(feed_try_maps(feed, bad, 0, NULL), PROTO);
	bad = rec;
	bad.lo = UINT64_MAX - 1;
	bad.hi = UINT64_MAX;
	assert_int_equal(feed_try_maps(feed, bad, 0, NULL), PROTO);
	bad = rec;
	bad.cause = REC_CAUSE_NR;
	assert_int_equal(feed_try_maps(feed, bad, 0, NULL), PROTO);
	bad = rec;
	bad.maps_flags = REC_MAPS_FIRST;
	assert_int_equal(feed_try_maps(feed, bad, 0, NULL), PROTO);
	bad = rec;
	bad.maps_flags = REC_MAPS_SUSPECT;
	assert_int_equal(try_one(feed, bad, 0x2000, 0x3000), PROTO);
	assert_int_equal(counts_of(feed).records[REC_MAPS], 1);
	assert_int_equal(counts_of(feed).orphans, 1);
	feed_free(feed);
}

/* More mappings are said than are there; room behind the last one is allowed. */
static void test_maps_nr(void **state)
{
	struct feed *feed = feed_new();
	union {
		struct rec_maps rec;
		char bytes[sizeof(struct rec_maps) + 3 * sizeof(struct rec_mapping)];
	} maps;
	const uint32_t absurd[] = {4, 0x10000000, 0x66666667, UINT32_MAX};

	(void)state;
	memset(&maps, 0xee, sizeof(maps));
	maps.rec = (struct rec_maps){.space = 1, .hi = 0x10000, .nr = 1};
	maps.rec.mapping[0] = (struct rec_mapping){.start = 0x1000, .end = 0x2000};
	assert_int_equal(feed_try(feed, REC_MAPS, &maps, sizeof(maps)), 0);
	for (size_t i = 0; i < sizeof(absurd) / sizeof(*absurd); i++) {
		maps.rec.nr = absurd[i];
		assert_int_equal(feed_try(feed, REC_MAPS, &maps, sizeof(maps)), PROTO);
	}
	assert_int_equal(feed_try(feed, REC_MAPS, &maps, sizeof(maps.rec) - 8), PROTO);
	feed_free(feed);
}

static void test_names(void **state)
{
	struct feed *feed = feed_new();
	union {
		struct rec_file rec;
		char bytes[sizeof(struct rec_file) + 8];
	} file = {.rec = {.file = 1, .file_kind = REC_FILE_PATH, .name_len = 8}};
	union {
		struct rec_cgroup rec;
		char bytes[sizeof(struct rec_cgroup) + 8];
	} cgroup = {.rec = {.id = 1, .path_len = 8}};

	(void)state;
	assert_int_equal(feed_try(feed, REC_FILE, &file, sizeof(file)), 0);
	file.rec.name_len = 9;
	assert_int_equal(feed_try(feed, REC_FILE, &file, sizeof(file)), PROTO);
	file.rec.name_len = UINT32_MAX;
	assert_int_equal(feed_try(feed, REC_FILE, &file, sizeof(file)), PROTO);
	file.rec.name_len = 0;
	file.rec.file_kind = REC_FILE_NONE;
	assert_int_equal(feed_try(feed, REC_FILE, &file, sizeof(file)), PROTO);
	file.rec.file_kind = REC_FILE_KIND_NR;
	assert_int_equal(feed_try(feed, REC_FILE, &file, sizeof(file)), PROTO);
	file.rec.file_kind = REC_FILE_ANON;
	file.rec.file = 0;
	assert_int_equal(feed_try(feed, REC_FILE, &file, sizeof(file)), PROTO);
	assert_int_equal(feed_try(feed, REC_CGROUP, &cgroup, sizeof(cgroup)), 0);
	cgroup.rec.path_len = 9;
	assert_int_equal(feed_try(feed, REC_CGROUP, &cgroup, sizeof(cgroup)), PROTO);
	cgroup.rec.path_len = UINT16_MAX;
	assert_int_equal(feed_try(feed, REC_CGROUP, &cgroup, sizeof(cgroup)), PROTO);
	feed_free(feed);
}

static void test_loss(void **state)
{
	struct feed *feed = feed_new();
	struct rec_loss rec = {.count = 1, .lost_kind = REC_NR};

	(void)state;
	assert_int_equal(feed_try(feed, REC_LOSS, &rec, sizeof(rec)), PROTO);
	rec = (struct rec_loss){.count = 1, .cause = REC_LOSS_CAUSE_NR};
	assert_int_equal(feed_try(feed, REC_LOSS, &rec, sizeof(rec)), PROTO);
	assert_false(atlas_state(feed->atlas)->suspect);
	feed_free(feed);
}

/* Bytes of no meaning, under every kind: sizes are right, nothing else is. ATLAS_SEED repeats. */
static void test_random_bytes(void **state)
{
	struct feed *feed = feed_new();
	const char *given = getenv("ATLAS_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 2654435761u + 1;
	_Alignas(8) uint64_t bytes[64];
	int refused = 0, taken = 0;

	(void)state;
	printf("# ATLAS_SEED=%llu\n", (unsigned long long)seed);
	for (int i = 0; i < 40000; i++) {
		struct rec_hdr *hdr = (void *)bytes;
		size_t words = 0;

		for (size_t j = 0; j < 64; j++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			/* Small numbers more often than not: lengths, counts, keys that meet. */
			bytes[j] = seed & 0x3000 ? (seed >> 20) & 0x300000003 : seed;
		}
		words = 3 + seed % 61;
		hdr->kind = (uint16_t)(seed >> 32) % REC_NR;
		if (atlas_apply(feed->atlas, bytes, words * 8))
			refused++;
		hdr->size = (uint32_t)words * 8;
		if (atlas_apply(feed->atlas, bytes, words * 8))
			refused++;
		else
			taken++;
		if (i % 16 == 0)
			feed_check(feed);
	}
	assert_true(refused > 0);
	assert_true(taken > 0);
	feed_free(feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_header),  cmocka_unit_test(test_tasks),
	    cmocka_unit_test(test_exec),    cmocka_unit_test(test_maps),
	    cmocka_unit_test(test_maps_nr), cmocka_unit_test(test_names),
	    cmocka_unit_test(test_loss),    cmocka_unit_test(test_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
