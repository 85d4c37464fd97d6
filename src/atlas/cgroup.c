// SPDX-License-Identifier: GPL-2.0-only
#include "atlas/cgroup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "atlas/apply.h"

static struct cgroup_node *cgroup_new(struct atlas *atlas, uint32_t hierarchy, uint64_t id,
				      struct cgroup_node *sibling)
{
	struct cgroup_node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	node->pub = (struct cgroup){.id = id, .hierarchy = hierarchy, .path = ""};
	node->sibling = sibling;
	if (keymap_set(&atlas->cgroups, id, node)) {
		free(node);
		return NULL;
	}
	DL_APPEND(atlas->cgroup_list, node);
	atlas->nr_cgroups++;
	return node;
}

int cgroup_get(struct atlas *atlas, uint32_t hierarchy, uint64_t id, struct cgroup **ret)
{
	struct cgroup_node *first, *node;

	if (!id) {
		*ret = NULL;
		return 0;
	}
	first = keymap_find(&atlas->cgroups, id);
	for (node = first; node && node->pub.hierarchy != hierarchy; node = node->sibling)
		;
	if (!node)
		node = cgroup_new(atlas, hierarchy, id, first);
	if (!node)
		return -ENOMEM;
	*ret = &node->pub;
	return 0;
}

/* The path is on the heap once it is known. */
static void path_free(struct cgroup *cgroup)
{
	if (cgroup->known)
		free((char *)cgroup->path);
}

static void cgroup_free(struct atlas *atlas, struct cgroup_node *node)
{
	struct cgroup_node *first = keymap_find(&atlas->cgroups, node->pub.id);

	LL_DELETE2(first, node, sibling);
	if (first)
		keymap_set(&atlas->cgroups, node->pub.id, first); /* there is one: cannot fail */
	else
		keymap_remove(&atlas->cgroups, node->pub.id);
	DL_DELETE(atlas->cgroup_list, node);
	atlas->nr_cgroups--;
	path_free(&node->pub);
	free(node);
}

size_t cgroups_sweep(struct atlas *atlas)
{
	struct cgroup_node *node = atlas->cgroup_list, *next;
	uint32_t before = atlas->nr_cgroups;

	for (; node; node = next) {
		next = node->next;
		if (!node->marked)
			cgroup_free(atlas, node);
		else
			node->marked = false;
	}
	return before - atlas->nr_cgroups;
}

int apply_cgroup(struct atlas *atlas, const struct rec_cgroup *rec)
{
	struct cgroup *cgroup;
	char *path;

	if (!rec->id)
		return 0;
	path = strndup(rec->path, rec->path_len);
	if (!path)
		return -ENOMEM;
	if (cgroup_get(atlas, rec->hierarchy, rec->id, &cgroup)) {
		free(path);
		return -ENOMEM;
	}
	path_free(cgroup);
	cgroup->path = path;
	cgroup->known = true;
	cgroup->cut = rec->cgroup_flags & REC_CGROUP_CUT;
	return 0;
}
