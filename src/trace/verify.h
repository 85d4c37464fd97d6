/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The proof: compare the whole atlas with /proc, process by process. What differs is read again
 * after the ring was drained, since both sides move; a difference counts only if it stays.
 */
#ifndef TASKATLAS_VERIFY_H
#define TASKATLAS_VERIFY_H

#include "trace/live.h"

enum verify_kind {
	VERIFY_NONE = 0,
	VERIFY_PROCESS_MISSING, /* /proc has it, the atlas does not */
	VERIFY_PROCESS_EXTRA,   /* the atlas has it, /proc does not */
	VERIFY_THREAD_MISSING,
	VERIFY_THREAD_EXTRA,
	VERIFY_IDENTITY, /* comm, parent, uid, gid, namespace pid, state */
	VERIFY_MAPPING_MISSING,
	VERIFY_MAPPING_EXTRA,
	VERIFY_MAPPING_DIFFERS, /* same range, another protection, offset, device, inode */
	VERIFY_NAME,            /* same mapping, another name */
	VERIFY_KIND_NR
};

struct verify_report {
	uint64_t processes;                   /* compared and equal */
	uint64_t threads;                     /* the same */
	uint64_t mappings;                    /* the same */
	uint64_t differences[VERIFY_KIND_NR]; /* that stayed */
	uint64_t not_comparable; /* processes whose /proc files this process may not read */
	uint64_t vanished;       /* ended while they were compared */
	uint64_t unsettled;      /* never held still long enough to compare; counts as incomplete */
};

/* One difference: kind, the process, and both lines ("" where a side has none), escaped. */
typedef void (*verify_fn)(void *ctx, enum verify_kind kind, uint32_t tgid, const char *atlas,
			  const char *proc);
/* A process that cannot be compared, with the reason as -errno. */
typedef void (*verify_skip_fn)(void *ctx, uint32_t tgid, const char *comm, int error);

/* Compare. 0 however many differences there are; -errno if the comparison itself failed. */
int verify(struct live *live, verify_fn on_difference, verify_skip_fn on_skip, void *ctx,
	   struct verify_report *ret, struct message *why);

/* Name of a kind for output, e.g. "mapping-missing". */
const char *verify_kind_name(enum verify_kind kind);

#endif
