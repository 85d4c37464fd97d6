// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/options.h"

struct shared {
	bool json;
};

struct args {
	const char *name;
	struct text_list users;
	uint64_t time_ns, bytes, count;
	bool all;
	struct shared shared;
};

static const struct option_row own_rows[] = {
    {.name = "name",
     .letter = 'n',
     .type = OPTION_TEXT,
     .argument = "NAME",
     .offset = OPTION_AT(struct args, name, const char *)},
    {.name = "user",
     .type = OPTION_TEXTS,
     .argument = "USER",
     .offset = OPTION_AT(struct args, users, struct text_list)},
    {.name = "for",
     .type = OPTION_DURATION,
     .argument = "TIME",
     .offset = OPTION_AT(struct args, time_ns, uint64_t)},
    {.name = "size",
     .type = OPTION_SIZE,
     .argument = "SIZE",
     .min = 1024,
     .max = 1 << 20,
     .offset = OPTION_AT(struct args, bytes, uint64_t)},
    {.name = "count",
     .letter = 'c',
     .type = OPTION_NUMBER,
     .argument = "N",
     .min = 1,
     .offset = OPTION_AT(struct args, count, uint64_t)},
    {.name = "all",
     .letter = 'a',
     .type = OPTION_FLAG,
     .offset = OPTION_AT(struct args, all, bool)},
};
static const struct option_row shared_rows[] = {
    {.name = "json",
     .letter = 'j',
     .type = OPTION_FLAG,
     .offset = OPTION_AT(struct shared, json, bool)},
};
static const struct option_group groups[] = {
    {"Own", own_rows, sizeof(own_rows) / sizeof(own_rows[0]), 0},
    {"Shared", shared_rows, 1, offsetof(struct args, shared)},
    {0},
};

#define ARGV_MAX 16

/* Parse words given one after the other, ended by NULL. */
static int parse(struct args *args, bool stop, int *ret_operand, struct message *why, ...)
{
	static char *argv[ARGV_MAX + 1];
	int argc = 0;
	va_list list;

	argv[argc++] = (char *)"program";
	va_start(list, why);
	while ((argv[argc] = va_arg(list, char *)))
		argc++;
	va_end(list);
	*args = (struct args){.count = 5};
	*why = (struct message){0};
	return options_parse(groups, args, argc, argv, stop, ret_operand, why);
}

static void test_every_type(void **state)
{
	struct args args;
	struct message why;
	int operand;

	(void)state;
	assert_int_equal(parse(&args, false, &operand, &why, "--name", "x", "--user=a", "one",
			       "--user", "b", "--for", "1.5s", "--size=64K", "-c7", "-aj", "two",
			       NULL),
			 0);
	assert_string_equal(args.name, "x");
	assert_int_equal(args.users.nr, 2);
	assert_string_equal(args.users.items[0], "a");
	assert_string_equal(args.users.items[1], "b");
	assert_true(args.time_ns == UINT64_C(1500000000));
	assert_true(args.bytes == 65536);
	assert_true(args.count == 7);
	assert_true(args.all);
	assert_true(args.shared.json);
	assert_int_equal(operand, 11); /* of 13 words the last two are operands, moved there */
	text_list_done(&args.users);
	text_list_done(&args.users);
	text_list_done(NULL);
}

static void test_defaults_stay(void **state)
{
	struct args args;
	struct message why;
	int operand;

	(void)state;
	assert_int_equal(parse(&args, false, &operand, &why, NULL), 0);
	assert_int_equal(operand, 1);
	assert_null(args.name);
	assert_true(args.count == 5);
	assert_false(args.shared.json);
}

static void test_operands_stop(void **state)
{
	struct args args;
	struct message why;
	int operand;

	(void)state;
	assert_int_equal(parse(&args, true, &operand, &why, "-a", "sh", "-c", "x", NULL), 0);
	assert_int_equal(operand, 2);
	assert_true(args.all);
	assert_true(args.count == 5);
	assert_int_equal(parse(&args, false, &operand, &why, "-a", "--", "--json", NULL), 0);
	assert_int_equal(operand, 3);
	assert_false(args.shared.json);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *first, *second, *why;
	} bad[] = {
	    {"--nonsense", NULL, "there is no option --nonsense, or it may mean several"},
	    {"-x", NULL, "there is no option -x"},
	    {"--name", NULL, "--name wants an argument, NAME"},
	    {"-n", NULL, "--name wants an argument, NAME"},
	    {"--all=1", NULL, "--all takes no argument"},
	    {"--for", "-1s", "--for wants a time such as 10s, 500ms or 1.5h, not '-1s'"},
	    {"--for", "soon", "--for wants a time such as 10s, 500ms or 1.5h, not 'soon'"},
	    {"--size", "3X", "--size wants a size such as 64K or 4M, not '3X'"},
	    {"--size", "1000", "--size 1000 is out of range"},
	    {"--size", "1G", "--size 1G is out of range"},
	    {"--count", "0", "--count 0 is out of range"},
	    {"--count", "seven", "--count wants a number, not 'seven'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct args args;
		struct message why;
		int operand = -7;

		assert_int_equal(
		    parse(&args, false, &operand, &why, bad[i].first, bad[i].second, NULL),
		    -EINVAL);
		assert_string_equal(why.text, bad[i].why);
		assert_int_equal(operand, -7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_type),
	    cmocka_unit_test(test_defaults_stay),
	    cmocka_unit_test(test_operands_stop),
	    cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
