/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a host did during a time: counts that the atlas does not keep by itself, namely the
 * executables that were run and the cgroups that worked. Fed with every record and mapping change
 * of that time.
 *
 * Bounded: past ACTIVITY_KEYS_MAX names or cgroups new ones are only counted together.
 */
#ifndef TASKATLAS_VIEW_ACTIVITY_H
#define TASKATLAS_VIEW_ACTIVITY_H

#include "atlas/atlas.h"

#define ACTIVITY_KEYS_MAX 65536

/* An executable that was run. */
struct activity_exe {
	const char *name; /* path of the executable; bytes */
	size_t name_len;
	uint64_t execs;   /* during the time */
	uint64_t running; /* processes whose present image it is, from an exec during the time */
};

/* A cgroup in which something happened. */
struct activity_cgroup {
	const struct cgroup *cgroup; /* NULL = of processes whose cgroup is not known */
	uint64_t changes;            /* pieces of address space added, removed, changed */
	uint64_t forks, execs;
};

struct activity;

/* Starts at the atlas's present state, told to be that of now_ns. 0, -ENOMEM. */
int activity_new(struct activity **ret, const struct atlas *atlas, uint64_t now_ns);
/* Takes NULL. */
void activity_free(struct activity *activity);

/* After each record was applied. 0, -ENOMEM. */
int activity_record(struct activity *activity, const struct rec_hdr *record, size_t size);
/* For each mapping change; `record` made it. */
void activity_mapping(struct activity *activity, const struct rec_maps *record);

/* Name what is still without a name, count what still runs, sort. Once, at the end. */
void activity_finish(struct activity *activity);

/*
 * After activity_finish(), the busiest first: at most `nr` into ret[]; returns how many there are
 * in all. Names belong to the activity.
 */
size_t activity_exes(const struct activity *activity, struct activity_exe *ret, size_t nr);
size_t activity_cgroups(const struct activity *activity, struct activity_cgroup *ret, size_t nr);

/* Counts of the atlas when the activity began. */
const struct atlas_counts *activity_base(const struct activity *activity);
/* When it began. */
uint64_t activity_begin_ns(const struct activity *activity);
/* Execs that are in no activity_exe: beyond ACTIVITY_KEYS_MAX, or never named. */
uint64_t activity_uncounted(const struct activity *activity);

#endif
