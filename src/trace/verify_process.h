/* SPDX-License-Identifier: GPL-2.0-only */
/* One process, the atlas beside /proc. Private to src/trace/. */
#ifndef TASKATLAS_VERIFY_PROCESS_H
#define TASKATLAS_VERIFY_PROCESS_H

#include "base/buffer.h"
#include "trace/verify.h"

struct difference {
	enum verify_kind kind;
	size_t atlas, proc; /* where in texts the two lines begin, each ended by a NUL */
};

struct findings {
	struct difference *differences;
	size_t nr, room;
	struct buffer texts;
	uint64_t threads, mappings; /* that agree */
	bool vanished;              /* it ended: both sides say so */
};

/* Keeps its memory. */
void findings_reset(struct findings *findings);
void findings_done(struct findings *findings);

/* Print of all differences: two comparisons with the same print found the same. 0 = none. */
uint64_t findings_print(const struct findings *findings);

/* Compare. 0, or -errno of reading /proc: -EACCES and -EPERM mean that it cannot be compared. */
int verify_process(const struct atlas *atlas, const struct host *host, uint32_t tgid,
		   struct findings *ret);

#endif
