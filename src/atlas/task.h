/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads, by tid. Only those that live, and leaders that ended while others run on. */
#ifndef TASKATLAS_ATLAS_TASK_H
#define TASKATLAS_ATLAS_TASK_H

#include "atlas/model.h"

/* The thread with this tid now; NULL = none known. */
struct task_node *task_find(const struct atlas *atlas, uint32_t tid);
/* That very thread; NULL = not known, or it ended. */
struct task_node *task_find_at(const struct atlas *atlas, uint32_t tid, uint64_t start_ns);

/* How new a task is that was observed. */
enum task_novelty {
	TASK_KNOWN = 0,
	TASK_RETURNED, /* its process was taken for dead */
	TASK_NEW,      /* a thread of a known process */
	TASK_FIRST,    /* the first known thread of a process that nobody knew */
};

/*
 * A record says that this task lives: the thread and its process are made if nobody knew them, what
 * is known of both is refreshed, and the walk that is under way has met them. Whoever else had the
 * tid or the tgid is taken for dead. 0; -ENOMEM with the task as it was before.
 */
int task_observe(struct atlas *atlas, const struct rec_task *rec, struct task_node **ret,
		 enum task_novelty *ret_novelty);

/* A leader has ended, and others of its process may run on. */
void task_leader_exited(struct task_node *leader);

/* What a record names beside its task, found or made. 0, -ENOMEM. */
struct task_names {
	struct cgroup *cgroup; /* NULL = it does not say */
	uint32_t exe;          /* file number, 0 = the same */
};
int task_names_get(struct atlas *atlas, const struct rec_task *rec, struct task_names *ret);

/* It is no more. Its process stays as it is otherwise. */
void task_drop(struct atlas *atlas, struct task_node *task);

/* The same, since it must be dead and no EXIT of it came. */
void task_missed(struct atlas *atlas, struct task_node *task);

/* Count a thread whose FORK did not come, and take that back when it does. */
void task_birth_missed(struct atlas *atlas, struct task_node *task);
void task_birth_seen(struct atlas *atlas, struct task_node *task);

#endif
