/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals. SIGINT, SIGTERM and SIGHUP ask for a clean end: detach, drain, print. The second one of
 * a kind kills, as a way out of a blocked output. What was ignored when we were started stays
 * ignored.
 */
#ifndef TASKATLAS_CLI_STOP_H
#define TASKATLAS_CLI_STOP_H

#include <signal.h>

/* Install the handlers and ignore SIGPIPE. */
void stop_init(void);

/* Non-zero once a signal has asked for the end. */
const volatile sig_atomic_t *stop_flag(void);

/* In a forked child: put back what stop_init() has changed. */
void stop_undo(void);

#endif
