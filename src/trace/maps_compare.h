/* SPDX-License-Identifier: GPL-2.0-only */
/* The mappings of one process, the atlas beside /proc. Private to src/trace/. */
#ifndef TASKATLAS_MAPS_COMPARE_H
#define TASKATLAS_MAPS_COMPARE_H

#include "atlas/atlas.h"
#include "atlas/host.h"
#include "trace/proc_maps.h"
#include "trace/verify.h"

struct maps_line;

/* One difference; a side that has nothing there is NULL. */
typedef void (*maps_difference_fn)(void *ctx, enum verify_kind kind, const struct maps_line *atlas,
				   const struct proc_mapping *proc);

/*
 * Compare what the atlas has for `process` with the file at path. Returns how many mappings are
 * equal, or -errno of reading the file; fn (may be NULL) is told the others.
 */
long maps_compare(const struct atlas *atlas, const struct host *host, const struct process *process,
		  const char *path, maps_difference_fn fn, void *ctx);

#endif
