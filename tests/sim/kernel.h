/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated kernel: tasks, thread groups, address spaces of a few pages, files, cgroups. Just
 * what is there and how it changes; nothing here knows of records, hooks or the atlas.
 *
 * Everything lives in fixed arrays inside one struct kernel, so a run starts from zeroed memory and
 * a stale pointer (a walker may hold one, as the real one may) reads an object that was reused,
 * never freed memory. Tids and spaces are reused at once: the one that became free last goes first.
 *
 * What is one step of the real kernel under a lock is one function here; where the real kernel can
 * be cut in the middle, there are several functions, and the schedule runs others in between.
 */
#ifndef TASKATLAS_SIM_KERNEL_H
#define TASKATLAS_SIM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/record.h"

#define PAGE_BYTES 4096u
#define K_PAGES 24    /* of a space */
#define K_HEAP_PAGE 4 /* first page of the heap, which may grow to K_HEAP_END */
#define K_HEAP_END 9
#define K_STACK_PAGE 20 /* first of the two pages that an exec maps as stack */
#define K_TIDS 40       /* tids are 1 .. K_TIDS - 1 */
#define K_TASKS 72      /* task objects, with those that only a walker still holds */
#define K_MMS 32        /* more than there can be at once */
#define K_FILES 12      /* file 0 is "no file" */
#define K_CGROUPS 5     /* cgroup 0 is not used */
#define K_ENDED 8
#define K_THREADS_MAX 5         /* of one group */
#define K_BASE 0x10000ull       /* address of page 0 */
#define K_TOP 0x7ffffffff000ull /* end of every space */

/* One page of a space. A mapping is a run of used pages of which just the first has `starts`. */
struct k_page {
	uint8_t used;
	uint8_t starts;
	uint8_t flags;   /* REC_MAP_* */
	uint8_t file;    /* number; 0 = anonymous */
	uint16_t offset; /* into the file, pages */
};

/* Pages [lo, hi). */
struct k_range {
	int lo, hi;
};

struct k_mm {
	int users;             /* tasks that run in it; 0 = free */
	int next_free;         /* in the list of free ones; -1 ends it */
	int locked_by;         /* cpu that holds the lock; -1 = nobody */
	bool shared_once;      /* had more than one user at some time */
	uint32_t torn;         /* a bit for each page whose mapping is being written right now */
	struct k_range handed; /* could not be read: for the next one that observes this space */
	uint64_t start_brk, brk, start_stack;
	uint8_t exe; /* file number */
	struct k_page page[K_PAGES];
};

enum k_state {
	K_FREE = 0,
	K_NEW,    /* being made: not visible yet */
	K_LIVE,   /* visible; runs once it is woken */
	K_ZOMBIE, /* a leader that is dead but not reaped */
	K_DEAD,   /* released: only a walker may still hold it */
};

struct k_task;

/* A thread group: what signal_struct is. */
struct k_group {
	int objects;        /* task objects that point here; 0 = free */
	int live;           /* threads that have not begun to exit */
	int threads;        /* not released; a dead leader counts */
	bool exiting;       /* exit_group was called */
	uint32_t exit_code; /* of exit_group */
	bool subreaper;
	bool ignores_children; /* dead children are released at once */
	bool reparented;
	struct k_task *leader;
	struct k_task *exec;    /* the thread that is in an exec */
	struct k_group *parent; /* NULL for the first two */
	uint32_t pid_ns;

	/* What the records that were submitted have told; compare.c needs it. */
	bool told; /* that it is there at all; first by the record at this place in the ring */
	int64_t told_place;
	bool fork_told, exec_told, exit_lost;
	uint32_t nr_execs_told;
	uint32_t forker_tid, forker_tgid;
	uint64_t forker_start;
	uint32_t exec_number; /* of the present image; its file name and arguments come from it */
};

struct k_task {
	enum k_state state;
	int refs; /* walkers that hold it */
	uint32_t tid;
	uint64_t start; /* start_boottime */
	struct k_group *group;
	struct k_mm *mm;
	int cpu; /* that runs it; -1 = none */
	bool kthread;
	bool woken;
	bool exiting; /* PF_EXITING */
	bool killed;
	struct k_task *vfork_child; /* sleeps until that one leaves the shared space */
	struct k_task *vfork_parent;
	uint32_t uid, gid;
	uint32_t mnt_ns;
	uint8_t cgroup;
	int comm_locked_by; /* cpu that holds task_lock(); -1 = nobody */
	char comm[REC_COMM_BYTES];
	uint32_t exit_code;
};

struct k_file {
	uint16_t kind;    /* enum rec_file_kind */
	uint32_t version; /* grows with each rename; part of the name */
	bool told;        /* the kernel side thinks that user space knows it */
};

struct k_cgroup {
	bool told;
};

/* A process that was reaped. */
struct k_ended {
	uint32_t tgid; /* 0 = no entry */
	uint64_t start;
	uint32_t wait_status;
	bool status_told;
};

struct kernel {
	uint64_t now; /* ns */
	struct k_task task[K_TASKS];
	struct k_group group[K_TASKS];
	struct k_task *by_tid[K_TIDS];
	uint8_t free_tid[K_TIDS]; /* a stack */
	int nr_free_tids;
	struct k_mm mm[K_MMS];
	int free_mm; /* the one that became free last; -1 = none */
	struct k_file file[K_FILES];
	struct k_cgroup cgroup[K_CGROUPS];
	int cgroup_locked_by; /* cpu that holds cgroup_mutex; -1 = nobody */
	uint32_t nr_execs;
	struct k_ended ended[K_ENDED]; /* the last ones */
	uint32_t nr_ended;
};

/* An empty machine with init (tid 1), kthreadd (tid 2) and nothing else. */
void kernel_init(struct kernel *k);
/* A new time, later than all before. */
uint64_t kernel_tick(struct kernel *k);

/* --- tasks (task.c) ----------------------------------------------------------------------- */

/* May it make a system call now? */
bool task_can_call(const struct k_task *t);
bool task_is_leader(const struct k_task *t);
int kernel_nr_tasks(const struct kernel *k);

/* Its tid as its own pid namespace numbers it. */
uint32_t task_ns_tid(const struct k_task *t);

/* What clone() is asked for. */
struct clone_request {
	bool thread;                      /* CLONE_THREAD | CLONE_VM */
	bool shares_mm;                   /* CLONE_VM without CLONE_THREAD */
	bool vfork;                       /* with CLONE_VFORK */
	bool same_parent;                 /* CLONE_PARENT */
	bool new_pid_ns;                  /* CLONE_NEWPID */
	bool subreaper, ignores_children; /* what the new group will ask for */
};

/* First half of a clone: the child's object and space, not visible. NULL when there is no room. */
struct k_task *clone_begin(struct kernel *k, struct k_task *t, const struct clone_request *request);
/* Second half: visible from here on. False: the caller was killed, and the child is gone. */
bool clone_attach(struct kernel *k, struct k_task *t, struct k_task *child,
		  const struct clone_request *request);
/* The child runs; after a vfork its parent sleeps. */
void clone_wake(struct k_task *t, struct k_task *child, const struct clone_request *request);

/* What waitpid() says of a process, once its threads are dead. */
uint32_t group_wait_status(const struct k_group *g);

/* Tell every other thread of the group to die. */
void group_kill_others(struct kernel *k, struct k_task *t);
/* The task leaves its space: exit, or exec. Wakes who waits in vfork. */
void task_leave_mm(struct kernel *k, struct k_task *t);

/* exit: flags, then the space, then exit_notify(). Returns a leader that was released on the way
 * (its FREE is due), or NULL. */
void exit_begin(struct kernel *k, struct k_task *t, bool group, uint32_t code);
struct k_task *exit_notify(struct kernel *k, struct k_task *t);
/* Dead, and no other thread of its group is left: can be reaped. */
bool task_can_be_reaped(const struct k_task *t);
/* Its tid becomes free at once. */
void task_release(struct kernel *k, struct k_task *t);
/* Drop a walker's reference, or the object of a task that never was attached. */
void task_put(struct k_task *t);

/* exec: is the caller the only thread that still runs? */
bool exec_is_alone(const struct kernel *k, const struct k_task *t);
/* A thread that is not the leader takes over its start time, then its tid. */
void exec_take_start(struct k_task *t);
void exec_take_tid(struct kernel *k, struct k_task *t);
/* A new, nearly empty space. False: none is free. */
bool exec_switch_mm(struct kernel *k, struct k_task *t, uint8_t exe);

/* --- spaces (mm.c) ------------------------------------------------------------------------ */

struct k_mm *mm_new(struct kernel *k);
struct k_mm *mm_copy(struct kernel *k, const struct k_mm *from);
void mm_put(struct kernel *k, struct k_mm *mm);
int mm_number(const struct kernel *k, const struct k_mm *mm);

/* The mapping that covers the page, or the next one behind it, whole. False = none. */
bool mm_mapping(const struct k_mm *mm, int page, struct k_range *ret);

enum change_kind {
	CHANGE_NONE = 0,
	CHANGE_MAP, /* whatever was in range is replaced */
	CHANGE_UNMAP,
	CHANGE_PROTECT,  /* what is mapped in range gets other protection bits */
	CHANGE_DONTFORK, /* ... gets or loses REC_MAP_DONTFORK */
	CHANGE_MOVE,     /* the pages of range go to `to` */
	CHANGE_BRK,      /* the heap ends at brk */
};

struct change {
	enum change_kind kind;
	struct k_range range;
	struct k_range to; /* CHANGE_MOVE; empty otherwise */
	uint8_t flags;
	uint8_t file;
	uint16_t offset;
	uint64_t brk;
	bool merges; /* with equal neighbours, where it can */
};

/* A change is two steps, under the lock of the space: the mappings that it writes are torn, and
 * then they are what they will be. */
void mm_change_begin(struct k_mm *mm, const struct change *change);
void mm_change_end(struct k_mm *mm, const struct change *change);

/* --- files -------------------------------------------------------------------------------- */

/* Does it have an offset and an inode? The others are special mappings and anonymous names. */
static inline bool file_is_real(int file)
{
	return file % 6 < 4 && file;
}
/* What FILE and /proc would say of a file at that version. Returns the length. */
uint32_t file_name(const struct kernel *k, int file, uint32_t version, char name[32]);
bool file_is_deleted(const struct kernel *k, int file, uint32_t version);
uint64_t file_inode(int file);

#endif
