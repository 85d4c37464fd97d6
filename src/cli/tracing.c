// SPDX-License-Identifier: GPL-2.0-only
/*
 * The seed is told from the atlas when it is complete, not record by record: only then are all
 * names known, and parents can come before their children. What is applied until then is part of
 * that state; every record after it is an event.
 *
 * Tags: TOLD marks processes that were told, so that one which a walk meets without is new to the
 * reader: its fork was lost. SELECTED marks the command and, by inheritance, what descends from it.
 */
#include "cli/tracing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/snapshot.h"
#include "cli/stop.h"
#include "cli/terminal.h"
#include "format/event.h"
#include "view/tree.h"

#define TAG_TOLD (1u << 0)
#define TAG_SELECTED (1u << 1)
#define SEED_WRITE_BYTES 65536 /* the seed is written in pieces of about that */

struct tracing {
	const struct trace_args *args;
	struct event_filter filter;
	struct event_format format;
	struct style style;
	struct atlas *atlas; /* NULL until the seed was told */
	struct buffer out;
	struct json json;
	uint64_t told[EVENT_KIND_NR];
	int error; /* of stdout or memory; ends the trace */
};

/* Append an event that passes the filter. */
static void add_event(struct tracing *tracing, const struct event *event)
{
	if (tracing->error || !event_wanted(&tracing->filter, event))
		return;
	tracing->told[event->kind]++;
	if (tracing->args->general.json)
		tracing->error = event_json(&tracing->json, &tracing->out, event, &tracing->format);
	else
		event_text(&tracing->out, &tracing->style, event, &tracing->format);
}

static int flush(struct tracing *tracing)
{
	if (!tracing->error)
		tracing->error = output_write(&tracing->out);
	return tracing->error;
}

static void add_tag(struct tracing *tracing, const struct process *process, uint16_t tag)
{
	if ((process->tag & tag) != tag)
		atlas_tag(tracing->atlas, process, process->tag | tag);
}

/* A process whose fork was lost is selected if its parent is. */
static void found(struct tracing *tracing, const struct event *event)
{
	const struct process *process = event->process, *parent;

	if (!process || process->tag & TAG_TOLD)
		return;
	parent = atlas_process_at(tracing->atlas, process->parent_tgid, process->parent_start_ns);
	add_tag(tracing, process, TAG_TOLD | (parent ? parent->tag & TAG_SELECTED : 0));
	add_event(tracing, event);
}

/* Tell the end of those that a walk did not meet any more. */
static void tell_missed_exits(struct tracing *tracing)
{
	struct process_iter it = atlas_processes(tracing->atlas, true);
	const struct process *process;
	struct event event;

	while ((process = process_next(&it))) {
		if (process->state == PROCESS_RUNNING || !(process->flags & PROCESS_EXIT_MISSED) ||
		    !(process->tag & TAG_TOLD))
			continue;
		event_from_process(&event, EVENT_EXIT, process, 0);
		add_event(tracing, &event);
		atlas_tag(tracing->atlas, process, process->tag & ~TAG_TOLD);
	}
}

static int on_record(void *ctx, const struct rec_hdr *record, size_t size)
{
	struct tracing *tracing = ctx;
	struct event event;

	if (!tracing->atlas)
		return 0;
	if (record->kind == REC_WALK_END)
		tell_missed_exits(tracing);
	else if (!event_from_record(&event, tracing->atlas, record, size))
		return tracing->error;
	else if (event.kind == EVENT_FOUND)
		found(tracing, &event);
	else {
		if (event.process && event.kind != EVENT_EXIT && event.kind != EVENT_REAP)
			add_tag(tracing, event.process, TAG_TOLD);
		add_event(tracing, &event);
	}
	return flush(tracing);
}

static void on_mapping(void *ctx, const struct rec_maps *record, const struct space *space,
		       enum mapping_change change, const struct mapping *before,
		       const struct mapping *after)
{
	struct tracing *tracing = ctx;
	struct event event;

	/* Written with the record, which comes next. */
	if (!tracing->atlas || !(tracing->filter.kinds & EVENT_MAPPING_BITS))
		return;
	event_from_mapping(&event, tracing->atlas, record, space, change, before, after);
	add_event(tracing, &event);
}

/* The command's process: ids in records are those of the initial namespace, ours may be others. */
static const struct process *find_child(const struct atlas *atlas, pid_t pid)
{
	struct process_iter it = atlas_processes(atlas, false);
	const struct process *process;
	struct stat ns;

	if (stat("/proc/self/ns/pid", &ns))
		return atlas_process(atlas, (uint32_t)pid);
	while ((process = process_next(&it))) {
		if (process->ns_tgid == (uint32_t)pid && process->pid_ns == ns.st_ino)
			break;
	}
	return process;
}

static void tell_seed(struct tracing *tracing, const struct tree *tree)
{
	struct event event = {.kind = EVENT_SEED_END, .count = tree->nr};
	uint64_t seeded_ns = atlas_state(tracing->atlas)->seeded_ns;

	event.time_ns = seeded_ns;
	for (size_t i = 0; i < tree->nr && !tracing->error; i++) {
		struct event seed;

		add_tag(tracing, tree->nodes[i].process, TAG_TOLD);
		event_from_process(&seed, EVENT_SEED, tree->nodes[i].process, seeded_ns);
		add_event(tracing, &seed);
		if (tracing->out.len >= SEED_WRITE_BYTES)
			flush(tracing);
	}
	add_event(tracing, &event);
	flush(tracing);
}

/* Print what is before the first event. */
static int begin(struct tracing *tracing, struct live *live, const struct child *child)
{
	struct tree_options options = {.kernel = true};
	const struct process *process;
	struct tree tree = {0};

	tracing->atlas = live_atlas(live);
	tracing->format.atlas = tracing->atlas;
	tracing->format.host = live_host(live);
	tracing->format.base_ns = atlas_state(tracing->atlas)->seeded_ns;
	if (child->pid) {
		process = find_child(tracing->atlas, child->pid);
		if (!process)
			return fail("the command is not in the atlas: its fork was lost");
		tracing->filter.tag = TAG_SELECTED;
		tracing->filter.kinds &= ~EVENT_BIT(EVENT_SEED);
		add_tag(tracing, process, TAG_SELECTED);
	}
	if (tracing->args->general.json)
		tracing->error = event_json_header(&tracing->json, &tracing->out, live_host(live),
						   live_now_ns(), tracing->filter.kinds);
	if (!tracing->error)
		tracing->error = tree_build(&tree, tracing->atlas, &options);
	tell_seed(tracing, &tree);
	tree_done(&tree);
	return EXIT_GOOD;
}

/* How the command ended, or that it did not. */
static void tell_child(struct child *child, const char *name)
{
	struct buffer text = BUFFER_EMPTY;
	int status;

	if (child_ended(child, &status)) {
		wait_status_text(&text, (uint32_t)status);
		say("%s ended: %s", name, buffer_text(&text));
	} else if (child->pid > 0) {
		say("%s still runs, as process %d", name, child->pid);
	}
	buffer_done(&text);
}

static int follow(struct tracing *tracing, struct live *live, struct child *child, const char *name)
{
	uint64_t for_ns = tracing->args->for_ns;
	uint64_t until = for_ns == TRACE_FOR_EVER ? 0 : live_now_ns() + for_ns;
	struct message why = {0};
	int error = child->pid ? child_go(child, &why) : 0;

	if (error)
		return fail("%s: %s", name, why.text);
	error = live_run(live, until, child->pidfd, &why);
	return error && !tracing->error ? fail("%s", why.text) : EXIT_GOOD;
}

/* Print what is after the last event. */
static int end(struct tracing *tracing, struct live *live, struct coverage *coverage)
{
	int status = snapshot_finish(live, coverage);

	if (!status && !tracing->error && tracing->args->general.json)
		tracing->error =
		    event_json_end(&tracing->json, &tracing->out, coverage, tracing->told);
	flush(tracing);
	return status;
}

static int trace(struct tracing *tracing, struct live *live, struct child *child, const char *name)
{
	struct coverage coverage;
	int status = begin(tracing, live, child);

	if (!status && !tracing->error && !*stop_flag())
		status = follow(tracing, live, child, name);
	if (!status && !tracing->error)
		status = end(tracing, live, &coverage);
	if (tracing->error == -ENOMEM)
		return fail("out of memory");
	if (tracing->error)
		return output_fail(tracing->error);
	if (status)
		return status;
	if (child->pid)
		tell_child(child, name);
	return snapshot_report(&coverage, tracing->args->general.json);
}

int tracing_run(const struct trace_args *args, const struct event_filter *filter, char **argv)
{
	struct live_options options = snapshot_options(&args->live);
	struct child child = CHILD_NONE;
	struct tracing tracing = {
	    .args = args,
	    .filter = *filter,
	    .format = {.args = args->args, .relative = args->relative},
	    .style = terminal_style(STDOUT_FILENO),
	};
	struct live *live = NULL;
	struct message why = {0};
	int status = EXIT_GOOD;

	options.args_bytes = args->args ? (uint32_t)args->args_bytes : 0;
	options.on_record = on_record;
	options.on_mapping = on_mapping;
	options.ctx = &tracing;
	json_init(&tracing.json);
	if (*argv && child_start(&child, argv, &why))
		status = fail("%s", why.text);
	if (!status)
		status = snapshot_open(&live, &options);
	if (!status)
		status = trace(&tracing, live, &child, argv[0]);
	live_free(live);
	child_done(&child);
	buffer_done(&tracing.out);
	json_done(&tracing.json);
	return status;
}
