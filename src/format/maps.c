// SPDX-License-Identifier: GPL-2.0-only
#include "format/maps.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "format/coverage.h"
#include "view/names.h"

/* seq_setwidth() in show_vma_header_prefix(): 25 + 6 * sizeof(void *) - 1, for 64 bits. */
#define PREFIX_COLUMNS 72

void maps_prot_text(struct buffer *out, const struct maps_line *line)
{
	buffer_add(out, line->prot, 3);
	buffer_add_text(out, line->shared ? "s" : "p");
}

void maps_text_line(struct buffer *out, const struct style *style, const struct maps_line *line)
{
	size_t start = out->len, len;

	buffer_format(out, "%08" PRIx64 "-%08" PRIx64 " ", line->start, line->end);
	maps_prot_text(out, line);
	buffer_format(out, " %08" PRIx64 " %02" PRIx32 ":%02" PRIx32 " %" PRIu64 " ", line->offset,
		      line->major, line->minor, line->inode);
	if (line->name) {
		len = out->len - start;
		buffer_fill(out, ' ', len < PREFIX_COLUMNS ? PREFIX_COLUMNS - len + 1 : 1);
		buffer_add_text(out, line->before);
		escape_proc(out, line->name, line->name_len, style->terminal);
		buffer_add_text(out, line->after);
	}
	buffer_add_text(out, "\n");
}

int maps_text(struct buffer *out, const struct style *style, const struct atlas *atlas,
	      const struct host *host, const struct process *process)
{
	struct maps_iter it = maps_lines(atlas, host, process);
	struct maps_line line;

	while (maps_next(&it, &line))
		maps_text_line(out, style, &line);
	return buffer_error(out);
}

void maps_name_text(struct buffer *out, const struct style *style, const struct maps_line *line)
{
	if (!line->name)
		return;
	buffer_add_text(out, line->before);
	style_name(out, style, line->name, line->name_len);
	buffer_add_text(out, line->after);
}

/* The name as /proc has it, but for " (deleted)". */
static void path_json(struct json *json, struct json_object *at, const struct maps_line *line)
{
	struct buffer path = BUFFER_EMPTY;

	if (!line->name) {
		json_add_null(json, at, "path");
		return;
	}
	buffer_add_text(&path, line->before);
	buffer_add(&path, line->name, line->name_len);
	if (!line->deleted)
		buffer_add_text(&path, line->after);
	if (buffer_error(&path))
		json->error = buffer_error(&path);
	json_add_name(json, at, "path", buffer_text(&path), path.len);
	buffer_done(&path);
}

void maps_line_json(struct json *json, struct json_object *at, const struct maps_line *line)
{
	struct buffer text = BUFFER_EMPTY;

	json_add_address(json, at, "start", line->start);
	json_add_address(json, at, "end", line->end);
	json_add_text(json, at, "prot", line->prot);
	json_add_flag(json, at, "shared", line->shared);
	json_add_number(json, at, "offset", line->offset);
	buffer_format(&text, "%02" PRIx32 ":%02" PRIx32, line->major, line->minor);
	json_add_buffer(json, at, "dev", &text);
	json_add_number(json, at, "inode", line->inode);
	path_json(json, at, line);
	json_add_flag(json, at, "deleted", line->deleted);
	json_add_flag(json, at, "cut", line->cut);
	buffer_done(&text);
}

int maps_json(struct buffer *out, const struct atlas *atlas, const struct coverage *coverage,
	      const struct process *process)
{
	struct maps_iter it = maps_lines(atlas, coverage->host, process);
	struct maps_line line;
	struct json json;
	bool first = true;
	int error;

	json_init(&json);
	json_begin(&json, "maps", coverage);
	json_add_number(&json, json.root, "pid", process->tgid);
	json_add_number(&json, json.root, "start_ns", process->start_ns);
	json_add_comm(&json, json.root, process->comm);
	json_add_text(&json, json.root, "state", process_state_name(process->state));
	json_add_flag(&json, json.root, "complete", maps_complete(atlas, process));
	error = json_print(&json, out);
	json_open(out, "mappings");
	while (!error && maps_next(&it, &line)) {
		json_next(out, first);
		first = false;
		maps_line_json(&json, json.root, &line);
		error = json_print(&json, out);
	}
	json_close(out);
	buffer_add_text(out, "\n");
	json_done(&json);
	return error ? error : buffer_error(out);
}
