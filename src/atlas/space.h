/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address spaces: who runs in them, under which key of the kernel the records speak of them, and
 * what is known of them.
 *
 *	bound		the key finds it: MAPS records change it
 *	floating	bound, and no process is known that runs there; kept for one that comes
 *	unbound		another space took the key over (fork and exec always open a new one), or
 *	frozen		the last process that ran there ended: it stays as it was
 */
#ifndef TASKATLAS_ATLAS_SPACE_H
#define TASKATLAS_ATLAS_SPACE_H

#include "atlas/model.h"

static inline struct space_node *space_of(const struct process_node *process)
{
	return (struct space_node *)process->pub.space;
}

/* The space that a key means now; NULL = none. */
struct space_node *space_by_key(const struct atlas *atlas, uint64_t key);

/*
 * A new space for a key (not 0), and for nobody yet: whoever calls lets a process join it, or
 * leaves it floating. What the key meant before is unbound. `source`, if any, is copied: mappings,
 * brk, what is known of it. -ENOMEM: nothing changed.
 */
int space_open(struct atlas *atlas, uint64_t key, const struct space_node *source,
	       struct space_node **ret);

/* Drop a space that floats. */
void space_close(struct atlas *atlas, struct space_node *space);

/* Drop floating ones: the oldest beyond FLOATING_MAX, or all. */
void spaces_trim(struct atlas *atlas, bool all);

/* A running process goes into a space; it must have left the one before. */
void space_join(struct atlas *atlas, struct process_node *process, struct space_node *space);

/* It gives up its space: exec, another key. It has none afterwards. */
void space_leave(struct atlas *atlas, struct process_node *process);

/* No thread of it is known to live any more, but there may be one. */
void space_linger(struct atlas *atlas, struct process_node *process);

/* There is one: it runs again, where it did. */
void space_resume(struct atlas *atlas, struct process_node *process);

/*
 * The process has ended. What it can be asked stays as it is now: the space itself where nobody
 * else runs there, else a copy, O(1). Without memory for that it has none.
 */
void space_freeze(struct atlas *atlas, struct process_node *process);

/*
 * Bring a running process into the space that a record says it is in. 0 = the record does not say.
 * A space that nobody knew is new and incomplete.
 */
int space_follow(struct atlas *atlas, struct process_node *process, uint64_t key);

/* [lo, hi) was seen, in a record with these REC_MAPS_*. */
void space_observed(struct atlas *atlas, struct space_node *space, uint64_t lo, uint64_t hi,
		    uint32_t maps_flags);

/* [lo, hi) is not known any more. */
void space_doubt(struct atlas *atlas, struct space_node *space, uint64_t lo, uint64_t hi);

#endif
