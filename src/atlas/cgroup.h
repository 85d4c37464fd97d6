/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroups, interned by (hierarchy, id); those without a CGROUP record yet have no path. */
#ifndef TASKATLAS_ATLAS_CGROUP_H
#define TASKATLAS_ATLAS_CGROUP_H

#include "atlas/model.h"

/* The cgroup with this id, NULL for 0; made if nobody knew it. 0, -ENOMEM. */
int cgroup_get(struct atlas *atlas, uint32_t hierarchy, uint64_t id, struct cgroup **ret);

/* Drop those that are not marked, and unmark the others. Returns how many went. */
size_t cgroups_sweep(struct atlas *atlas);

#endif
