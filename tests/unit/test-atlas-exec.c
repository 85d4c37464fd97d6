// SPDX-License-Identifier: GPL-2.0-only
/* EXEC: rule 3 of the model. */
#include "records.h"

static struct rec_task image(uint64_t space)
{
	return (struct rec_task){WHO(10, 10, 500), .space = space, .comm = "new"};
}

static void test_new_image(void **state)
{
	struct feed *feed = feed_new();
	const struct process *process;

	(void)state;
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(10, 10, 500), .space = 0x10, .exe = 4, .comm = "old"});
	feed_whole(feed, 0x10, RECLIST({.start = 0x1000, .end = 0x2000}));
	feed_maps(feed,
		  (struct rec_maps){
		      .space = 0x10, .lo = 0x1000, .hi = 0x2000, .maps_flags = REC_MAPS_SUSPECT},
		  0, NULL);
	feed_exec(
	    feed,
	    (struct rec_exec){.task = {WHO(10, 10, 500), .space = 0x11, .exe = 5, .comm = "new"},
			      .exec_flags = REC_EXEC_SCRIPT | REC_EXEC_ARGS_CUT},
	    "./run", "sh\0./run\0-", 10);
	process = must_process(feed, 10);
	assert_string_equal(process->comm, "new");
	assert_string_equal(process->exec_filename, "./run");
	assert_int_equal(process->args_len, 10);
	assert_memory_equal(process->args, "sh\0./run\0-", 11);
	assert_int_equal(process->exec_flags, REC_EXEC_SCRIPT | REC_EXEC_ARGS_CUT);
	assert_int_equal(process->exec_ns, feed->now_ns);
	assert_int_equal(process->nr_execs, 1);
	assert_true(process->flags & PROCESS_EXECED);
	assert_int_equal(process->space->nr_mappings, 0);
	assert_int_equal(process->space->state, 0);
	assert_int_equal(atlas_state(feed->atlas)->suspect_spaces, 0);
	assert_int_equal(counts_of(feed).spaces, 1);

	/* X4: one process, the image of now. X13: no arguments at all. */
	feed_exec(feed, (struct rec_exec){.task = image(0x12)}, "", "", 0);
	assert_string_equal(process->exec_filename, "");
	assert_string_equal(process->args, "");
	assert_int_equal(process->args_len, 0);
	assert_int_equal(process->nr_execs, 2);
	feed_free(feed);
}

/* X6: any thread may call; one is left, under the leader's identity. */
static void test_by_another_thread(void **state)
{
	struct feed *feed = feed_new();
	const struct process *process;
	struct rec_exec rec = {.task = image(0x11), .old_tid = 13};

	(void)state;
	feed_task(feed, REC_CREATE,
		  (struct rec_task){WHO(10, 10, 500), .space = 0x10, .parent_tgid = 1});
	for (uint32_t tid = 11; tid < 18; tid++)
		feed_task(feed, REC_CREATE, (struct rec_task){WHO(tid, 10, 500), .space = 0x10});
	for (uint32_t tid = 10; tid < 18; tid++)
		if (tid != 13)
			feed_exit(feed, (struct rec_exit){WHO(tid, 10, 500), .exit_code = 9});
	process = must_process(feed, 10);
	assert_int_equal(process->nr_threads, 1);
	assert_true(atlas_task(feed->atlas, 10, NULL)->leader_exited);

	rec.task.parent_tgid = 1;
	feed_exec(feed, rec, "/bin/x", "x", 2);
	assert_int_equal(process->state, PROCESS_RUNNING);
	assert_int_equal(process->nr_threads, 1);
	assert_int_equal(process->parent_tgid, 1);
	assert_null(atlas_task(feed->atlas, 13, NULL));
	assert_false(atlas_task(feed->atlas, 10, NULL)->leader_exited);
	assert_int_equal(atlas_task(feed->atlas, 10, NULL)->start_ns, 500);
	assert_int_equal(counts_of(feed).exits_missed, 0);
	assert_int_equal(counts_of(feed).thread_exits, 6);

	/* Its end is its own, not that of the old leader. */
	feed_exit(feed, (struct rec_exit){WHO(10, 10, 500), .exit_code = 3 << 8,
					  .exit_flags = REC_EXIT_LAST});
	assert_int_equal(process->wait_status, 3 << 8);
	assert_int_equal(counts_of(feed).process_exits, 1);
	feed_free(feed);
}

/* The EXITs of the others were lost: they are dead all the same. */
static void test_lost_exits(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	for (uint32_t tid = 10; tid < 14; tid++)
		feed_task(feed, REC_CREATE, (struct rec_task){WHO(tid, 10, 500), .space = 0x10});
	feed_exec(feed, (struct rec_exec){.task = image(0x11), .old_tid = 11}, "x", "", 0);
	assert_int_equal(must_process(feed, 10)->nr_threads, 1);
	assert_null(atlas_task(feed->atlas, 11, NULL));
	assert_int_equal(counts_of(feed).exits_missed, 2);
	/* One was only late. */
	feed_exit(feed, (struct rec_exit){WHO(12, 10, 500)});
	assert_int_equal(counts_of(feed).exits_missed, 1);
	assert_int_equal(must_process(feed, 10)->state, PROCESS_RUNNING);
	feed_free(feed);
}

/* X11: observations of the new image that came before EXEC; the exec's own one follows. */
static void test_observed_before_exec(void **state)
{
	struct feed *feed = feed_new();
	const struct space *space;

	(void)state;
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .space = 0x10});
	feed_whole(feed, 0x10, RECLIST({.start = 0x1000, .end = 0x2000}));
	feed_walk_begin(feed);
	feed_task(feed, REC_CREATE, image(0x11));
	feed_whole(feed, 0x11, RECLIST({.start = 0x5000, .end = 0x6000}));
	feed->flags = 0;
	feed_exec(feed, (struct rec_exec){.task = image(0x11)}, "x", "", 0);
	space = must_process(feed, 10)->space;
	assert_int_equal(space->nr_mappings, 0);
	assert_int_equal(space->state & SPACE_COMPLETE, 0);
	feed_maps(feed,
		  (struct rec_maps){.space = 0x11,
				    .hi = SPACE_END,
				    .cause = REC_CAUSE_EXEC,
				    .maps_flags = REC_MAPS_FIRST | REC_MAPS_LAST},
		  RECLIST({.start = 0x5000, .end = 0x7000}));
	assert_ptr_equal(must_process(feed, 10)->space, space);
	assert_mappings(space, LIST({.start = 0x5000, .end = 0x7000}));
	assert_int_equal(space->state, SPACE_COMPLETE);
	assert_string_equal(must_process(feed, 10)->comm, "new");
	feed_free(feed);
}

/* Rule 5: the kernel gave the new image the key of a space that another process just left. */
static void test_key_reused(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .space = 0x10});
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(20, 20, 500), .space = 0x20});
	feed_whole(feed, 0x20, RECLIST({.start = 0x1000, .end = 0x2000}));
	feed_exec(feed, (struct rec_exec){.task = image(0x20)}, "x", "", 0);
	assert_int_equal(must_process(feed, 10)->space->nr_mappings, 0);
	assert_int_equal(must_process(feed, 20)->space->nr_mappings, 1);
	feed_maps(feed, (struct rec_maps){.space = 0x20, .hi = 0x9000},
		  RECLIST({.start = 0x5000, .end = 0x6000}));
	assert_mappings(must_process(feed, 20)->space, LIST({.start = 0x1000, .end = 0x2000}));
	assert_mappings(must_process(feed, 10)->space, LIST({.start = 0x5000, .end = 0x6000}));
	feed_free(feed);
}

static void test_unknown_process(void **state)
{
	struct feed *feed = feed_new();

	(void)state;
	feed_exec(feed, (struct rec_exec){.task = image(0x11)}, "x", "", 0);
	assert_int_equal(must_process(feed, 10)->flags, PROCESS_EXECED);
	feed_seed(feed);
	feed_exec(feed, (struct rec_exec){.task = {WHO(20, 20, 500), .space = 0x20}}, "x", "", 0);
	assert_int_equal(must_process(feed, 20)->flags, PROCESS_EXECED | PROCESS_BIRTH_MISSED);
	assert_int_equal(counts_of(feed).births_missed, 1);
	feed_free(feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_new_image),  cmocka_unit_test(test_by_another_thread),
	    cmocka_unit_test(test_lost_exits), cmocka_unit_test(test_observed_before_exec),
	    cmocka_unit_test(test_key_reused), cmocka_unit_test(test_unknown_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
