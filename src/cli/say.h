/* SPDX-License-Identifier: GPL-2.0-only */
/* What goes to stderr. One sentence for one thing; names in it cannot drive a terminal. */
#ifndef TASKATLAS_CLI_SAY_H
#define TASKATLAS_CLI_SAY_H

/* Print "taskatlas: ..." and a newline. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/* The same; returns EXIT_FAILED. */
__attribute__((format(printf, 1, 2))) int fail(const char *format, ...);

#endif
