// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "format/table.h"
#include "format/tree.h"

#define ID_DIGITS_LONG 32 /* hexadecimal digits in a row that are an identifier */
#define ID_DIGITS_SHOWN 12
#define LEVELS_DRAWN 24 /* of a deeper tree the outer levels are only counted */

enum columns { PID, USER, CGROUP, AGE, THREADS, MAPS, COMMAND, COLUMNS_NR };

static const struct table_column columns[COLUMNS_NR] = {
    [PID] = {"PID", true, 0},          [USER] = {"USER", false, 5},
    [CGROUP] = {"CGROUP", false, 1},   [AGE] = {"AGE", true, 4},
    [THREADS] = {"THR", true, 2},      [MAPS] = {"MAPS", true, 3},
    [COMMAND] = {"COMMAND", false, 0},
};

/* Which levels have something below still to come: the lines that run past a row. */
struct levels {
	bool *open;
	size_t capacity;
};

static int levels_set(struct levels *levels, uint32_t depth, bool open)
{
	int error = array_reserve(&levels->open, &levels->capacity, (size_t)depth + 1,
				  sizeof(*levels->open));

	if (error)
		return error;
	levels->open[depth] = open;
	return 0;
}

static void draw(struct buffer *out, const struct style *style, const struct levels *levels,
		 uint32_t depth, bool last)
{
	const char *past = style->unicode ? "\u2502  " : "|  ";
	const char *branch = style->unicode ? "\u251c\u2500 " : "|- ";
	const char *end = style->unicode ? "\u2514\u2500 " : "`- ";
	uint32_t level = 1;

	if (!depth)
		return;
	if (depth > LEVELS_DRAWN) {
		level = depth - LEVELS_DRAWN + 1;
		buffer_format(out, "(+%" PRIu32 ") ", depth - LEVELS_DRAWN);
	}
	for (; level < depth; level++)
		buffer_add_text(out, levels->open[level] ? past : "   ");
	buffer_add_text(out, last ? end : branch);
}

static bool ends_with(const char *text, size_t len, const char *end)
{
	size_t end_len = strlen(end);

	return len > end_len && !memcmp(text + len - end_len, end, end_len);
}

static size_t hex_digits(const char *text, size_t len)
{
	size_t nr = 0;

	while (nr < len && isxdigit((unsigned char)text[nr]))
		nr++;
	return nr;
}

void cgroup_short(struct buffer *out, const struct style *style, const struct cgroup *cgroup)
{
	const char *name = cgroup && cgroup->known ? cgroup->path : "";
	size_t len = strlen(name), digits;

	if (len <= 1) {
		buffer_add_text(out, len ? name : "-");
		return;
	}
	if (strrchr(name, '/')) {
		name = strrchr(name, '/') + 1;
		len = strlen(name);
	}
	if (ends_with(name, len, ".scope"))
		len -= strlen(".scope");
	else if (ends_with(name, len, ".service"))
		len -= strlen(".service");
	for (; len; name += digits, len -= digits) {
		digits = hex_digits(name, len);
		if (digits >= ID_DIGITS_LONG) {
			buffer_add(out, name, ID_DIGITS_SHOWN);
		} else {
			digits = digits ? digits : 1;
			while (digits < len && !isxdigit((unsigned char)name[digits]))
				digits++;
			style_name(out, style, name, digits);
		}
	}
}

static void command_cell(struct buffer *out, const struct style *style, const struct atlas *atlas,
			 const struct process *process)
{
	const struct file *exe = atlas_file(atlas, process->exe);
	bool kernel = process->flags & PROCESS_KTHREAD;

	buffer_add_text(out, kernel ? "[" : "");
	style_comm(out, style, process->comm);
	buffer_add_text(out, kernel ? "]" : "");
	if (process->state == PROCESS_ZOMBIE)
		buffer_add_text(out, " (zombie)");
	if (exe && exe->name_len) {
		buffer_add_text(out, "  ");
		style_name(out, style, exe->name, exe->name_len);
		buffer_add_text(out, exe->flags & REC_FILE_DELETED ? " (deleted)" : "");
	}
}

static void user_cell(struct buffer *out, const struct style *style,
		      const struct tree_format *format, uint32_t uid)
{
	const char *name = format->user_name ? format->user_name(format->ctx, uid) : NULL;

	if (name)
		style_name(out, style, name, strlen(name));
	else
		buffer_format(out, "%" PRIu32, uid);
}

/* PID, USER, CGROUP and AGE, which processes and threads have alike. */
static void add_identity(struct table *table, const struct style *style,
			 const struct tree_format *format, uint32_t id, uint32_t uid,
			 const struct cgroup *cgroup, uint64_t start_ns)
{
	uint64_t now_ns = format->coverage->to_ns;

	table_number(table, id);
	user_cell(table_cell(table, COLOR_NONE), style, format, uid);
	cgroup_short(table_cell(table, COLOR_NONE), style, cgroup);
	duration_add(table_cell(table, COLOR_NONE), now_ns > start_ns ? now_ns - start_ns : 0);
}

/* A row for each thread but the leader. `children`: processes follow below. */
static void add_threads(struct table *table, const struct style *style, const struct levels *levels,
			const struct tree_format *format, const struct tree_node *node,
			bool children)
{
	struct task_iter it = atlas_threads(node->process);
	const struct task *task = task_next(&it), *next;
	uint32_t leader = node->process->tgid;

	if (task && task->tid == leader)
		task = task_next(&it);
	for (; task; task = next) {
		struct buffer *cell;

		next = task_next(&it);
		if (next && next->tid == leader)
			next = task_next(&it);
		add_identity(table, style, format, task->tid, task->uid, task->cgroup,
			     task->start_ns);
		table_text(table, COLOR_NONE, "");
		table_text(table, COLOR_NONE, "");
		cell = table_cell(table, COLOR_DIM);
		draw(cell, style, levels, node->depth + 1, !next && !children);
		buffer_add_text(cell, "{");
		style_comm(cell, style, task->comm);
		buffer_add_text(cell, "}");
	}
}

static void add_process(struct table *table, const struct style *style, const struct levels *levels,
			const struct tree_format *format, const struct tree_node *node)
{
	const struct process *process = node->process;
	bool zombie = process->state == PROCESS_ZOMBIE;
	struct buffer *cell;

	add_identity(table, style, format, process->tgid, process->uid, process->cgroup,
		     process->start_ns);
	table_number(table, process->nr_threads);
	table_number(table, node->nr_mappings);
	cell = table_cell(table, zombie ? COLOR_YELLOW : COLOR_NONE);
	draw(cell, style, levels, node->depth, node->last);
	command_cell(cell, style, format->atlas, process);
}

int tree_text(struct buffer *out, const struct style *style, const struct tree *tree,
	      const struct tree_format *format)
{
	struct levels levels = {0};
	struct table table;
	int error = 0;

	table_init(&table, columns, COLUMNS_NR);
	for (size_t i = 0; i < tree->nr && !error; i++) {
		const struct tree_node *node = &tree->nodes[i];
		bool children = i + 1 < tree->nr && node[1].depth > node->depth;

		error = levels_set(&levels, node->depth, !node->last);
		add_process(&table, style, &levels, format, node);
		if (format->threads)
			add_threads(&table, style, &levels, format, node, children);
	}
	if (!error)
		error = table_print(&table, style, out);
	table_done(&table);
	free(levels.open);
	return error;
}
