/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroups, interned by (hierarchy, id); those without a CGROUP record yet have no path. */
#ifndef TASKATLAS_ATLAS_CGROUP_H
#define TASKATLAS_ATLAS_CGROUP_H

#include "atlas/model.h"

/* The cgroup with this id, NULL for 0; made if nobody knew it. 0, -ENOMEM. */
int cgroup_get(struct atlas *atlas, uint32_t hierarchy, uint64_t id, struct cgroup **ret);

/* The node is in the table. */
void cgroup_free(struct atlas *atlas, struct cgroup_node *node);

/* How many there are. */
static inline uint32_t cgroups_nr(const struct atlas *atlas)
{
	return atlas->cgroups ? atlas->cgroups->hh.tbl->num_items : 0;
}

#endif
