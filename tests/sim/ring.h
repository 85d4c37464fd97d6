/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated BPF ring buffer: records are read in the order in which they were reserved, and
 * reading stops at one that is reserved but neither submitted nor discarded.
 *
 * Places are absolute numbers, from 0 up. The ring is full when `limit` records are reserved and
 * not read yet; a limit above RING_PLACES is cut.
 */
#ifndef TASKATLAS_SIM_RING_H
#define TASKATLAS_SIM_RING_H

#include <stddef.h>
#include <stdint.h>

#define RING_PLACES 256u
#define RING_RECORD_BYTES 512u

enum ring_state {
	RING_BUSY = 0,
	RING_READY,
	RING_DISCARDED,
};

struct ring_place {
	enum ring_state state;
	int owner; /* cpu that reserved it */
	uint32_t size;
	uint64_t data[RING_RECORD_BYTES / 8];
};

struct ring {
	uint64_t head, tail;
	uint32_t limit;
	struct ring_place place[RING_PLACES];
};

#define RING_FULL (-1)

/* A place, or RING_FULL. */
int64_t ring_reserve(struct ring *ring, int cpu);
/* The record is `size` bytes of data[]; size is a multiple of 8. */
void ring_submit(struct ring *ring, int64_t place, const void *data, size_t size);
void ring_discard(struct ring *ring, int64_t place);
/* The next record, skipping discarded ones; NULL = none that is ready. Valid until the next
 * reserve. */
const struct ring_place *ring_next(struct ring *ring);
/* The cpu that the reader waits for; -1 = none. */
int ring_blocked_by(const struct ring *ring);
uint32_t ring_used(const struct ring *ring);

#endif
