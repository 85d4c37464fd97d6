/* SPDX-License-Identifier: GPL-2.0-only */
/* What stdout and stderr are: terminals or not, how wide, in which character set. */
#ifndef TASKATLAS_CLI_TERMINAL_H
#define TASKATLAS_CLI_TERMINAL_H

#include "format/style.h"

/*
 * The style for a descriptor. Only a terminal has a width (COLUMNS, else what the terminal says)
 * and colours (unless NO_COLOR is set or TERM is dumb). The character set is the locale's.
 */
struct style terminal_style(int fd);

/* May a line there be overwritten, to show progress? */
bool terminal_can_rewrite(int fd);

#endif
