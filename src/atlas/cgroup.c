// SPDX-License-Identifier: GPL-2.0-only
#include "atlas/cgroup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "atlas/apply.h"

int cgroup_get(struct atlas *atlas, uint32_t hierarchy, uint64_t id, struct cgroup **ret)
{
	struct cgroup_key key = { .id = id, .hierarchy = hierarchy };
	struct cgroup_node *node = NULL;

	if (id)
		HASH_FIND(hh, atlas->cgroups, &key, sizeof(key), node);
	if (!node && id) {
		node = calloc(1, sizeof(*node));
		if (!node)
			return -ENOMEM;
		node->pub = (struct cgroup) { .id = id, .hierarchy = hierarchy, .path = "" };
		node->key = key;
		HASH_ADD(hh, atlas->cgroups, key, sizeof(key), node);
		if (!table_holds(node)) {
			free(node);
			return -ENOMEM;
		}
	}
	*ret = node ? &node->pub : NULL;
	return 0;
}

/* The path is on the heap once it is known. */
static void path_free(struct cgroup *cgroup)
{
	if (cgroup->known)
		free((char *)cgroup->path);
}

void cgroup_free(struct atlas *atlas, struct cgroup_node *node)
{
	HASH_DEL(atlas->cgroups, node);
	path_free(&node->pub);
	free(node);
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
