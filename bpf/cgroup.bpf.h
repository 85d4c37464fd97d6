/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which cgroup says what a task belongs to: the v2 one, unless that is the root and a v1 hierarchy
 * was chosen when loading (hybrid hosts, where container managers use v1).
 */
#ifndef TASKATLAS_CGROUP_BPF_H
#define TASKATLAS_CGROUP_BPF_H

#include "state.bpf.h"

struct cgroup_place {
	u64 id;
	u32 hierarchy; /* 0 = v2 */
};

/* Send the CGROUP record of a struct cgroup, if it was not sent yet. */
int cgroup_tell(u64 cgroup, u64 id, u32 hierarchy);

static __always_inline struct cgroup *cgroup_v1_of(struct css_set *set)
{
	struct cgroup_subsys_state *css;

	if (cgroup_v1_subsys < 0)
		return 0;
	bpf_probe_read_kernel(&css, sizeof(css), &set->subsys[cgroup_v1_subsys & 31]);
	return BPF_CORE_READ(css, cgroup);
}

/* Name a cgroup, and tell its path if that was not done. */
static __always_inline struct cgroup_place cgroup_place(struct cgroup *cgroup, u32 hierarchy)
{
	struct cgroup_place place = {.id = BPF_CORE_READ(cgroup, kn, id), .hierarchy = hierarchy};

	cgroup_tell(address_of(cgroup), place.id, place.hierarchy);
	return place;
}

static __always_inline struct cgroup_place cgroup_of(struct task_struct *t)
{
	struct css_set *set = BPF_CORE_READ(t, cgroups);
	struct cgroup *cgroup = BPF_CORE_READ(set, dfl_cgrp);
	struct cgroup *v1 = BPF_CORE_READ(cgroup, level) ? 0 : cgroup_v1_of(set);

	if (v1)
		return cgroup_place(v1, BPF_CORE_READ(v1, root, hierarchy_id));
	return cgroup_place(cgroup, 0);
}

#endif
