// SPDX-License-Identifier: GPL-2.0-only
#include "tests/sim/ring.h"

#include <assert.h>
#include <string.h>

static struct ring_place *ring_at(struct ring *ring, uint64_t place)
{
	return &ring->place[place % RING_PLACES];
}

uint32_t ring_used(const struct ring *ring)
{
	return (uint32_t)(ring->tail - ring->head);
}

int ring_blocked_by(const struct ring *ring)
{
	const struct ring_place *at = &ring->place[ring->head % RING_PLACES];

	return ring->head < ring->tail && at->state == RING_BUSY ? at->owner : -1;
}

int64_t ring_reserve(struct ring *ring, int cpu)
{
	struct ring_place *place = ring_at(ring, ring->tail);

	if (ring_used(ring) >= ring->limit || ring_used(ring) >= RING_PLACES)
		return RING_FULL;
	place->state = RING_BUSY;
	place->owner = cpu;
	return (int64_t)ring->tail++;
}

void ring_submit(struct ring *ring, int64_t place, const void *data, size_t size)
{
	struct ring_place *at = ring_at(ring, (uint64_t)place);

	assert(at->state == RING_BUSY && size <= RING_RECORD_BYTES && size % 8 == 0);
	memcpy(at->data, data, size);
	at->size = (uint32_t)size;
	at->state = RING_READY;
}

void ring_discard(struct ring *ring, int64_t place)
{
	struct ring_place *at = ring_at(ring, (uint64_t)place);

	assert(at->state == RING_BUSY);
	at->state = RING_DISCARDED;
}

const struct ring_place *ring_next(struct ring *ring)
{
	while (ring->head < ring->tail) {
		const struct ring_place *at = ring_at(ring, ring->head);

		if (at->state == RING_BUSY)
			return NULL;
		ring->head++;
		if (at->state == RING_READY)
			return at;
	}
	return NULL;
}
