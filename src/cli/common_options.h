/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that several commands have. */
#ifndef TASKATLAS_CLI_COMMON_OPTIONS_H
#define TASKATLAS_CLI_COMMON_OPTIONS_H

#include "cli/cmd.h"

#define OPTION_ROWS(rows) (rows), sizeof(rows) / sizeof((rows)[0])

/* Of every command. */
struct general_args {
	bool json;
	bool help;
};
extern const struct option_row general_rows[];
#define GENERAL_ROWS_NR 2
/* The group of a command whose struct has it as member `general`. */
#define GENERAL_GROUP(container)                                                                   \
	{                                                                                          \
		"General", general_rows, GENERAL_ROWS_NR, offsetof(container, general)             \
	}

/* Of every command that follows the running host. */
#define LIVE_RING_DEFAULT UINT64_MAX /* so that --ring 0 is an error */
struct live_args {
	uint64_t ring_bytes; /* LIVE_RING_DEFAULT = by the number of CPUs */
};
extern const struct option_row live_rows[];
#define LIVE_ROWS_NR 1
#define LIVE_GROUP(container)                                                                      \
	{                                                                                          \
		"Live source", live_rows, LIVE_ROWS_NR, offsetof(container, live)                  \
	}

/* Are they such that live_open() takes them? 0, or EXIT_USAGE with all said. */
int live_args_check(const struct command *command, const struct live_args *args);

/* Parse an operand or value that is a process id. 0, or EXIT_USAGE with all said. */
int pid_parse(const struct command *command, const char *text, uint32_t *ret);

#endif
