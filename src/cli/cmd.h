/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a command is. One file a command, each with one static description from which its parser,
 * --help, manual section and completions are made. A command parses, calls, prints; nothing else.
 *
 * Exit status: 0 good; 1 failure, difference found, or not complete; 2 usage.
 */
#ifndef TASKATLAS_CLI_CMD_H
#define TASKATLAS_CLI_CMD_H

#include "base/options.h"

enum exit_status { EXIT_GOOD = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* command.description and similar lists of paragraphs end with NULL. */
struct command {
	const char *name;
	const char *operands; /* as in the synopsis, e.g. "[PID]"; "" = none */
	const char *summary;  /* one line without a full stop */
	const char *const *description;
	const struct option_group *groups; /* ended by one without rows */
	bool stop_at_operand;              /* the first operand ends the options */
	int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns exit_status */
};

/* Every command, in the order of --help; ended by NULL. */
extern const struct command *const commands[];
extern const struct command command_check, command_trace, command_tree, command_maps,
    command_summary, command_verify;

#define PARSED_RUN (-1)

/*
 * Parse a command's options into `args`, the first member of which must be its struct general_args.
 * PARSED_RUN: go on, the operands begin at *ret_operand. Else all is said and this is the exit
 * status.
 */
int command_parse(const struct command *command, void *args, int argc, char **argv,
		  int *ret_operand);

/* Say what is wrong with a command line on stderr. Returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int usage_error(const struct command *command,
						      const char *format, ...);

#endif
