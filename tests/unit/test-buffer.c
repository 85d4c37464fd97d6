// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/buffer.h"

static void test_empty(void **state)
{
	struct buffer buffer = BUFFER_EMPTY;

	(void)state;
	assert_string_equal(buffer_text(&buffer), "");
	assert_int_equal(buffer.len, 0);
	buffer_add(&buffer, "x", 0);
	buffer_fill(&buffer, 'x', 0);
	buffer_format(&buffer, "%s", "");
	buffer_cut(&buffer, 0);
	assert_int_equal(buffer.len, 0);
	assert_int_equal(buffer_error(&buffer), 0);
	buffer_done(&buffer);
	buffer_done(&buffer);
	buffer_done(NULL);
}

static void test_grows(void **state)
{
	struct buffer buffer = BUFFER_EMPTY;

	(void)state;
	for (int i = 0; i < 10000; i++)
		buffer_format(&buffer, "%04d,", i);
	assert_int_equal(buffer.len, 50000);
	assert_memory_equal(buffer.data + 5 * 4321, "4321,", 5);
	assert_int_equal(buffer.data[50000], 0);
	buffer_cut(&buffer, 5);
	assert_string_equal(buffer_text(&buffer), "0000,");
	buffer_cut(&buffer, 99);
	buffer_fill(&buffer, '-', 3);
	buffer_add(&buffer, "a\0b", 3);
	assert_int_equal(buffer.len, 11);
	assert_memory_equal(buffer.data, "0000,---a\0b", 12);
	buffer_done(&buffer);
}

static void test_error_sticks(void **state)
{
	struct buffer buffer = BUFFER_EMPTY;

	(void)state;
	buffer_add_text(&buffer, "kept");
	buffer_fill(&buffer, 'x', SIZE_MAX / 2);
	assert_int_equal(buffer_error(&buffer), -ENOMEM);
	buffer_add_text(&buffer, "dropped");
	assert_string_equal(buffer_text(&buffer), "kept");
	buffer_reset(&buffer);
	buffer_add_text(&buffer, "again");
	assert_int_equal(buffer_error(&buffer), 0);
	assert_string_equal(buffer_text(&buffer), "again");
	buffer_done(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_grows),
	    cmocka_unit_test(test_error_sticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
