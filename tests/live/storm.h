/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The storm: processes and threads that change their mappings without pause, while they fork, exec
 * and exit. A given amount of work from a given seed; what was done is counted, exactly.
 *
 * storm.c        options, the processes and their threads, the end
 * storm-maps.c   one change of the mappings
 * storm-births.c new processes and threads, in every way that Linux has
 *
 * What children of a multi-threaded process may do is little: everything here that runs in one
 * uses system calls, its own memory and the counts, which all processes share.
 */
#ifndef TASKATLAS_STORM_H
#define TASKATLAS_STORM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define STORM_FILES 8
#define STORM_FILE_PAGES 64
#define STORM_LOOSE 16        /* mappings of a worker at addresses that the kernel chose */
#define STORM_WINDOW_PAGES 96 /* of a worker, and as many that all workers of a process share */
#define STORM_SURVIVORS 3     /* children a process, with --hold */
#define STORM_SURVIVOR_CHANGES 16

/* The system calls that change mappings, as counted and printed. */
#define STORM_CALLS(X)                                                                             \
	X(MMAP, mmap)                                                                              \
	X(MUNMAP, munmap)                                                                          \
	X(MREMAP, mremap)                                                                          \
	X(MPROTECT, mprotect)                                                                      \
	X(PKEY_MPROTECT, pkey_mprotect)                                                            \
	X(BRK, brk)                                                                                \
	X(SHMAT, shmat)                                                                            \
	X(SHMDT, shmdt)                                                                            \
	X(MADVISE, madvise)                                                                        \
	X(MLOCK, mlock)                                                                            \
	X(MUNLOCK, munlock)                                                                        \
	X(REMAP_FILE_PAGES, remap_file_pages)

enum storm_call {
	STORM_NONE = 0,
#define X(CALL, name) STORM_##CALL,
	STORM_CALLS(X)
#undef X
	    STORM_CALL_NR
};

struct storm_options {
	unsigned int processes;
	unsigned int threads; /* a process, beside its first one */
	uint64_t changes;     /* mapping calls that succeed, in all */
	unsigned int forks;   /* new processes of every kind, in all, beside `processes` */
	unsigned int execs;   /* how many of those exec */
	unsigned int births;  /* short-lived threads, in all */
	uint64_t seed;
	bool hold; /* stay as it is at the end until standard input ends */
	bool
	    announce; /* with hold: write "half" when half of the changes are made, and go on beyond
		       * the given numbers until a line on standard input says to come to the end */
};

/* What was done, by everybody: in memory that all processes share. */
struct storm_counts {
	_Atomic uint64_t changes;              /* calls that succeeded */
	_Atomic uint64_t failed_changes;       /* calls that did not */
	_Atomic uint64_t calls[STORM_CALL_NR]; /* the succeeded ones by call */
	_Atomic uint64_t forks;                /* new processes of every kind */
	_Atomic uint64_t vforks;               /* of those: the parent's thread waits */
	_Atomic uint64_t shared;               /* of those: run on in the parent's space */
	_Atomic uint64_t orphans;              /* of those: their parent ended first */
	_Atomic uint64_t threads;              /* new threads of every kind */
	_Atomic uint64_t leaders;              /* first threads that ended before others */
	_Atomic uint64_t execs;                /* that succeeded */
	_Atomic uint64_t thread_execs;         /* of those: by another than the first thread */
	_Atomic uint64_t failed_execs;
	_Atomic bool told;   /* to come to the end */
	_Atomic bool failed; /* something went wrong that must not */
};

/* One process's view of it all. What is constant is set before the first fork. */
struct storm {
	struct storm_options options;
	struct storm_counts *counts;
	const char *self;       /* this program's path */
	const char *script;     /* a `#!` script's */
	int files[STORM_FILES]; /* files, deleted ones, memfds */
	int zero_fd;            /* /dev/zero */
	int shm_id;
	size_t page; /* bytes */
	char *arena; /* windows: one that all share, then one a thread */
	char *brk_base;
	atomic_flag brk_busy;
	int ready_fd;        /* one byte from each that has come to rest */
	int hold_fd;         /* ends when all may end */
	char ready_text[12]; /* the two in digits, for a new image */
	char hold_text[12];
};

struct storm_loose {
	char *start;
	size_t bytes;
};

/* One thread's share of the work. A child works with its copy of its parent's. */
struct storm_worker {
	struct storm *storm;
	unsigned int process, thread;
	uint64_t random;
	uint64_t changes;                  /* left */
	unsigned int forks, execs, births; /* its shares */
	unsigned int forks_done, births_done;
	struct storm_loose loose[STORM_LOOSE];
	void *shm_at;
};

/* --- storm.c --- */

/* Write "storm: WHAT: ERRNO" and mark the storm as failed. Safe in any child. */
void storm_fail(struct storm *storm, const char *what);
/* Say that this one has come to rest, and wait until all may end. */
void storm_rest(struct storm *storm);

/* --- storm-maps.c --- */

/* Files, segments and the arena. 0 or -errno. `dir`: where files can be made; they are gone from it
 * or go with storm_maps_done(). */
int storm_maps_init(struct storm *storm, const char *dir);
void storm_maps_done(struct storm *storm, const char *dir);
/* A number below n. */
uint64_t storm_random(struct storm_worker *worker, uint64_t n);
/* As many random changes that succeed. */
void storm_change(struct storm_worker *worker, uint64_t nr);

/* --- storm-births.c --- */

/* The worker's next new process, or two: waited for, unless an orphan. */
void storm_fork(struct storm_worker *worker);
/* One more new process of any kind, beside the worker's share. */
void storm_fork_more(struct storm_worker *worker);
/* The worker's next short-lived thread. */
void storm_birth(struct storm_worker *worker);
/* The children that stay, with --hold. */
void storm_survivors(struct storm_worker *worker);

#endif
