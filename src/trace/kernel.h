/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel side as an object: new (load), attach, walk, drain, detach, free. What comes through
 * the ring is handed to a sink, in ring order. Private to src/trace/.
 *
 * Owns the programs, the ring and the links. One thread at a time. All of it goes when the process
 * dies: nothing is pinned, nothing is mounted.
 */
#ifndef TASKATLAS_KERNEL_H
#define TASKATLAS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/message.h"
#include "bpf/record.h"

struct kernel;

/* Called for each record; a negative -errno ends what was going on. */
typedef int (*kernel_sink_fn)(void *ctx, const void *record, size_t size);

struct kernel_options {
	uint64_t ring_bytes; /* a power of two >= 64 KiB, or 0: 8 MiB a CPU, within 4 to 64 MiB */
	uint32_t args_bytes; /* at most REC_ARGS_MAX */
	kernel_sink_fn sink;
	void *ctx;
};

#define KERNEL_RING_MIN (64u << 10)
#define KERNEL_RING_MAX (1u << 30)

/* Load the programs and learn what they need to know of this machine. Nothing is attached yet. */
int kernel_new(struct kernel **ret, const struct kernel_options *options, struct message *why);
/* Takes NULL. */
void kernel_free(struct kernel *kernel);

/*
 * Attach every hook. On failure none is left attached. `brief`: it will be for a moment. Each
 * tracepoint of a system call costs a grace period of RCU to detach, 1.5 s together: where the lock
 * hook is there it tells of those calls as well, at more cost a call.
 */
int kernel_attach(struct kernel *kernel, bool brief, struct message *why);
void kernel_detach(struct kernel *kernel);

/*
 * Walk over every task (tgid 0) or over one process. Hands WALK_BEGIN to the sink, then what the
 * ring brings meanwhile, then WALK_END: with REC_WALK_FAILED if the walk did not reach its end.
 * `flags`: REC_WALK_SEED or 0. 0 even if it failed that way; -errno when walking is not possible,
 * or what the sink returned.
 */
int kernel_walk(struct kernel *kernel, uint32_t tgid, uint32_t flags, struct message *why);

/*
 * Hand over what is in the ring, up to some ten thousand records at a time. 0: the ring was empty
 * in the end; 1: there is more; or what the sink returned.
 */
int kernel_drain(struct kernel *kernel);

/*
 * LOSS records for what the counters of the kernel side say was lost since the last call. With
 * `thorough`, also the runs that the kernel skipped, which cost a system call a program.
 * Returns how many records were told, or what the sink returned.
 */
int kernel_losses(struct kernel *kernel, int thorough);

/* From now on every name is told again at its next sight. */
void kernel_names_again(struct kernel *kernel);

/* Becomes readable when the ring fills up. */
int kernel_fd(const struct kernel *kernel);
/* Call after kernel_fd() became readable, before draining: wake-ups are armed again. */
void kernel_woken(struct kernel *kernel);

/* CLOCK_BOOTTIME, nanoseconds. */
uint64_t kernel_now_ns(void);

#endif
