// SPDX-License-Identifier: GPL-2.0-only
#include "cli/dump.h"

#include <string.h>

#include "cli/cmd.h"
#include "cli/output.h"

/* Text with everything escaped that means something to scdoc. */
static void add_scdoc(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\*_<>#", *text))
			buffer_add_text(out, "\\");
		buffer_add(out, text, 1);
	}
}

static void man_option(struct buffer *out, const struct option_row *row)
{
	buffer_add_text(out, "\n");
	if (row->letter)
		buffer_format(out, "*-%c*, ", row->letter);
	buffer_format(out, "*--%s*", row->name);
	if (row->argument)
		buffer_format(out, " _%s_", row->argument);
	buffer_add_text(out, "\n\t");
	add_scdoc(out, row->help);
	buffer_add_text(out, "\n");
}

static void man_command(struct buffer *out, const struct command *command)
{
	buffer_format(out, "\n## taskatlas %s\n\n*taskatlas %s* [_OPTIONS_]", command->name,
		      command->name);
	if (*command->operands) {
		buffer_add_text(out, " ");
		add_scdoc(out, command->operands);
	}
	buffer_add_text(out, "\n");
	for (const char *const *text = command->description; *text; text++) {
		buffer_add_text(out, "\n");
		add_scdoc(out, *text);
		buffer_add_text(out, "\n");
	}
	for (const struct option_group *group = command->groups; group->rows; group++) {
		for (size_t i = 0; i < group->nr; i++)
			man_option(out, &group->rows[i]);
	}
}

void dump_man(struct buffer *out)
{
	buffer_add_text(out, "# COMMANDS\n");
	for (const struct command *const *command = commands; *command; command++)
		man_command(out, *command);
}

int dump_options(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*add)(struct buffer *out);
	} kinds[] = {{"man", dump_man}, {"bash", dump_bash}, {"zsh", dump_zsh}};
	struct buffer out = BUFFER_EMPTY;
	int status = -1;

	for (size_t i = 0; argc == 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(argv[0], kinds[i].name))
			continue;
		kinds[i].add(&out);
		status = output_print(&out);
	}
	buffer_done(&out);
	return status < 0 ? usage_error(NULL, "--dump-options wants man, bash or zsh") : status;
}
