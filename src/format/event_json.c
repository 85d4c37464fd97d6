// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "format/coverage.h"
#include "format/event.h"
#include "format/maps.h"
#include "format/process_json.h"
#include "view/names.h"

static void fork_json(struct json *json, const struct event *event)
{
	struct json_object *forker = json_add_object(json, json->root, "forker");

	json_add_number(json, forker, "pid", event->forker_tgid);
	json_add_number(json, forker, "tid", event->forker_tid);
	if (event->kind == EVENT_FORK)
		json_add_flag(json, json->root, "shares_space", event->shares_space);
}

/* Add each argument to an array, as text or as hexadecimal bytes. */
static void args_array(struct json *json, const struct event *event, const char *key, bool bytes)
{
	struct json_object *array = json_add_array(json, json->root, key);
	struct buffer text = BUFFER_EMPTY;
	const char *at = event->args;
	size_t left = event->args_len;

	while (left) {
		size_t len = strnlen(at, left);

		if (bytes)
			escape_hex(&text, at, len);
		else if (utf8_valid(at, len))
			buffer_add(&text, at, len);
		else
			escape_text(&text, at, len, false);
		json_add_buffer(json, array, NULL, &text);
		len += len < left;
		at += len;
		left -= len;
	}
	buffer_done(&text);
}

static void args_json(struct json *json, const struct event *event)
{
	args_array(json, event, "args", false);
	if (!utf8_valid(event->args, event->args_len))
		args_array(json, event, "args_bytes", true);
	json_add_flag(json, json->root, "args_cut", event->exec_flags & REC_EXEC_ARGS_CUT);
	json_add_flag(json, json->root, "args_missing", event->exec_flags & REC_EXEC_ARGS_MISSING);
}

static void exec_json(struct json *json, const struct event *event,
		      const struct event_format *format)
{
	json_add_name(json, json->root, "filename", event->filename, event->filename_len);
	json_add_flag(json, json->root, "filename_cut", event->exec_flags & REC_EXEC_NAME_CUT);
	json_add_flag(json, json->root, "script", event->exec_flags & REC_EXEC_SCRIPT);
	json_add_number(json, json->root, "old_tid", event->old_tid);
	if (event->process)
		exe_json(json, json->root, format->atlas, event->process);
	else
		json_add_null(json, json->root, "exe");
	if (format->args)
		args_json(json, event);
}

static void piece_json(struct json *json, const char *key, const struct event *event,
		       const struct mapping *mapping, const struct event_format *format)
{
	struct json_object *object;
	struct maps_line line;

	if (!mapping) {
		json_add_null(json, json->root, key);
		return;
	}
	object = json_add_object(json, json->root, key);
	maps_line_fill(&line, format->atlas, format->host, event->space, mapping);
	maps_line_json(json, object, &line);
}

static void details_json(struct json *json, const struct event *event,
			 const struct event_format *format)
{
	switch (event->kind) {
	case EVENT_SEED:
	case EVENT_FOUND:
	case EVENT_IDENTITY:
		if (event->process)
			process_json(json, json_add_object(json, json->root, "process"),
				     format->atlas, event->process);
		else
			json_add_null(json, json->root, "process");
		break;
	case EVENT_FORK:
	case EVENT_THREAD:
		fork_json(json, event);
		break;
	case EVENT_EXEC:
		exec_json(json, event, format);
		break;
	case EVENT_MOVE:
		cgroup_json(json, json->root, event->cgroup);
		break;
	case EVENT_EXIT:
		json_add_flag(json, json->root, "missed", event->missed);
		if (event->missed)
			break;
		/* fall through */
	case EVENT_THREAD_EXIT:
		wait_status_json(json, json->root, event->wait_status);
		break;
	case EVENT_MAP:
	case EVENT_UNMAP:
	case EVENT_CHANGE:
		json_add_number(json, json->root, "space", event->space->number);
		json_add_text(json, json->root, "cause", map_cause_name(event->cause));
		piece_json(json, "before", event, event->before, format);
		piece_json(json, "after", event, event->after, format);
		break;
	default:
		break;
	}
}

static void subject_json(struct json *json, const struct event *event)
{
	json_add_number(json, json->root, "pid", event->tgid);
	json_add_number(json, json->root, "tid", event->tid);
	if (event->process)
		json_add_number(json, json->root, "start_ns", event->process->start_ns);
	else
		json_add_null(json, json->root, "start_ns");
	json_add_comm(json, json->root, event->comm);
}

int event_json(struct json *json, struct buffer *out, const struct event *event,
	       const struct event_format *format)
{
	int error;

	json_add_text(json, json->root, "type", event_kind_name(event->kind));
	json_add_time(json, json->root, "time", format->host, event->time_ns);
	json_add_number(json, json->root, "time_ns", event->time_ns);
	if (event->kind == EVENT_SEED_END) {
		json_add_number(json, json->root, "processes", event->count);
	} else if (event->kind == EVENT_LOSS) {
		json_add_number(json, json->root, "count", event->count);
		json_add_text(json, json->root, "kind", record_kind_name(event->lost_kind));
		json_add_text(json, json->root, "cause", loss_cause_name(event->lost_by));
	} else {
		subject_json(json, event);
		details_json(json, event, format);
	}
	error = json_print(json, out);
	buffer_add_text(out, "\n");
	return error ? error : buffer_error(out);
}

int event_json_header(struct json *json, struct buffer *out, const struct host *host,
		      uint64_t now_ns, uint32_t kinds)
{
	struct json_object *array;
	int error;

	json_begin(json, "header", NULL);
	host_json(json, json->root, host);
	json_add_time(json, json->root, "time", host, now_ns);
	json_add_number(json, json->root, "time_ns", now_ns);
	array = json_add_array(json, json->root, "kinds");
	for (unsigned int kind = 1; kind < EVENT_KIND_NR; kind++) {
		if (kinds & EVENT_BIT(kind))
			json_add_text(json, array, NULL, event_kind_name(kind));
	}
	error = json_print(json, out);
	buffer_add_text(out, "\n");
	return error ? error : buffer_error(out);
}

int event_json_end(struct json *json, struct buffer *out, const struct coverage *coverage,
		   const uint64_t told[EVENT_KIND_NR])
{
	struct json_object *counts;
	int error;

	json_begin(json, "end", coverage);
	counts = json_add_object(json, json->root, "told");
	for (unsigned int kind = 1; kind < EVENT_KIND_NR; kind++) {
		if (told[kind])
			json_add_number(json, counts, event_kind_name(kind), told[kind]);
	}
	error = json_print(json, out);
	buffer_add_text(out, "\n");
	return error ? error : buffer_error(out);
}
