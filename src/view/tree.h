/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes as a tree by present parent, in the order in which it is printed: each process before
 * its children, siblings by age, oldest first.
 */
#ifndef TASKATLAS_VIEW_TREE_H
#define TASKATLAS_VIEW_TREE_H

#include "atlas/atlas.h"

struct tree_node {
	const struct process *process;
	uint32_t depth;       /* 0 for a root */
	uint32_t parent;      /* index of the node above; TREE_NO_PARENT for a root */
	bool last;            /* no sibling follows */
	uint64_t nr_mappings; /* 0 for kernel threads and zombies */
};
#define TREE_NO_PARENT UINT32_MAX

struct tree {
	struct tree_node *nodes; /* owned; the processes in it are the atlas's */
	size_t nr;
};

struct tree_options {
	uint32_t root_tgid; /* just this process and what is below it; 0 = all */
	bool kernel;        /* kernel threads too */
};

/*
 * Build it from the processes that are there (running ones and zombies). A process whose parent is
 * not shown is a root. 0; -ENOENT if there is no such root_tgid; -ENOMEM. O(n log n).
 */
int tree_build(struct tree *ret, const struct atlas *atlas, const struct tree_options *options);
/* Takes NULL. */
void tree_done(struct tree *tree);

#endif
