// SPDX-License-Identifier: GPL-2.0-only
#include "cli/help.h"

#define TEXT_COLUMNS 100 /* where the width is not given */
#define INDENT 2
#define HELP_COLUMN 26 /* where an option's text begins, if there is room */
#define NARROW 60      /* else it goes below, indented by */
#define NARROW_COLUMN 6

static void add_heading(struct buffer *out, const struct style *style, const char *text)
{
	buffer_add_text(out, "\n");
	style_begin(out, style, COLOR_BOLD);
	buffer_format(out, "%s:", text);
	style_end(out, style, COLOR_BOLD);
	buffer_add_text(out, "\n");
}

/* Text at HELP_COLUMN of a line that begins at `start` in the buffer; below it if there is no room.
 */
static void add_text(struct buffer *out, const struct style *style, size_t start, const char *text)
{
	size_t column = style->columns < NARROW ? NARROW_COLUMN : HELP_COLUMN;
	size_t used = out->len - start;

	if (used + 2 > column) {
		buffer_add_text(out, "\n");
		used = 0;
	}
	buffer_fill(out, ' ', column - used);
	style_wrap(out, style, text, column, column);
}

static void add_row(struct buffer *out, const struct style *style, const struct option_row *row)
{
	size_t start = out->len;

	if (row->letter)
		buffer_format(out, "  -%c, ", row->letter);
	else
		buffer_add_text(out, "      ");
	buffer_format(out, "--%s%s%s", row->name, row->argument ? " " : "",
		      row->argument ? row->argument : "");
	add_text(out, style, start, row->help);
}

static void add_command(struct buffer *out, const struct style *style,
			const struct command *command)
{
	buffer_format(out, "Usage: taskatlas %s [OPTIONS]%s%s\n", command->name,
		      *command->operands ? " " : "", command->operands);
	for (const char *const *text = command->description; *text; text++) {
		buffer_add_text(out, "\n");
		style_wrap(out, style, *text, 0, 0);
	}
	for (const struct option_group *group = command->groups; group->rows; group++) {
		add_heading(out, style, group->title);
		for (size_t i = 0; i < group->nr; i++)
			add_row(out, style, &group->rows[i]);
	}
}

static void add_program(struct buffer *out, const struct style *style)
{
	buffer_add_text(out, "Usage: taskatlas COMMAND [OPTIONS]\n"
			     "       taskatlas --version | --help\n\n");
	style_wrap(
	    out, style,
	    "A live, exact atlas of this host: every task, process, address space and mapping "
	    "in it, however long ago they began.",
	    0, 0);
	add_heading(out, style, "Commands");
	for (const struct command *const *command = commands; *command; command++) {
		size_t start = out->len;

		buffer_fill(out, ' ', INDENT);
		buffer_add_text(out, (*command)->name);
		add_text(out, style, start, (*command)->summary);
	}
	buffer_add_text(out, "\n");
	style_wrap(
	    out, style,
	    "taskatlas COMMAND --help tells more. Exit status: 0 good; 1 failure, difference "
	    "found, or not complete; 2 usage.",
	    0, 0);
}

void help_add(struct buffer *out, const struct style *style, const struct command *command)
{
	struct style fitted = *style;

	if (!fitted.columns || fitted.columns > TEXT_COLUMNS)
		fitted.columns = TEXT_COLUMNS;
	if (command)
		add_command(out, &fitted, command);
	else
		add_program(out, &fitted);
}
