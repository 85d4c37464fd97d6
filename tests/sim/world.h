/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated world: the kernel, the cpus and what they are in the middle of, the ring, and user
 * space with the real atlas. A schedule (schedule.h) drives it, one step at a time.
 *
 * A cpu runs one operation: a system call of a task, the work of some manager (moving tasks between
 * cgroups), or a walk. An operation is a function that is called again and again, and does one
 * thing that cannot be cut each time. What the kernel side does inside an operation is a program,
 * struct program, which runs to its end, cut at each step as well, before the operation goes on.
 */
#ifndef TASKATLAS_SIM_WORLD_H
#define TASKATLAS_SIM_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "atlas/atlas.h"
#include "tests/sim/kernel.h"
#include "tests/sim/ring.h"

#define CPUS 6      /* for operations other than walks */
#define WALKER CPUS /* one more, for walks: user space runs one at a time */
#define CPUS_ALL (CPUS + 1)
#define CHUNK_MAX 8 /* mappings in a record, at most */

/* What an operation, or a program, says after a step. */
enum step {
	STEP_AGAIN,
	STEP_BLOCKED, /* did nothing: somebody else must move first */
	STEP_DONE,
};

/* X(NAME, name): the operations. WALK and REPAIR run on the walker's cpu. */
#define OPERATIONS(X)                                                                              \
	X(MMAP, mmap)                                                                              \
	X(MUNMAP, munmap)                                                                          \
	X(MPROTECT, mprotect)                                                                      \
	X(MADVISE, madvise)                                                                        \
	X(MREMAP, mremap)                                                                          \
	X(BRK, brk)                                                                                \
	X(THREAD, thread)                                                                          \
	X(FORK, fork)                                                                              \
	X(VFORK, vfork)                                                                            \
	X(CLONE_VM, clone_vm)                                                                      \
	X(EXEC, exec)                                                                              \
	X(EXIT, exit)                                                                              \
	X(EXIT_GROUP, exit_group)                                                                  \
	X(REAP, reap)                                                                              \
	X(RENAME, rename)                                                                          \
	X(MOVE, move)                                                                              \
	X(IDENTITY, identity)                                                                      \
	X(RENAME_FILE, rename_file)                                                                \
	X(WALK, walk)                                                                              \
	X(REPAIR, repair)

enum operation {
	OP_NONE = 0,
#define X(NAME, name) OP_##NAME,
	OPERATIONS(X)
#undef X
	    OP_NR
};

/* Hooks, attached one after the other. HOOK_NONE needs none: walks, and names. */
enum hook {
	HOOK_NONE = 0,
	HOOK_FORK,
	HOOK_EXEC,
	HOOK_EXIT,
	HOOK_FREE,
	HOOK_RENAME,
	HOOK_MOVE,
	HOOK_MAPS,
	HOOK_IDENTITY,
	HOOK_NR
};

enum program_kind {
	PROGRAM_NONE = 0,
	PROGRAM_RECORD,  /* one small record, filled in one step */
	PROGRAM_TASK,    /* CREATE, FORK, EXEC: an identity, read in several steps */
	PROGRAM_OBSERVE, /* MAPS of a range or of a space, mapping by mapping */
	PROGRAM_NAMES,   /* FILE and CGROUP of what was met */
};

union record {
	struct rec_hdr hdr;
	struct rec_task task;
	struct rec_exec exec;
	struct rec_exit exit;
	struct rec_free free;
	struct rec_rename rename;
	struct rec_move move;
	struct rec_maps maps;
	struct rec_file file;
	struct rec_cgroup cgroup;
	struct rec_walk walk;
	struct rec_loss loss;
};

struct world;
struct cpu;

/* Fill a small record. False: discard it. */
typedef bool (*record_fill_fn)(struct world *w, struct cpu *c, union record *r);

/* How a failed read is handled by the kernel side. */
enum failure {
	FAILURE_NONE = 0,
	FAILURE_SUSPECT,     /* a record that says so */
	FAILURE_HANDED_OVER, /* nothing is said; the range is left with the space */
};

struct program {
	enum program_kind kind;
	int pc;
	uint16_t record_kind;
	uint16_t hdr_flags;
	int64_t place;
	uint64_t data[RING_RECORD_BYTES / 8]; /* the record, see record_of() */
	record_fill_fn fill;
	struct k_task *task; /* whom it is about */
	bool from_walk;      /* read from outside: the task may exit or exec at any time */
	uint32_t old_tid;    /* EXEC */
	uint16_t files;      /* to be told after this program: a bit each */
	uint8_t cgroups;
	bool submitted; /* the (last) record went out */

	/* PROGRAM_OBSERVE */
	struct k_mm *mm;
	struct k_range range; /* of this chunk and of what follows it */
	struct k_range took;  /* had been handed over; given back if nothing comes of it */
	int cursor;           /* next page to look at */
	int chunk;            /* mappings that fit into a record of this observation */
	int64_t next_place;
	uint16_t cause;
	bool whole;  /* the whole space, not just a range */
	bool first;  /* this is the first chunk */
	bool locks;  /* reads under the lock of the space */
	int fail_in; /* that many reads from now one fails; -1 = none does */
	enum failure failure;
};

static inline union record *record_of(struct program *p)
{
	return (union record *)p->data;
}

struct cpu {
	enum operation op;
	int pc;
	uint32_t arg[3];
	int number;
	struct k_task *task;  /* whose call it is; NULL = none */
	struct k_task *other; /* child, target, victim, or whom the walk is at */
	struct change change;
	struct clone_request clone;
	bool copy_doubtful; /* as of before the FORK was reserved */
	struct program program;
	char comm[REC_COMM_BYTES]; /* a rename's new name */
	uint8_t cgroup;            /* where a move goes */
	bool whole_group;          /* a move takes every thread */

	/* walks */
	uint32_t cursor; /* next tid */
	uint32_t tgid;   /* 0 = a full walk */
	uint32_t walk;   /* number */
	uint32_t walk_flags;
	uint32_t seen;     /* spaces that it has observed: a bit each */
	uint32_t observed; /* the one that it is at */
};

/* What is left out of the kernel side on purpose, to see whether the simulation would notice. */
enum mutation {
	MUTATION_NONE = 0,
	MUTATION_READ_FIRST,      /* programs read before they reserve */
	MUTATION_NO_FORK_MAPS,    /* children of shared spaces are not observed */
	MUTATION_NO_NEIGHBOURS,   /* a call observes only what it changed */
	MUTATION_RENAME_ONCE,     /* a name is told only before it is written */
	MUTATION_DYING_DISCARDED, /* walks say nothing of a leader between exit and zombie */
	MUTATION_FORK_IN_WALK,    /* children of a process that a walk is at are not observed */
	MUTATION_NR
};

struct config {
	enum mutation mutation;
	uint32_t ring_limit;    /* records */
	uint32_t skip_once_in;  /* a hook's program is skipped; 0 = never */
	uint32_t fail_once_in;  /* an observation fails; 0 = never */
	uint32_t check_once_in; /* atlas_check() after a record */
	FILE *trace;            /* every step in words; NULL = silent */
};

struct user {
	uint64_t lost[REC_NR][REC_LOSS_CAUSE_NR]; /* counted by the kernel side */
	uint64_t lost_told[REC_NR][REC_LOSS_CAUSE_NR];
	uint64_t drain_to; /* place in the ring up to which all must be read before the next walk */
	bool needs_walk;
	bool needs_names;
	uint32_t walks;
	struct { /* what FILE said last */
		uint32_t version;
		bool known;
	} file[K_FILES];
	bool cgroup_known[K_CGROUPS];
	uint64_t nr_applied;
};

struct world {
	struct config config;
	struct kernel kernel;
	struct ring ring;
	struct cpu cpu[CPUS_ALL];
	uint32_t attached; /* hooks, a bit each */
	struct user user;
	struct atlas *atlas;
	uint64_t steps;
	uint64_t told_record, told_end; /* of the last change that the atlas told */
	bool failed;
	char why[512]; /* what failed; "" = nothing */
};

/* A fresh world around a fresh atlas. 0, -ENOMEM. */
int world_init(struct world *w, const struct config *config);
/* Takes a zeroed world. */
void world_done(struct world *w);
/* Note the first failure. */
__attribute__((format(printf, 2, 3))) void world_fail(struct world *w, const char *format, ...);
/* One line of the trace, for this step of this cpu. */
__attribute__((format(printf, 3, 4))) void world_trace(struct world *w, const struct cpu *c,
						       const char *format, ...);

/* --- operations (calls-*.c, walk.c) --------------------------------------------------------- */

const char *operation_name(enum operation op);
/* Set up c->op with these arguments, which mean what the operation likes; anything is allowed.
 * False: it cannot be done now, and the cpu stays idle. */
bool operation_start(struct world *w, struct cpu *c, enum operation op, const uint32_t arg[3]);
/* One step of what a busy cpu does. */
enum step cpu_step(struct world *w, struct cpu *c);

bool map_call_start(struct world *w, struct cpu *c);
enum step map_call_step(struct world *w, struct cpu *c);
bool clone_start(struct world *w, struct cpu *c);
enum step clone_step(struct world *w, struct cpu *c);
bool exec_start(struct world *w, struct cpu *c);
enum step exec_step(struct world *w, struct cpu *c);
bool exit_start(struct world *w, struct cpu *c);
enum step exit_step(struct world *w, struct cpu *c);
bool reap_start(struct world *w, struct cpu *c);
enum step reap_step(struct world *w, struct cpu *c);
bool rename_start(struct world *w, struct cpu *c);
enum step rename_step(struct world *w, struct cpu *c);
/* Two steps of an operation that writes a task's name; moves c->pc on by two. */
enum step comm_step(struct world *w, struct cpu *c, struct k_task *t);
bool move_start(struct world *w, struct cpu *c);
enum step move_step(struct world *w, struct cpu *c);
bool identity_start(struct world *w, struct cpu *c);
enum step identity_step(struct world *w, struct cpu *c);
bool rename_file_start(struct world *w, struct cpu *c);
enum step rename_file_step(struct world *w, struct cpu *c);
bool walk_start(struct world *w, struct cpu *c);
enum step walk_step(struct world *w, struct cpu *c);

/* The first task at or behind number `from` for which `fits`, going round; NULL = none. */
struct k_task *pick_task(struct world *w, uint32_t from, bool (*fits)(const struct k_task *t));

/* --- programs (program.c, observe.c) -------------------------------------------------------- */

bool hooks_all_attached(const struct world *w);
/* Is the hook attached, and does the kernel run its program this time? Counts a skipped one. */
bool hook_fires(struct world *w, struct cpu *c, enum hook hook);
/* These set up c->program; it runs before the operation's next step. */
void program_record(struct cpu *c, uint16_t kind, struct k_task *task, record_fill_fn fill);
void program_task(struct cpu *c, uint16_t kind, struct k_task *task, bool from_walk);
void program_observe(struct cpu *c, struct k_mm *mm, struct k_task *task, struct k_range range,
		     uint16_t cause);
void program_observe_whole(struct cpu *c, struct k_mm *mm, struct k_task *task, uint16_t cause,
			   bool from_walk);
enum step program_step(struct world *w, struct cpu *c);

/* For the parts of a program. */
int64_t program_reserve(struct world *w, struct cpu *c, uint16_t kind);
void program_hdr(struct world *w, struct program *p, size_t size);
enum step program_end(struct program *p);
enum step observe_step(struct world *w, struct cpu *c);
enum step task_record_step(struct world *w, struct cpu *c);
/* Have the name told after this program, unless that was done. */
void meet_file(struct world *w, struct program *p, int file);
void meet_cgroup(struct world *w, struct program *p, int cgroup);

/* Keys as the records carry them. */
uint64_t file_key(int file);
uint64_t mm_key(const struct world *w, const struct k_mm *mm);
uint64_t page_address(int page);

/* --- user space (user.c) -------------------------------------------------------------------- */

/* Attach these hooks, a bit each. */
void user_attach(struct world *w, uint32_t hooks);
/* Apply up to nr records that are ready. */
void user_consume(struct world *w, uint32_t nr);
/* Tell LOSS for what the kernel side has counted since the last time. */
void user_poll(struct world *w);
/* Apply a record that user space itself makes. */
void user_apply(struct world *w, const void *record, size_t size);
/* The atlas's own word of what a record has changed: an atlas_mapping_fn (changes.c). */
void changes_told(void *ctx, const struct rec_maps *rec, const struct space *space,
		  enum mapping_change kind, const struct mapping *before,
		  const struct mapping *after);
/* May a full walk start now? What was reserved before the last loss, and before the last hook was
 * attached, must be read: a birth in it whose end was missed must not count as met by the walk. */
bool user_may_walk(const struct world *w);

/* --- quiet points (quiet.c, compare*.c) ----------------------------------------------------- */

/* Run every cpu to the end of its operation and read the ring empty. */
void world_settle(struct world *w);
/* Settle, then repair and walk, as user space would, until the atlas claims to know everything. */
void world_heal(struct world *w);

/* How much must be equal. */
enum strictness {
	COMPARE_CLAIMS, /* what the atlas claims to know */
	COMPARE_ALL,    /* everything; and parents too, since a walk has just told them */
};
/* Note a failure if the atlas differs from the kernel. */
void compare(struct world *w, enum strictness strictness);

#endif
