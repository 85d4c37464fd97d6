// SPDX-License-Identifier: GPL-2.0-only
/* User space: reads the ring, applies to the atlas, tells it of losses. */
#include "tests/sim/world.h"

#include <string.h>

void user_attach(struct world *w, uint32_t hooks)
{
	w->attached |= hooks;
	w->user.drain_to = w->ring.tail;
}

/* What the records have told of names, for compare.c. */
static void note_name(struct world *w, const struct rec_hdr *hdr)
{
	if (hdr->kind == REC_FILE) {
		const struct rec_file *r = (const struct rec_file *)hdr;
		const uint64_t number = (r->file - 0xf000000ull) / 64;

		w->user.file[number].version = r->generation;
		w->user.file[number].known = true;
	}
	if (hdr->kind == REC_CGROUP)
		w->user.cgroup_known[((const struct rec_cgroup *)hdr)->id / 10] = true;
}

static void check(struct world *w)
{
	char why[256];

	if (atlas_check(w->atlas, why, sizeof(why)))
		world_fail(w, "atlas_check() after record %llu: %s",
			   (unsigned long long)w->user.nr_applied, why);
}

void user_apply(struct world *w, const void *record, size_t size)
{
	static const char *const names[REC_NR] = {
#define X(KIND, kind, type) [REC_##KIND] = #KIND,
	    RECORDS(X)
#undef X
	};
	const struct rec_hdr *hdr = record;
	const int error = atlas_apply(w->atlas, record, size);

	w->steps++;
	w->user.nr_applied++;
	if (w->config.trace)
		fprintf(w->config.trace, "#   apply %s tid %u of %u\n", names[hdr->kind], hdr->tid,
			hdr->tgid);
	if (error)
		world_fail(w, "atlas_apply(%s, tid %u): error %d", names[hdr->kind], hdr->tid,
			   error);
	note_name(w, hdr);
	if (w->user.nr_applied % w->config.check_once_in == 0)
		check(w);
}

static void tell_loss(struct world *w, uint32_t kind, uint32_t cause, uint64_t count)
{
	const struct rec_loss r = {
	    .hdr = {.kind = REC_LOSS, .size = sizeof(r), .time_ns = w->kernel.now},
	    .count = count,
	    .lost_kind = kind,
	    .cause = cause,
	};

	user_apply(w, &r, sizeof(r));
}

void user_poll(struct world *w)
{
	struct user *u = &w->user;

	for (uint32_t kind = 0; kind < REC_NR; kind++) {
		for (uint32_t cause = 0; cause < REC_LOSS_CAUSE_NR; cause++) {
			const uint64_t count = u->lost[kind][cause] - u->lost_told[kind][cause];

			if (!count)
				continue;
			u->lost_told[kind][cause] = u->lost[kind][cause];
			u->needs_walk = true;
			u->needs_names |=
			    kind == REC_NONE || kind == REC_FILE || kind == REC_CGROUP;
			u->drain_to = w->ring.tail;
			tell_loss(w, kind, cause, count);
		}
	}
}

/*
 * A walk's end removes what the walk did not meet, so what it lost on the way must be told before
 * the end is: all of that was counted before the end was reserved.
 */
void user_consume(struct world *w, uint32_t nr)
{
	const struct ring_place *at;

	while (nr-- && !w->failed && (at = ring_next(&w->ring))) {
		if (((const struct rec_hdr *)at->data)->kind == REC_WALK_END)
			user_poll(w);
		user_apply(w, at->data, at->size);
	}
}

bool user_may_walk(const struct world *w)
{
	return w->ring.head >= w->user.drain_to;
}
