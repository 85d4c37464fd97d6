/* SPDX-License-Identifier: GPL-2.0-only */
/* --help, made from the commands' tables. */
#ifndef TASKATLAS_CLI_HELP_H
#define TASKATLAS_CLI_HELP_H

#include "cli/cmd.h"
#include "format/style.h"

/* Append the help of a command, or, with NULL, of the program. */
void help_add(struct buffer *out, const struct style *style, const struct command *command);

#endif
