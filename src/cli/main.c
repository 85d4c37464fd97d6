// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program: sets up what every command relies on, then hands over to one of them.
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/common_options.h"
#include "cli/dump.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/stop.h"
#include "cli/terminal.h"

const struct command *const commands[] = {
    &command_check, &command_summary, &command_tree, &command_maps,
    &command_trace, &command_verify,  NULL,
};

/* The program's help on stdout. Returns exit_status. */
static int print_help(const struct command *command)
{
	struct style style = terminal_style(STDOUT_FILENO);
	struct buffer out = BUFFER_EMPTY;
	int status;

	help_add(&out, &style, command);
	status = output_print(&out);
	buffer_done(&out);
	return status;
}

static int print_version(void)
{
	struct buffer out = BUFFER_EMPTY;
	int status;

	buffer_add_text(&out, "taskatlas " TASKATLAS_VERSION "\n");
	status = output_print(&out);
	buffer_done(&out);
	return status;
}

/* Without a command the help goes to stderr: nobody asked for it as data. */
static int no_command(void)
{
	struct style style = terminal_style(STDERR_FILENO);
	struct buffer out = BUFFER_EMPTY;
	ssize_t written;

	help_add(&out, &style, NULL);
	written = write(STDERR_FILENO, buffer_text(&out), out.len);
	(void)written;
	buffer_done(&out);
	return EXIT_USAGE;
}

int command_parse(const struct command *command, void *args, int argc, char **argv,
		  int *ret_operand)
{
	const struct general_args *general = args;
	struct message why = {0};
	int error = options_parse(command->groups, args, argc, argv, command->stop_at_operand,
				  ret_operand, &why);

	if (error == -ENOMEM)
		return fail("out of memory");
	if (error)
		return usage_error(command, "%s", why.text);
	if (general->help)
		return print_help(command);
	if (!*command->operands && *ret_operand < argc)
		return usage_error(command, "it takes no operand, and '%s' is one",
				   argv[*ret_operand]);
	return PARSED_RUN;
}

static const struct command *find_command(const char *name)
{
	for (const struct command *const *command = commands; *command; command++) {
		if (!strcmp((*command)->name, name))
			return *command;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct command *command;

	output_init();
	stop_init();
	tzset();
	if (argc < 2)
		return no_command();
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_help(NULL);
	if (!strcmp(argv[1], "--version"))
		return print_version();
	if (!strcmp(argv[1], "--dump-options"))
		return dump_options(argc - 2, argv + 2);
	command = find_command(argv[1]);
	if (command)
		return command->run(argc - 1, argv + 1);
	if (argv[1][0] == '-')
		return usage_error(NULL, "there is no option %s in front of a command", argv[1]);
	return usage_error(NULL, "there is no command '%s'", argv[1]);
}
