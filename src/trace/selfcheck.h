/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Before anything is believed: is what the kernel side reads of our own space what
 * /proc/self/maps says? Private to src/trace/.
 */
#ifndef TASKATLAS_SELFCHECK_H
#define TASKATLAS_SELFCHECK_H

#include "atlas/host.h"
#include "trace/kernel.h"

/*
 * Walk over our own process (the kernel's sink must apply to `atlas`) and compare. 0; -EBADE with
 * the first line that differs in `why`: this kernel is not read rightly, and must not be.
 */
int selfcheck(struct kernel *kernel, const struct atlas *atlas, const struct host *host,
	      struct message *why);

#endif
