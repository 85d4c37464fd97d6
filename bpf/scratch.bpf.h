/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scratch buffers, claimed for as long as a program works in one and released on every way out.
 * The first free one of this CPU's few: interrupts and preemption nest, they do not pile up.
 */
#ifndef TASKATLAS_SCRATCH_BPF_H
#define TASKATLAS_SCRATCH_BPF_H

#include "state.bpf.h"

#define SCRATCH_NONE (~0u)

static __always_inline struct scratch *scratch_get(u32 nr)
{
	return bpf_map_lookup_elem(&scratches, &nr);
}

/* Number of a free one, now ours; SCRATCH_NONE and counted against `kind` when all are in use. */
static __always_inline u32 scratch_claim(u32 kind)
{
	u32 first = bpf_get_smp_processor_id() * SCRATCH_PER_CPU;

	for (u32 i = 0; i < SCRATCH_PER_CPU; i++) {
		struct scratch *s = scratch_get(first + i);

		if (s && !__sync_lock_test_and_set(&s->busy, 1))
			return first + i;
	}
	count(&counters.scratch_busy[kind]);
	return SCRATCH_NONE;
}

static __always_inline void scratch_release(u32 nr)
{
	struct scratch *s = scratch_get(nr);

	if (s)
		__sync_lock_test_and_set(&s->busy, 0);
}

/* Where the head of a record stands whose text starts at s->text. */
#define scratch_record(s, type) ((struct type *)((s)->head + TEXT_HEAD - sizeof(struct type)))

#endif
