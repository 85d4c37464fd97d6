/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes as a tree: see view/tree.h. */
#ifndef TASKATLAS_FORMAT_TREE_H
#define TASKATLAS_FORMAT_TREE_H

#include "format/json.h"
#include "format/style.h"
#include "view/coverage.h"
#include "view/tree.h"

/* Name of a user; NULL = not known. The text is good until the next call. */
typedef const char *(*user_name_fn)(void *ctx, uint32_t uid);

struct tree_format {
	const struct atlas *atlas;
	const struct coverage *coverage;
	bool threads; /* a row for each thread that is not its process's leader */
	user_name_fn user_name;
	void *ctx;
};

/* Append a table. 0, -ENOMEM. */
int tree_text(struct buffer *out, const struct style *style, const struct tree *tree,
	      const struct tree_format *format);

/* Append one object and a newline. 0, -ENOMEM. */
int tree_json(struct buffer *out, const struct tree *tree, const struct tree_format *format);

/*
 * Append the short form of a cgroup for a column: its last part, without ".scope" and ".service",
 * long hexadecimal identifiers cut to 12 digits. "-" if it is not known.
 */
void cgroup_short(struct buffer *out, const struct style *style, const struct cgroup *cgroup);

#endif
