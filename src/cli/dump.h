/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is made from the commands' tables for the build and for packages: sections of the manual
 * page and shell completions. Behind an option that --help does not tell.
 */
#ifndef TASKATLAS_CLI_DUMP_H
#define TASKATLAS_CLI_DUMP_H

#include "base/buffer.h"

/* `taskatlas --dump-options man|bash|zsh`: print it. Returns exit_status. */
int dump_options(int argc, char **argv);

/* Append COMMANDS of the manual page, in scdoc's language. */
void dump_man(struct buffer *out);
/* Append a completion script. */
void dump_bash(struct buffer *out);
void dump_zsh(struct buffer *out);

#endif
