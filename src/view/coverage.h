/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every output says about itself: which host, which time, what was lost, and whether the
 * answer is complete. No answer goes out without it.
 */
#ifndef TASKATLAS_VIEW_COVERAGE_H
#define TASKATLAS_VIEW_COVERAGE_H

#include "atlas/host.h"

struct coverage {
	const struct host *host;
	uint64_t from_ns, to_ns;   /* first record applied; the time that was answered for */
	bool complete;             /* seeded, and nothing lost is unhealed */
	bool seeded;               /* the first walk over all tasks has ended */
	bool suspect;              /* something was lost and is not healed */
	uint64_t suspect_since_ns; /* 0 = not suspect */
	uint32_t suspect_spaces;
	uint64_t lost; /* records, all kinds and causes, healed or not */
	uint64_t lost_by_kind[REC_NR];
	uint64_t lost_by_cause[REC_LOSS_CAUSE_NR];
	uint64_t births_missed, exits_missed; /* found by walks after losses */
	uint64_t drift;                       /* mapping changes that only a walk found */
};

/* The coverage of `atlas` as it is now, told to be the state at to_ns. */
void coverage_fill(struct coverage *ret, const struct atlas *atlas, const struct host *host,
		   uint64_t to_ns);

#endif
