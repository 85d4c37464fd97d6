// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/view-fixture.h"

#include "format/summary.h"

/* One shell that forks a program twice, and maps and unmaps; told to the activity. */
static struct activity *busy_host(struct fixture *f)
{
	struct activity *activity;

	fx_small_host(f);
	fx_file(f, 31, REC_FILE_PATH, 0, 8, 1, 99, "/bin/t\x1b\xff");
	assert_int_equal(activity_new(&activity, f->atlas, f->now * SECOND), 0);
	f->now++;
	for (uint32_t tgid = 200; tgid < 202; tgid++) {
		fx_fork(f, .tgid = tgid, .start = 1001, .parent = 100, .parent_start = 500,
			.space = tgid, .cgroup = 7, .comm = "sh", .forker_tgid = 100,
			.forker_start = 500);
		assert_int_equal(activity_record(activity, (void *)f->record, f->size), 0);
		fx_exec(f,
			(struct fx_task){.tgid = tgid,
					 .start = 1001,
					 .parent = 100,
					 .parent_start = 500,
					 .space = tgid + 100,
					 .exe = 31,
					 .cgroup = 7,
					 .comm = "t\x1b\xff"},
			"t", NULL, 0, 0);
		assert_int_equal(activity_record(activity, (void *)f->record, f->size), 0);
	}
	f->now++;
	activity_finish(activity);
	return activity;
}

static void test_text(void **state)
{
	struct fixture *f = *state;
	struct activity *activity = busy_host(f);
	struct summary_verdict verdict = {.processes = 6, .threads = 6, .mappings = 1234};
	struct style style = {0};
	struct buffer out = BUFFER_EMPTY;
	struct coverage coverage;
	struct summary_format format = {
	    .atlas = f->atlas, .coverage = &coverage, .verdict = &verdict};
	struct summary summary;

	coverage_fill(&coverage, f->atlas, &f->host, f->now * SECOND);
	assert_int_equal(summary_fill(&summary, f->atlas, activity, f->now * SECOND), 0);
	assert_int_equal(summary_text(&out, &style, &summary, &format), 0);
	assert_string_equal(buffer_text(&out),
			    "box  Linux 6.1.0  12:00:00 to 12:00:02\n"
			    "\n"
			    "now\n"
			    "tasks           7\n"
			    "processes       7\n"
			    "zombies         0\n"
			    "address spaces  5\n"
			    "mappings        3\n"
			    "mapped files    1\n"
			    "\n"
			    "during 2.0s       total  per second\n"
			    "forks                 2         1.0\n"
			    "thread starts         0         0.0\n"
			    "execs                 2         1.0\n"
			    "process exits         0         0.0\n"
			    "thread exits          0         0.0\n"
			    "mappings added        0         0.0\n"
			    "mappings removed      0         0.0\n"
			    "mappings changed      0         0.0\n"
			    "\n"
			    "mapping changes  forks  execs  pid  busiest processes\n"
			    "              0      2      0  100  sh\n"
			    "              0      0      1  200  t\\x1b\\xff\n"
			    "              0      0      1  201  t\\x1b\\xff\n"
			    "\n"
			    "mapping changes  forks  execs  busiest cgroups\n"
			    "              0      2      2  /user.slice/docker-"
			    "0123456789abcdef0123456789abcdef"
			    "0123456789abcdef0123456789abcdef.scope\n"
			    "\n"
			    "execs  still running  executables\n"
			    "    2              2  /bin/t\\x1b\\xff\n"
			    "\n"
			    "records lost: 0\n"
			    "complete: yes\n"
			    "verified: 6 processes, 1,234 mappings, 0 differences\n");
	buffer_done(&out);
	activity_free(activity);
}

static void test_text_of_a_bad_end(void **state)
{
	struct fixture *f = *state;
	struct summary_verdict verdict = {
	    .processes = 1, .differences = 2, .not_comparable = 3, .unsettled = 4};
	struct style style = {0};
	struct buffer out = BUFFER_EMPTY;
	struct coverage coverage;
	struct summary_format format = {
	    .atlas = f->atlas, .coverage = &coverage, .verdict = &verdict};
	struct summary summary;

	fx_small_host(f);
	fx_loss(f, REC_FORK, REC_LOSS_RING_FULL, 1000);
	coverage_fill(&coverage, f->atlas, &f->host, f->now * SECOND);
	assert_int_equal(summary_fill(&summary, f->atlas, NULL, f->now * SECOND), 0);
	assert_int_equal(summary_text(&out, &style, &summary, &format), 0);
	assert_non_null(
	    strstr(buffer_text(&out),
		   "\nrecords lost: 1,000 (fork 1000)\n"
		   "complete: NO\n"
		   "verified: 1 processes, 0 mappings, 2 differences; 4 processes never "
		   "held still; 3 not comparable\n"));
	assert_null(strstr(buffer_text(&out), "during"));
	buffer_done(&out);
}

static struct json_object *member(struct json_object *at, const char *key)
{
	struct json_object *value = NULL;

	assert_true(json_object_object_get_ex(at, key, &value));
	return value;
}

static void test_json(void **state)
{
	struct fixture *f = *state;
	struct activity *activity = busy_host(f);
	struct buffer out = BUFFER_EMPTY;
	struct coverage coverage;
	struct summary_format format = {.atlas = f->atlas, .coverage = &coverage};
	struct summary summary;
	struct json_object *root, *during, *entry;

	coverage_fill(&coverage, f->atlas, &f->host, f->now * SECOND);
	assert_int_equal(summary_fill(&summary, f->atlas, activity, f->now * SECOND), 0);
	assert_int_equal(summary_json(&out, &summary, &format), 0);
	root = json_tokener_parse(buffer_text(&out));
	assert_non_null(root);
	assert_null(member(root, "verified"));
	assert_int_equal(json_object_get_int(member(member(root, "now"), "processes")), 7);
	during = member(root, "during");
	assert_true(json_object_get_uint64(member(during, "span_ns")) == 2 * SECOND);
	assert_int_equal(json_object_get_int(member(member(during, "totals"), "execs")), 2);
	entry = json_object_array_get_idx(member(during, "executables"), 0);
	assert_string_equal(json_object_get_string(member(entry, "path_bytes")),
			    "2f62696e2f741bff");
	assert_int_equal(json_object_get_int(member(entry, "running")), 2);
	entry = json_object_array_get_idx(member(during, "busiest_processes"), 0);
	assert_int_equal(json_object_get_int(member(entry, "pid")), 100);
	assert_int_equal(json_object_get_int(member(entry, "forks")), 2);
	json_object_put(root);
	buffer_done(&out);
	activity_free(activity);
}

#define with_host(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    with_host(test_text),
	    with_host(test_text_of_a_bad_end),
	    with_host(test_json),
	};

	/* Times of day are local ones. */
	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
