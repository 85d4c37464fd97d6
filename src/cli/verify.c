// SPDX-License-Identifier: GPL-2.0-only
#include "trace/verify.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/snapshot.h"
#include "cli/terminal.h"
#include "format/coverage.h"

struct verify_args {
	struct general_args general;
	struct live_args live;
	uint64_t for_ns;
};

static const struct option_row rows[] = {
    {.name = "for",
     .type = OPTION_DURATION,
     .offset = OPTION_AT(struct verify_args, for_ns, uint64_t),
     .argument = "TIME",
     .help = "Follow the host for so long before comparing, e.g. 10s, 500ms, 1.5h. By default "
	     "the comparison begins at once."},
};

static const struct option_group groups[] = {
    {"What to do", OPTION_ROWS(rows), 0},
    LIVE_GROUP(struct verify_args),
    GENERAL_GROUP(struct verify_args),
    {0},
};

/* What the comparison tells, as it is found. */
struct telling {
	bool json;
	struct style style;
	struct buffer differences; /* text: what is not written yet; JSON: elements of the array */
	struct buffer skipped;     /* the same */
	struct json element;
	int error; /* of stdout */
};

static void add_element(struct telling *telling, struct buffer *out)
{
	json_next(out, out->len == 0);
	telling->error = telling->error ? telling->error : json_print(&telling->element, out);
}

static void on_difference(void *ctx, enum verify_kind kind, uint32_t tgid, const char *atlas,
			  const char *proc)
{
	struct telling *telling = ctx;
	struct json *json = &telling->element;

	if (telling->json) {
		json_add_text(json, json->root, "kind", verify_kind_name(kind));
		json_add_number(json, json->root, "pid", tgid);
		json_add_name(json, json->root, "atlas", atlas, strlen(atlas));
		json_add_name(json, json->root, "proc", proc, strlen(proc));
		add_element(telling, &telling->differences);
		return;
	}
	buffer_format(&telling->differences, "%s %" PRIu32 "\n  atlas: %s\n  proc:  %s\n",
		      verify_kind_name(kind), tgid, atlas, proc);
	if (!telling->error)
		telling->error = output_write(&telling->differences);
}

static void on_skip(void *ctx, uint32_t tgid, const char *comm, int error)
{
	struct telling *telling = ctx;
	struct json *json = &telling->element;

	if (telling->json) {
		json_add_number(json, json->root, "pid", tgid);
		json_add_comm(json, json->root, comm);
		json_add_text(json, json->root, "reason", strerror(-error));
		add_element(telling, &telling->skipped);
		return;
	}
	buffer_format(&telling->skipped, "not comparable: %" PRIu32 " ", tgid);
	style_comm(&telling->skipped, &telling->style, comm);
	buffer_format(&telling->skipped, ": %s\n", strerror(-error));
	if (!telling->error)
		telling->error = output_write(&telling->skipped);
}

static uint64_t count_differences(const struct verify_report *report)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < VERIFY_KIND_NR; i++)
		nr += report->differences[i];
	return nr;
}

static void add_count(struct buffer *out, const char *before, uint64_t count, const char *what)
{
	buffer_add_text(out, before);
	number_group(out, count);
	buffer_format(out, " %s", what);
}

static int print_text(const struct verify_report *report)
{
	struct buffer out = BUFFER_EMPTY;
	int error;

	add_count(&out, "agreed: ", report->processes, "processes");
	add_count(&out, ", ", report->threads, "threads");
	add_count(&out, ", ", report->mappings, "mappings");
	add_count(&out, "; ", count_differences(report), "differences");
	if (report->not_comparable)
		add_count(&out, "; ", report->not_comparable, "processes not comparable");
	if (report->vanished)
		add_count(&out, "; ", report->vanished, "ended meanwhile");
	if (report->unsettled)
		add_count(&out, "; ", report->unsettled, "never held still");
	buffer_add_text(&out, "\n");
	error = output_write(&out);
	buffer_done(&out);
	return error;
}

static int print_json(struct telling *telling, const struct verify_report *report,
		      const struct coverage *coverage)
{
	struct json *json = &telling->element;
	struct buffer out = BUFFER_EMPTY;
	struct json_object *object;
	int error;

	json_begin(json, "verify", coverage);
	object = json_add_object(json, json->root, "agreed");
	json_add_number(json, object, "processes", report->processes);
	json_add_number(json, object, "threads", report->threads);
	json_add_number(json, object, "mappings", report->mappings);
	object = json_add_object(json, json->root, "counts");
	for (unsigned int kind = 1; kind < VERIFY_KIND_NR; kind++)
		json_add_number(json, object, verify_kind_name(kind), report->differences[kind]);
	json_add_number(json, json->root, "vanished", report->vanished);
	json_add_number(json, json->root, "unsettled", report->unsettled);
	error = json_print(json, &out);
	json_open(&out, "differences");
	buffer_add(&out, buffer_text(&telling->differences), telling->differences.len);
	json_close(&out);
	json_open(&out, "not_comparable");
	buffer_add(&out, buffer_text(&telling->skipped), telling->skipped.len);
	json_close(&out);
	buffer_add_text(&out, "\n");
	if (!error)
		error = output_write(&out);
	buffer_done(&out);
	return error;
}

static int compare(const struct verify_args *args, struct live *live, struct telling *telling)
{
	struct verify_report report = {0};
	struct message why = {0};
	struct coverage coverage;
	int status, complete;

	/* Interrupted before the seed was complete, there is nothing to compare. */
	if (atlas_state(live_atlas(live))->seeded &&
	    verify(live, on_difference, on_skip, telling, &report, &why))
		return fail("%s", why.text);
	status = snapshot_finish(live, &coverage);
	if (status)
		return status;
	if (!telling->error && args->general.json)
		telling->error = print_json(telling, &report, &coverage);
	else if (!telling->error)
		telling->error = print_text(&report);
	status = telling->error ? output_fail(telling->error) : EXIT_GOOD;
	complete = snapshot_report(&coverage, args->general.json);
	if (count_differences(&report) || report.unsettled)
		return EXIT_FAILED;
	return status ? status : complete;
}

static int run_parsed(const struct verify_args *args)
{
	struct live_options options = snapshot_options(&args->live);
	struct telling telling = {.json = args->general.json,
				  .style = terminal_style(STDOUT_FILENO)};
	struct live *live = NULL;
	int status = snapshot_open(&live, &options);

	json_init(&telling.element);
	if (!status)
		status = snapshot_follow(live, args->for_ns);
	if (!status)
		status = compare(args, live, &telling);
	buffer_done(&telling.differences);
	buffer_done(&telling.skipped);
	json_done(&telling.element);
	live_free(live);
	return status;
}

static int run(int argc, char **argv)
{
	struct verify_args args = {.live.ring_bytes = LIVE_RING_DEFAULT};
	int operand, status = command_parse(&command_verify, &args, argc, argv, &operand);

	if (status != PARSED_RUN)
		return status;
	status = live_args_check(&command_verify, &args.live);
	return status ? status : run_parsed(&args);
}

static const char *const description[] = {
    "Compares the whole atlas with /proc: every process, its threads, its identity, and each of "
    "its mappings. Both sides move, so what differs is read again; a difference counts only if it "
    "stays. Each is printed with both sides, and each process that cannot be compared with the "
    "reason.",
    "Exits 1 if a difference stays, or if something never held still long enough.",
    NULL,
};

const struct command command_verify = {
    .name = "verify",
    .operands = "",
    .summary = "prove the atlas: compare it with /proc",
    .description = description,
    .groups = groups,
    .run = run,
};
