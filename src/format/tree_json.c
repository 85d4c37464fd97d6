// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "format/coverage.h"
#include "format/process_json.h"
#include "format/tree.h"

static void threads_json(struct json *json, struct json_object *at, const struct process *process)
{
	struct json_object *threads = json_add_array(json, at, "threads");
	struct task_iter it = atlas_threads(process);
	const struct task *task;

	while ((task = task_next(&it))) {
		struct json_object *thread = json_add_object(json, threads, NULL);

		json_add_number(json, thread, "tid", task->tid);
		json_add_number(json, thread, "start_ns", task->start_ns);
		json_add_number(json, thread, "ns_tid", task->ns_tid);
		json_add_comm(json, thread, task->comm);
		json_add_flag(json, thread, "exited", task->leader_exited);
	}
}

static void node_json(struct json *json, const struct tree_format *format,
		      const struct tree_node *node)
{
	const struct process *process = node->process;
	const char *user = format->user_name ? format->user_name(format->ctx, process->uid) : NULL;

	process_json(json, json->root, format->atlas, process);
	if (user)
		json_add_name(json, json->root, "user", user, strlen(user));
	else
		json_add_null(json, json->root, "user");
	json_add_number(json, json->root, "depth", node->depth);
	json_add_number(json, json->root, "nr_mappings", node->nr_mappings);
	if (format->threads)
		threads_json(json, json->root, process);
}

int tree_json(struct buffer *out, const struct tree *tree, const struct tree_format *format)
{
	struct json json;
	int error;

	json_init(&json);
	json_begin(&json, "tree", format->coverage);
	error = json_print(&json, out);
	json_open(out, "processes");
	for (size_t i = 0; i < tree->nr && !error; i++) {
		json_next(out, i == 0);
		node_json(&json, format, &tree->nodes[i]);
		error = json_print(&json, out);
	}
	json_close(out);
	buffer_add_text(out, "\n");
	json_done(&json);
	return error ? error : buffer_error(out);
}
