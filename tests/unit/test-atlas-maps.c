// SPDX-License-Identifier: GPL-2.0-only
/* MAPS: what a range holds, what changed, and what is known. */
#include "records.h"

#define R REC_MAP_READ
#define W REC_MAP_WRITE
#define X REC_MAP_EXEC
#define FIRST REC_MAPS_FIRST
#define LAST REC_MAPS_LAST
#define SUSPECT REC_MAPS_SUSPECT

struct told {
	enum mapping_change change;
	struct mapping before, after;
};

struct told_list {
	struct told list[16];
	size_t nr;
	const struct space *space;
};

static void note(void *ctx, const struct rec_maps *rec, const struct space *space,
		 enum mapping_change change, const struct mapping *before,
		 const struct mapping *after)
{
	struct told_list *told = ctx;

	(void)rec;
	assert_true(told->nr < 16);
	assert_int_equal(!before, change == MAPPING_ADDED);
	assert_int_equal(!after, change == MAPPING_REMOVED);
	told->space = space;
	told->list[told->nr++] = (struct told){
	    .change = change,
	    .before = before ? *before : (struct mapping){0},
	    .after = after ? *after : (struct mapping){0},
	};
}

/* Process 10 in space 0x10, told about in `told`. File numbers: key 1 is number 1, and so on. */
static struct feed *told_new(struct told_list *told)
{
	struct feed *feed = feed_new();

	memset(told, 0, sizeof(*told));
	for (uint64_t key = 1; key <= 3; key++)
		feed_file(feed, (struct rec_file){.file = key, .inode = key}, "file");
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .space = 0x10});
	atlas_on_mapping(feed->atlas, note, told);
	return feed;
}

static const struct space *space_10(const struct feed *feed)
{
	return must_process(feed, 10)->space;
}

static void observe(struct feed *feed, uint64_t lo, uint64_t hi, uint32_t nr,
		    const struct rec_mapping *list)
{
	feed_maps(feed, (struct rec_maps){.hdr.tgid = 10, .space = 0x10, .lo = lo, .hi = hi}, nr,
		  list);
}

static void assert_told(struct told_list *told, size_t at, enum mapping_change change,
			struct mapping before, struct mapping after)
{
	assert_true(at < told->nr);
	assert_int_equal(told->list[at].change, change);
	assert_memory_equal(&told->list[at].before, &before, sizeof(before));
	assert_memory_equal(&told->list[at].after, &after, sizeof(after));
}

#define NOTHING                                                                                    \
	(struct mapping)                                                                           \
	{                                                                                          \
		0                                                                                  \
	}

/* M1: unmap the middle, the head, the tail of a file mapping. */
static void test_cut(void **state)
{
	struct told_list told;
	struct feed *feed = told_new(&told);

	(void)state;
	observe(
	    feed, 0x1000, 0x9000,
	    RECLIST({.start = 0x1000, .end = 0x9000, .offset = 0x2000, .file = 1, .map_flags = R}));
	assert_int_equal(told.nr, 1);
	observe(feed, 0x4000, 0x5000, 0, NULL);
	assert_mappings(
	    space_10(feed),
	    LIST({.start = 0x1000, .end = 0x4000, .offset = 0x2000, .file = 1, .flags = R},
		 {.start = 0x5000, .end = 0x9000, .offset = 0x6000, .file = 1, .flags = R}));
	assert_told(&told, 1, MAPPING_REMOVED,
		    (struct mapping){
			.start = 0x4000, .end = 0x5000, .offset = 0x5000, .file = 1, .flags = R},
		    NOTHING);
	observe(feed, 0, 0x2000, 0, NULL);
	observe(feed, 0x8000, 0xa000, 0, NULL);
	assert_mappings(
	    space_10(feed),
	    LIST({.start = 0x2000, .end = 0x4000, .offset = 0x3000, .file = 1, .flags = R},
		 {.start = 0x5000, .end = 0x8000, .offset = 0x6000, .file = 1, .flags = R}));
	assert_int_equal(told.nr, 4);
	feed_free(feed);
}

/* Without a file there is no offset to move; a name alone is no file. */
static void test_cut_without_offset(void **state)
{
	struct told_list told;
	struct feed *feed = told_new(&told);

	(void)state;
	feed_file(feed, (struct rec_file){.file = 4, .file_kind = REC_FILE_ANON}, "heap of x");
	feed_file(feed, (struct rec_file){.file = 5, .file_kind = REC_FILE_SPECIAL}, "[vdso]");
	feed_file(feed, (struct rec_file){.file = 6, .file_kind = REC_FILE_ANON, .inode = 9},
		  "shared anonymous");
	feed_file(feed, (struct rec_file){.file = 7, .file_kind = REC_FILE_PSEUDO, .inode = 9},
		  "/memfd:x");
	for (uint64_t i = 0; i < 5; i++)
		observe(
		    feed, i << 20, (i + 1) << 20,
		    RECLIST({.start = i << 20, .end = (i << 20) + 0x4000, .file = i ? i + 3 : 0}));
	for (uint64_t i = 0; i < 5; i++) {
		struct mapping found;

		observe(feed, (i << 20) + 0x1000, (i << 20) + 0x2000, 0, NULL);
		assert_true(atlas_find(space_10(feed), (i << 20) + 0x3000, &found));
		assert_int_equal(found.start, (i << 20) + 0x2000);
		assert_int_equal(found.offset, i < 3 ? 0 : 0x2000);
	}
	feed_free(feed);
}

/* MAP_FIXED across three mappings; the outer two are cut. */
static void test_replace_across(void **state)
{
	struct told_list told;
	struct feed *feed = told_new(&told);

	(void)state;
	observe(feed, 0, 0x10000,
		RECLIST({.start = 0x1000, .end = 0x3000, .file = 1, .map_flags = R},
			{.start = 0x4000, .end = 0x5000, .file = 2, .map_flags = R},
			{.start = 0x6000, .end = 0x8000, .file = 3, .map_flags = R}));
	told.nr = 0;
	observe(feed, 0x2000, 0x7000, RECLIST({.start = 0x2000, .end = 0x7000, .map_flags = W}));
	assert_mappings(
	    space_10(feed),
	    LIST({.start = 0x1000, .end = 0x2000, .file = 1, .flags = R},
		 {.start = 0x2000, .end = 0x7000, .flags = W},
		 {.start = 0x7000, .end = 0x8000, .offset = 0x1000, .file = 3, .flags = R}));
	assert_int_equal(told.nr, 5);
	assert_told(&told, 0, MAPPING_CHANGED,
		    (struct mapping){
			.start = 0x2000, .end = 0x3000, .offset = 0x1000, .file = 1, .flags = R},
		    (struct mapping){.start = 0x2000, .end = 0x3000, .flags = W});
	assert_told(&told, 1, MAPPING_ADDED, NOTHING,
		    (struct mapping){.start = 0x3000, .end = 0x4000, .flags = W});
	assert_told(&told, 2, MAPPING_CHANGED,
		    (struct mapping){.start = 0x4000, .end = 0x5000, .file = 2, .flags = R},
		    (struct mapping){.start = 0x4000, .end = 0x5000, .flags = W});
	assert_told(&told, 3, MAPPING_ADDED, NOTHING,
		    (struct mapping){.start = 0x5000, .end = 0x6000, .flags = W});
	assert_told(&told, 4, MAPPING_CHANGED,
		    (struct mapping){.start = 0x6000, .end = 0x7000, .file = 3, .flags = R},
		    (struct mapping){.start = 0x6000, .end = 0x7000, .flags = W});
	feed_free(feed);
}

/* A mapping that only touches the range is replaced whole: the kernel split or merged it. */
static void test_reaches_beyond(void **state)
{
	struct told_list told;
	struct feed *feed = told_new(&told);

	(void)state;
	observe(feed, 0, 0x10000,
		RECLIST({.start = 0x1000, .end = 0x3000, .map_flags = R},
			{.start = 0x3000, .end = 0x4000, .map_flags = R | W},
			{.start = 0x4000, .end = 0x6000, .map_flags = R},
			{.start = 0x6000, .end = 0x9000, .map_flags = X}));
	told.nr = 0;
	/* M3: mprotect of the middle merges three into one, and what it covers is not told. */
	observe(feed, 0x3000, 0x4000, RECLIST({.start = 0x1000, .end = 0x6000, .map_flags = R}));
	assert_mappings(space_10(feed), LIST({.start = 0x1000, .end = 0x6000, .flags = R},
					     {.start = 0x6000, .end = 0x9000, .flags = X}));
	assert_int_equal(told.nr, 1);
	assert_told(&told, 0, MAPPING_CHANGED,
		    (struct mapping){.start = 0x3000, .end = 0x4000, .flags = R | W},
		    (struct mapping){.start = 0x3000, .end = 0x4000, .flags = R});
	/* What a mapping reaches over is gone, wherever it lies. */
	observe(feed, 0x5000, 0x6000, RECLIST({.start = 0x5000, .end = 0x8000, .map_flags = W}));
	assert_mappings(space_10(feed), LIST({.start = 0x1000, .end = 0x5000, .flags = R},
					     {.start = 0x5000, .end = 0x8000, .flags = W},
					     {.start = 0x8000, .end = 0x9000, .flags = X}));
	feed_free(feed);
}

/* Splits and merges that change nothing that an access would see are kept, and not told. */
static void test_silent_split(void **state)
{
	struct told_list told;
	struct feed *feed = told_new(&told);

	(void)state;
	observe(feed, 0, 0x10000,
		RECLIST({.start = 0x1000, .end = 0x5000, .offset = 0x1000, .file = 1}));
	told.nr = 0;
	observe(feed, 0, 0x10000,
		RECLIST({.start = 0x1000, .end = 0x2000, .offset = 0x1000, .file = 1},
			{.start = 0x2000, .end = 0x5000, .offset = 0x2000, .file = 1}));
	assert_int_equal(told.nr, 0);
	assert_int_equal(space_10(feed)->nr_mappings, 2);
	assert_int_equal(space_10(feed)->nr_changes, 1);
	/* Another offset is another content; a gap beside it is a piece of its own. */
	observe(feed, 0, 0x10000,
		RECLIST({.start = 0x1000, .end = 0x2000, .offset = 0x1000, .file = 1},
			{.start = 0x2000, .end = 0x4000, .offset = 0x8000, .file = 1}));
	assert_int_equal(told.nr, 2);
	assert_told(&told, 0, MAPPING_CHANGED,
		    (struct mapping){.start = 0x2000, .end = 0x4000, .offset = 0x2000, .file = 1},
		    (struct mapping){.start = 0x2000, .end = 0x4000, .offset = 0x8000, .file = 1});
	assert_told(&told, 1, MAPPING_REMOVED,
		    (struct mapping){.start = 0x4000, .end = 0x5000, .offset = 0x4000, .file = 1},
		    NOTHING);
	/* Two mappings make two pieces, unless the second goes on with the first. */
	told.nr = 0;
	observe(feed, 0, 0x10000, 0, NULL);
	assert_int_equal(told.nr, 2);
	told.nr = 0;
	observe(feed, 0, 0x10000,
		RECLIST({.start = 0x1000, .end = 0x2000, .file = 1},
			{.start = 0x2000, .end = 0x4000, .offset = 0x1000, .file = 1}));
	assert_int_equal(told.nr, 1);
	assert_told(&told, 0, MAPPING_ADDED, NOTHING,
		    (struct mapping){.start = 0x1000, .end = 0x4000, .file = 1});
	feed_free(feed);
}

/* Parts of pages: what holds for a part holds for the page. The end of everything is no page. */
static void test_rounding(void **state)
{
	struct told_list told;
	struct feed *feed = told_new(&told);

	(void)state;
	observe(feed, 0x1000, 0x6000, RECLIST({.start = 0x1000, .end = 0x6000}));
	observe(feed, 0x2fff, 0x3001, 0, NULL);
	assert_mappings(space_10(feed),
			LIST({.start = 0x1000, .end = 0x2000}, {.start = 0x4000, .end = 0x6000}));
	observe(feed, 0xfffffffffff00000, SPACE_END,
		RECLIST({.start = 0xffffffffffffe000, .end = 0xfffffffffffff000}));
	assert_int_equal(space_10(feed)->nr_mappings, 3);
	observe(feed, 0, SPACE_END, 0, NULL);
	assert_int_equal(space_10(feed)->nr_mappings, 0);
	feed_free(feed);
}

static void test_find_and_iterate(void **state)
{
	struct told_list told;
	struct feed *feed = told_new(&told);
	struct mapping found = {.start = 1};
	struct mapping_iter it;

	(void)state;
	assert_false(atlas_find(space_10(feed), 0x1000, &found));
	observe(feed, 0, 0x10000,
		RECLIST({.start = 0x1000, .end = 0x3000}, {.start = 0x3000, .end = 0x4000},
			{.start = 0x6000, .end = 0x8000}));
	assert_false(atlas_find(space_10(feed), 0xfff, &found));
	assert_false(atlas_find(space_10(feed), 0x4000, &found));
	assert_false(atlas_find(space_10(feed), 0x8000, &found));
	assert_false(atlas_find(space_10(feed), UINT64_MAX, &found));
	assert_int_equal(found.start, 1);
	assert_true(atlas_find(space_10(feed), 0x2fff, &found));
	assert_int_equal(found.start, 0x1000);
	assert_true(atlas_find(space_10(feed), 0x3000, &found));
	assert_int_equal(found.start, 0x3000);
	it = space_mappings(space_10(feed), 0x2fff, 0x6001);
	assert_int_equal(mapping_next(&it)->start, 0x1000);
	assert_int_equal(mapping_next(&it)->start, 0x3000);
	assert_int_equal(mapping_next(&it)->start, 0x6000);
	assert_null(mapping_next(&it));
	it = space_mappings(space_10(feed), 0x4000, 0x6000);
	assert_null(mapping_next(&it));
	feed_free(feed);
}

static void test_heap_and_stack(void **state)
{
	struct told_list told;
	struct feed *feed = told_new(&told);
	const struct mapping below = {.start = 0x3000, .end = 0x5000};
	const struct mapping heap = {.start = 0x5000, .end = 0x6000};
	const struct mapping stack = {.start = 0x8000, .end = 0x9000};

	(void)state;
	feed_maps(feed,
		  (struct rec_maps){.space = 0x10,
				    .hi = 0x1000,
				    .start_brk = 0x5000,
				    .brk = 0x5800,
				    .start_stack = 0x8f00},
		  0, NULL);
	assert_true(mapping_is_heap(&heap, space_10(feed), false));
	assert_true(mapping_is_heap(&heap, space_10(feed), true));
	assert_false(mapping_is_heap(&below, space_10(feed), false));
	assert_true(mapping_is_heap(&below, space_10(feed), true));
	assert_true(mapping_is_stack(&stack, space_10(feed)));
	assert_false(mapping_is_stack(&heap, space_10(feed)));
	feed_free(feed);
}

/* --- what is known ------------------------------------------------------------------------ */

static void part(struct feed *feed, uint64_t lo, uint64_t hi, uint32_t flags)
{
	feed_maps(
	    feed,
	    (struct rec_maps){.space = 0x10, .lo = lo, .hi = hi, .maps_flags = (uint16_t)flags}, 0,
	    NULL);
}

static bool complete(const struct feed *feed)
{
	return space_10(feed)->state & SPACE_COMPLETE;
}

static bool suspect(const struct feed *feed)
{
	return space_10(feed)->state & SPACE_SUSPECT;
}

static void test_complete(void **state)
{
	struct told_list told;
	struct feed *feed = told_new(&told);

	(void)state;
	part(feed, 0, 0x5000, FIRST);
	part(feed, 0x5000, 0x9000, 0);
	assert_false(complete(feed));
	part(feed, 0x9000, SPACE_END, LAST);
	assert_true(complete(feed));
	feed_free(feed);
}

/* A record in between is missing: only something that covers its range closes the gap. */
static void test_gap(void **state)
{
	struct told_list told;
	struct feed *feed = told_new(&told);

	(void)state;
	part(feed, 0, 0x5000, FIRST);
	part(feed, 0x6000, 0x9000, 0);
	part(feed, 0x9000, SPACE_END, LAST);
	assert_false(complete(feed));
	/* An end without a beginning. */
	part(feed, 0x9000, SPACE_END, LAST);
	assert_false(complete(feed));
	part(feed, 0, 0x5000, FIRST);
	part(feed, 0x6000, 0x9000, 0);
	part(feed, 0x4000, 0x7000, 0); /* a live one */
	part(feed, 0x7000, 0x9000, 0);
	part(feed, 0x9000, SPACE_END, LAST);
	assert_true(complete(feed));
	feed_free(feed);
}

/* Two looks at once: neither may take the other's gap for closed. */
static void test_interleaved(void **state)
{
	struct told_list told;
	struct feed *feed = told_new(&told);

	(void)state;
	part(feed, 0, 0x5000, FIRST);
	part(feed, 0, 0x3000, FIRST);
	/* [0x5000, 0x7000) of the first one and [0x3000, 0x6000) of the second are lost */
	part(feed, 0x6000, 0x8000, 0);
	part(feed, 0x7000, SPACE_END, LAST);
	part(feed, 0x8000, SPACE_END, LAST);
	assert_false(complete(feed));
	/* Each beginning begins anew; then any end may be the end. */
	part(feed, 0, 0x4000, FIRST);
	part(feed, 0, 0x2000, FIRST);
	part(feed, 0x4000, SPACE_END, LAST);
	assert_false(complete(feed));
	part(feed, 0, 0x4000, FIRST);
	part(feed, 0, 0x2000, FIRST);
	part(feed, 0x2000, 0x5000, 0);
	part(feed, 0x4000, SPACE_END, LAST);
	assert_true(complete(feed));
	feed_free(feed);
}

static void test_suspect(void **state)
{
	struct told_list told;
	struct feed *feed = told_new(&told);

	(void)state;
	observe(feed, 0, 0x10000, RECLIST({.start = 0x1000, .end = 0x9000}));
	part(feed, 0x2000, 0x4000, SUSPECT);
	assert_true(suspect(feed));
	assert_int_equal(space_10(feed)->nr_mappings, 1);
	assert_int_equal(atlas_state(feed->atlas)->suspect_spaces, 1);
	assert_false(atlas_state(feed->atlas)->suspect);
	/* Seen again in two parts. */
	observe(feed, 0x2000, 0x3000, RECLIST({.start = 0x2000, .end = 0x3000}));
	assert_true(suspect(feed));
	observe(feed, 0x3000, 0x5000, 0, NULL);
	assert_false(suspect(feed));
	assert_int_equal(atlas_state(feed->atlas)->suspect_spaces, 0);
	/* Two ranges; what lies between them is not worth telling apart. */
	part(feed, 0x2000, 0x3000, SUSPECT);
	part(feed, 0x6000, 0x7000, SUSPECT);
	observe(feed, 0x2000, 0x3000, 0, NULL);
	observe(feed, 0x6000, 0x7000, 0, NULL);
	assert_true(suspect(feed));
	observe(feed, 0x1000, 0x8000, 0, NULL);
	assert_false(suspect(feed));
	assert_false(complete(feed));
	feed_free(feed);
}

/* A range that became suspect after a look went over it keeps that look from completing. */
static void test_suspect_during_a_look(void **state)
{
	struct told_list told;
	struct feed *feed = told_new(&told);

	(void)state;
	part(feed, 0, 0x5000, FIRST);
	part(feed, 0x2000, 0x3000, SUSPECT);
	part(feed, 0x5000, SPACE_END, LAST);
	assert_false(complete(feed));
	assert_true(suspect(feed));
	/* One that it has still to go over does not. */
	part(feed, 0, 0x5000, FIRST);
	part(feed, 0x6000, 0x7000, SUSPECT);
	part(feed, 0x5000, SPACE_END, LAST);
	assert_true(complete(feed));
	assert_false(suspect(feed));
	/* And a look whose own read failed. */
	part(feed, 0, 0x5000, FIRST | SUSPECT);
	part(feed, 0x5000, SPACE_END, LAST);
	assert_true(suspect(feed));
	part(feed, 0, SPACE_END, FIRST | LAST | SUSPECT);
	assert_true(suspect(feed));
	part(feed, 0, SPACE_END, FIRST | LAST);
	assert_false(suspect(feed));
	feed_free(feed);
}

static void test_counts(void **state)
{
	struct told_list told;
	struct feed *feed = told_new(&told);

	(void)state;
	feed_maps(
	    feed,
	    (struct rec_maps){.hdr.tgid = 10, .space = 0x10, .hi = 0x9000, .cause = REC_CAUSE_BRK},
	    RECLIST({.start = 0x1000, .end = 0x2000}));
	feed_maps(feed,
		  (struct rec_maps){
		      .hdr.tgid = 10, .space = 0x10, .hi = 0x9000, .cause = REC_CAUSE_MPROTECT},
		  RECLIST({.start = 0x1000, .end = 0x2000, .map_flags = R}));
	feed_maps(feed,
		  (struct rec_maps){
		      .hdr.tgid = 10, .space = 0x10, .hi = 0x9000, .cause = REC_CAUSE_MUNMAP},
		  0, NULL);
	assert_int_equal(counts_of(feed).observations[REC_CAUSE_BRK], 1);
	assert_int_equal(counts_of(feed).observations[REC_CAUSE_MPROTECT], 1);
	assert_int_equal(counts_of(feed).pieces[MAPPING_ADDED], 1);
	assert_int_equal(counts_of(feed).pieces[MAPPING_CHANGED], 1);
	assert_int_equal(counts_of(feed).pieces[MAPPING_REMOVED], 1);
	assert_int_equal(must_process(feed, 10)->nr_map_changes, 3);
	assert_int_equal(space_10(feed)->nr_changes, 3);
	assert_int_equal(space_10(feed)->observed_ns, feed->now_ns);
	assert_ptr_equal(told.space, space_10(feed));
	assert_int_equal(counts_of(feed).records[REC_MAPS], 3);
	assert_int_equal(counts_of(feed).orphans, 0);
	feed_free(feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_cut_without_offset),
	    cmocka_unit_test(test_replace_across),
	    cmocka_unit_test(test_reaches_beyond),
	    cmocka_unit_test(test_silent_split),
	    cmocka_unit_test(test_rounding),
	    cmocka_unit_test(test_find_and_iterate),
	    cmocka_unit_test(test_heap_and_stack),
	    cmocka_unit_test(test_complete),
	    cmocka_unit_test(test_gap),
	    cmocka_unit_test(test_interleaved),
	    cmocka_unit_test(test_suspect),
	    cmocka_unit_test(test_suspect_during_a_look),
	    cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
