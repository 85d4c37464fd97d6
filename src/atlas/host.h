/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about the observed host that views need and no record tells. Filled by the source: the
 * live one asks the machine, a recording has them in its head.
 */
#ifndef TASKATLAS_HOST_H
#define TASKATLAS_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "atlas/atlas.h"

struct host {
	char hostname[65];          /* NUL-terminated bytes; escape before printing */
	char kernel[65];            /* uname -r */
	char boot_id[37];           /* "" = unknown */
	int64_t realtime_offset_ns; /* CLOCK_REALTIME minus CLOCK_BOOTTIME */
	uint32_t nr_cpus;           /* possible ones */
	uint32_t max_map_count;     /* vm.max_map_count */
	bool heap_touches;   /* before Linux 6.11: a mapping that only touches the break counts
			      * as [heap]; found by trying */
	bool has_gate;       /* /proc/PID/maps ends with `gate`, which is in no mm */
	bool partial_view;   /* not the initial pid namespace: only some tasks are seen */
	struct mapping gate; /* [vsyscall] */
};

#endif
