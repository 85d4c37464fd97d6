/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which events a trace tells. Every kind of condition that is given must hold; of several values of
 * one kind any will do.
 */
#ifndef TASKATLAS_VIEW_EVENT_FILTER_H
#define TASKATLAS_VIEW_EVENT_FILTER_H

#include "base/options.h"
#include "view/event.h"

struct event_filter {
	uint32_t kinds;           /* EVENT_BIT()s */
	const uint32_t *tgids;    /* processes; a fork matches by its forker too */
	size_t nr_tgids;          /* 0 = all */
	const uint32_t *uids;     /* real user of the process */
	size_t nr_uids;           /* 0 = all */
	struct text_list comms;   /* glob patterns, against the thread's and the process's name */
	struct text_list cgroups; /* paths: that cgroup and all below; or glob patterns */
	uint16_t tag;             /* processes that carry this bit of a tag; 0 = all */
};

/*
 * Does it pass? SEED_END and LOSS concern everybody: only `kinds` can hide them. An event of a
 * process that the atlas does not know passes no condition on processes.
 */
bool event_wanted(const struct event_filter *filter, const struct event *event);

/* The same without an event: would a seed of this process pass, kinds apart? */
bool process_wanted(const struct event_filter *filter, const struct process *process);

/*
 * Parse a comma-separated list of kinds. 0, or -EINVAL with the first unknown name in
 * *ret_bad / *ret_bad_len (inside `list`).
 */
int event_kinds_parse(const char *list, uint32_t *ret_bits, const char **ret_bad,
		      size_t *ret_bad_len);

/* Is `path` this cgroup or one below it, or, if `pattern` has one of *?[, does it match? */
bool cgroup_matches(const char *pattern, const char *path);

#endif
