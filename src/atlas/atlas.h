/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The model: every task, process, address space, mapping and file of a host, kept by applying
 * records in ring order. Pure C: no BPF, no clock, no I/O; its only time is that of the records.
 *
 * What it owns: all objects below. Readers get const pointers, valid until the next call that
 * applies or collects. One thread at a time.
 *
 * Invariants: atlas_check() (check.c) is their definition.
 *
 * Units: times are nanoseconds of CLOCK_BOOTTIME, 0 = unknown; ranges are half-open, bytes.
 * Errors: 0 or -errno. Nothing here prints.
 */
#ifndef TASKATLAS_ATLAS_H
#define TASKATLAS_ATLAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/record.h"

struct atlas;

/* --- objects ------------------------------------------------------------------------------ */

/* What is mapped or executed. Interned: one object a key for as long as something refers to it; its
 * number may be given to another file once atlas_collect() has dropped it. */
struct file {
	uint64_t inode;      /* as /proc/PID/maps prints it */
	uint32_t dev;        /* major << 20 | minor */
	uint32_t generation; /* of the inode */
	uint16_t kind;       /* enum rec_file_kind; REC_FILE_NONE until its FILE record is in */
	uint16_t flags;      /* REC_FILE_* */
	uint32_t name_len;   /* bytes */
	const char *name;    /* bytes, NUL behind them; "" until known */
	uint64_t named_ns;   /* when the name was last observed */
};

/* A cgroup. Interned like a file; kept while a process or task that is kept is in it. */
struct cgroup {
	uint64_t id;
	uint32_t hierarchy; /* 0 = v2 */
	bool known;         /* its CGROUP record is in */
	bool cut;           /* path is cut at its front */
	const char *path;   /* bytes, NUL-terminated; "" until known */
};

/* One mapping. Which file, through atlas_file(). */
struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* into the file, bytes; 0 without a file */
	uint32_t file;   /* file number; 0 = none */
	uint32_t flags;  /* REC_MAP_* */
};

/* struct space.state */
#define SPACE_SEEDED (1u << 0)   /* older than the atlas: known from a walk */
#define SPACE_COMPLETE (1u << 1) /* observed whole at least once, or a copy of such a one */
#define SPACE_SUSPECT (1u << 2)  /* some range could not be read or a record of it was lost */

/* An address space (mm). Several processes may share one (vfork, CLONE_VM). */
struct space {
	uint64_t number; /* unique for ever; what outputs show in place of the kernel's pointer */
	uint32_t state;  /* SPACE_* */
	uint32_t nr_processes; /* that run in it */
	uint64_t nr_mappings;
	uint64_t start_brk, brk,
	    start_stack;      /* addresses; say which mappings are [heap], [stack] */
	uint64_t observed_ns; /* time of the last MAPS record applied */
	uint64_t nr_changes; /* mapping changes since it is known: pieces added, removed, changed */
};

enum process_state {
	PROCESS_NONE = 0,
	PROCESS_RUNNING, /* a thread of it lives */
	PROCESS_ZOMBIE,  /* no thread lives; not reaped */
	PROCESS_GONE,    /* reaped, or not met by a walk; kept for the retention time */
	PROCESS_STATE_NR
};

/* struct process.flags */
#define PROCESS_KTHREAD (1u << 0)
#define PROCESS_SEEN_FROM_BIRTH (1u << 1) /* its FORK record was seen */
#define PROCESS_BIRTH_MISSED (1u << 2)    /* first seen after the seed: its FORK was lost */
#define PROCESS_EXIT_MISSED (1u << 3)     /* a walk did not meet it: its EXIT was lost */
#define PROCESS_FORKER_KNOWN (1u << 4)    /* forker_* are filled */
#define PROCESS_EXECED (1u << 5)          /* exec_* are filled */

/* A process (thread group). */
struct process {
	uint32_t tgid;
	uint32_t ns_tgid;  /* inside its own pid namespace; 0 = unknown */
	uint64_t start_ns; /* with tgid its identity */
	uint16_t state;    /* enum process_state */
	uint16_t tag;      /* the reader's own mark, see atlas_tag(); a forked child inherits it */
	uint32_t flags;    /* PROCESS_* */
	uint32_t uid, gid; /* of the leader */
	uint32_t pid_ns, mnt_ns;   /* inode numbers of namespaces; 0 = unknown */
	uint32_t exe;              /* file number of the executable; 0 = none or unknown */
	uint32_t nr_threads;       /* live ones */
	char comm[REC_COMM_BYTES]; /* of the leader; may lack a NUL */

	/* Who forked it: never changes. Valid with PROCESS_FORKER_KNOWN. */
	uint32_t forker_tgid;
	uint32_t forker_tid;
	uint64_t forker_start_ns;

	/* The present parent, as of the last record that told it. 0 = none. */
	uint32_t parent_tgid;
	uint64_t parent_start_ns;

	const struct space *space;   /* NULL for kernel threads; kept after exit as it was then */
	const struct cgroup *cgroup; /* of the leader; NULL = unknown */

	/* The present image. Valid with PROCESS_EXECED. */
	uint64_t exec_ns;
	uint32_t exec_flags;       /* REC_EXEC_* */
	uint32_t args_len;         /* bytes */
	const char *exec_filename; /* what was given to exec; NUL-terminated */
	const char *args;          /* args_len bytes, arguments ended by NULs */

	/* The end. Valid when state is not PROCESS_RUNNING. With PROCESS_EXIT_MISSED, exit_ns is
	 * when it was found out and wait_status is not known. */
	uint64_t exit_ns;            /* 0 = it was dead before the atlas began */
	uint32_t wait_status;        /* code << 8, or signal | 0x80 with a core dump */
	uint32_t nr_execs, nr_forks; /* seen; processes forked, not threads */
	uint64_t nr_map_changes;     /* made by its threads: pieces added, removed, changed */
};

/* A thread. */
struct task {
	uint32_t tid;
	uint32_t ns_tid;
	uint64_t start_ns; /* with tid its identity */
	uint32_t uid, gid;
	char comm[REC_COMM_BYTES];
	bool leader_exited; /* the leader, when it called exit while others run on */
	const struct cgroup *cgroup;
};

/* --- life --------------------------------------------------------------------------------- */

struct atlas_limits {
	uint64_t retain_ns;        /* how long a process stays readable after it is gone */
	uint32_t retain_processes; /* and how many of those at most; the oldest go first */
	uint32_t max_files;        /* files, or cgroups, before unused ones are collected */
};
#define ATLAS_LIMITS_DEFAULT                                                                       \
	(struct atlas_limits)                                                                      \
	{                                                                                          \
		.retain_ns = 60000000000ull, .retain_processes = 16384, .max_files = 65536         \
	}

/* An empty atlas. 0, -ENOMEM. */
int atlas_new(struct atlas **ret, const struct atlas_limits *limits);
/* Takes NULL. */
void atlas_free(struct atlas *atlas);

/*
 * Apply one record of `size` bytes, 8-byte aligned: check it (kind, size, counts, order,
 * alignment), then change the model. 0; -EPROTO for a record that breaks record.h, with nothing
 * changed; -ENOMEM, with the atlas still sound but marked suspect.
 */
int atlas_apply(struct atlas *atlas, const void *record, size_t size);

/* Every invariant. 0; -EUCLEAN with a sentence in why[why_size], which may be NULL with size 0;
 * -ENOMEM. O(everything). */
int atlas_check(const struct atlas *atlas, char *why, size_t why_size);

/* --- changes ------------------------------------------------------------------------------ */

enum mapping_change {
	MAPPING_NONE = 0,
	MAPPING_ADDED,
	MAPPING_REMOVED,
	MAPPING_CHANGED, /* other protection, file or offset */
	MAPPING_CHANGE_NR
};

/*
 * Called for each maximal piece [start, end) of address space that a MAPS record has changed, in
 * ascending order, after it was applied. `before` and `after` are the mappings cut to the piece;
 * NULL before an added and after a removed one. Pieces that stay as they were are not told, nor is
 * where the kernel splits and merges mappings of the same content. Not told either: what fork
 * copies and exec drops. May ask the atlas anything, and must not change it.
 */
typedef void (*atlas_mapping_fn)(void *ctx, const struct rec_maps *rec, const struct space *space,
				 enum mapping_change change, const struct mapping *before,
				 const struct mapping *after);
void atlas_on_mapping(struct atlas *atlas, atlas_mapping_fn fn, void *ctx);

/* Mark a process for the reader's own use; children that it forks from now on inherit the mark. */
void atlas_tag(struct atlas *atlas, const struct process *process, uint16_t tag);

/* --- questions ---------------------------------------------------------------------------- */

/* The process that holds this tgid now, or held it last; NULL = none known. O(1). */
const struct process *atlas_process(const struct atlas *atlas, uint32_t tgid);
/* That very process, gone or not; NULL = none known. */
const struct process *atlas_process_at(const struct atlas *atlas, uint32_t tgid, uint64_t start_ns);
/* The live thread with this tid, and its process in *ret_process (may be NULL); NULL = none. */
const struct task *atlas_task(const struct atlas *atlas, uint32_t tid,
			      const struct process **ret_process);
/* File by number; NULL for 0. */
const struct file *atlas_file(const struct atlas *atlas, uint32_t number);
/* The mapping that holds addr; false = none. O(log n). */
bool atlas_find(const struct space *space, uint64_t addr, struct mapping *ret);
/* Does it lie where /proc says [heap], [stack]? The name of a file or a special mapping goes before
 * that, these go before the name of anonymous memory. (heap_touches: the kernel counts a mapping
 * that only touches the break; see struct host.) */
bool mapping_is_heap(const struct mapping *mapping, const struct space *space, bool heap_touches);
bool mapping_is_stack(const struct mapping *mapping, const struct space *space);

/* Iterators: `struct x_iter it = x_iter_of(...); while ((x = x_next(&it)))`. */

/* Every process: running ones and zombies, and with `gone` those kept after their end, by no
 * special order. */
struct process_iter {
	const struct atlas *atlas;
	const void *next;
	bool gone;
};
struct process_iter atlas_processes(const struct atlas *atlas, bool gone);
const struct process *process_next(struct process_iter *it);

/* The live threads of a process, oldest first. */
struct task_iter {
	const void *next;
};
struct task_iter atlas_threads(const struct process *process);
const struct task *task_next(struct task_iter *it);

/* The mappings of a space that touch [start, end), ascending. */
struct mapping_iter {
	const struct space *space;
	uint64_t end;
	uint32_t chunk, slot;
};
struct mapping_iter space_mappings(const struct space *space, uint64_t start, uint64_t end);
const struct mapping *mapping_next(struct mapping_iter *it);

/* Every space in which a process runs. */
struct space_iter {
	const void *next;
};
struct space_iter atlas_spaces(const struct atlas *atlas);
const struct space *space_next(struct space_iter *it);

/* --- state and counts --------------------------------------------------------------------- */

struct atlas_state {
	bool seeded;  /* the first full walk has ended */
	bool suspect; /* something was lost and is not healed yet */
	uint64_t suspect_since_ns;
	uint64_t first_ns, last_ns; /* times of the first and the last record applied */
	uint64_t seeded_ns;
	uint32_t suspect_spaces; /* spaces with SPACE_SUSPECT */
	uint32_t walks;          /* full walks that ended well */
};

struct atlas_counts {
	uint64_t records[REC_NR];                  /* applied, by kind */
	uint64_t lost[REC_NR];                     /* from LOSS records, by kind */
	uint64_t lost_by_cause[REC_LOSS_CAUSE_NR]; /* the same by cause */
	uint64_t process_forks, thread_forks;      /* live FORK records of each kind */
	uint64_t process_exits, thread_exits;      /* seen: processes that ended; ends of threads
						    * that are no leaders */
	uint64_t observations[REC_CAUSE_NR];       /* live MAPS records by cause */
	uint64_t pieces[MAPPING_CHANGE_NR];        /* live changes, by kind */
	uint64_t drift[MAPPING_CHANGE_NR];    /* changes that a walk after the seed had to make to
					       * complete, unsuspect spaces */
	uint64_t orphans;                     /* MAPS of spaces that nobody runs in */
	uint64_t births_missed, exits_missed; /* tasks whose FORK, whose EXIT did not come; taken
					       * back when it comes late */
	uint64_t retained_dropped;            /* gone processes dropped over retain_processes */
	/* present sizes: mappings and spaces of those that run, shared ones once */
	uint32_t processes, zombies, gone, tasks, spaces, files, cgroups;
	uint64_t mappings;
};

const struct atlas_state *atlas_state(const struct atlas *atlas);
/* Fills every field; O(spaces). */
void atlas_counts(const struct atlas *atlas, struct atlas_counts *ret);
/* Bytes held for spaces, mappings and their index, of whatever process, shared ones once. */
size_t atlas_mapping_bytes(const struct atlas *atlas);
/* Bytes held for processes, gone ones too, tasks and their index; not for arguments. O(1). */
size_t atlas_task_bytes(const struct atlas *atlas);

/*
 * Forget processes that are gone for longer than the retention time before now_ns, and files and
 * cgroups that nothing refers to if there are more than max_files of either. Returns how many of
 * those went; if any, the kernel side must tell all names anew, since it cannot know which.
 */
size_t atlas_collect(struct atlas *atlas, uint64_t now_ns);

#endif
