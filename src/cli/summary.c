// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>

#include "cli/output.h"
#include "cli/say.h"
#include "cli/snapshot.h"
#include "cli/stop.h"
#include "cli/terminal.h"
#include "format/summary.h"
#include "trace/verify.h"

#define RETAIN_MORE_NS 60000000000ull /* ended processes outlive the time that is summed up */

struct summary_args {
	struct general_args general;
	struct live_args live;
	uint64_t for_ns;
	bool no_verify;
};

static const struct option_row rows[] = {
    {.name = "for",
     .type = OPTION_DURATION,
     .offset = OPTION_AT(struct summary_args, for_ns, uint64_t),
     .argument = "TIME",
     .help = "Follow the host for so long and sum up what happened, e.g. 10s, 500ms, 1.5h. By "
	     "default only what is there now is counted."},
    {.name = "no-verify",
     .type = OPTION_FLAG,
     .offset = OPTION_AT(struct summary_args, no_verify, bool),
     .help = "Do not compare the atlas with /proc at the end."},
};

static const struct option_group groups[] = {
    {"What to do", OPTION_ROWS(rows), 0},
    LIVE_GROUP(struct summary_args),
    GENERAL_GROUP(struct summary_args),
    {0},
};

/* A summary in the making. */
struct making {
	const struct summary_args *args;
	struct live *live;
	struct activity *activity; /* NULL until the seed is complete */
	struct summary_verdict verdict;
	bool verified;
};

static int on_record(void *ctx, const struct rec_hdr *record, size_t size)
{
	struct making *making = ctx;

	return making->activity ? activity_record(making->activity, record, size) : 0;
}

static void on_mapping(void *ctx, const struct rec_maps *record, const struct space *space,
		       enum mapping_change change, const struct mapping *before,
		       const struct mapping *after)
{
	struct making *making = ctx;

	(void)space;
	(void)change;
	(void)before;
	(void)after;
	if (making->activity)
		activity_mapping(making->activity, record);
}

static int follow(struct making *making)
{
	if (!making->args->for_ns)
		return EXIT_GOOD;
	if (activity_new(&making->activity, live_atlas(making->live), live_now_ns()))
		return fail("out of memory");
	return snapshot_follow(making->live, making->args->for_ns);
}

static void no_difference(void *ctx, enum verify_kind kind, uint32_t tgid, const char *atlas,
			  const char *proc)
{
	(void)ctx;
	(void)kind;
	(void)tgid;
	(void)atlas;
	(void)proc;
}

static void no_skip(void *ctx, uint32_t tgid, const char *comm, int error)
{
	(void)ctx;
	(void)tgid;
	(void)comm;
	(void)error;
}

/* Only the counts: `taskatlas verify` shows what differs. */
static int compare(struct making *making)
{
	struct verify_report report = {0};
	struct message why = {0};

	if (making->args->no_verify || *stop_flag())
		return EXIT_GOOD;
	if (verify(making->live, no_difference, no_skip, NULL, &report, &why))
		return fail("%s", why.text);
	making->verdict = (struct summary_verdict){
	    .processes = report.processes,
	    .threads = report.threads,
	    .mappings = report.mappings,
	    .not_comparable = report.not_comparable,
	    .unsettled = report.unsettled,
	};
	for (size_t i = 0; i < VERIFY_KIND_NR; i++)
		making->verdict.differences += report.differences[i];
	making->verified = true;
	return EXIT_GOOD;
}

/* After all that drains the ring: the summary points into the atlas. */
static int print(struct making *making, const struct coverage *coverage)
{
	struct summary_format format = {
	    .atlas = live_atlas(making->live),
	    .coverage = coverage,
	    .verdict = making->verified ? &making->verdict : NULL,
	};
	struct style style = terminal_style(STDOUT_FILENO);
	struct buffer out = BUFFER_EMPTY;
	struct summary summary;
	int error, status;

	if (making->activity)
		activity_finish(making->activity);
	error = summary_fill(&summary, format.atlas, making->activity, coverage->to_ns);
	if (!error && making->args->general.json)
		error = summary_json(&out, &summary, &format);
	else if (!error)
		error = summary_text(&out, &style, &summary, &format);
	status = error ? fail("out of memory") : output_print(&out);
	buffer_done(&out);
	return status;
}

static int run_opened(struct making *making)
{
	struct coverage coverage;
	int report, status = follow(making);

	if (!status)
		status = compare(making);
	if (!status)
		status = snapshot_finish(making->live, &coverage);
	if (status)
		return status;
	status = print(making, &coverage);
	report = snapshot_report(&coverage, making->args->general.json);
	if (making->verdict.differences || making->verdict.unsettled)
		report = fail("the atlas and /proc do not agree: taskatlas verify shows where");
	return status ? status : report;
}

static int run_parsed(const struct summary_args *args)
{
	struct live_options options = snapshot_options(&args->live);
	struct making making = {.args = args};
	int status;

	options.limits.retain_ns = args->for_ns + RETAIN_MORE_NS;
	options.on_record = on_record;
	options.on_mapping = on_mapping;
	options.ctx = &making;
	status = snapshot_open(&making.live, &options);
	if (!status)
		status = run_opened(&making);
	activity_free(making.activity);
	live_free(making.live);
	return status;
}

static int run(int argc, char **argv)
{
	struct summary_args args = {.live.ring_bytes = LIVE_RING_DEFAULT};
	int operand, status = command_parse(&command_summary, &args, argc, argv, &operand);

	if (status != PARSED_RUN)
		return status;
	status = live_args_check(&command_summary, &args.live);
	return status ? status : run_parsed(&args);
}

static const char *const description[] = {
    "Prints the host in one screen: how many tasks, processes, address spaces, mappings and mapped "
    "files there are; with --for also what happened during that time, in all and per second, the "
    "busiest processes and cgroups, and the executables that were run. At the end it compares the "
    "whole atlas with /proc and says how that went, and what records were lost.",
    "A busy host changes while it is compared: the time that is summed up includes the comparison. "
    "SIGINT ends the time early; what was seen until then is printed.",
    NULL,
};

const struct command command_summary = {
    .name = "summary",
    .operands = "",
    .summary = "the host in one screen: what there is, what happens",
    .description = description,
    .groups = groups,
    .run = run,
};
