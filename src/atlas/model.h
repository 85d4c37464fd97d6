/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the model: the nodes behind the objects of atlas.h, and the atlas that holds them. Each
 * node begins with its public object, so a pointer to one is a pointer to the other. Private to
 * src/atlas/.
 *
 * Who refers to whom
 *	task    -> process      as long as the thread lives
 *	process -> space        running: it holds the space; afterwards: its own, frozen one
 *	process -> older        who had the same tgid before; all of those are gone
 *	space   -> maptree      shared, copied when changed
 *	mapping, process -> file by number; task, process -> cgroup by pointer; neither counted:
 *	                        what nothing refers to is found by marking (retain.c)
 */
#ifndef TASKATLAS_MODEL_H
#define TASKATLAS_MODEL_H

#include "atlas/atlas.h"
#include "atlas/maptree.h"
#include "base/keymap.h"

#define FLOATING_MAX 1024 /* spaces of which nobody is known to run in them */

#define MAP_PAGE 4096ull /* the smallest page there is; all page sizes are multiples */
#define MAP_END (UINT64_MAX & ~(MAP_PAGE - 1))

struct file_node {
	struct file pub;
	uint64_t key;
	uint32_t number;
	bool marked;
};

struct cgroup_node {
	struct cgroup pub;
	struct cgroup_node *prev, *next; /* atlas.cgroup_list */
	struct cgroup_node *sibling;     /* with the same id in another hierarchy */
	bool marked;
};

struct space_node {
	struct space pub;
	struct maptree tree;
	uint64_t key;     /* the kernel's; 0 = not bound: nothing that comes is meant for it */
	uint32_t refs;    /* processes that point here, in whatever state */
	uint32_t holders; /* those that keep the key bound: see enum hold */
	uint64_t suspect_lo, suspect_hi; /* what is suspect lies in here; empty = nothing */
	uint64_t look_seq;  /* atlas.seq when the present look at the whole space began; 0 = none */
	uint64_t look_to;   /* since then [0, look_to) was seen, and is not suspect */
	uint64_t whole_seq; /* look_seq of the last look that saw everything */
	struct space_node *prev, *next; /* atlas.spaces while refs > 0, else atlas.floating */
};

/* How a process holds its space. */
enum hold {
	HOLD_NONE = 0, /* not: no space, or a frozen one that nobody else has */
	HOLD_LINGERS,  /* its last known thread ended, but no EXIT said that it was the last */
	HOLD_RUNS,     /* it runs there: counted in space.nr_processes */
};

struct process_node {
	struct process pub;
	struct process_node *older, *newer; /* holders of the same tgid; the older ones are gone */
	struct process_node *prev, *next;   /* atlas.present or atlas.gone */
	struct task_node *threads;          /* oldest first */
	void *image;                        /* what pub.exec_filename and pub.args point into */
	uint64_t gone_ns;                   /* since when */
	uint64_t joined_seq;                /* atlas.seq when it came into its space */
	uint32_t met;                       /* the walk that met it last */
	uint32_t exits_missed;              /* threads taken for dead whose EXIT may come yet */
	uint32_t leader_exit_code;          /* wait status */
	uint32_t group_exit_code;           /* the same; counts if group_exit */
	uint8_t hold;                       /* enum hold */
	bool group_exit;
	bool leader_told; /* a record of the leader itself was applied */
	bool last_seen;   /* an EXIT with REC_EXIT_LAST came */
	bool unsure;      /* a zombie of which a thread that is not known may live */
	bool end_counted; /* in counts.process_exits */
};

struct task_node {
	struct task pub;
	struct process_node *process;
	struct task_node *prev, *next; /* process.threads */
	uint32_t met;                  /* the walk that met it last */
	bool birth_missed;             /* counted in counts.births_missed */
};

struct walk_state {
	uint32_t generation; /* grows with each full walk; what nodes were met by */
	uint32_t number;     /* rec_walk.walk of the open full walk */
	bool open;
	bool lost;         /* something was lost since its BEGIN */
	bool creates_lost; /* and that may have been a CREATE */
	uint64_t heal_seq; /* atlas.seq at the first BEGIN behind the last loss */
};

struct mapping_list {
	struct mapping *list;
	size_t nr, capacity;
};

struct atlas {
	struct atlas_limits limits;
	struct atlas_state state;
	struct atlas_counts counts; /* all but spaces, files, cgroups and mappings are kept here */
	uint64_t seq;               /* records applied */
	struct walk_state walk;

	struct keymap processes;      /* by tgid: its newest holder */
	struct keymap tasks;          /* by tid */
	struct process_node *present; /* list: running ones and zombies */
	struct process_node *gone;    /* list: the one gone longest first */

	struct keymap space_keys;    /* by key */
	struct space_node *spaces;   /* list: some process points there */
	struct space_node *floating; /* list: bound, and no process is known; the oldest first */
	uint32_t nr_spaces, nr_floating;
	uint64_t last_space; /* number */
	struct mappool pool;

	struct keymap file_keys;  /* by key */
	struct file_node **files; /* by number; [0] is never used */
	size_t files_capacity;
	uint32_t files_end;     /* numbers below were given at least once */
	uint32_t *free_numbers; /* stack of those that are free; room for all */
	size_t free_capacity, nr_free;
	size_t files_kept, cgroups_kept; /* by the last collection */
	uint32_t chunk_mark;

	struct keymap cgroups; /* by id: the first of a list */
	struct cgroup_node *cgroup_list;
	uint32_t nr_cgroups;

	struct mapping_list before, after; /* scratch of a MAPS record */
	atlas_mapping_fn on_mapping;
	void *on_mapping_ctx;
};

/* Something is not known any more: suspect from then on, until a walk that began later has ended.
 */
void atlas_doubt(struct atlas *atlas, uint64_t time_ns);

#endif
