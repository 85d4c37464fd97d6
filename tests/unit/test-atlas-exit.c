// SPDX-License-Identifier: GPL-2.0-only
/* EXIT, FREE, and what stays readable: rule 4 of the model, and retention. */
#include "records.h"

#define LAST REC_EXIT_LAST
#define GROUP REC_EXIT_GROUP

static void create(struct feed *feed, uint32_t tid, uint32_t tgid, uint64_t start_ns)
{
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(tid, tgid, start_ns), .space = tgid * 16});
}

static void test_exit_and_free(void **state)
{
	struct feed *feed = feed_new();
	const struct process *process;

	(void)state;
	create(feed, 10, 10, 500);
	feed_whole(feed, 160, RECLIST({.start = 0x1000, .end = 0x2000}));
	feed_exit(feed,
		  (struct rec_exit){WHO(10, 10, 500), .exit_code = 0x300, .exit_flags = LAST});
	process = must_process(feed, 10);
	assert_int_equal(process->state, PROCESS_ZOMBIE);
	assert_int_equal(process->nr_threads, 0);
	assert_int_equal(process->exit_ns, feed->now_ns);
	assert_int_equal(process->wait_status, 0x300);
	assert_int_equal(process->flags, 0);
	assert_null(atlas_task(feed->atlas, 10, NULL));
	assert_int_equal(counts_of(feed).spaces, 0);
	assert_int_equal(counts_of(feed).process_exits, 1);
	assert_int_equal(counts_of(feed).thread_exits, 0);

	feed_reap(feed, 10, 500);
	assert_int_equal(process->state, PROCESS_GONE);
	assert_int_equal(counts_of(feed).gone, 1);
	assert_mappings(process->space, LIST({.start = 0x1000, .end = 0x2000}));
	/* The key was given back with the process. */
	feed_maps(feed, (struct rec_maps){.space = 160, .hi = SPACE_END}, 0, NULL);
	assert_int_equal(counts_of(feed).orphans, 1);
	assert_int_equal(process->space->nr_mappings, 1);
	feed_free(feed);
}

/* E1: the leader ends first, a worker runs on and maps. */
static void test_leader_first(void **state)
{
	struct feed *feed = feed_new();
	const struct process *process;

	(void)state;
	create(feed, 10, 10, 500);
	create(feed, 11, 10, 500);
	feed_exit(feed, (struct rec_exit){WHO(10, 10, 500), .exit_code = 0x100});
	process = must_process(feed, 10);
	assert_int_equal(process->state, PROCESS_RUNNING);
	assert_int_equal(process->nr_threads, 1);
	assert_true(atlas_task(feed->atlas, 10, NULL)->leader_exited);
	feed_maps(feed, (struct rec_maps){.space = 160, .hi = 0x9000},
		  RECLIST({.start = 0x1000, .end = 0x2000}));
	assert_int_equal(process->space->nr_mappings, 1);
	feed_exit(feed,
		  (struct rec_exit){WHO(11, 10, 500), .exit_code = 0x200, .exit_flags = LAST});
	assert_int_equal(process->state, PROCESS_ZOMBIE);
	assert_int_equal(process->wait_status, 0x100); /* the leader's, as wait() says */
	assert_int_equal(counts_of(feed).process_exits, 1);
	assert_int_equal(counts_of(feed).thread_exits, 1);
	feed_free(feed);
}

/* E5: a group that is told to go: one status, on the process, whoever comes last. */
static void test_group_exit(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	create(feed, 10, 10, 500);
	create(feed, 11, 10, 500);
	create(feed, 12, 10, 500);
	feed_exit(feed, (struct rec_exit){WHO(11, 10, 500), .exit_code = 9});
	assert_int_equal(must_process(feed, 10)->nr_threads, 2);
	feed_exit(feed, (struct rec_exit){WHO(12, 10, 500), .exit_code = 9,
					  .group_exit_code = 11 | 0x80, .exit_flags = GROUP});
	feed_exit(feed,
		  (struct rec_exit){WHO(10, 10, 500), .exit_code = 9, .group_exit_code = 11 | 0x80,
				    .exit_flags = GROUP | LAST});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_ZOMBIE);
	assert_int_equal(must_process(feed, 10)->wait_status, 11 | 0x80);
	assert_int_equal(counts_of(feed).thread_exits, 2);
	feed_free(feed);
}

/* Two threads end at once, and both see that nobody is left; the other's EXIT is on the way. */
static void test_last_comes_early(void **state)
{
	struct feed *feed = feed_new();
	uint64_t last_ns;

	(void)state;
	create(feed, 10, 10, 500);
	create(feed, 11, 10, 500);
	create(feed, 12, 10, 500);
	feed_exit(feed, (struct rec_exit){WHO(11, 10, 500), .exit_flags = LAST});
	last_ns = feed->now_ns;
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	assert_int_equal(must_process(feed, 10)->nr_threads, 2);
	feed_exit(feed, (struct rec_exit){WHO(10, 10, 500), .exit_code = 0x500});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	/* The EXIT of 12 was lost; FREE settles it. */
	feed_reap(feed, 10, 500);
	assert_int_equal(must_process(feed, 10)->state, PROCESS_GONE);
	assert_int_equal(must_process(feed, 10)->flags, 0);
	assert_int_equal(must_process(feed, 10)->exit_ns, last_ns);
	assert_int_equal(must_process(feed, 10)->wait_status, 0x500);
	assert_int_equal(counts_of(feed).tasks, 0);
	assert_int_equal(counts_of(feed).exits_missed, 1);
	assert_int_equal(counts_of(feed).process_exits, 1);
	feed_free(feed);
}

static void test_exit_lost(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	create(feed, 10, 10, 500);
	feed_reap(feed, 10, 500);
	assert_int_equal(must_process(feed, 10)->state, PROCESS_GONE);
	assert_int_equal(must_process(feed, 10)->flags, PROCESS_EXIT_MISSED);
	assert_int_equal(counts_of(feed).exits_missed, 1);
	assert_int_equal(counts_of(feed).process_exits, 0);
	feed_free(feed);
}

/* E3: a late EXIT or FREE of the old holder of a tid leaves the new one alone. */
static void test_late_for_the_old_holder(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	create(feed, 10, 10, 500);
	feed_task(feed, REC_FORK, (struct rec_task){WHO(10, 10, 900), .space = 0x11});
	assert_int_equal(counts_of(feed).exits_missed, 1);
	feed_exit(feed,
		  (struct rec_exit){WHO(10, 10, 500), .exit_code = 0x700, .exit_flags = LAST});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	assert_int_equal(must_process(feed, 10)->start_ns, 900);
	assert_int_equal(must_process(feed, 10)->nr_threads, 1);
	/* It was not missed after all, and says how the old one ended. */
	assert_int_equal(atlas_process_at(feed->atlas, 10, 500)->wait_status, 0x700);
	assert_int_equal(atlas_process_at(feed->atlas, 10, 500)->state, PROCESS_GONE);
	assert_int_equal(atlas_process_at(feed->atlas, 10, 500)->flags, 0);
	assert_int_equal(counts_of(feed).exits_missed, 0);
	assert_int_equal(counts_of(feed).process_exits, 1);
	feed_reap(feed, 10, 500);
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	/* One that nobody knows at all. */
	feed_exit(feed, (struct rec_exit){WHO(10, 10, 100), .exit_flags = LAST});
	feed_exit(feed, (struct rec_exit){WHO(77, 77, 100), .exit_flags = LAST});
	feed_reap(feed, 77, 100);
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	assert_null(atlas_process(feed->atlas, 77));
	assert_int_equal(counts_of(feed).records[REC_EXIT], 3);
	feed_free(feed);
}

/* No EXIT said that it was the last one: a thread that we do not know may live, and does. */
static void test_unknown_thread_lives(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	create(feed, 10, 10, 500);
	feed_whole(feed, 160, RECLIST({.start = 0x1000, .end = 0x2000}));
	feed_exit(feed, (struct rec_exit){WHO(10, 10, 500)});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_ZOMBIE);
	assert_int_equal(counts_of(feed).process_exits, 1);
	/* What it does until it is met is not lost. */
	feed_maps(feed, (struct rec_maps){.space = 160, .lo = 0x5000, .hi = 0x9000},
		  RECLIST({.start = 0x5000, .end = 0x6000}));
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(11, 10, 500), .space = 160});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	assert_int_equal(must_process(feed, 10)->exit_ns, 0);
	assert_int_equal(must_process(feed, 10)->nr_threads, 1);
	assert_mappings(must_process(feed, 10)->space,
			LIST({.start = 0x1000, .end = 0x2000}, {.start = 0x5000, .end = 0x6000}));
	assert_int_equal(must_process(feed, 10)->space->state & SPACE_COMPLETE, SPACE_COMPLETE);
	assert_int_equal(counts_of(feed).process_exits, 0);

	/* The same, and the unknown one ends before it is met. */
	feed_exit(feed, (struct rec_exit){WHO(11, 10, 500)});
	feed_exit(feed, (struct rec_exit){WHO(12, 10, 500), .exit_flags = LAST});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_ZOMBIE);
	feed_maps(feed, (struct rec_maps){.space = 160, .hi = SPACE_END}, 0, NULL);
	assert_int_equal(must_process(feed, 10)->space->nr_mappings, 2);
	assert_int_equal(counts_of(feed).process_exits, 1);
	feed_free(feed);
}

/* The EXIT of a process whose only known thread is a dead leader. */
static void test_unknown_thread_is_last(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_task(
	    feed, REC_CREATE,
	    (struct rec_task){WHO(10, 10, 500), .task_flags = REC_TASK_ZOMBIE, .nr_threads = 2});
	feed_exit(feed, (struct rec_exit){WHO(11, 10, 500)});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	feed_exit(feed, (struct rec_exit){WHO(12, 10, 500), .exit_flags = LAST});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_ZOMBIE);
	assert_int_equal(counts_of(feed).tasks, 0);
	feed_free(feed);
}

/* A dead leader outlives a moment in which no other thread is known. */
static void test_dead_leader_stays(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	create(feed, 10, 10, 500);
	feed_exit(feed, (struct rec_exit){WHO(10, 10, 500)});
	create(feed, 11, 10, 500);
	assert_true(atlas_task(feed->atlas, 10, NULL)->leader_exited);
	feed_exit(feed, (struct rec_exit){WHO(11, 10, 500)});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_ZOMBIE);
	create(feed, 12, 10, 500);
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	assert_int_equal(must_process(feed, 10)->nr_threads, 1);
	assert_true(atlas_task(feed->atlas, 10, NULL)->leader_exited);
	feed_exit(feed, (struct rec_exit){WHO(12, 10, 500), .exit_flags = LAST});
	assert_null(atlas_task(feed->atlas, 10, NULL));
	feed_free(feed);
}

/* The last EXIT was said, and a stray thread goes otherwise than by its own. */
static void test_stray_thread(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	create(feed, 10, 10, 500);
	create(feed, 11, 10, 500);
	create(feed, 20, 20, 500);
	create(feed, 21, 20, 500);
	feed_exit(feed, (struct rec_exit){WHO(10, 10, 500), .exit_code = 1, .exit_flags = LAST});
	feed_exit(feed, (struct rec_exit){WHO(20, 20, 500), .exit_code = 2, .exit_flags = LAST});
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	create(feed, 11, 11, 900); /* its tid was passed on */
	assert_int_equal(must_process(feed, 10)->state, PROCESS_ZOMBIE);
	assert_int_equal(must_process(feed, 10)->flags, 0);
	assert_int_equal(must_process(feed, 10)->wait_status, 1);
	feed_walk_begin(feed); /* or a walk does not meet it */
	feed_task(
	    feed, REC_CREATE,
	    (struct rec_task){WHO(20, 20, 500), .nr_threads = 1, .task_flags = REC_TASK_ZOMBIE});
	feed_walk_end(feed, 0);
	assert_int_equal(must_process(feed, 20)->state, PROCESS_ZOMBIE);
	assert_int_equal(must_process(feed, 20)->flags, 0);
	feed_free(feed);
}

/* After an exec by another thread the old leader is freed under that thread's tid. */
static void test_free_of_old_leader(void **state)
{
	struct feed *feed = feed_new();
	struct rec_free rec = {.hdr.tid = 11, .hdr.tgid = 10, .start_ns = 500};

	(void)state;
	create(feed, 10, 10, 500);
	feed_apply(feed, REC_FREE, &rec, sizeof(rec));
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	feed_free(feed);
}

/* E4, L3: readable for the retention time, and never more than so many. */
static void test_retention(void **state)
{
	struct atlas_limits limits = {.retain_ns = 1000000, .retain_processes = 3, .max_files = 10};
	struct feed *feed = feed_new_with(&limits);
	uint64_t gone_ns;

	(void)state;
	for (uint32_t tgid = 10; tgid < 15; tgid++) {
		create(feed, tgid, tgid, 500);
		feed_exit(feed, (struct rec_exit){WHO(tgid, tgid, 500), .exit_flags = LAST});
		feed_reap(feed, tgid, 500);
	}
	gone_ns = feed->now_ns;
	assert_null(atlas_process(feed->atlas, 10));
	assert_null(atlas_process(feed->atlas, 11));
	assert_int_equal(must_process(feed, 12)->state, PROCESS_GONE);
	assert_int_equal(counts_of(feed).gone, 3);
	assert_int_equal(counts_of(feed).retained_dropped, 2);
	/* A zombie is not gone, however long it waits. */
	create(feed, 20, 20, 500);
	feed_exit(feed, (struct rec_exit){WHO(20, 20, 500), .exit_flags = LAST});
	assert_int_equal(atlas_collect(feed->atlas, gone_ns + limits.retain_ns - 1), 0);
	feed_check(feed);
	assert_null(atlas_process(feed->atlas, 13));
	assert_int_equal(must_process(feed, 14)->state, PROCESS_GONE);
	atlas_collect(feed->atlas, gone_ns + limits.retain_ns);
	feed_check(feed);
	assert_null(atlas_process(feed->atlas, 14));
	atlas_collect(feed->atlas, UINT64_MAX);
	assert_int_equal(must_process(feed, 20)->state, PROCESS_ZOMBIE);
	assert_int_equal(counts_of(feed).retained_dropped, 2);
	feed_free(feed);
}

/* Several holders of one tgid, one after the other; found by identity, and listed. */
static void test_holders(void **state)
{
	struct atlas_limits limits = {
	    .retain_ns = UINT64_MAX, .retain_processes = 2, .max_files = 10};
	struct feed *feed = feed_new_with(&limits);
	struct process_iter it;
	const struct process *process;
	uint64_t starts = 0;

	(void)state;
	for (uint64_t start = 1; start <= 5; start++)
		create(feed, 10, 10, start);
	assert_int_equal(must_process(feed, 10)->start_ns, 5);
	assert_null(atlas_process_at(feed->atlas, 10, 2));
	assert_non_null(atlas_process_at(feed->atlas, 10, 3));
	assert_non_null(atlas_process_at(feed->atlas, 10, 4));
	create(feed, 11, 11, 10);
	it = atlas_processes(feed->atlas, true);
	while ((process = process_next(&it)))
		starts += process->start_ns;
	assert_int_equal(starts, 3 + 4 + 5 + 10);
	it = atlas_processes(feed->atlas, false);
	for (starts = 0; (process = process_next(&it));)
		starts += process->start_ns;
	assert_int_equal(starts, 5 + 10);
	feed_free(feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exit_and_free),
	    cmocka_unit_test(test_leader_first),
	    cmocka_unit_test(test_group_exit),
	    cmocka_unit_test(test_last_comes_early),
	    cmocka_unit_test(test_exit_lost),
	    cmocka_unit_test(test_late_for_the_old_holder),
	    cmocka_unit_test(test_unknown_thread_lives),
	    cmocka_unit_test(test_unknown_thread_is_last),
	    cmocka_unit_test(test_dead_leader_stays),
	    cmocka_unit_test(test_stray_thread),
	    cmocka_unit_test(test_free_of_old_leader),
	    cmocka_unit_test(test_retention),
	    cmocka_unit_test(test_holders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
