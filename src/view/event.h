/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happened, one thing at a time, as a trace tells it: a record or a mapping change together
 * with what the atlas knows about whom it concerns. An event points into the record and the atlas:
 * it is good until the next record is applied.
 */
#ifndef TASKATLAS_VIEW_EVENT_H
#define TASKATLAS_VIEW_EVENT_H

#include "atlas/atlas.h"

/* X(KIND, name, default): `name` is the word in outputs and in --kinds; default: told unless
 * --kinds says otherwise. */
#define EVENTS(X)                                                                                  \
	X(SEED, "seed", true)               /* a process that was there at the start */            \
	X(SEED_END, "seed-end", true)       /* from here on everything is live */                  \
	X(FOUND, "found", true)             /* a walk found a process whose fork was lost */       \
	X(FORK, "fork", true)               /* a new process */                                    \
	X(THREAD, "thread", true)           /* a new thread in a process */                        \
	X(EXEC, "exec", true)               /* a new image in a process */                         \
	X(RENAME, "rename", true)           /* a thread has another name */                        \
	X(MOVE, "move", true)               /* a thread or process is in another cgroup */         \
	X(IDENTITY, "identity", false)      /* user, group or namespaces may have changed */       \
	X(THREAD_EXIT, "thread-exit", true) /* a thread ended, its process goes on */              \
	X(EXIT, "exit", true)               /* a process ended */                                  \
	X(REAP, "reap", false)              /* its parent took notice; the pid is free */          \
	X(MAP, "map", false)                /* a piece of address space was mapped */              \
	X(UNMAP, "unmap", false)            /* one was unmapped */                                 \
	X(CHANGE, "change", false)          /* one has another protection, file or offset */       \
	X(LOSS, "loss", true)               /* records were lost */

enum event_kind {
	EVENT_NONE = 0,
#define X(KIND, name, on) EVENT_##KIND,
	EVENTS(X)
#undef X
	    EVENT_KIND_NR
};

#define EVENT_BIT(kind) (1u << (kind))
#define EVENT_MAPPING_BITS (EVENT_BIT(EVENT_MAP) | EVENT_BIT(EVENT_UNMAP) | EVENT_BIT(EVENT_CHANGE))

struct event {
	enum event_kind kind;
	uint64_t time_ns;              /* 0 = not known */
	uint32_t tid, tgid;            /* whom it concerns; 0 for SEED_END and LOSS */
	const struct process *process; /* NULL = not known */
	char comm[REC_COMM_BYTES];     /* of the thread where known, else of the process */

	uint32_t forker_tid, forker_tgid; /* FORK, THREAD */
	bool shares_space;                /* FORK: vfork or CLONE_VM */

	uint32_t old_tid;     /* EXEC: the thread that called */
	uint32_t exec_flags;  /* EXEC: REC_EXEC_* */
	const char *filename; /* EXEC: as given to exec; not NUL-terminated */
	size_t filename_len;  /* bytes */
	const char *args;     /* EXEC: arguments, each ended by a NUL unless cut */
	size_t args_len;      /* bytes */
	uint32_t wait_status; /* EXIT, THREAD_EXIT: code << 8, or the signal */
	bool missed;          /* EXIT: found by a walk, when and how are not known */

	const struct cgroup *cgroup; /* MOVE: where it is now; NULL = not known */

	const struct space *space;            /* MAP, UNMAP, CHANGE */
	enum rec_cause cause;                 /* the same: what made the kernel side look */
	const struct mapping *before, *after; /* the same: cut to the piece; NULL = none */

	uint64_t count;              /* LOSS: records; SEED_END: processes seeded */
	enum rec_kind lost_kind;     /* LOSS */
	enum rec_loss_cause lost_by; /* LOSS */
};

const char *event_kind_name(enum event_kind kind);
/* The kind with this name; EVENT_NONE = there is none. */
enum event_kind event_kind_by_name(const char *name, size_t len);
/* Bits of the kinds that are told by default. */
uint32_t event_default_kinds(void);

/*
 * The event that an applied record is; false if it is none by itself (files, cgroups, mappings,
 * records of walks other than a CREATE, which is FOUND).
 */
bool event_from_record(struct event *ret, const struct atlas *atlas, const struct rec_hdr *record,
		       size_t size);

/* The event that a mapping change is; the arguments are those of atlas_mapping_fn. */
void event_from_mapping(struct event *ret, const struct atlas *atlas, const struct rec_maps *record,
			const struct space *space, enum mapping_change change,
			const struct mapping *before, const struct mapping *after);

/* SEED or FOUND for a process, EXIT for one whose end was missed. */
void event_from_process(struct event *ret, enum event_kind kind, const struct process *process,
			uint64_t time_ns);

#endif
