// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/view-fixture.h"

#include "format/clock.h"
#include "format/coverage.h"
#include "format/table.h"

/* --- table ------------------------------------------------------------------------------------ */

static const struct table_column columns[] = {
    {"ID", true, 0},
    {"WHERE", false, 1},
    {"SIZE", true, 2},
    {"NAME", false, 0},
};

static void check_table(const struct style *style, const char *expected)
{
	struct buffer out = BUFFER_EMPTY;
	struct table table;

	table_init(&table, columns, 4);
	table_number(&table, 7);
	table_text(&table, COLOR_NONE, "here");
	table_number(&table, 12345);
	table_text(&table, COLOR_GREEN, "caf\xc3\xa9");
	table_number(&table, 1234);
	table_text(&table, COLOR_NONE, "far away");
	table_number(&table, 1);
	table_text(&table, COLOR_NONE, "a name of some length");
	assert_int_equal(table_print(&table, style, &out), 0);
	assert_string_equal(buffer_text(&out), expected);
	table_done(&table);
	buffer_done(&out);
}

static void test_table_wide(void **state)
{
	struct style style = {0};

	(void)state;
	check_table(&style, "  ID  WHERE      SIZE  NAME\n"
			    "   7  here      12345  caf\xc3\xa9\n"
			    "1234  far away      1  a name of some length\n");
}

static void test_table_color(void **state)
{
	struct style style = {.color = true};

	(void)state;
	check_table(&style, "  \033[1mID\033[0m  \033[1mWHERE\033[0m      \033[1mSIZE\033[0m  "
			    "\033[1mNAME\033[0m\n"
			    "   7  here      12345  \033[32mcaf\xc3\xa9\033[0m\n"
			    "1234  far away      1  a name of some length\n");
}

/* Columns go in their order, then lines are cut; no line is longer than the terminal. */
static void test_table_narrow(void **state)
{
	struct style style = {.terminal = true, .columns = 36};

	(void)state;
	check_table(&style, "  ID   SIZE  NAME\n"
			    "   7  12345  caf\xc3\xa9\n"
			    "1234      1  a name of some length\n");
	style.columns = 20;
	check_table(&style, "  ID  NAME\n"
			    "   7  caf\xc3\xa9\n"
			    "1234  a name of some\n");
	style.columns = 3;
	check_table(&style, "  I\n"
			    "\n"
			    "123\n");
	style.columns = 1;
	check_table(&style, "\n\n1\n");
}

static void test_table_empty(void **state)
{
	struct buffer out = BUFFER_EMPTY;
	struct style style = {0};
	struct table table;

	(void)state;
	table_init(&table, columns, 4);
	assert_int_equal(table_print(&table, &style, &out), 0);
	assert_string_equal(buffer_text(&out), "ID  WHERE  SIZE  NAME\n");
	table_done(&table);
	table_done(NULL);
	buffer_done(&out);
}

/* --- style ------------------------------------------------------------------------------------ */

static void check_wrap(size_t width, const char *text, size_t indent, size_t used,
		       const char *expected)
{
	struct style style = {.columns = width};
	struct buffer out = BUFFER_EMPTY;

	style_wrap(&out, &style, text, indent, used);
	assert_string_equal(buffer_text(&out), expected);
	buffer_done(&out);
}

static void test_wrap(void **state)
{
	(void)state;
	check_wrap(0, "one two three", 0, 0, "one two three\n");
	check_wrap(7, "one two three", 0, 0, "one two\nthree\n");
	check_wrap(9, "one two three", 2, 4, "one\n  two\n  three\n");
	check_wrap(4, "incomprehensible it is", 1, 0, "incomprehensible\n it\n is\n");
	check_wrap(10, "", 0, 0, "\n");
}

static void test_names(void **state)
{
	static const char full[REC_COMM_BYTES] = "sixteen bytes!!!"; /* no NUL */
	struct style utf8 = {.unicode = true}, ascii = {0};
	struct buffer out = BUFFER_EMPTY;

	(void)state;
	style_comm(&out, &utf8, full);
	assert_string_equal(buffer_text(&out), "sixteen bytes!!!");
	buffer_reset(&out);
	style_name(&out, &utf8, "\xc3\xa9\x1b", 3);
	assert_string_equal(buffer_text(&out), "\xc3\xa9\\x1b");
	buffer_reset(&out);
	style_name(&out, &ascii, "\xc3\xa9\x1b", 3);
	assert_string_equal(buffer_text(&out), "\\u{e9}\\x1b");
	buffer_done(&out);
}

/* --- clock and coverage ----------------------------------------------------------------------- */

static void test_clock(void **state)
{
	struct fixture *f = *state;
	struct buffer out = BUFFER_EMPTY;

	clock_utc(&out, &f->host, 1000 * SECOND + 123456789);
	assert_string_equal(buffer_text(&out), "2026-01-31T12:00:00.123456789Z");
	buffer_reset(&out);
	clock_utc(&out, &f->host, 0);
	assert_string_equal(buffer_text(&out), "2026-01-31T11:43:20.000000000Z");
	buffer_reset(&out);
	f->host.realtime_offset_ns = -1; /* a clock that was never set */
	clock_utc(&out, &f->host, 0);
	assert_string_equal(buffer_text(&out), "1969-12-31T23:59:59.999999999Z");
	buffer_reset(&out);
	f->host.realtime_offset_ns = 0;
	clock_day(&out, &f->host, 1234567, 6);
	assert_string_equal(buffer_text(&out), "00:00:00.001234");
	buffer_done(&out);
}

static void check_coverage(const struct fixture *f, const char *expected)
{
	struct style style = {0};
	struct buffer out = BUFFER_EMPTY;
	struct coverage coverage;

	coverage_fill(&coverage, f->atlas, &f->host, f->now * SECOND);
	coverage_text(&out, &style, &coverage);
	assert_string_equal(buffer_text(&out), expected);
	buffer_done(&out);
}

static void test_coverage(void **state)
{
	struct fixture *f = *state;

	fx_small_host(f);
	check_coverage(f, "");
	f->host.partial_view = true;
	check_coverage(f, "box, 12:00:00 to 12:00:00: PARTIAL VIEW: not the initial pid namespace, "
			  "only some of the host's tasks are seen");
	f->host.partial_view = false;
	f->now += 5;
	fx_loss(f, REC_EXIT, REC_LOSS_RING_FULL, 1);
	fx_loss(f, REC_MAPS, REC_LOSS_RING_FULL, 1234);
	check_coverage(f, "box, 12:00:00 to 12:00:05: 1,235 records were lost (exit 1, maps 1234; "
			  "ring_full); NOT complete: not healed since 12:00:05");
}

static void test_coverage_before_the_seed(void **state)
{
	struct fixture *f = *state;

	fx_seed_begin(f);
	check_coverage(f,
		       "box, 12:00:00 to 12:00:00: NOT complete: the walk over all tasks had not "
		       "ended");
}

#define with_host(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_table_wide),
	    cmocka_unit_test(test_table_color),
	    cmocka_unit_test(test_table_narrow),
	    cmocka_unit_test(test_table_empty),
	    cmocka_unit_test(test_wrap),
	    cmocka_unit_test(test_names),
	    with_host(test_clock),
	    with_host(test_coverage),
	    with_host(test_coverage_before_the_seed),
	};

	/* Times of day are local ones. */
	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
