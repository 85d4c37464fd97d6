/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What both sides must agree on besides the wire: how calls are told apart, what a walk is asked
 * to do, and the counters. Read by bpf/ and by src/trace/ only.
 */
#ifndef TASKATLAS_SHARED_H
#define TASKATLAS_SHARED_H

#include "bpf/record.h"

/*
 * How the range that a system call touched is found; the attach cookie of the syscalls/sys_exit_*
 * tracepoint. CALL_RANGE: argument 1 is the address, argument 2 the length.
 */
enum call {
	CALL_NONE = 0,
	CALL_MMAP,
	CALL_MUNMAP,
	CALL_MREMAP,
	CALL_MPROTECT, /* CALL_RANGE, cause MPROTECT; also when it failed half-way */
	CALL_ADVISE,   /* CALL_RANGE, cause MADVISE, where argument 3 is an advice that splits */
	CALL_RANGE,    /* CALL_RANGE, cause MADVISE: mlock, munlock, mbind, mseal */
	CALL_BRK,
	CALL_SHM,        /* the whole space */
	CALL_WHOLE,      /* the whole space: rare calls that map somewhere */
	CALL_PRCTL,      /* by its option */
	CALL_ARCH_PRCTL, /* by its code */
	CALL_IDENTITY,   /* user, group or namespace of the caller changed */
	CALL_NR
};

/* Numbers of system calls are below this. */
#define CALL_NUMBERS 1024

/* What a walk does with each task that it meets; `walk_mode`. */
enum walk_mode {
	WALK_NONE = 0,
	WALK_LEARN,   /* only: take the root directory and the kinds of mapping from the caller */
	WALK_OBSERVE, /* tell each task, and each space once */
};

/* Numbers of programs as they lose time or records; see struct counters. */
struct counters {
	__u64 ring_full[REC_NR];    /* reserves that failed, by kind of record */
	__u64 read_failed[REC_NR];  /* reads of kernel memory that gave up, by kind */
	__u64 scratch_busy[REC_NR]; /* no scratch buffer was free, by kind */
};

#endif
