// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/view-fixture.h"

#include "format/coverage.h"

static void check_print(struct json *json, const char *expected)
{
	struct buffer out = BUFFER_EMPTY;

	assert_int_equal(json_print(json, &out), 0);
	assert_string_equal(buffer_text(&out), expected);
	buffer_done(&out);
}

static void test_values(void **state)
{
	struct json_object *array, *object;
	struct json json;

	(void)state;
	json_init(&json);
	json_add_number(&json, json.root, "large", UINT64_MAX);
	json_add_flag(&json, json.root, "yes", true);
	json_add_null(&json, json.root, "none");
	json_add_address(&json, json.root, "at", UINT64_C(0xffffffffff600000));
	array = json_add_array(&json, json.root, "list");
	json_add_number(&json, array, NULL, 1);
	json_add_null(&json, array, NULL);
	object = json_add_object(&json, array, NULL);
	json_add_text(&json, object, "text", "a/b \"c\"");
	check_print(&json, "{\"large\":18446744073709551615,\"yes\":true,\"none\":null,"
			   "\"at\":\"0xffffffffff600000\","
			   "\"list\":[1,null,{\"text\":\"a/b \\\"c\\\"\"}]}");
	check_print(&json, "{}"); /* printing begins a new object */
	json_done(&json);
	json_done(NULL);
}

/* Names: valid UTF-8 as it is, anything else twice; nothing that drives a terminal. */
static void test_names(void **state)
{
	static const char full[REC_COMM_BYTES] = "sixteen bytes!!!"; /* no NUL */
	struct json json;

	(void)state;
	json_init(&json);
	json_add_name(&json, json.root, "path", "caf\xc3\xa9\n", 6);
	check_print(&json, "{\"path\":\"caf\xc3\xa9\\n\"}");
	json_add_name(&json, json.root, "path", "a\\\xff", 3);
	check_print(&json, "{\"path\":\"a\\\\\\\\\\\\xff\",\"path_bytes\":\"615cff\"}");
	json_add_name(&json, json.root, "path", "a\0b", 3);
	check_print(&json, "{\"path\":\"a\\\\x00b\",\"path_bytes\":\"610062\"}");
	json_add_name(&json, json.root, "path", "\x1b[2J\x7f\xe2\x80\xae", 8);
	check_print(&json, "{\"path\":\"\\u001b[2J\\u007f\\u202e\"}");
	json_add_name(&json, json.root, "path", NULL, 0);
	check_print(&json, "{\"path\":\"\"}");
	json_add_comm(&json, json.root, full);
	check_print(&json, "{\"comm\":\"sixteen bytes!!!\"}");
	json_done(&json);
}

static void test_error_sticks(void **state)
{
	struct buffer out = BUFFER_EMPTY;
	struct json json;

	(void)state;
	json_init(&json);
	json_add_number(&json, NULL, "lost", 1); /* as after a failed allocation */
	json_add_number(&json, json.root, "more", 2);
	assert_int_equal(json_print(&json, &out), -12);
	assert_string_equal(buffer_text(&out), "");
	json_add_number(&json, json.root, "again", 3);
	assert_int_equal(json_print(&json, &out), 0);
	assert_string_equal(buffer_text(&out), "{\"again\":3}");
	json_done(&json);
	buffer_done(&out);
}

static void test_long_arrays(void **state)
{
	struct buffer out = BUFFER_EMPTY;
	struct json json;

	(void)state;
	json_init(&json);
	json_add_text(&json, json.root, "type", "x");
	assert_int_equal(json_print(&json, &out), 0);
	json_open(&out, "list");
	for (unsigned int i = 0; i < 3; i++) {
		json_next(&out, i == 0);
		json_add_number(&json, json.root, "i", i);
		assert_int_equal(json_print(&json, &out), 0);
	}
	json_close(&out);
	json_open(&out, "none");
	json_close(&out);
	assert_string_equal(
	    buffer_text(&out),
	    "{\"type\":\"x\",\"list\":[{\"i\":0},{\"i\":1},{\"i\":2}],\"none\":[]}");
	json_done(&json);
	buffer_done(&out);
}

static void test_coverage(void **state)
{
	struct fixture *f = *state;
	struct coverage coverage;
	struct json json;

	fx_small_host(f);
	fx_loss(f, REC_EXIT, REC_LOSS_RING_FULL, 3);
	coverage_fill(&coverage, f->atlas, &f->host, 1001 * SECOND);
	json_init(&json);
	coverage_json(&json, json.root, &coverage);
	check_print(&json,
		    "{\"coverage\":{\"host\":{\"name\":\"box\",\"kernel\":\"6.1.0\","
		    "\"boot_id\":\"00000000-0000-0000-0000-000000000000\",\"partial_view\":false},"
		    "\"from\":\"2026-01-31T12:00:00.000000000Z\","
		    "\"to\":\"2026-01-31T12:00:01.000000000Z\",\"from_ns\":1000000000000,"
		    "\"to_ns\":1001000000000,\"complete\":false,\"seeded\":true,\"suspect\":true,"
		    "\"suspect_since\":\"2026-01-31T12:00:00.000000000Z\",\"suspect_spaces\":0,"
		    "\"lost\":3,\"lost_by_kind\":{\"exit\":3},\"lost_by_cause\":{\"ring_full\":3},"
		    "\"births_missed\":0,\"exits_missed\":0,\"drift\":0}}");
	json_done(&json);
}

#define with_host(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_error_sticks),
	    cmocka_unit_test(test_long_arrays),
	    with_host(test_coverage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
