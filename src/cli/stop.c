// SPDX-License-Identifier: GPL-2.0-only
#include "cli/stop.h"

#include <stddef.h>

static volatile sig_atomic_t asked;

static const int asking[] = {SIGINT, SIGTERM, SIGHUP};
#define ASKING_NR (sizeof(asking) / sizeof(asking[0]))

/* As it was before: of `asking`, then of SIGPIPE. */
static struct sigaction before[ASKING_NR + 1];

static void on_signal(int signal)
{
	(void)signal;
	asked = 1;
}

void stop_init(void)
{
	/* Without SA_RESTART: what waits comes back and looks at the flag. */
	struct sigaction stop = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	for (size_t i = 0; i < ASKING_NR; i++) {
		sigaction(asking[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(asking[i], &stop, NULL);
	}
	sigaction(SIGPIPE, &ignore, &before[ASKING_NR]);
}

const volatile sig_atomic_t *stop_flag(void)
{
	return &asked;
}

void stop_undo(void)
{
	for (size_t i = 0; i < ASKING_NR; i++)
		sigaction(asking[i], &before[i], NULL);
	sigaction(SIGPIPE, &before[ASKING_NR], NULL);
}
