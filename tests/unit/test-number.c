// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/number.h"

#define UNTOUCHED UINT64_C(77)
#define SECOND UINT64_C(1000000000)

static void test_number(void **state)
{
	static const char *const junk[] = {
	    "",        " 1",   "1 ",  "+1",  "-1",
	    "1x",      "0x10", "1.0", "1e3", "99999999999999999999999x",
	    "\xd9\xa1"};
	uint64_t value = UNTOUCHED;

	(void)state;
	for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++)
		assert_int_equal(number_parse(junk[i], 0, UINT64_MAX, &value), -EINVAL);
	assert_int_equal(number_parse("18446744073709551616", 0, UINT64_MAX, &value), -ERANGE);
	assert_int_equal(number_parse("0", 1, 10, &value), -ERANGE);
	assert_int_equal(number_parse("11", 1, 10, &value), -ERANGE);
	assert_true(value == UNTOUCHED);
	assert_int_equal(number_parse("18446744073709551615", 0, UINT64_MAX, &value), 0);
	assert_true(value == UINT64_MAX);
	assert_int_equal(number_parse("0010", 1, 10, &value), 0);
	assert_true(value == 10);
}

static void test_size(void **state)
{
	static const char *const junk[] = {"", "K", "1KB", "1T", "-1K", "1 K", "1.5M", "k1"};
	uint64_t value = UNTOUCHED;

	(void)state;
	for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++)
		assert_int_equal(size_parse(junk[i], &value), -EINVAL);
	assert_int_equal(size_parse("18446744073709551615K", &value), -ERANGE);
	assert_true(value == UNTOUCHED);
	assert_int_equal(size_parse("4096", &value), 0);
	assert_true(value == 4096);
	assert_int_equal(size_parse("64K", &value), 0);
	assert_true(value == 65536);
	assert_int_equal(size_parse("4m", &value), 0);
	assert_true(value == 4 << 20);
	assert_int_equal(size_parse("2G", &value), 0);
	assert_true(value == UINT64_C(2) << 30);
}

static void test_duration(void **state)
{
	static const char *const junk[] = {"",     "s",    "-1s", "1 s", "1.s",  ".5",
					   "1sec", "1h30", "1,5", "inf", "1.5.5"};
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
	    {"0", 0},
	    {"10", 10 * SECOND},
	    {"10s", 10 * SECOND},
	    {"500ms", SECOND / 2},
	    {"1.5s", 3 * SECOND / 2},
	    {"0.000000001", 1},
	    {"0.0000000019", 1},
	    {"7us", 7000},
	    {"9ns", 9},
	    {"2m", 120 * SECOND},
	    {"1.5m", 90 * SECOND},
	    {"1.25h", 4500 * SECOND},
	    {"1d", 86400 * SECOND},
	};
	uint64_t value = UNTOUCHED;

	(void)state;
	for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++)
		assert_int_equal(duration_parse(junk[i], &value), -EINVAL);
	assert_int_equal(duration_parse("3651d", &value), -ERANGE);
	assert_int_equal(duration_parse("99999999999d", &value), -ERANGE);
	assert_int_equal(duration_parse("18446744073709551616", &value), -ERANGE);
	assert_true(value == UNTOUCHED);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(duration_parse(good[i].text, &value), 0);
		assert_true(value == good[i].ns);
	}
}

static void test_output(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} durations[] = {
	    {0, "0ms"},
	    {SECOND - 1, "999ms"},
	    {SECOND, "1.0s"},
	    {60 * SECOND - 1, "59.9s"},
	    {60 * SECOND, "1m00s"},
	    {3599 * SECOND, "59m59s"},
	    {3660 * SECOND, "1h01m"},
	    {(86400 * 5 + 4 * 3600) * SECOND, "5d04h"},
	    {86400 * 1234 * SECOND, "1234d"},
	};
	struct buffer out = BUFFER_EMPTY;

	(void)state;
	for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++) {
		buffer_reset(&out);
		duration_add(&out, durations[i].ns);
		assert_string_equal(buffer_text(&out), durations[i].text);
	}
	buffer_reset(&out);
	number_group(&out, 0);
	buffer_add_text(&out, " ");
	number_group(&out, 999);
	buffer_add_text(&out, " ");
	number_group(&out, 1000);
	buffer_add_text(&out, " ");
	number_group(&out, UINT64_MAX);
	assert_string_equal(buffer_text(&out), "0 999 1,000 18,446,744,073,709,551,615");
	buffer_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_number),
	    cmocka_unit_test(test_size),
	    cmocka_unit_test(test_duration),
	    cmocka_unit_test(test_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
