/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command-line options from static tables. A table is the only place where an option is said: the
 * parser, --help, the manual page and the shell completions are all made from it.
 *
 * A command has a list of groups, ended by one without rows. A group's rows store into one struct,
 * which sits at `offset` in the command's own; so a group can be shared by several commands.
 * Defaults are what the struct holds before parsing.
 */
#ifndef TASKATLAS_OPTIONS_H
#define TASKATLAS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/message.h"

enum option_type {
	OPTION_NONE = 0,
	OPTION_FLAG,     /* no argument; stores true into a bool */
	OPTION_DURATION, /* stores nanoseconds into a uint64_t, within [min, max] */
	OPTION_SIZE,     /* stores bytes into a uint64_t, within [min, max] */
	OPTION_NUMBER,   /* stores a uint64_t, within [min, max] */
	OPTION_TEXT,     /* stores the argument into a const char * */
	OPTION_TEXTS,    /* may be repeated; appends to a struct text_list */
	OPTION_TYPE_NR
};

/* Arguments of a repeatable option, in the order given. The texts belong to argv. */
struct text_list {
	const char **items; /* owned */
	size_t nr;
};

/* Takes NULL. */
void text_list_done(struct text_list *list);

struct option_row {
	const char *name; /* without the dashes */
	char letter;      /* short form; 0 = none */
	enum option_type type;
	size_t offset;        /* into the group's struct; see OPTION_AT() */
	uint64_t min, max;    /* for the types that say so; max 0 = none */
	const char *argument; /* what --help calls it, e.g. "TIME"; NULL for flags */
	const char *words;    /* completions: words with blanks between, or "<user>", "<file>",
			       * "<pid>"; NULL = none */
	const char *help;     /* whole sentences */
};

/* The offset of a member, which must have the type that the option stores. */
#define OPTION_AT(container, member, type)                                                         \
	(offsetof(container, member) +                                                             \
	 0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((container *)0)->member), type)  \
			     ? 1                                                                   \
			     : -1]))

struct option_group {
	const char *title; /* heading in --help, e.g. "Filters" */
	const struct option_row *rows;
	size_t nr;
	size_t offset; /* of the group's struct in the command's */
};

#define OPTIONS_MAX 64 /* rows of one command, all groups */

/*
 * Parse argv[1..argc): options into `args`, operands moved to the end, their first index in
 * *ret_operand. With `stop_at_operand` the first operand ends the options. 0; -EINVAL with the
 * sentence in `why`; -ENOMEM. Lists in `args` must be freed in every case.
 */
int options_parse(const struct option_group *groups, void *args, int argc, char **argv,
		  bool stop_at_operand, int *ret_operand, struct message *why);

#endif
