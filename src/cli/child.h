/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A command that is started under our eyes: forked at once, but it runs only when it is told to go,
 * so that nothing that it does comes too early to be seen.
 */
#ifndef TASKATLAS_CLI_CHILD_H
#define TASKATLAS_CLI_CHILD_H

#include <sys/types.h>

#include "base/message.h"

struct child {
	pid_t pid;   /* 0 = none */
	int pidfd;   /* readable when the process has ended */
	int go_fd;   /* closing it without a byte ends the child */
	int exec_fd; /* tells why exec failed; closed by a successful one */
};

#define CHILD_NONE ((struct child){.pidfd = -1, .go_fd = -1, .exec_fd = -1})

/* Fork; the child waits. argv ends with NULL. 0 or -errno. */
int child_start(struct child *ret, char **argv, struct message *why);

/* Let it run and wait for its exec. 0, or -errno if that failed. */
int child_go(struct child *child, struct message *why);

/* Has it ended? Then 1 and its wait status; else 0. */
int child_ended(struct child *child, int *ret_status);

/* Give up what is held; a child that was not told to go ends. Takes CHILD_NONE. */
void child_done(struct child *child);

#endif
