/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes, by tgid and start time, and their way from running over zombie to gone.
 *
 *	RUNNING --> ZOMBIE --> GONE --> forgotten (retain.c)
 *	   ^----------'--------'	an observation says that a thread lives after all
 *
 * One tgid has at most one process that is not gone; those that had it before hang behind it.
 */
#ifndef TASKATLAS_ATLAS_PROCESS_H
#define TASKATLAS_ATLAS_PROCESS_H

#include "atlas/model.h"

/* The present or last holder of a tgid; NULL = none known. */
struct process_node *process_find(const struct atlas *atlas, uint32_t tgid);
/* That very process, in whatever state; NULL = none known. */
struct process_node *process_find_at(const struct atlas *atlas, uint32_t tgid, uint64_t start_ns);

/*
 * A new process without threads becomes the holder of its tgid; who held it must be gone.
 * NULL = no memory.
 */
struct process_node *process_new(struct atlas *atlas, uint32_t tgid, uint64_t start_ns);

/* Forget a gone process that nobody holds the tgid behind. */
void process_free(struct atlas *atlas, struct process_node *process);

/*
 * Its last known thread ended. `surely`: it was the last one. Otherwise one that is not known may
 * live: until that is clear, its space stays bound, and a leader that has exited stays listed.
 */
void process_end(struct atlas *atlas, struct process_node *process, uint64_t time_ns, bool surely);

/* The same, not surely, for a process that lost its last thread to task_missed(); else nothing. */
void process_end_if_threadless(struct atlas *atlas, struct process_node *process, uint64_t time_ns);

/* A process that ended, but not surely: now it is sure. */
void process_confirm_end(struct atlas *atlas, struct process_node *process);

/*
 * It is not there any more: reaped, or taken for dead. Kept from time_ns on for the retention time.
 * If it ran, its threads are taken for dead (see task_missed()).
 */
void process_gone(struct atlas *atlas, struct process_node *process, uint64_t time_ns);

/* A process that ended or was taken for dead runs. */
void process_revive(struct atlas *atlas, struct process_node *process, uint64_t time_ns);

/* A process that was taken for dead is dead, but not reaped: its EXIT came late. */
void process_unbury(struct atlas *atlas, struct process_node *process);

/* The wait status from what the EXITs said up to now. */
void process_set_status(struct process_node *process);

/* Take over what a record says of the process of its task; `leader`: the task is its leader, or
 * the only one known. */
void process_refresh(struct process_node *process, const struct rec_task *rec, uint32_t exe,
		     const struct cgroup *cgroup, bool leader);

#endif
