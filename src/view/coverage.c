// SPDX-License-Identifier: GPL-2.0-only
#include "view/coverage.h"

#include <string.h>

void coverage_fill(struct coverage *ret, const struct atlas *atlas, const struct host *host,
		   uint64_t to_ns)
{
	const struct atlas_state *state = atlas_state(atlas);
	struct atlas_counts counts;

	atlas_counts(atlas, &counts);
	*ret = (struct coverage){
	    .host = host,
	    .from_ns = state->first_ns,
	    .to_ns = to_ns,
	    .complete = state->seeded && !state->suspect && !state->suspect_spaces,
	    .seeded = state->seeded,
	    .suspect = state->suspect || state->suspect_spaces,
	    .suspect_since_ns = state->suspect_since_ns,
	    .suspect_spaces = state->suspect_spaces,
	    .births_missed = counts.births_missed,
	    .exits_missed = counts.exits_missed,
	};
	memcpy(ret->lost_by_kind, counts.lost, sizeof(ret->lost_by_kind));
	memcpy(ret->lost_by_cause, counts.lost_by_cause, sizeof(ret->lost_by_cause));
	for (size_t i = 0; i < REC_LOSS_CAUSE_NR; i++)
		ret->lost += counts.lost_by_cause[i];
	for (size_t i = 0; i < MAPPING_CHANGE_NR; i++)
		ret->drift += counts.drift[i];
}
