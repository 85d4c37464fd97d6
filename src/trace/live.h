/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A live atlas: loads and attaches the kernel side, seeds by a walk over all tasks, applies what
 * comes through the ring in order, and heals what was lost. What commands that ask the running
 * host stand on.
 *
 * Owns the kernel side (src/trace/) and an atlas. One thread at a time. Nothing stays attached,
 * pinned or mounted after live_free(), or after the process has died in any way.
 */
#ifndef TASKATLAS_LIVE_H
#define TASKATLAS_LIVE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atlas/atlas.h"
#include "atlas/host.h"
#include "base/message.h"

struct live;

/* Called for every record after it was applied to the atlas. Negative -errno ends live_run(). */
typedef int (*live_record_fn)(void *ctx, const struct rec_hdr *record, size_t size);

struct live_options {
	uint64_t ring_bytes; /* a power of two, at least 64 KiB; 0 = by CPU count, 4 to 64 MiB */
	uint32_t args_bytes; /* EXEC arguments kept, at most REC_ARGS_MAX; 0 = none */
	uint64_t scrub_ns;   /* time of one background walk; 0 = off */
	bool brief; /* for one look: cheap to start and to end, dearer for who is observed meanwhile
		     */
	struct atlas_limits limits;
	live_record_fn on_record;          /* NULL = none. Told seed records too */
	atlas_mapping_fn on_mapping;       /* NULL = none */
	void *ctx;                         /* for both */
	const volatile sig_atomic_t *stop; /* non-zero: come back soon; NULL = never */
};
#define LIVE_OPTIONS_DEFAULT                                                                       \
	(struct live_options)                                                                      \
	{                                                                                          \
		.args_bytes = 1024, .limits = ATLAS_LIMITS_DEFAULT                                 \
	}

/*
 * Load, attach and seed; comes back when the seed is complete (atlas_state()->seeded), or earlier
 * with success if *stop was set meanwhile. On failure -errno with one sentence in `why` (-EPERM,
 * -ENOSYS: something is missing that `taskatlas check` names).
 */
int live_open(struct live **ret, const struct live_options *options, struct message *why);

/*
 * Follow the host until CLOCK_BOOTTIME is until_ns (0 = for ever), *stop is set, done_fd (-1 =
 * none) becomes readable, or a callback fails. Heals losses on the way. 0 or the error.
 */
int live_run(struct live *live, uint64_t until_ns, int done_fd, struct message *why);

/* The same until until_ns whatever *stop says: for who compares while the host moves on. */
int live_wait(struct live *live, uint64_t until_ns, struct message *why);

/*
 * Drain the ring and heal until nothing is suspect, for at most limit_ns
 * (whatever *stop says). 0; -ETIME if something is
 * suspect still (atlas_state() says what).
 */
int live_settle(struct live *live, uint64_t limit_ns, struct message *why);

/*
 * Ask again what no hook tells in time: to whom a process was given whose parent has ended, and
 * which zombies were reaped. Call before parents or zombies are shown.
 */
int live_refresh(struct live *live, struct message *why);

/*
 * Observe one process again, with the names of what it maps: files are renamed and deleted without
 * a record.
 */
int live_look_again(struct live *live, uint32_t tgid, struct message *why);

/* Takes NULL. */
void live_free(struct live *live);

struct atlas *live_atlas(const struct live *live);
const struct host *live_host(const struct live *live);

/* CLOCK_BOOTTIME now, nanoseconds. */
uint64_t live_now_ns(void);

#endif
