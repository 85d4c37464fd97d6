// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes are sorted by identity, so that a parent is found by bisection; each then is put at the
 * head of its parent's list of children, youngest first, which leaves the lists oldest first. The
 * walk needs no stack: the next node is the first child, or the next sibling of the nearest
 * ancestor that has one.
 */
#include "view/tree.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "atlas/maps.h"

#define NONE TREE_NO_PARENT

/* A process on its way into the tree; links are indices into the same array. */
struct item {
	const struct process *process;
	uint32_t parent, first_child, next_sibling;
};

struct forest {
	struct item *items; /* ascending by (start_ns, tgid) */
	size_t nr, capacity;
};

static int compare_identity(uint64_t start_a, uint32_t tgid_a, uint64_t start_b, uint32_t tgid_b)
{
	if (start_a != start_b)
		return start_a < start_b ? -1 : 1;
	return tgid_a < tgid_b ? -1 : tgid_a > tgid_b;
}

static int compare_items(const void *a, const void *b)
{
	const struct process *left = ((const struct item *)a)->process;
	const struct process *right = ((const struct item *)b)->process;

	return compare_identity(left->start_ns, left->tgid, right->start_ns, right->tgid);
}

static int forest_add(struct forest *forest, const struct process *process)
{
	int error = array_reserve(&forest->items, &forest->capacity, forest->nr + 1,
				  sizeof(*forest->items));

	if (error)
		return error;
	forest->items[forest->nr++] = (struct item){
	    .process = process,
	    .parent = NONE,
	    .first_child = NONE,
	    .next_sibling = NONE,
	};
	return 0;
}

static int forest_collect(struct forest *forest, const struct atlas *atlas, bool kernel)
{
	struct process_iter it = atlas_processes(atlas, false);
	const struct process *process;
	int error;

	while ((process = process_next(&it))) {
		if (!kernel && process->flags & PROCESS_KTHREAD)
			continue;
		error = forest_add(forest, process);
		if (error)
			return error;
	}
	if (forest->nr)
		qsort(forest->items, forest->nr, sizeof(*forest->items), compare_items);
	return 0;
}

/* Index of a process by identity, NONE if it is not in the forest. */
static uint32_t forest_find(const struct forest *forest, uint32_t tgid, uint64_t start_ns)
{
	size_t low = 0, high = forest->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct process *process = forest->items[middle].process;
		int order = compare_identity(process->start_ns, process->tgid, start_ns, tgid);

		if (!order)
			return (uint32_t)middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NONE;
}

/* A parent is never younger than its child: so a stream that lies cannot make a ring. */
static void forest_link(struct forest *forest)
{
	for (size_t i = forest->nr; i-- > 0;) {
		struct item *item = &forest->items[i];
		const struct process *process = item->process;
		uint32_t parent =
		    forest_find(forest, process->parent_tgid, process->parent_start_ns);

		if (parent == NONE || parent >= i)
			continue;
		item->parent = parent;
		item->next_sibling = forest->items[parent].first_child;
		forest->items[parent].first_child = (uint32_t)i;
	}
}

static void place(struct tree *tree, const struct item *item, uint32_t depth, uint32_t parent,
		  bool last)
{
	const struct space *space = maps_space(item->process);

	tree->nodes[tree->nr++] = (struct tree_node){
	    .process = item->process,
	    .depth = depth,
	    .parent = parent,
	    .last = last,
	    .nr_mappings = space ? space->nr_mappings : 0,
	};
}

/* Place the item `root` and all below it. `node` maps items to nodes. */
static void place_subtree(struct tree *tree, const struct forest *forest, uint32_t root, bool last,
			  uint32_t *node)
{
	uint32_t at = root, depth = 0;

	for (;;) {
		const struct item *item = &forest->items[at];

		node[at] = (uint32_t)tree->nr;
		place(tree, item, depth, depth ? node[item->parent] : NONE,
		      depth ? item->next_sibling == NONE : last);
		if (item->first_child != NONE) {
			at = item->first_child;
			depth++;
			continue;
		}
		while (at != root && forest->items[at].next_sibling == NONE) {
			at = forest->items[at].parent;
			depth--;
		}
		if (at == root)
			return;
		at = forest->items[at].next_sibling;
	}
}

/* The next item from `at` on that has no parent; NONE = none. */
static uint32_t next_root(const struct forest *forest, size_t at)
{
	while (at < forest->nr && forest->items[at].parent != NONE)
		at++;
	return at < forest->nr ? (uint32_t)at : NONE;
}

static int place_all(struct tree *tree, const struct forest *forest, uint32_t only)
{
	uint32_t *node = calloc(forest->nr + 1, sizeof(*node));
	uint32_t root, next;

	tree->nodes = calloc(forest->nr + 1, sizeof(*tree->nodes));
	if (!node || !tree->nodes) {
		free(node);
		return -ENOMEM;
	}
	if (only != NONE)
		place_subtree(tree, forest, only, true, node);
	for (root = next_root(forest, 0); only == NONE && root != NONE; root = next) {
		next = next_root(forest, (size_t)root + 1);
		place_subtree(tree, forest, root, next == NONE, node);
	}
	free(node);
	return 0;
}

int tree_build(struct tree *ret, const struct atlas *atlas, const struct tree_options *options)
{
	const struct process *root = NULL;
	struct forest forest = {0};
	struct tree tree = {0};
	uint32_t only = NONE;
	int error;

	if (options->root_tgid) {
		root = atlas_process(atlas, options->root_tgid);
		if (!root || root->state == PROCESS_GONE)
			return -ENOENT;
	}
	error = forest_collect(&forest, atlas,
			       options->kernel || (root && root->flags & PROCESS_KTHREAD));
	if (error)
		goto out;
	forest_link(&forest);
	if (root)
		only = forest_find(&forest, root->tgid, root->start_ns);
	error = place_all(&tree, &forest, only);
	if (error)
		goto out;
	*ret = tree;
	tree = (struct tree){0};
out:
	tree_done(&tree);
	free(forest.items);
	return error;
}

void tree_done(struct tree *tree)
{
	if (!tree)
		return;
	free(tree->nodes);
	*tree = (struct tree){0};
}
