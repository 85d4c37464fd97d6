// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables are translated into getopt_long()'s array; a row's number is its getopt value, so that
 * neither names nor letters are looked at twice.
 */
#include "base/options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include "base/number.h"

#define FIRST_VALUE 256 /* getopt values below are characters */

/* One command's options as getopt wants them, and where each stores. */
struct table {
	struct option longs[OPTIONS_MAX + 1];
	char shorts[2 * OPTIONS_MAX + 3];
	const struct option_row *row[OPTIONS_MAX];
	char *base[OPTIONS_MAX];
	size_t nr;
};

void text_list_done(struct text_list *list)
{
	if (!list)
		return;
	free(list->items);
	*list = (struct text_list){0};
}

static int text_list_add(struct text_list *list, const char *item)
{
	const char **items = reallocarray(list->items, list->nr + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	items[list->nr++] = item;
	list->items = items;
	return 0;
}

static void table_fill(struct table *table, const struct option_group *groups, char *args,
		       bool stop_at_operand)
{
	char *shorts = table->shorts;

	*table = (struct table){0};
	if (stop_at_operand)
		*shorts++ = '+';
	*shorts++ = ':';
	for (; groups->rows; groups++) {
		for (size_t i = 0; i < groups->nr; i++) {
			const struct option_row *row = &groups->rows[i];

			assert(table->nr < OPTIONS_MAX);
			table->longs[table->nr] = (struct option){
			    .name = row->name,
			    .has_arg = row->argument ? required_argument : no_argument,
			    .val = FIRST_VALUE + (int)table->nr,
			};
			if (row->letter)
				*shorts++ = row->letter;
			if (row->letter && row->argument)
				*shorts++ = ':';
			table->row[table->nr] = row;
			table->base[table->nr++] = args + groups->offset;
		}
	}
}

/* The row of a getopt value, -1 for none. */
static int table_row(const struct table *table, int value)
{
	if (value >= FIRST_VALUE)
		return value - FIRST_VALUE;
	for (size_t i = 0; value && i < table->nr; i++) {
		if (table->row[i]->letter == value)
			return (int)i;
	}
	return -1;
}

static int parse_value(const struct option_row *row, const char *text, uint64_t *ret)
{
	uint64_t value = 0;
	int error;

	if (row->type == OPTION_DURATION)
		error = duration_parse(text, &value);
	else if (row->type == OPTION_SIZE)
		error = size_parse(text, &value);
	else
		error = number_parse(text, 0, UINT64_MAX, &value);
	if (error)
		return error;
	if (value < row->min || (row->max && value > row->max))
		return -ERANGE;
	*ret = value;
	return 0;
}

static const char *expected(enum option_type type)
{
	switch (type) {
	case OPTION_DURATION:
		return "a time such as 10s, 500ms or 1.5h";
	case OPTION_SIZE:
		return "a size such as 64K or 4M";
	default:
		return "a number";
	}
}

/* Store one option's value. */
static int store(const struct option_row *row, char *base, const char *text, struct message *why)
{
	void *at = base + row->offset;
	int error;

	switch (row->type) {
	case OPTION_FLAG:
		*(bool *)at = true;
		return 0;
	case OPTION_TEXT:
		*(const char **)at = text;
		return 0;
	case OPTION_TEXTS:
		return text_list_add(at, text);
	default:
		error = parse_value(row, text, at);
	}
	if (error == -ERANGE)
		return message_set(why, -EINVAL, "--%s %s is out of range", row->name, text);
	if (error)
		return message_set(why, -EINVAL, "--%s wants %s, not '%s'", row->name,
				   expected(row->type), text);
	return 0;
}

/* What getopt refused: `value` is '?' or ':'. */
static int refuse(const struct table *table, int value, char **argv, struct message *why)
{
	int row = table_row(table, optopt);

	if (value == ':' && row >= 0)
		return message_set(why, -EINVAL, "--%s wants an argument, %s",
				   table->row[row]->name, table->row[row]->argument);
	if (row >= 0)
		return message_set(why, -EINVAL, "--%s takes no argument", table->row[row]->name);
	if (optopt)
		return message_set(why, -EINVAL, "there is no option -%c", optopt);
	return message_set(why, -EINVAL, "there is no option %s, or it may mean several",
			   argv[optind - 1]);
}

int options_parse(const struct option_group *groups, void *args, int argc, char **argv,
		  bool stop_at_operand, int *ret_operand, struct message *why)
{
	struct table table;
	int value, row, error;

	table_fill(&table, groups, args, stop_at_operand);
	optind = 0; /* glibc: start afresh */
	opterr = 0;
	while ((value = getopt_long(argc, argv, table.shorts, table.longs, NULL)) != -1) {
		if (value == '?' || value == ':')
			return refuse(&table, value, argv, why);
		row = table_row(&table, value);
		error = store(table.row[row], table.base[row], optarg, why);
		if (error)
			return error;
	}
	*ret_operand = optind;
	return 0;
}
