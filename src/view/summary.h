/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host in one screen: how much there is now, what happened during a time, and who did most of
 * it. Everything in it points into the atlas and the activity.
 */
#ifndef TASKATLAS_VIEW_SUMMARY_H
#define TASKATLAS_VIEW_SUMMARY_H

#include "view/activity.h"

#define SUMMARY_TOP 5 /* entries of each list */

/* X(member, word): totals of the time; the words are those of docs/json.md. */
#define SUMMARY_RATES(X)                                                                           \
	X(forks, "forks")                                                                          \
	X(thread_starts, "thread_starts")                                                          \
	X(execs, "execs")                                                                          \
	X(exits, "exits")                                                                          \
	X(thread_exits, "thread_exits")                                                            \
	X(mappings_added, "mappings_added")                                                        \
	X(mappings_removed, "mappings_removed")                                                    \
	X(mappings_changed, "mappings_changed")

enum summary_rate {
#define X(member, word) SUMMARY_##member,
	SUMMARY_RATES(X)
#undef X
	    SUMMARY_RATE_NR
};

struct summary {
	/* now */
	uint32_t tasks, processes, zombies, spaces;
	uint64_t mappings;
	uint64_t mapped_files; /* different files, of any kind that has an inode */

	/* during the time; valid if span_ns is not 0 */
	uint64_t span_ns;
	uint64_t rates[SUMMARY_RATE_NR];
	uint64_t retained_dropped; /* ended processes that are missing from `busiest` */
	uint64_t execs_unnamed;    /* execs that are missing from `exes` */

	const struct process *busiest[SUMMARY_TOP]; /* by changes, forks and execs together */
	size_t nr_busiest;
	struct activity_cgroup cgroups[SUMMARY_TOP];
	size_t nr_cgroups, all_cgroups; /* in the list; in all */
	struct activity_exe exes[SUMMARY_TOP];
	size_t nr_exes, all_exes; /* in the list; in all */
};

const char *summary_rate_name(enum summary_rate rate);

/* Changes, forks and execs of a process together. */
uint64_t process_events(const struct process *process);

/*
 * Fill it from the present state and, unless `activity` is NULL, from a finished activity that
 * lasted until now_ns. 0, -ENOMEM. O(mappings).
 */
int summary_fill(struct summary *ret, const struct atlas *atlas, const struct activity *activity,
		 uint64_t now_ns);

#endif
