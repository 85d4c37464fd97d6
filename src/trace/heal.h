/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When to look again: the policy of repair. Pure: fed with records, asked what to do next; no I/O.
 *
 * - A range that could not be read: its process is walked, at once, then with growing pauses.
 * - Anything lost: a walk over everything, when the ring is drained. The pause before the next one
 *   grows while walks end suspect, and is never shorter than what the last walk took times four, so
 *   that a host in permanent overload gets periodic walks and no more.
 */
#ifndef TASKATLAS_HEAL_H
#define TASKATLAS_HEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "atlas/atlas.h"

#define HEAL_PROCESSES_MAX 256

struct heal_process {
	uint32_t tgid;
	uint32_t tries;
	uint64_t due_ns;
};

struct heal {
	bool full;              /* a full walk is wanted */
	uint64_t full_due_ns;   /* not before */
	uint64_t full_pause_ns; /* before the next one, if this one does not heal */
	uint32_t nr;
	struct heal_process process[HEAL_PROCESSES_MAX];
};

enum heal_action {
	HEAL_NONE = 0,
	HEAL_PROCESS, /* walk over *ret_tgid */
	HEAL_FULL,    /* walk over everything */
};

/* See a record that was just applied. */
void heal_see(struct heal *heal, const struct rec_hdr *record, uint64_t now_ns);

/* A full walk is wanted. */
void heal_want_full(struct heal *heal, uint64_t now_ns);

/* What is due now? It is taken off the list: carry it out, then tell with heal_done(). */
enum heal_action heal_next(struct heal *heal, uint64_t now_ns, uint32_t *ret_tgid);

/* A full walk has ended after took_ns; is the atlas still suspect? */
void heal_done(struct heal *heal, uint64_t now_ns, uint64_t took_ns, bool suspect);

/* Is something wanted, due or not? */
bool heal_pending(const struct heal *heal);

#endif
