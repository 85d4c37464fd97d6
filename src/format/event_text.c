// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "format/clock.h"
#include "format/event.h"
#include "format/maps.h"
#include "view/names.h"

#define NS_PER_US 1000
#define US_PER_S 1000000

#define TIME_COLUMNS 15
#define KIND_COLUMNS 11
#define ID_COLUMNS 13
#define COMM_COLUMNS 15

/* What is needed to print the details of any event. */
struct print {
	struct buffer *out;
	const struct style *style;
	const struct event *event;
	const struct event_format *format;
};

static enum color color_of(enum event_kind kind)
{
	switch (kind) {
	case EVENT_SEED:
	case EVENT_SEED_END:
		return COLOR_DIM;
	case EVENT_FORK:
	case EVENT_THREAD:
		return COLOR_GREEN;
	case EVENT_EXEC:
		return COLOR_CYAN;
	case EVENT_EXIT:
	case EVENT_THREAD_EXIT:
	case EVENT_LOSS:
		return COLOR_RED;
	case EVENT_MAP:
	case EVENT_UNMAP:
	case EVENT_CHANGE:
		return COLOR_BLUE;
	case EVENT_FOUND:
	case EVENT_MOVE:
		return COLOR_YELLOW;
	default:
		return COLOR_NONE;
	}
}

static void print_time(const struct print *print)
{
	uint64_t time_ns = print->event->time_ns, base_ns = print->format->base_ns;
	uint64_t us = time_ns > base_ns ? (time_ns - base_ns) / NS_PER_US : 0;

	if (!time_ns)
		buffer_format(print->out, "%*s", TIME_COLUMNS, "-");
	else if (print->format->relative)
		buffer_format(print->out, "%8" PRIu64 ".%06" PRIu64, us / US_PER_S, us % US_PER_S);
	else
		clock_day(print->out, print->format->host, time_ns, 6);
}

/* Blanks up to `columns` after what was added since `start`, and one more. */
static void pad(struct buffer *out, size_t start, size_t columns)
{
	size_t used = utf8_columns(buffer_text(out) + start, out->len - start);

	buffer_fill(out, ' ', used < columns ? columns - used + 1 : 1);
}

static void print_process(const struct print *print)
{
	const struct process *process = print->event->process;
	const struct file *exe = process ? atlas_file(print->format->atlas, process->exe) : NULL;

	if (!process)
		return;
	if (process->flags & PROCESS_KTHREAD)
		buffer_add_text(print->out, "kernel thread");
	else if (exe && exe->name_len)
		style_name(print->out, print->style, exe->name, exe->name_len);
	if (process->state == PROCESS_ZOMBIE)
		buffer_add_text(print->out, " zombie");
	buffer_format(print->out, " parent %" PRIu32 " user %" PRIu32 " threads %" PRIu32,
		      process->parent_tgid, process->uid, process->nr_threads);
	if (process->cgroup && process->cgroup->known) {
		buffer_add_text(print->out, " cgroup ");
		style_name(print->out, print->style, process->cgroup->path,
			   strlen(process->cgroup->path));
	}
}

static void print_fork(const struct print *print)
{
	const struct event *event = print->event;

	buffer_format(print->out, "by %" PRIu32, event->forker_tgid);
	if (event->forker_tid != event->forker_tgid)
		buffer_format(print->out, "/%" PRIu32, event->forker_tid);
	if (event->kind == EVENT_FORK && event->shares_space)
		buffer_add_text(print->out, " in its address space");
}

/* Arguments, one blank between; blanks inside of them stay. */
static void print_args(const struct print *print)
{
	const char *at = print->event->args;
	size_t left = print->event->args_len;

	buffer_add_text(print->out, " [");
	for (bool first = true; left; first = false) {
		size_t len = strnlen(at, left);

		buffer_add_text(print->out, first ? "" : " ");
		style_name(print->out, print->style, at, len);
		len += len < left;
		at += len;
		left -= len;
	}
	if (print->event->exec_flags & REC_EXEC_ARGS_CUT)
		buffer_add_text(print->out, " ...");
	buffer_add_text(print->out, "]");
	if (print->event->exec_flags & REC_EXEC_ARGS_MISSING)
		buffer_add_text(print->out, " arguments missing");
}

static void print_exec(const struct print *print)
{
	const struct event *event = print->event;
	const struct file *exe =
	    event->process ? atlas_file(print->format->atlas, event->process->exe) : NULL;

	style_name(print->out, print->style, event->filename, event->filename_len);
	if (event->exec_flags & REC_EXEC_NAME_CUT)
		buffer_add_text(print->out, "...");
	if (exe && exe->name_len &&
	    (exe->name_len != event->filename_len ||
	     memcmp(exe->name, event->filename, exe->name_len))) {
		buffer_add_text(print->out, event->exec_flags & REC_EXEC_SCRIPT ? " by " : " is ");
		style_name(print->out, print->style, exe->name, exe->name_len);
	}
	if (event->old_tid != event->tid)
		buffer_format(print->out, " called by thread %" PRIu32, event->old_tid);
	if (print->format->args)
		print_args(print);
}

void wait_status_text(struct buffer *out, uint32_t wait_status)
{
	int number = wait_status & 0x7f;
	const char *name = sigabbrev_np(number);

	if (!number) {
		buffer_format(out, "code %" PRIu32, wait_status >> 8 & 0xff);
		return;
	}
	buffer_format(out, "signal %d", number);
	if (name)
		buffer_format(out, " (%s)", name);
	if (wait_status & 0x80)
		buffer_add_text(out, ", core dumped");
}

static void print_exit(const struct print *print)
{
	const struct event *event = print->event;
	const struct process *process = event->process;

	if (event->missed) {
		buffer_add_text(print->out, "its end was missed");
		return;
	}
	wait_status_text(print->out, event->wait_status);
	if (event->kind == EVENT_EXIT && process && event->time_ns > process->start_ns) {
		buffer_add_text(print->out, " after ");
		duration_add(print->out, event->time_ns - process->start_ns);
	}
}

static void print_mapping(const struct print *print)
{
	const struct event *event = print->event;
	const struct mapping *shown = event->after ? event->after : event->before;
	struct maps_line line, before;

	maps_line_fill(&line, print->format->atlas, print->format->host, event->space, shown);
	buffer_format(print->out, "%" PRIx64 "-%" PRIx64 " ", line.start, line.end);
	if (event->kind == EVENT_CHANGE) {
		maps_line_fill(&before, print->format->atlas, print->format->host, event->space,
			       event->before);
		maps_prot_text(print->out, &before);
		buffer_add_text(print->out, " to ");
	}
	maps_prot_text(print->out, &line);
	buffer_format(print->out, " %" PRIx64 " ", line.offset);
	maps_name_text(print->out, print->style, &line);
	buffer_format(print->out, "%s(%s)", line.name ? " " : "", map_cause_name(event->cause));
}

static void print_details(const struct print *print)
{
	const struct event *event = print->event;
	const struct cgroup *cgroup = event->cgroup;

	switch (event->kind) {
	case EVENT_SEED:
	case EVENT_FOUND:
	case EVENT_IDENTITY:
		print_process(print);
		break;
	case EVENT_SEED_END:
		buffer_format(print->out, "%" PRIu64 " processes; live from here on", event->count);
		break;
	case EVENT_FORK:
	case EVENT_THREAD:
		print_fork(print);
		break;
	case EVENT_EXEC:
		print_exec(print);
		break;
	case EVENT_MOVE:
		buffer_add_text(print->out, "to ");
		if (cgroup && cgroup->known)
			style_name(print->out, print->style, cgroup->path, strlen(cgroup->path));
		else
			buffer_add_text(print->out, "a cgroup not known yet");
		break;
	case EVENT_EXIT:
	case EVENT_THREAD_EXIT:
		print_exit(print);
		break;
	case EVENT_MAP:
	case EVENT_UNMAP:
	case EVENT_CHANGE:
		print_mapping(print);
		break;
	case EVENT_LOSS:
		buffer_format(print->out, "%" PRIu64 " records of kind %s (%s)", event->count,
			      record_kind_name(event->lost_kind), loss_cause_name(event->lost_by));
		break;
	default:
		break;
	}
}

/* PID, PID/TID for a thread that is not the leader, "-" for nobody. */
static void print_id(const struct print *print)
{
	const struct event *event = print->event;

	if (!event->tgid)
		buffer_add_text(print->out, "-");
	else if (event->tid == event->tgid)
		buffer_format(print->out, "%" PRIu32, event->tgid);
	else
		buffer_format(print->out, "%" PRIu32 "/%" PRIu32, event->tgid, event->tid);
}

void event_text(struct buffer *out, const struct style *style, const struct event *event,
		const struct event_format *format)
{
	const struct print print = {out, style, event, format};
	enum color color = color_of(event->kind);
	size_t start;

	print_time(&print);
	buffer_add_text(out, " ");
	style_begin(out, style, color);
	buffer_format(out, "%-*s", KIND_COLUMNS, event_kind_name(event->kind));
	style_end(out, style, color);
	buffer_add_text(out, " ");
	start = out->len;
	print_id(&print);
	pad(out, start, ID_COLUMNS);
	start = out->len;
	style_comm(out, style, event->comm);
	pad(out, start, COMM_COLUMNS);
	print_details(&print);
	while (out->len && out->data[out->len - 1] == ' ')
		buffer_cut(out, out->len - 1);
	buffer_add_text(out, "\n");
}
