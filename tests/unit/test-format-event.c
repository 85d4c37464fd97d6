// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/view-fixture.h"

#include "format/event.h"

static const struct fx_task shell = {
    .tgid = 100, .start = 500, .space = 15, .exe = 21, .cgroup = 7, .uid = 1000, .comm = "sh"};

static struct event_format format_of(const struct fixture *f)
{
	return (struct event_format){.atlas = f->atlas,
				     .host = &f->host,
				     .args = true,
				     .relative = true,
				     .base_ns = 990 * SECOND};
}

/* The text of the last record. */
static void check_text(struct fixture *f, const struct event_format *format, const char *expected)
{
	struct buffer out = BUFFER_EMPTY;
	struct style style = {0};
	struct event event;

	assert_true(event_from_record(&event, f->atlas, (void *)f->record, f->size));
	event_text(&out, &style, &event, format);
	assert_string_equal(buffer_text(&out), expected);
	buffer_done(&out);
}

static void test_text(void **state)
{
	struct fixture *f = *state;
	struct event_format format = format_of(f);

	fx_small_host(f);
	fx_fork(f, .tgid = 200, .start = 1000, .parent = 100, .parent_start = 500, .space = 12,
		.comm = "sh", .forker_tgid = 100, .forker_tid = 105, .forker_start = 500,
		.flags = REC_TASK_SHARES_SPACE);
	check_text(f, &format,
		   "      10.000000 fork        200           sh              by 100/105 in its "
		   "address space\n");
	fx_exec(f, shell, "./run\n", "sh\0-c\0a b\0", 10, REC_EXEC_SCRIPT | REC_EXEC_ARGS_CUT);
	check_text(f, &format,
		   "      10.000000 exec        100           sh              ./run\\n by /bin/sh "
		   "[sh -c a b ...]\n");
	format.args = false;
	check_text(
	    f, &format,
	    "      10.000000 exec        100           sh              ./run\\n by /bin/sh\n");
	fx_exec(f, shell, "/bin/sh", NULL, 0, 0);
	check_text(f, &format,
		   "      10.000000 exec        100           sh              /bin/sh\n");
	fx_exit(f, 200, 200, 1000, 1000, 9 | 0x80, REC_EXIT_LAST);
	check_text(
	    f, &format,
	    "      10.000000 exit        200           sh              signal 9 (KILL), core "
	    "dumped\n");
	f->now = 1002;
	fx_exit(f, 101, 101, 990, 990, 3 << 8, REC_EXIT_LAST);
	check_text(
	    f, &format,
	    "      12.000000 exit        101           sleep           code 3 after 12.0s\n");
	format.relative = false;
	check_text(
	    f, &format,
	    "12:00:02.000000 exit        101           sleep           code 3 after 12.0s\n");
	fx_loss(f, REC_MAPS, REC_LOSS_RING_FULL, 12);
	check_text(f, &format,
		   "12:00:02.000000 loss        -                             12 records "
		   "of kind maps (ring_full)\n");
}

static void test_mapping_text(void **state)
{
	static const struct mapping before = {
	    .start = 0x4000, .end = 0x5000, .flags = REC_MAP_READ | REC_MAP_WRITE};
	struct fixture *f = *state;
	struct event_format format = format_of(f);
	struct mapping after = before;
	struct rec_maps record = {.hdr = {.tid = 100, .tgid = 100, .time_ns = 991 * SECOND},
				  .cause = REC_CAUSE_MPROTECT};
	struct buffer out = BUFFER_EMPTY;
	struct style style = {0};
	struct event event;

	fx_small_host(f);
	after.flags = REC_MAP_READ | REC_MAP_EXEC;
	event_from_mapping(&event, f->atlas, &record, atlas_process(f->atlas, 100)->space,
			   MAPPING_CHANGED, &before, &after);
	event_text(&out, &style, &event, &format);
	assert_string_equal(buffer_text(&out),
			    "       1.000000 change      100           sh              4000-5000 "
			    "rw-p to r-xp 0 (mprotect)\n");
	buffer_done(&out);
}

static void check_json(struct fixture *f, const struct event_format *format, const char *expected)
{
	struct buffer out = BUFFER_EMPTY;
	struct event event;
	struct json json;

	json_init(&json);
	assert_true(event_from_record(&event, f->atlas, (void *)f->record, f->size));
	assert_int_equal(event_json(&json, &out, &event, format), 0);
	assert_string_equal(buffer_text(&out), expected);
	json_done(&json);
	buffer_done(&out);
}

#define JSON_TIME "\"time\":\"2026-01-31T12:00:00.000000000Z\",\"time_ns\":1000000000000"

static void test_json(void **state)
{
	struct fixture *f = *state;
	struct event_format format = format_of(f);

	fx_small_host(f);
	fx_fork(f, .tgid = 200, .start = 1000, .parent = 100, .parent_start = 500, .space = 12,
		.comm = "sh", .forker_tgid = 100, .forker_tid = 105, .forker_start = 500);
	check_json(f, &format,
		   "{\"type\":\"fork\"," JSON_TIME ",\"pid\":200,\"tid\":200,"
		   "\"start_ns\":1000000000000,\"comm\":\"sh\","
		   "\"forker\":{\"pid\":100,\"tid\":105},\"shares_space\":false}\n");
	fx_exec(f, shell, "/bin/sh", "sh\0\xff\0", 5, 0);
	check_json(f, &format,
		   "{\"type\":\"exec\"," JSON_TIME ",\"pid\":100,\"tid\":100,"
		   "\"start_ns\":500000000000,\"comm\":\"sh\",\"filename\":\"/bin/sh\","
		   "\"filename_cut\":false,\"script\":false,\"old_tid\":100,"
		   "\"exe\":{\"path\":\"/bin/sh\",\"deleted\":false,\"cut\":false},"
		   "\"args\":[\"sh\",\"\\\\xff\"],\"args_bytes\":[\"7368\",\"ff\"],"
		   "\"args_cut\":false,\"args_missing\":false}\n");
	fx_exit(f, 200, 200, 1000, 1000, 7 << 8, REC_EXIT_LAST);
	check_json(
	    f, &format,
	    "{\"type\":\"exit\"," JSON_TIME ",\"pid\":200,\"tid\":200,"
	    "\"start_ns\":1000000000000,\"comm\":\"sh\",\"missed\":false,\"exit_code\":7}\n");
	fx_loss(f, REC_NONE, REC_LOSS_SKIPPED, 2);
	check_json(f, &format,
		   "{\"type\":\"loss\"," JSON_TIME
		   ",\"count\":2,\"kind\":\"none\",\"cause\":\"skipped\"}\n");
}

#define with_host(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    with_host(test_text),
	    with_host(test_mapping_text),
	    with_host(test_json),
	};

	/* Times of day are local ones. */
	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
