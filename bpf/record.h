/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The wire: every record that the kernel side puts into the ring buffer, and the few that user
 * space puts into the same stream (WALK_BEGIN, LOSS). The only header that both sides include.
 *
 * Rules
 * - A record is an observation: what *is*, reserved in the ring before it was read. Whoever
 *   applies records in ring order ends at the kernel's state; time stamps are for people.
 * - Little-endian host order, natural alignment, no hidden padding, sizes fixed by assertions.
 * - Ring memory is not cleared: the kernel side writes every byte of a struct. Bytes behind the
 *   last element of a variable part may hold anything and are ignored.
 * - Times are nanoseconds of CLOCK_BOOTTIME. Ranges are half-open, [start, end), in bytes.
 * - `space`, `file` are opaque keys, unique only while what they name lives. Kernel pointers may be
 *   in them: they never leave the process (not printed, not recorded, not served).
 * - Names are bytes, not text, and not NUL-terminated where a length is given.
 *
 * A new record is one line in RECORDS(), one struct, one handler.
 */
#ifndef TASKATLAS_RECORD_H
#define TASKATLAS_RECORD_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#define REC_COMM_BYTES 16
#define REC_NAME_MAX 4095  /* longest file or cgroup name carried, bytes, without a NUL */
#define REC_ARGS_MAX 16384 /* upper bound of the settable limit for EXEC arguments, bytes */

/*
 * X(KIND, kind, struct): the record kinds, in wire order. The values are internal to one build;
 * recordings have structs of their own.
 */
#define RECORDS(X)                                                                                 \
	X(CREATE, create, rec_task)                                                                \
	X(FORK, fork, rec_task)                                                                    \
	X(EXEC, exec, rec_exec)                                                                    \
	X(EXIT, exit, rec_exit)                                                                    \
	X(FREE, free, rec_free)                                                                    \
	X(RENAME, rename, rec_rename)                                                              \
	X(MOVE, move, rec_move)                                                                    \
	X(MAPS, maps, rec_maps)                                                                    \
	X(FILE, file, rec_file)                                                                    \
	X(CGROUP, cgroup, rec_cgroup)                                                              \
	X(WALK_BEGIN, walk_begin, rec_walk)                                                        \
	X(WALK_END, walk_end, rec_walk)                                                            \
	X(LOSS, loss, rec_loss)

enum rec_kind {
	REC_NONE = 0,
#define X(KIND, kind, type) REC_##KIND,
	RECORDS(X)
#undef X
	    REC_NR
};

/* rec_hdr.flags */
#define REC_F_WALK (1 << 0) /* told by a walk (seed, repair, scrub), not by a live hook */

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/* First in every record. Filled by the hook that reserved it. */
struct rec_hdr {
	__u16 kind;    /* enum rec_kind */
	__u16 flags;   /* REC_F_* */
	__u32 size;    /* of the whole record as reserved, bytes; a multiple of 8 */
	__u64 time_ns; /* when it was reserved */
	__u32 tid;     /* the task that it is about, in the initial pid namespace; 0 = none */
	__u32 tgid;    /* its thread group */
};
_Static_assert(sizeof(struct rec_hdr) == 24, "wire size of rec_hdr");

/* rec_task.task_flags */
#define REC_TASK_KTHREAD (1 << 0) /* PF_KTHREAD: no address space, ever */
#define REC_TASK_ZOMBIE (1 << 1)  /* walk only: a leader that is dead or dying; `space` is 0 */
#define REC_TASK_SHARES_SPACE                                                                      \
	(1 << 2) /* FORK only: the child runs in its forker's space (CLONE_VM) */

/*
 * CREATE: "this task is". From iter/task, and from whatever changes an identity (set*id, setns).
 *         Inherits nothing, clears nothing, may come in any order, may repeat.
 * FORK:   sched_process_fork. The same fields by the same function, and who forked it.
 *         A child with its own space starts with a copy of the forker's mappings, less those
 *         with REC_MAP_DONTFORK.
 */
struct rec_task {
	struct rec_hdr hdr;
	__u64 start_ns;         /* task->start_boottime; with tid the task's identity */
	__u64 process_start_ns; /* the same of its group leader; with tgid the process's identity */
	__u64 space;            /* key of the mm; 0 = none */
	__u64 exe;       /* file key of mm->exe_file; 0 = none. Its FILE record may come later */
	__u64 cgroup_id; /* kernfs id in the hierarchy below */
	__u64 parent_start_ns;  /* identity of the present parent process (real_parent's group) */
	__u64 forker_start_ns;  /* FORK: process_start_ns of the forker; else 0 */
	__u32 parent_tgid;      /* 0 = none */
	__u32 forker_tid;       /* FORK: the thread that called; else 0 */
	__u32 forker_tgid;      /* FORK: its process; else 0 */
	__u32 ns_tid;           /* tid inside the task's own (innermost) pid namespace */
	__u32 ns_tgid;          /* tgid there */
	__u32 uid;              /* real, in the initial user namespace */
	__u32 gid;              /* the same */
	__u32 pid_ns;           /* inode number of that pid namespace; 0 = unknown */
	__u32 mnt_ns;           /* inode number of the mount namespace; 0 = unknown */
	__u32 cgroup_hierarchy; /* cgroup hierarchy number as in /proc/PID/cgroup; 0 = v2 */
	__u32 task_flags;       /* REC_TASK_* */
	__u32 nr_threads; /* threads of the group that have not begun to exit (signal->live). 0 in
			   * a CREATE of a zombie: the process is dead. More: a thread's EXIT
			   * with REC_EXIT_LAST is still to come */
	char comm[REC_COMM_BYTES]; /* NUL-padded */
};
_Static_assert(sizeof(struct rec_task) == 144, "wire size of rec_task");

/* rec_exec.exec_flags */
#define REC_EXEC_ARGS_CUT (1 << 0)     /* more arguments than the limit */
#define REC_EXEC_ARGS_MISSING (1 << 1) /* the arguments could not be read */
#define REC_EXEC_NAME_CUT (1 << 2)     /* the file name was longer than REC_NAME_MAX */
#define REC_EXEC_SCRIPT (1 << 3) /* a `#!` script: filename is the script, exe the interpreter */

/*
 * EXEC: sched_process_exec. `task` is the new image's identity (hdr.kind is EXEC): a new space,
 * empty until its observations, which follow, are in. Behind it: filename, then arguments.
 */
struct rec_exec {
	struct rec_task task;
	__u32 old_tid;      /* differs from tid when a thread that was not the leader called */
	__u32 exec_flags;   /* REC_EXEC_* */
	__u32 filename_len; /* bytes of the name that was given to exec (bprm->filename) */
	__u32 args_len;     /* bytes of arguments, each ended by a NUL unless cut */
	char text[];
};
_Static_assert(sizeof(struct rec_exec) == 160, "wire size of rec_exec");

/* rec_exit.exit_flags */
#define REC_EXIT_GROUP (1 << 0) /* the whole group is told to go: group_exit_code counts */
#define REC_EXIT_LAST (1 << 1)  /* no thread of the process runs any more */

/* EXIT: sched_process_exit. One thread is gone; its mm was left before. */
struct rec_exit {
	struct rec_hdr hdr;
	__u64 start_ns;
	__u64 process_start_ns;
	__u32 exit_code;       /* wait status: code << 8, or signal | 0x80 with a core dump */
	__u32 group_exit_code; /* the same for the process, if REC_EXIT_GROUP */
	__u32 exit_flags;      /* REC_EXIT_* */
	__u32 reserved;        /* 0 */
};
_Static_assert(sizeof(struct rec_exit) == 56, "wire size of rec_exit");

/* FREE: sched_process_free of a group leader. The zombie was reaped; its pid may be reused. */
struct rec_free {
	struct rec_hdr hdr;
	__u64 start_ns; /* of the leader, so of the process */
};
_Static_assert(sizeof(struct rec_free) == 32, "wire size of rec_free");

/* RENAME: task_rename (prctl, /proc/PID/comm, exec). */
struct rec_rename {
	struct rec_hdr hdr;
	__u64 start_ns;
	char comm[REC_COMM_BYTES]; /* the new name, NUL-padded */
};
_Static_assert(sizeof(struct rec_rename) == 48, "wire size of rec_rename");

/* rec_move.move_flags */
#define REC_MOVE_GROUP (1 << 0) /* every thread of the process moved, not just this one */

/* MOVE: cgroup_attach_task, cgroup_transfer_tasks. The cgroup in which the task is now. */
struct rec_move {
	struct rec_hdr hdr;
	__u64 start_ns;
	__u64 cgroup_id;
	__u32 cgroup_hierarchy;
	__u32 move_flags; /* REC_MOVE_* */
};
_Static_assert(sizeof(struct rec_move) == 48, "wire size of rec_move");

/* rec_mapping.map_flags */
#define REC_MAP_READ (1 << 0)
#define REC_MAP_WRITE (1 << 1)
#define REC_MAP_EXEC (1 << 2)
#define REC_MAP_SHARED (1 << 3)    /* VM_MAYSHARE: /proc prints 's' */
#define REC_MAP_DONTFORK (1 << 4)  /* VM_DONTCOPY: not in a forked child */
#define REC_MAP_GROWSDOWN (1 << 5) /* a stack: a page fault may move its start down */

/* One mapping (VMA), whole, even where it reaches beyond the range that was observed. */
struct rec_mapping {
	__u64 start;
	__u64 end;
	__u64 offset; /* into the file, bytes; 0 without a file */
	__u64
	    file; /* key of a FILE record: a file, a special mapping, an anonymous name; 0 = none */
	__u32 map_flags; /* REC_MAP_* */
	__u32 reserved;  /* 0 */
};
_Static_assert(sizeof(struct rec_mapping) == 40, "wire size of rec_mapping");

/* rec_maps.cause: what made us look. */
enum rec_cause {
	REC_CAUSE_NONE = 0,
	REC_CAUSE_MMAP,
	REC_CAUSE_MUNMAP,
	REC_CAUSE_MREMAP,
	REC_CAUSE_MPROTECT,
	REC_CAUSE_BRK,
	REC_CAUSE_SHM,
	REC_CAUSE_MADVISE, /* and mlock, mbind, mseal: calls that split or merge mappings */
	REC_CAUSE_OTHER,   /* the lock of the space was released by something that has no hook */
	REC_CAUSE_STACK,   /* a stack grew by a page fault */
	REC_CAUSE_EXEC,
	REC_CAUSE_FORK,
	REC_CAUSE_WALK,
	REC_CAUSE_NR
};

/* rec_maps.maps_flags */
#define REC_MAPS_FIRST (1 << 0)   /* first record of an observation of the whole space: lo is 0 */
#define REC_MAPS_LAST (1 << 1)    /* last record of it: if none was lost, the space is complete */
#define REC_MAPS_SUSPECT (1 << 2) /* the read failed: [lo, hi) is not known; nr is 0 */

/*
 * MAPS: "in this space, [lo, hi) holds exactly these mappings". Replaces whatever was known of
 * [lo, hi) and of the full extent of each mapping in it. hdr.tid is who made us look.
 */
struct rec_maps {
	struct rec_hdr hdr;
	__u64 space;
	__u64 lo;
	__u64 hi;
	__u64 start_brk; /* these three say which mappings are [heap] and [stack] */
	__u64 brk;
	__u64 start_stack;
	__u32 nr;         /* mappings that follow, ascending, disjoint, each touching [lo, hi) */
	__u16 cause;      /* enum rec_cause */
	__u16 maps_flags; /* REC_MAPS_* */
	struct rec_mapping mapping[];
};
_Static_assert(sizeof(struct rec_maps) == 80, "wire size of rec_maps");

/* rec_file.file_kind */
enum rec_file_kind {
	REC_FILE_NONE = 0,
	REC_FILE_PATH,   /* a file; name is its path, without " (deleted)" */
	REC_FILE_PSEUDO, /* a file without a path (memfd, SysV, anon_inode): name as /proc shows it,
			  * without " (deleted)" */
	REC_FILE_SPECIAL, /* no file: the kernel's own name, such as [vdso] */
	REC_FILE_ANON,    /* no file: a name that the process gave to anonymous memory */
	REC_FILE_KIND_NR
};

/* rec_file.file_flags */
#define REC_FILE_DELETED (1 << 0) /* /proc would append " (deleted)" */
#define REC_FILE_CUT (1 << 1)     /* the name is longer than what could be read: its tail is here */

/*
 * FILE: what a file key means, told at first sight of the key, and again when its name has
 * changed or a walk asks for names anew. May come after the record that refers to it.
 */
struct rec_file {
	struct rec_hdr hdr;
	__u64 file;       /* the key; never 0 */
	__u64 inode;      /* as /proc/PID/maps prints it; 0 for kinds without a file */
	__u32 dev;        /* major << 20 | minor, as the kernel has it */
	__u32 generation; /* of the inode: tells reused inode numbers apart */
	__u16 file_kind;  /* enum rec_file_kind */
	__u16 file_flags; /* REC_FILE_* */
	__u32 name_len;   /* bytes */
	char name[];
};
_Static_assert(sizeof(struct rec_file) == 56, "wire size of rec_file");

/* rec_cgroup.cgroup_flags */
#define REC_CGROUP_CUT (1 << 0) /* the path is longer than what could be read: its tail is here */

/* CGROUP: the path of a cgroup, told at first sight of (hierarchy, id). */
struct rec_cgroup {
	struct rec_hdr hdr;
	__u64 id;
	__u32 hierarchy;    /* 0 = v2 */
	__u16 cgroup_flags; /* REC_CGROUP_* */
	__u16 path_len;     /* bytes; the root is "/" */
	char path[];
};
_Static_assert(sizeof(struct rec_cgroup) == 40, "wire size of rec_cgroup");

/* rec_walk.walk_flags */
#define REC_WALK_FULL (1 << 0)   /* every task of the host; else just hdr.tgid */
#define REC_WALK_SEED (1 << 1)   /* the first one */
#define REC_WALK_FAILED (1 << 2) /* END: not every task was reached: nothing may be swept */

/*
 * WALK_BEGIN: put in by user space before it starts a walk.
 * WALK_END:   the iterator's last call. For a full walk: a task that was there at BEGIN and was
 *             not met since (by CREATE, FORK or EXEC) is gone.
 */
struct rec_walk {
	struct rec_hdr hdr;
	__u32 walk;       /* number of the walk, from 1 */
	__u32 walk_flags; /* REC_WALK_* */
};
_Static_assert(sizeof(struct rec_walk) == 32, "wire size of rec_walk");

/* rec_loss.cause */
enum rec_loss_cause {
	REC_LOSS_NONE = 0,
	REC_LOSS_RING_FULL,    /* a reserve failed */
	REC_LOSS_READ_FAILED,  /* the kernel's memory could not be read in one piece */
	REC_LOSS_SCRATCH_BUSY, /* no scratch buffer was free */
	REC_LOSS_SKIPPED,      /* the kernel did not run a program (recursion_misses) */
	REC_LOSS_CAUSE_NR
};

/* LOSS: put in by user space when a counter of the kernel side has grown. */
struct rec_loss {
	struct rec_hdr hdr;
	__u64 count;     /* records lost since the last one of this kind and cause */
	__u32 lost_kind; /* enum rec_kind; REC_NONE where it is not known */
	__u32 cause;     /* enum rec_loss_cause */
};
_Static_assert(sizeof(struct rec_loss) == 40, "wire size of rec_loss");

#pragma GCC diagnostic pop

#endif
