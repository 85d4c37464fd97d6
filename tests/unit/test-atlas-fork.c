// SPDX-License-Identifier: GPL-2.0-only
/* FORK: rules 2, 5 and 7 of the model. */
#include "records.h"

#define R REC_MAP_READ
#define W REC_MAP_WRITE

/* A forker, 10, with two mappings and one that is not copied, known from the seed. */
static struct feed *forker_new(void)
{
	struct feed *feed = feed_new();

	feed_walk_begin(feed);
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 500), .space = 0x10});
	feed_maps(feed,
		  (struct rec_maps){.space = 0x10,
				    .hi = SPACE_END,
				    .start_brk = 0x5000,
				    .brk = 0x6000,
				    .start_stack = 0x7000,
				    .maps_flags = REC_MAPS_FIRST | REC_MAPS_LAST},
		  RECLIST({.start = 0x1000, .end = 0x3000, .map_flags = R},
			  {.start = 0x3000, .end = 0x4000, .map_flags = R | REC_MAP_DONTFORK},
			  {.start = 0x8000, .end = 0x9000, .map_flags = R | W}));
	feed_walk_end(feed, 0);
	return feed;
}

static struct rec_task child(uint32_t tgid, uint64_t start, uint64_t space)
{
	return (struct rec_task){
	    WHO(tgid, tgid, start), .space = space,         .forker_tgid = 10,
	    .forker_tid = 11,       .forker_start_ns = 500,
	};
}

/* F1, F5: the child has the copy as of the fork, and each side its own changes. */
static void test_copy(void **state)
{
	struct feed *feed = forker_new();
	const struct space *space;

	(void)state;
	feed_task(feed, REC_FORK, child(20, 900, 0x20));
	space = must_process(feed, 20)->space;
	assert_ptr_not_equal(space, must_process(feed, 10)->space);
	assert_mappings(space, LIST({.start = 0x1000, .end = 0x3000, .flags = R},
				    {.start = 0x8000, .end = 0x9000, .flags = R | W}));
	assert_int_equal(space->state, SPACE_COMPLETE);
	assert_int_equal(space->start_brk, 0x5000);
	assert_int_equal(space->brk, 0x6000);
	assert_int_equal(space->start_stack, 0x7000);

	feed_maps(feed, (struct rec_maps){.space = 0x20, .lo = 0x8000, .hi = 0x9000}, 0, NULL);
	feed_maps(feed, (struct rec_maps){.space = 0x10, .lo = 0x1000, .hi = 0x2000}, 0, NULL);
	assert_mappings(space, LIST({.start = 0x1000, .end = 0x3000, .flags = R}));
	assert_mappings(must_process(feed, 10)->space,
			LIST({.start = 0x2000, .end = 0x3000, .flags = R},
			     {.start = 0x3000, .end = 0x4000, .flags = R | REC_MAP_DONTFORK},
			     {.start = 0x8000, .end = 0x9000, .flags = R | W}));
	feed_free(feed);
}

/* F2, F10: who forked it stays, whatever becomes of the forker or of the present parent. */
static void test_lineage(void **state)
{
	struct feed *feed = forker_new();
	const struct process *process;
	struct rec_task rec = child(20, 900, 0x20);

	(void)state;
	rec.parent_tgid = 10;
	rec.parent_start_ns = 500;
	atlas_tag(feed->atlas, must_process(feed, 10), 42);
	feed_task(feed, REC_FORK, rec);
	process = must_process(feed, 20);
	assert_int_equal(process->flags, PROCESS_SEEN_FROM_BIRTH | PROCESS_FORKER_KNOWN);
	assert_int_equal(process->forker_tgid, 10);
	assert_int_equal(process->forker_tid, 11);
	assert_int_equal(process->forker_start_ns, 500);
	assert_int_equal(process->tag, 42);
	assert_int_equal(must_process(feed, 10)->nr_forks, 1);
	assert_int_equal(counts_of(feed).process_forks, 1);

	feed_exit(feed, (struct rec_exit){WHO(10, 10, 500), .exit_flags = REC_EXIT_LAST});
	rec.parent_tgid = 1;
	rec.parent_start_ns = 3;
	rec.forker_tgid = rec.forker_tid = 1;
	feed_task(feed, REC_CREATE, rec);
	assert_int_equal(process->forker_tgid, 10);
	assert_int_equal(process->parent_tgid, 1);
	assert_int_equal(process->parent_start_ns, 3);
	assert_int_equal(process->space->nr_mappings, 2);
	feed_free(feed);
}

/* F6: the forker is not known: the child is, and so is what its record says of the forker. */
static void test_unknown_forker(void **state)
{
	struct feed *feed = feed_new();
	const struct process *process;

	(void)state;
	feed_task(feed, REC_FORK, child(20, 900, 0x20));
	process = must_process(feed, 20);
	assert_int_equal(process->forker_tgid, 10);
	assert_int_equal(process->flags, PROCESS_SEEN_FROM_BIRTH | PROCESS_FORKER_KNOWN);
	assert_int_equal(process->space->state, 0);
	assert_int_equal(process->space->nr_mappings, 0);
	/* A later holder of its tgid is somebody else. */
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(10, 10, 950), .space = 0x10});
	feed_task(feed, REC_FORK, child(21, 960, 0x21));
	assert_int_equal(must_process(feed, 10)->nr_forks, 0);
	feed_free(feed);
}

/* What is not known of the forker's space is not known of the child's. */
static void test_doubt_is_inherited(void **state)
{
	struct feed *feed = forker_new();
	const struct space *space;

	(void)state;
	feed_maps(feed,
		  (struct rec_maps){
		      .space = 0x10, .lo = 0x2000, .hi = 0x3000, .maps_flags = REC_MAPS_SUSPECT},
		  0, NULL);
	feed_task(feed, REC_FORK, child(20, 900, 0x20));
	space = must_process(feed, 20)->space;
	assert_int_equal(space->state, SPACE_COMPLETE | SPACE_SUSPECT);
	assert_int_equal(atlas_state(feed->atlas)->suspect_spaces, 2);
	feed_maps(feed, (struct rec_maps){.space = 0x20, .lo = 0x2000, .hi = 0x3000}, 0, NULL);
	assert_int_equal(space->state, SPACE_COMPLETE);
	assert_int_equal(must_process(feed, 10)->space->state & SPACE_SUSPECT, SPACE_SUSPECT);
	assert_int_equal(atlas_state(feed->atlas)->suspect_spaces, 1);
	feed_free(feed);
}

/* Rule 5: the kernel reused the key before the EXIT of who had it came through. */
static void test_key_reused(void **state)
{
	struct feed *feed = forker_new();
	const struct space *before;

	(void)state;
	feed_task(feed, REC_FORK, child(20, 900, 0x20));
	feed_maps(feed, (struct rec_maps){.space = 0x20, .lo = 0, .hi = 0x8000},
		  RECLIST({.start = 0x5000, .end = 0x6000}));
	before = must_process(feed, 20)->space;
	feed_task(feed, REC_FORK, child(30, 901, 0x20));
	assert_ptr_not_equal(must_process(feed, 30)->space, before);
	assert_int_not_equal(must_process(feed, 30)->space->number, before->number);
	assert_mappings(must_process(feed, 30)->space,
			LIST({.start = 0x1000, .end = 0x3000, .flags = R},
			     {.start = 0x8000, .end = 0x9000, .flags = R | W}));
	/* From now on the key means the new one. */
	feed_maps(feed, (struct rec_maps){.space = 0x20, .lo = 0, .hi = 0x8000}, 0, NULL);
	feed_exit(feed, (struct rec_exit){WHO(20, 20, 900), .exit_flags = REC_EXIT_LAST});
	assert_mappings(must_process(feed, 30)->space,
			LIST({.start = 0x8000, .end = 0x9000, .flags = R | W}));
	assert_mappings(must_process(feed, 20)->space,
			LIST({.start = 0x5000, .end = 0x6000},
			     {.start = 0x8000, .end = 0x9000, .flags = R | W}));
	feed_maps(feed, (struct rec_maps){.space = 0x20, .lo = 0, .hi = SPACE_END}, 0, NULL);
	assert_int_equal(must_process(feed, 30)->space->nr_mappings, 0);
	feed_free(feed);
}

/* What floats under the key belongs to somebody before. */
static void test_key_floats(void **state)
{
	struct feed *feed = forker_new();

	(void)state;
	feed_whole(feed, 0x20, RECLIST({.start = 0x5000, .end = 0x6000}));
	assert_int_equal(counts_of(feed).orphans, 1);
	feed_task(feed, REC_FORK, child(20, 900, 0x20));
	assert_int_equal(must_process(feed, 20)->space->nr_mappings, 2);
	feed_free(feed);
}

/* V1 to V3: one space, whoever runs in it. */
static void test_shares_space(void **state)
{
	struct feed *feed = forker_new();
	struct rec_task rec = child(20, 900, 0x10);
	const struct space *space = must_process(feed, 10)->space;

	(void)state;
	rec.task_flags = REC_TASK_SHARES_SPACE;
	feed_task(feed, REC_FORK, rec);
	assert_ptr_equal(must_process(feed, 20)->space, space);
	assert_int_equal(space->nr_processes, 2);
	feed_maps(feed,
		  (struct rec_maps){.hdr.tgid = 20, .space = 0x10, .lo = 0xa000, .hi = 0xb000},
		  RECLIST({.start = 0xa000, .end = 0xb000}));
	assert_int_equal(space->nr_mappings, 4);
	assert_int_equal(must_process(feed, 20)->nr_map_changes, 1);
	assert_int_equal(must_process(feed, 10)->nr_map_changes, 0);

	/* Its exec leaves the space to the others, with what it did there. */
	feed_exec(feed, (struct rec_exec){.task = {WHO(20, 20, 900), .space = 0x20}}, "x", "", 0);
	assert_ptr_equal(must_process(feed, 10)->space, space);
	assert_int_equal(space->nr_processes, 1);
	assert_int_equal(space->nr_mappings, 4);
	assert_int_equal(must_process(feed, 20)->space->nr_mappings, 0);
	feed_free(feed);
}

/* The exit of one of several leaves it the space as it was then. */
static void test_shared_space_at_exit(void **state)
{
	struct feed *feed = forker_new();
	struct rec_task rec = child(20, 900, 0x10);
	const struct space *space = must_process(feed, 10)->space;

	(void)state;
	rec.task_flags = REC_TASK_SHARES_SPACE;
	feed_task(feed, REC_FORK, rec);
	feed_exit(feed, (struct rec_exit){WHO(20, 20, 900), .exit_flags = REC_EXIT_LAST});
	assert_ptr_not_equal(must_process(feed, 20)->space, space);
	assert_int_equal(must_process(feed, 20)->space->nr_processes, 0);
	feed_maps(feed, (struct rec_maps){.space = 0x10, .hi = SPACE_END}, 0, NULL);
	assert_int_equal(space->nr_mappings, 0);
	assert_int_equal(must_process(feed, 20)->space->nr_mappings, 3);
	feed_free(feed);
}

/* The walk met the child, and observed it whole, before its FORK came: that is at least as good. */
static void test_observed_before_fork(void **state)
{
	struct feed *feed = forker_new();
	const struct process *process;

	(void)state;
	feed_walk_begin(feed);
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(20, 20, 900), .space = 0x20});
	assert_int_equal(counts_of(feed).births_missed, 1);
	feed_whole(feed, 0x20, RECLIST({.start = 0x1000, .end = 0x2000, .map_flags = R}));
	feed->flags = 0;
	feed_task(feed, REC_FORK, child(20, 900, 0x20));
	process = must_process(feed, 20);
	assert_int_equal(process->flags, PROCESS_SEEN_FROM_BIRTH | PROCESS_FORKER_KNOWN);
	assert_int_equal(process->nr_threads, 1);
	assert_int_equal(counts_of(feed).births_missed, 0);
	assert_int_equal(counts_of(feed).processes, 2);
	assert_mappings(process->space, LIST({.start = 0x1000, .end = 0x2000, .flags = R}));
	assert_int_equal(process->space->state & SPACE_COMPLETE, SPACE_COMPLETE);
	feed_free(feed);
}

/* It was met, but its space was not yet observed, or only in part: then the forker's counts. */
static void test_met_before_fork(void **state)
{
	struct feed *feed = forker_new();

	(void)state;
	feed_walk_begin(feed);
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(20, 20, 900), .space = 0x20});
	feed_maps(feed,
		  (struct rec_maps){.space = 0x20, .hi = 0x2000, .maps_flags = REC_MAPS_FIRST},
		  RECLIST({.start = 0x1000, .end = 0x2000, .map_flags = R}));
	feed->flags = 0;
	feed_task(feed, REC_FORK, child(20, 900, 0x20));
	assert_int_equal(must_process(feed, 20)->space->nr_mappings, 2);
	assert_int_equal(must_process(feed, 20)->space->state & SPACE_COMPLETE, SPACE_COMPLETE);
	/* The rest of that look makes nothing worse. */
	feed_maps(feed,
		  (struct rec_maps){
		      .space = 0x20, .lo = 0x2000, .hi = SPACE_END, .maps_flags = REC_MAPS_LAST},
		  RECLIST({.start = 0x8000, .end = 0x9000, .map_flags = R | W}));
	assert_int_equal(must_process(feed, 20)->space->nr_mappings, 2);
	feed_free(feed);
}

/* The key was taken for the space of a process that is about to be told dead. */
static void test_met_under_a_dead_key(void **state)
{
	struct feed *feed = forker_new();

	(void)state;
	feed_task(feed, REC_FORK, child(20, 900, 0x20));
	feed_maps(feed, (struct rec_maps){.space = 0x20, .hi = SPACE_END},
		  RECLIST({.start = 0x5000, .end = 0x6000}));
	feed_walk_begin(feed);
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(30, 30, 950), .space = 0x20});
	feed->flags = 0;
	feed_task(feed, REC_FORK, child(30, 950, 0x20));
	assert_int_equal(must_process(feed, 30)->space->nr_mappings, 2);
	assert_int_equal(must_process(feed, 30)->space->nr_processes, 1);
	feed_exit(feed, (struct rec_exit){WHO(20, 20, 900), .exit_flags = REC_EXIT_LAST});
	assert_mappings(must_process(feed, 20)->space, LIST({.start = 0x5000, .end = 0x6000}));
	feed_free(feed);
}

static void test_thread(void **state)
{
	struct feed *feed = forker_new();
	const struct process *process = must_process(feed, 10);

	(void)state;
	feed_task(feed, REC_FORK,
		  (struct rec_task){WHO(12, 10, 500), .space = 0x10, .forker_tgid = 10,
				    .forker_tid = 10, .forker_start_ns = 500,
				    .task_flags = REC_TASK_SHARES_SPACE});
	assert_int_equal(process->nr_threads, 2);
	assert_int_equal(process->nr_forks, 0);
	assert_int_equal(process->flags, 0);
	assert_int_equal(process->space->nr_processes, 1);
	assert_int_equal(counts_of(feed).thread_forks, 1);
	assert_int_equal(counts_of(feed).process_forks, 0);
	feed_free(feed);
}

/* F3: the FORK of a thread, or of a whole process, was lost. */
static void test_lost_fork(void **state)
{
	struct feed *feed = forker_new();
	const struct process *process;

	(void)state;
	feed_task(feed, REC_CREATE, (struct rec_task){WHO(12, 10, 500), .space = 0x10});
	assert_int_equal(must_process(feed, 10)->nr_threads, 2);
	assert_ptr_equal(atlas_task(feed->atlas, 12, &process), atlas_task(feed->atlas, 12, NULL));
	atlas_task(feed->atlas, 12, &process);
	assert_int_equal(process->space->nr_mappings, 3);
	assert_int_equal(counts_of(feed).births_missed, 1);

	feed_task(feed, REC_FORK, (struct rec_task){WHO(21, 20, 900), .space = 0x20});
	assert_int_equal(must_process(feed, 20)->flags, PROCESS_BIRTH_MISSED);
	assert_int_equal(must_process(feed, 20)->start_ns, 900);
	assert_int_equal(must_process(feed, 20)->space->state, 0);
	feed_free(feed);
}

/* What makes no sense does no harm. */
static void test_nonsense(void **state)
{
	struct feed *feed = forker_new();
	struct rec_task rec = child(10, 500, 0x10);

	(void)state;
	feed_task(feed, REC_FORK, rec); /* of itself */
	assert_int_equal(must_process(feed, 10)->space->nr_mappings, 3);
	rec = child(10, 500, 0x10);
	rec.task_flags = REC_TASK_SHARES_SPACE;
	feed_task(feed, REC_FORK, rec);
	assert_int_equal(must_process(feed, 10)->space->nr_processes, 1);
	/* The record knows where the forker runs better than we do. */
	rec = child(20, 900, 0x30);
	rec.task_flags = REC_TASK_SHARES_SPACE;
	feed_task(feed, REC_FORK, rec);
	assert_ptr_equal(must_process(feed, 10)->space, must_process(feed, 20)->space);
	assert_int_equal(must_process(feed, 20)->space->state & SPACE_COMPLETE, 0);
	rec = child(21, 900, 0);
	feed_task(feed, REC_FORK, rec);
	assert_null(must_process(feed, 21)->space);
	feed_free(feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_copy),
	    cmocka_unit_test(test_lineage),
	    cmocka_unit_test(test_unknown_forker),
	    cmocka_unit_test(test_doubt_is_inherited),
	    cmocka_unit_test(test_key_reused),
	    cmocka_unit_test(test_key_floats),
	    cmocka_unit_test(test_shares_space),
	    cmocka_unit_test(test_shared_space_at_exit),
	    cmocka_unit_test(test_observed_before_fork),
	    cmocka_unit_test(test_met_before_fork),
	    cmocka_unit_test(test_met_under_a_dead_key),
	    cmocka_unit_test(test_thread),
	    cmocka_unit_test(test_lost_fork),
	    cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
