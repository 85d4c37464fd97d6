// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/view-fixture.h"

#include "view/coverage.h"
#include "view/summary.h"

static const struct rec_mapping piece = {.start = 0x8000, .end = 0x9000, .map_flags = REC_MAP_READ};

/* An activity is told what the fixture applied last. */
static void told(struct fixture *f, struct activity *activity)
{
	assert_int_equal(activity_record(activity, (void *)f->record, f->size), 0);
}

static void on_mapping(void *ctx, const struct rec_maps *record, const struct space *space,
		       enum mapping_change change, const struct mapping *before,
		       const struct mapping *after)
{
	(void)space;
	(void)change;
	(void)before;
	(void)after;
	activity_mapping(ctx, record);
}

static void run(struct fixture *f, struct activity *activity, uint32_t tgid, uint64_t start,
		uint64_t space, uint64_t exe, const char *name)
{
	fx_fork(f, .tgid = tgid, .start = start, .parent = 100, .parent_start = 500, .space = space,
		.cgroup = 7, .comm = "sh", .forker_tgid = 100, .forker_start = 500);
	told(f, activity);
	f->now++;
	fx_exec(f,
		(struct fx_task){.tgid = tgid,
				 .start = start,
				 .parent = 100,
				 .parent_start = 500,
				 .space = space + 1,
				 .exe = exe,
				 .cgroup = 7,
				 .comm = "prog"},
		name, NULL, 0, 0);
	told(f, activity);
}

/* Now: what is there. Nothing happened before the activity began. */
static void test_now(void **state)
{
	struct fixture *f = *state;
	struct summary summary;

	fx_small_host(f);
	fx_exit(f, 101, 101, 990, 990, 0, REC_EXIT_LAST);
	assert_int_equal(summary_fill(&summary, f->atlas, NULL, f->now * SECOND), 0);
	assert_int_equal(summary.processes, 4); /* zombies are counted apart */
	assert_int_equal(summary.zombies, 1);
	assert_int_equal(summary.tasks, 4);
	assert_int_equal(summary.mappings, 3);
	assert_int_equal(summary.mapped_files, 1);
	assert_true(summary.span_ns == 0);
	assert_int_equal(summary.nr_busiest, 0);
}

static void test_during(void **state)
{
	struct fixture *f = *state;
	struct activity *activity;
	struct summary summary;

	fx_small_host(f);
	fx_file(f, 31, REC_FILE_PATH, 0, 8, 1, 99, "/bin/true");
	assert_int_equal(activity_new(&activity, f->atlas, f->now * SECOND), 0);
	atlas_on_mapping(f->atlas, on_mapping, activity);
	f->now += 5;
	run(f, activity, 200, 1005, 40, 31, "true");
	fx_exit(f, 200, 200, 1005, 1005, 0, REC_EXIT_LAST);
	told(f, activity);
	fx_free(f, 200, 1005);
	told(f, activity);
	run(f, activity, 201, 1007, 42, 31, "true");
	fx_maps(f, 100, 12, 0x8000, 0x9000, REC_CAUSE_MMAP, &piece, 1);
	told(f, activity);
	fx_maps(f, 100, 12, 0x8000, 0x9000, REC_CAUSE_MUNMAP, NULL, 0);
	told(f, activity);
	f->now += 1;
	activity_finish(activity);
	assert_int_equal(summary_fill(&summary, f->atlas, activity, f->now * SECOND), 0);

	assert_true(summary.span_ns == 8 * SECOND);
	assert_int_equal(summary.rates[SUMMARY_forks], 2);
	assert_int_equal(summary.rates[SUMMARY_execs], 2);
	assert_int_equal(summary.rates[SUMMARY_exits], 1);
	assert_int_equal(summary.rates[SUMMARY_mappings_added], 1);
	assert_int_equal(summary.rates[SUMMARY_mappings_removed], 1);
	assert_int_equal(summary.all_exes, 1);
	assert_string_equal(summary.exes[0].name, "/bin/true");
	assert_int_equal(summary.exes[0].execs, 2);
	assert_int_equal(summary.exes[0].running, 1);
	assert_int_equal(summary.all_cgroups, 1);
	assert_int_equal(summary.cgroups[0].changes, 2);
	assert_int_equal(summary.cgroups[0].forks, 2);
	assert_int_equal(summary.cgroups[0].execs, 2);
	assert_int_equal(summary.busiest[0]->tgid, 100); /* two changes, two forks */
	assert_true(process_events(summary.busiest[0]) == 4);
	activity_free(activity);
}

/* A file is named only after the exec that refers to it; another one never. */
static void test_names_come_late(void **state)
{
	struct fixture *f = *state;
	struct activity *activity;
	struct activity_exe exes[4];

	fx_small_host(f);
	assert_int_equal(activity_new(&activity, f->atlas, f->now * SECOND), 0);
	f->now++;
	run(f, activity, 200, 1001, 40, 31, "./late");
	run(f, activity, 201, 1002, 42, 32, "./never");
	fx_file(f, 31, REC_FILE_PATH, 0, 8, 1, 99, "/opt/late");
	told(f, activity);
	activity_finish(activity);
	assert_int_equal(activity_exes(activity, exes, 4), 2);
	assert_string_equal(exes[0].name, "./never"); /* as given to exec */
	assert_string_equal(exes[1].name, "/opt/late");
	assert_int_equal(exes[1].execs, 1);
	assert_int_equal(exes[1].running, 1);
	assert_true(activity_uncounted(activity) == 0);
	activity_free(activity);
	activity_free(NULL);
}

static void test_coverage(void **state)
{
	struct fixture *f = *state;
	struct coverage coverage;

	coverage_fill(&coverage, f->atlas, &f->host, 1);
	assert_false(coverage.complete);
	assert_false(coverage.seeded);
	fx_small_host(f);
	coverage_fill(&coverage, f->atlas, &f->host, f->now * SECOND);
	assert_true(coverage.complete);
	assert_true(coverage.lost == 0);
	fx_loss(f, REC_EXIT, REC_LOSS_RING_FULL, 3);
	fx_loss(f, REC_MAPS, REC_LOSS_SKIPPED, 4);
	coverage_fill(&coverage, f->atlas, &f->host, f->now * SECOND);
	assert_false(coverage.complete);
	assert_true(coverage.suspect);
	assert_true(coverage.lost == 7);
	assert_true(coverage.lost_by_kind[REC_EXIT] == 3);
	assert_true(coverage.lost_by_cause[REC_LOSS_SKIPPED] == 4);
	assert_true(coverage.suspect_since_ns == f->now * SECOND);
}

#define with_host(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    with_host(test_now),
	    with_host(test_during),
	    with_host(test_names_come_late),
	    with_host(test_coverage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
