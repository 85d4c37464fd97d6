/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers of tracepoints, from tracefs. Private to src/trace/. */
#ifndef TASKATLAS_TRACEFS_H
#define TASKATLAS_TRACEFS_H

#include "base/message.h"

/*
 * A descriptor of tracefs' events directory: that of the host's mount, or, where it has none, of a
 * mount that is attached nowhere and goes with the descriptor. -errno if neither works.
 */
int tracefs_events_open(struct message *why);

/* Number of the event "system/name"; -ENOENT if the kernel does not have it, or another -errno. */
int tracefs_event_number(int events_fd, const char *name);

#endif
