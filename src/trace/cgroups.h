/* SPDX-License-Identifier: GPL-2.0-only */
/* Which cgroup hierarchy tells containers apart on this host. Private to src/trace/. */
#ifndef TASKATLAS_CGROUPS_H
#define TASKATLAS_CGROUPS_H

/*
 * Index (enum cgroup_subsys_id of the running kernel) of the controller whose v1 hierarchy is asked
 * for tasks that are in the v2 root; -1 if no controller has a v1 hierarchy, or it cannot be known.
 */
int cgroup_v1_subsys(void);

#endif
