// SPDX-License-Identifier: GPL-2.0-only
#include "trace/check.h"

#include <string.h>
#include <unistd.h>

#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/terminal.h"
#include "format/coverage.h"
#include "format/table.h"

struct check_args {
	struct general_args general;
};

static const struct option_group groups[] = {GENERAL_GROUP(struct check_args), {0}};

static const char *result_name(enum check_result result)
{
	switch (result) {
	case CHECK_OK:
		return "ok";
	case CHECK_DEGRADED:
		return "degraded";
	default:
		return "MISSING";
	}
}

static enum color result_color(enum check_result result)
{
	return result == CHECK_OK         ? COLOR_GREEN
	       : result == CHECK_DEGRADED ? COLOR_YELLOW
					  : COLOR_RED;
}

static void add_advice(struct buffer *out, const struct style *style, const struct check_item *item)
{
	if (item->result == CHECK_OK || !*item->advice)
		return;
	buffer_format(out, "%s: ", item->name);
	style_wrap(out, style, item->advice, 2, strlen(item->name) + 2);
}

static int print_text(struct buffer *out, const struct check_item *items, size_t nr)
{
	static const struct table_column columns[] = {
	    {"ITEM", false, 0},
	    {"RESULT", false, 0},
	    {"FOR", false, 1},
	    {"FOUND", false, 0},
	};
	struct style style = terminal_style(STDOUT_FILENO);
	struct table table;
	size_t end;
	int error;

	table_init(&table, columns, 4);
	for (size_t i = 0; i < nr; i++) {
		table_text(&table, COLOR_NONE, items[i].name);
		table_text(&table, result_color(items[i].result), result_name(items[i].result));
		table_text(&table, COLOR_NONE, items[i].what_for);
		style_name(table_cell(&table, COLOR_NONE), &style, items[i].found,
			   strlen(items[i].found));
	}
	error = table_print(&table, &style, out);
	table_done(&table);
	end = out->len;
	for (size_t i = 0; i < nr; i++) {
		if (out->len == end && items[i].result != CHECK_OK)
			buffer_add_text(out, "\n");
		add_advice(out, &style, &items[i]);
	}
	return error;
}

static int print_json(struct buffer *out, const struct check_item *items, size_t nr, bool good)
{
	struct json_object *array;
	struct json json;
	int error;

	json_init(&json);
	json_begin(&json, "check", NULL);
	json_add_flag(&json, json.root, "good", good);
	array = json_add_array(&json, json.root, "items");
	for (size_t i = 0; i < nr; i++) {
		struct json_object *item = json_add_object(&json, array, NULL);

		json_add_text(&json, item, "name", items[i].name);
		json_add_text(&json, item, "for", items[i].what_for);
		json_add_text(&json, item, "result",
			      items[i].result == CHECK_MISSING ? "missing"
							       : result_name(items[i].result));
		json_add_name(&json, item, "found", items[i].found, strlen(items[i].found));
		json_add_name(&json, item, "advice", items[i].advice, strlen(items[i].advice));
	}
	error = json_print(&json, out);
	buffer_add_text(out, "\n");
	json_done(&json);
	return error;
}

static int run(int argc, char **argv)
{
	struct check_args args = {0};
	struct check_item items[CHECK_ITEMS_MAX];
	struct buffer out = BUFFER_EMPTY;
	bool good = true;
	int operand, error, status = command_parse(&command_check, &args, argc, argv, &operand);
	size_t nr;

	if (status != PARSED_RUN)
		return status;
	nr = check_all(items);
	for (size_t i = 0; i < nr; i++)
		good = good && items[i].result != CHECK_MISSING;
	error = args.general.json ? print_json(&out, items, nr, good) : print_text(&out, items, nr);
	status = error ? fail("out of memory") : output_print(&out);
	buffer_done(&out);
	return status ? status : good ? EXIT_GOOD : EXIT_FAILED;
}

static const char *const description[] = {
    "Says what taskatlas needs from this machine, item by item, and what was found: privileges, "
    "kernel features, files, limits. For what is missing it says what to do. Nothing is loaded "
    "into the kernel.",
    "Exits 1 if something is missing without which the other commands do not work; what is only "
    "degraded does not count.",
    NULL,
};

const struct command command_check = {
    .name = "check",
    .operands = "",
    .summary = "what taskatlas needs from this machine, and what is missing",
    .description = description,
    .groups = groups,
    .run = run,
};
