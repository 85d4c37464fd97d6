// SPDX-License-Identifier: GPL-2.0-only
/* Walks, losses, drift: section 5 of the design. */
#include "records.h"

static void create(struct feed *feed, uint32_t tid, uint32_t tgid)
{
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(tid, tgid, 500), .space = tgid * 16});
}

static void test_seed(void **state)
{
	struct feed *feed = feed_new();
	const struct atlas_state *now = atlas_state(feed->atlas);
	uint64_t first_ns;

	(void)state;
	assert_false(now->seeded);
	feed_walk_begin(feed);
	first_ns = feed->now_ns;
	create(feed, 10, 10);
	assert_false(now->seeded);
	feed_walk_end(feed, REC_WALK_SEED);
	assert_true(now->seeded);
	assert_int_equal(now->seeded_ns, feed->now_ns);
	assert_int_equal(now->walks, 1);
	assert_int_equal(now->first_ns, first_ns);
	feed_seed(feed);
	assert_int_equal(now->seeded_ns, first_ns + 2000);
	assert_int_equal(now->walks, 2);
	assert_int_equal(now->last_ns, feed->now_ns);
	feed_free(feed);
}

/* What the walk did not meet is not there any more. */
static void test_sweep(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_walk_begin(feed);
	for (uint32_t tgid = 10; tgid < 14; tgid++)
		create(feed, tgid, tgid);
	create(feed, 20, 10);
	create(feed, 21, 10);
	feed_walk_end(feed, 0);

	feed_walk_begin(feed);
	create(feed, 10, 10);
	create(feed, 20, 10);
	feed->flags = 0;
	/* Met by other means, or ended meanwhile. */
	feed_exec(feed, (struct rec_exec){.task = {WHO(11, 11, 500), .space = 7}}, "x", "", 0);
	feed_task(feed, REC_FORK, (struct rec_task){WHO(30, 30, 900), .space = 8});
	feed_exit(feed, (struct rec_exit){WHO(12, 12, 500), .exit_flags = REC_EXIT_LAST});
	feed_walk_end(feed, 0);
	assert_int_equal(must_process(feed, 10)->nr_threads, 2);
	assert_null(atlas_task(feed->atlas, 21, NULL));
	assert_int_equal(must_process(feed, 11)->state, PROCESS_RUNNING);
	assert_int_equal(must_process(feed, 30)->state, PROCESS_RUNNING);
	assert_int_equal(must_process(feed, 12)->state, PROCESS_ZOMBIE);
	assert_int_equal(must_process(feed, 13)->state, PROCESS_GONE);
	assert_int_equal(must_process(feed, 13)->flags, PROCESS_EXIT_MISSED);
	assert_int_equal(counts_of(feed).exits_missed, 2);
	feed_free(feed);
}

/* The walk leaves out who is about to end; its EXIT may come after the walk has ended. */
static void test_exit_after_sweep(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_walk_begin(feed);
	create(feed, 10, 10);
	create(feed, 11, 10);
	create(feed, 12, 12);
	create(feed, 13, 12);
	feed_walk_end(feed, 0);
	feed_walk_begin(feed);
	create(feed, 12, 12);
	feed_walk_end(feed, 0);
	assert_int_equal(must_process(feed, 10)->state, PROCESS_GONE);
	assert_int_equal(counts_of(feed).exits_missed, 3);

	feed_exit(feed, (struct rec_exit){WHO(13, 12, 500)});
	feed_exit(feed, (struct rec_exit){WHO(11, 10, 500)});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_GONE);
	feed_exit(feed, (struct rec_exit){WHO(10, 10, 500), .exit_code = 0x100,
					  .exit_flags = REC_EXIT_LAST});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_ZOMBIE);
	assert_int_equal(must_process(feed, 10)->wait_status, 0x100);
	assert_int_equal(must_process(feed, 10)->exit_ns, feed->now_ns);
	assert_int_equal(must_process(feed, 10)->flags, 0);
	assert_int_equal(counts_of(feed).exits_missed, 0);
	assert_int_equal(counts_of(feed).thread_exits, 2);
	assert_int_equal(counts_of(feed).process_exits, 1);
	feed_reap(feed, 10, 500);
	assert_int_equal(must_process(feed, 10)->state, PROCESS_GONE);
	feed_free(feed);
}

/* Taken for dead because its CREATE was lost, unnoticed at the time: it comes back. */
static void test_returns(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_walk_begin(feed);
	create(feed, 10, 10);
	feed_whole(feed, 160, RECLIST({.start = 0x1000, .end = 0x2000}));
	feed_walk_end(feed, 0);
	feed_seed(feed);
	assert_int_equal(must_process(feed, 10)->state, PROCESS_GONE);
	create(feed, 10, 10);
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	assert_int_equal(must_process(feed, 10)->flags, 0);
	assert_int_equal(must_process(feed, 10)->space->state, 0);
	assert_int_equal(counts_of(feed).exits_missed, 0);
	assert_int_equal(counts_of(feed).births_missed, 0);
	assert_int_equal(counts_of(feed).gone, 0);
	feed_free(feed);
}

/* Walks after which nothing may be swept. */
static void test_no_sweep(void **state)
{
	struct feed *feed = feed_new();
	struct rec_walk one = {.hdr.tgid = 10, .walk = 9};

	(void)state;
	create(feed, 10, 10);
	feed_apply(feed, REC_WALK_BEGIN, &one, sizeof(one));
	feed_apply(feed, REC_WALK_END, &one, sizeof(one));
	assert_false(atlas_state(feed->atlas)->seeded);
	feed_walk_begin(feed);
	feed_walk_end(feed, REC_WALK_FAILED);
	assert_false(atlas_state(feed->atlas)->seeded);
	/* An end without its beginning, or of another walk. */
	feed_walk_end(feed, 0);
	feed_walk_begin(feed);
	feed->walk++;
	feed_walk_end(feed, 0);
	assert_false(atlas_state(feed->atlas)->seeded);
	feed->walk--;
	feed_loss(feed, 1, REC_CREATE, REC_LOSS_RING_FULL);
	feed_walk_end(feed, 0);
	assert_true(atlas_state(feed->atlas)->seeded);
	assert_true(atlas_state(feed->atlas)->suspect);
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	feed_free(feed);
}

static void test_loss(void **state)
{
	struct feed *feed = feed_new();
	const struct atlas_state *now = atlas_state(feed->atlas);
	uint64_t since_ns;

	(void)state;
	feed_seed(feed);
	feed_loss(feed, 0, REC_MAPS, REC_LOSS_RING_FULL);
	assert_false(now->suspect);
	feed_loss(feed, 3, REC_MAPS, REC_LOSS_RING_FULL);
	since_ns = feed->now_ns;
	feed_loss(feed, 2, REC_NONE, REC_LOSS_SKIPPED);
	feed_loss(feed, 4, REC_MAPS, REC_LOSS_READ_FAILED);
	assert_true(now->suspect);
	assert_int_equal(now->suspect_since_ns, since_ns);
	assert_int_equal(counts_of(feed).lost[REC_MAPS], 7);
	assert_int_equal(counts_of(feed).lost[REC_NONE], 2);
	assert_int_equal(counts_of(feed).lost_by_cause[REC_LOSS_RING_FULL], 3);
	assert_int_equal(counts_of(feed).lost_by_cause[REC_LOSS_SKIPPED], 2);

	/* Lost during the walk: the next one decides. */
	feed_walk_begin(feed);
	feed_loss(feed, 1, REC_EXIT, REC_LOSS_RING_FULL);
	feed_walk_end(feed, 0);
	assert_true(now->suspect);
	assert_int_equal(now->suspect_since_ns, since_ns);
	feed_walk_begin(feed);
	feed_walk_end(feed, 0);
	assert_false(now->suspect);
	assert_int_equal(now->suspect_since_ns, 0);
	feed_free(feed);
}

/* A read that failed has said where, in a record of its own: nothing else is in doubt. */
static void test_failed_read(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_loss(feed, 5, REC_MAPS, REC_LOSS_READ_FAILED);
	assert_false(atlas_state(feed->atlas)->suspect);
	assert_int_equal(counts_of(feed).lost[REC_MAPS], 5);
	assert_int_equal(counts_of(feed).lost_by_cause[REC_LOSS_READ_FAILED], 5);
	feed_free(feed);
}

/* While the walk that is to heal a loss goes on, a process that it has not come to yet forks: the
 * child has a copy of what was wrong, and the walk does not come to it any more. */
static void test_fork_before_the_walk_comes(void **state)
{
	const struct rec_mapping right = {.start = 0x5000, .end = 0x6000};
	const struct rec_mapping wrong = {.start = 0x1000, .end = 0x2000};
	const struct rec_task child = {WHO(11, 11, 900), .space = 176, .forker_tgid = 10,
				       .forker_tid = 10, .forker_start_ns = 500};
	struct feed *feed = feed_new();

	(void)state;
	feed_walk_begin(feed);
	create(feed, 10, 10);
	feed_whole(feed, 160, 1, &wrong);
	feed_walk_end(feed, 0);
	feed_loss(feed, 1, REC_MAPS, REC_LOSS_SKIPPED);
	feed_walk_begin(feed);
	feed->flags = 0;
	feed_task(feed, REC_FORK, child);
	feed->flags = REC_F_WALK;
	create(feed, 10, 10);
	feed_whole(feed, 160, 1, &right);
	feed_walk_end(feed, 0);
	assert_int_equal(atlas_state(feed->atlas)->walks, 2);
	assert_true(atlas_state(feed->atlas)->suspect);

	/* The next one comes to both; whoever is forked from then on has the right copy. */
	feed_walk_begin(feed);
	create(feed, 10, 10);
	feed_whole(feed, 160, 1, &right);
	create(feed, 11, 11);
	feed_whole(feed, 176, 1, &right);
	feed->flags = 0;
	feed_task(feed, REC_FORK,
		  (struct rec_task){WHO(12, 12, 910), .space = 192, .forker_tgid = 10,
				    .forker_tid = 10, .forker_start_ns = 500});
	feed_walk_end(feed, 0);
	assert_false(atlas_state(feed->atlas)->suspect);
	assert_int_equal(counts_of(feed).drift[MAPPING_ADDED], 0);
	feed_free(feed);
}

/* What a later walk has to correct where nothing was known to be missing. */
static void test_drift(void **state)
{
	struct feed *feed = feed_new();
	const struct rec_maps whole = {
	    .space = 160, .hi = SPACE_END, .maps_flags = REC_MAPS_FIRST | REC_MAPS_LAST};

	(void)state;
	feed_walk_begin(feed);
	create(feed, 10, 10);
	feed_maps(feed, whole, RECLIST({.start = 0x1000, .end = 0x3000}));
	feed_walk_end(feed, 0);
	assert_int_equal(counts_of(feed).drift[MAPPING_ADDED], 0);

	feed_walk_begin(feed);
	create(feed, 10, 10);
	feed_maps(feed, whole, RECLIST({.start = 0x1000, .end = 0x3000}));
	assert_int_equal(counts_of(feed).drift[MAPPING_REMOVED], 0);
	feed_maps(feed, whole,
		  RECLIST({.start = 0x1000, .end = 0x2000},
			  {.start = 0x2000, .end = 0x3000, .map_flags = REC_MAP_READ},
			  {.start = 0x5000, .end = 0x6000}));
	assert_int_equal(counts_of(feed).drift[MAPPING_ADDED], 1);
	assert_int_equal(counts_of(feed).drift[MAPPING_CHANGED], 1);
	assert_int_equal(counts_of(feed).drift[MAPPING_REMOVED], 0);
	assert_int_equal(counts_of(feed).pieces[MAPPING_ADDED], 0);
	assert_int_equal(must_process(feed, 10)->nr_map_changes, 0);
	assert_int_equal(must_process(feed, 10)->space->nr_changes, 3);
	feed_walk_end(feed, 0);

	/* Where something is known to be missing, it is repair. */
	feed_loss(feed, 1, REC_MAPS, REC_LOSS_RING_FULL);
	feed_walk_begin(feed);
	create(feed, 10, 10);
	feed_maps(feed, whole, 0, NULL);
	feed_walk_end(feed, 0);
	assert_int_equal(counts_of(feed).drift[MAPPING_REMOVED], 0);
	feed_maps(feed,
		  (struct rec_maps){
		      .space = 160, .lo = 0x1000, .hi = 0x2000, .maps_flags = REC_MAPS_SUSPECT},
		  0, NULL);
	feed_walk_begin(feed);
	create(feed, 10, 10);
	feed_maps(feed, whole, RECLIST({.start = 0x1000, .end = 0x3000}));
	feed_walk_end(feed, 0);
	assert_int_equal(counts_of(feed).drift[MAPPING_ADDED], 1);
	feed_free(feed);
}

/* Spaces of nobody: kept for a CREATE that comes later, dropped when a walk has ended. */
static void test_floating(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_walk_begin(feed);
	feed_whole(feed, 160, RECLIST({.start = 0x1000, .end = 0x3000}));
	feed_whole(feed, 320, RECLIST({.start = 0x1000, .end = 0x3000}));
	assert_int_equal(counts_of(feed).orphans, 2);
	assert_int_equal(counts_of(feed).spaces, 0);
	create(feed, 10, 10);
	assert_int_equal(must_process(feed, 10)->space->nr_mappings, 1);
	assert_int_equal(must_process(feed, 10)->space->state, SPACE_SEEDED | SPACE_COMPLETE);
	feed_walk_end(feed, 0);
	create(feed, 20, 20);
	assert_int_equal(must_process(feed, 20)->space->nr_mappings, 0);
	/* And never more than so many: the oldest go first. */
	for (uint64_t key = 1000; key < 4000; key++)
		feed_maps(feed, (struct rec_maps){.space = key, .hi = 0x9000},
			  RECLIST({.start = 0x1000, .end = 0x2000}));
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(30, 30, 500), .space = 3999});
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(31, 31, 500), .space = 1000});
	assert_int_equal(must_process(feed, 30)->space->nr_mappings, 1);
	assert_int_equal(must_process(feed, 31)->space->nr_mappings, 0);
	assert_int_equal(counts_of(feed).orphans, 3002);
	feed_free(feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_seed),
	    cmocka_unit_test(test_sweep),
	    cmocka_unit_test(test_exit_after_sweep),
	    cmocka_unit_test(test_returns),
	    cmocka_unit_test(test_no_sweep),
	    cmocka_unit_test(test_loss),
	    cmocka_unit_test(test_failed_read),
	    cmocka_unit_test(test_fork_before_the_walk_comes),
	    cmocka_unit_test(test_drift),
	    cmocka_unit_test(test_floating),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
