/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files that make up the kernel object share: kernel.c, attach.c, walk.c, losses.c. */
#ifndef TASKATLAS_KERNEL_PRIVATE_H
#define TASKATLAS_KERNEL_PRIVATE_H

#include <stdbool.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/shared.h"
#include "taskatlas.skel.h"

#include "trace/kernel.h"

#define KERNEL_LINKS_MAX 64
#define KERNEL_PROGRAMS_MAX 24

struct kernel {
	struct taskatlas *skel;
	struct ring_buffer *ring;
	struct bpf_link *links[KERNEL_LINKS_MAX];
	size_t nr_links;
	uint64_t ring_bytes;
	kernel_sink_fn sink;
	void *ctx;
	uint32_t drained; /* records, by the call of kernel_drain() that is at work */
	uint32_t walks;
	struct counters told;                      /* losses that were told */
	uint64_t misses_told[KERNEL_PROGRAMS_MAX]; /* by program, in the skeleton's order */
};

/* Teach the programs what they must know of this machine: a walk of our own task. */
int kernel_learn(struct kernel *kernel, struct message *why);

#endif
