// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of `trace`, from words to conditions; what is done with them is in tracing.c.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/say.h"
#include "cli/tracing.h"
#include "cli/users.h"

#define ARGS_BYTES_DEFAULT 1024

static const struct option_row filter_rows[] = {
    {.name = "pid",
     .letter = 'p',
     .type = OPTION_TEXTS,
     .offset = OPTION_AT(struct trace_args, pids, struct text_list),
     .argument = "PID",
     .words = "<pid>",
     .help = "Only this process, its threads, and forks by it. May be repeated."},
    {.name = "comm",
     .letter = 'c',
     .type = OPTION_TEXTS,
     .offset = OPTION_AT(struct trace_args, comms, struct text_list),
     .argument = "PATTERN",
     .help = "Only processes or threads whose name matches this pattern of *, ? and []. May be "
	     "repeated."},
    {.name = "user",
     .letter = 'u',
     .type = OPTION_TEXTS,
     .offset = OPTION_AT(struct trace_args, users, struct text_list),
     .argument = "USER",
     .words = "<user>",
     .help = "Only processes of this user, by name or number. May be repeated."},
    {.name = "cgroup",
     .letter = 'g',
     .type = OPTION_TEXTS,
     .offset = OPTION_AT(struct trace_args, cgroups, struct text_list),
     .argument = "PATH",
     .help = "Only processes in this cgroup or below it; or, if PATH has one of *?[, whose "
	     "cgroup's path matches it. May be repeated."},
    {.name = "kinds",
     .letter = 'k',
     .type = OPTION_TEXT,
     .offset = OPTION_AT(struct trace_args, kinds, const char *),
     .argument = "LIST",
#define X(KIND, name, on) name " "
     .words = EVENTS(X),
#undef X
     .help = "Only these kinds of events, with commas between: seed, seed-end, found, fork, "
	     "thread, exec, rename, move, identity, thread-exit, exit, reap, map, unmap, change, "
	     "loss. By default all but identity, reap, map, unmap and change."},
    {.name = "no-seed",
     .type = OPTION_FLAG,
     .offset = OPTION_AT(struct trace_args, no_seed, bool),
     .help = "Do not list the processes that are there at the start."},
    {.name = "for",
     .type = OPTION_DURATION,
     .offset = OPTION_AT(struct trace_args, for_ns, uint64_t),
     .argument = "TIME",
     .help = "End after so long, e.g. 10s, 500ms, 1.5h. By default it goes on until SIGINT."},
};

static const struct option_row show_rows[] = {
    {.name = "maps",
     .letter = 'm',
     .type = OPTION_FLAG,
     .offset = OPTION_AT(struct trace_args, maps, bool),
     .help = "Show changes of mappings too: map, unmap, change."},
    {.name = "args",
     .letter = 'a',
     .type = OPTION_FLAG,
     .offset = OPTION_AT(struct trace_args, args, bool),
     .help = "Show the arguments of execs. Off by default, since arguments may hold passwords "
	     "and other secrets, and an output may go to people who must not see them."},
    {.name = "args-limit",
     .type = OPTION_SIZE,
     .offset = OPTION_AT(struct trace_args, args_bytes, uint64_t),
     .argument = "BYTES",
     .min = 1,
     .max = REC_ARGS_MAX,
     .help = "With --args: bytes of arguments that are kept of one exec, 1 to 16K; 1K by "
	     "default. What is longer is cut and marked."},
    {.name = "relative",
     .letter = 'r',
     .type = OPTION_FLAG,
     .offset = OPTION_AT(struct trace_args, relative, bool),
     .help = "Show seconds since the start in place of the time of day."},
};

static const struct option_group groups[] = {
    {"Filters", OPTION_ROWS(filter_rows), 0},
    {"What to show", OPTION_ROWS(show_rows), 0},
    LIVE_GROUP(struct trace_args),
    GENERAL_GROUP(struct trace_args),
    {0},
};

static int parse_kinds(const struct trace_args *args, struct event_filter *filter)
{
	const char *bad;
	size_t bad_len;

	filter->kinds = event_default_kinds();
	if (args->kinds && event_kinds_parse(args->kinds, &filter->kinds, &bad, &bad_len))
		return usage_error(&command_trace, "--kinds: there is no kind '%.*s'", (int)bad_len,
				   bad);
	if (args->no_seed && args->kinds && filter->kinds & EVENT_BIT(EVENT_SEED))
		return usage_error(&command_trace, "--no-seed and --kinds seed contradict");
	if (args->no_seed)
		filter->kinds &= ~EVENT_BIT(EVENT_SEED);
	if (args->maps)
		filter->kinds |= EVENT_MAPPING_BITS;
	return 0;
}

static int parse_pids(const struct text_list *texts, uint32_t *pids)
{
	int status = 0;

	for (size_t i = 0; i < texts->nr && !status; i++)
		status = pid_parse(&command_trace, texts->items[i], &pids[i]);
	return status;
}

static int parse_users(const struct text_list *texts, uint32_t *uids)
{
	for (size_t i = 0; i < texts->nr; i++) {
		if (users_find(texts->items[i], &uids[i]))
			return usage_error(&command_trace, "there is no user '%s'",
					   texts->items[i]);
	}
	return 0;
}

static int check_contradictions(const struct trace_args *args, bool command)
{
	if (args->args_bytes && !args->args)
		return usage_error(&command_trace, "--args-limit wants --args");
	if (args->relative && args->general.json)
		return usage_error(&command_trace, "--relative is for text, not for --json");
	if (command && args->pids.nr)
		return usage_error(&command_trace, "--pid and a COMMAND contradict");
	for (size_t i = 0; i < args->cgroups.nr; i++) {
		if (!strchr("/*?[", args->cgroups.items[i][0]))
			return usage_error(&command_trace,
					   "--cgroup '%s' is no path: it must begin "
					   "with / or a pattern",
					   args->cgroups.items[i]);
	}
	return live_args_check(&command_trace, &args->live);
}

/* From words to conditions, then trace. argv holds the command, if any. */
static int run_parsed(struct trace_args *args, char **argv)
{
	uint32_t *pids = calloc(args->pids.nr + 1, sizeof(*pids));
	uint32_t *uids = calloc(args->users.nr + 1, sizeof(*uids));
	struct event_filter filter = {
	    .tgids = pids,
	    .nr_tgids = args->pids.nr,
	    .uids = uids,
	    .nr_uids = args->users.nr,
	    .comms = args->comms,
	    .cgroups = args->cgroups,
	};
	int status = pids && uids ? EXIT_GOOD : fail("out of memory");

	if (!status)
		status = check_contradictions(args, *argv != NULL);
	if (!status)
		status = parse_kinds(args, &filter);
	if (!status)
		status = parse_pids(&args->pids, pids);
	if (!status)
		status = parse_users(&args->users, uids);
	if (args->args && !args->args_bytes)
		args->args_bytes = ARGS_BYTES_DEFAULT;
	if (!status)
		status = tracing_run(args, &filter, argv);
	free(pids);
	free(uids);
	return status;
}

static int run(int argc, char **argv)
{
	struct trace_args args = {
	    .live.ring_bytes = LIVE_RING_DEFAULT,
	    .for_ns = TRACE_FOR_EVER,
	};
	int operand, status = command_parse(&command_trace, &args, argc, argv, &operand);

	if (status == PARSED_RUN)
		status = run_parsed(&args, argv + operand);
	text_list_done(&args.pids);
	text_list_done(&args.comms);
	text_list_done(&args.users);
	text_list_done(&args.cgroups);
	return status;
}

static const char *const description[] = {
    "Prints what happens, one line an event: first the processes that are there (seed) and a line "
    "that says that the list is complete (seed-end), then each fork, new thread, exec, rename, "
    "move to another cgroup and exit; with --maps also each mapping that is added, removed or "
    "changed. What passes the filters is shown; different filters must all hold.",
    "With a COMMAND only that command and what descends from it is shown. It starts when the seed "
    "is complete, so nothing of it is missed. The trace ends when its process has ended, whatever "
    "else it may have left running; how it ended is said on stderr. The exit status is that of "
    "taskatlas, not the command's.",
    "SIGINT and SIGTERM end a trace cleanly: what happened before is printed. A command that still "
    "runs is left alone.",
    NULL,
};

const struct command command_trace = {
    .name = "trace",
    .operands = "[-- COMMAND [ARG...]]",
    .summary = "what happens: forks, execs, exits, mappings, as they come",
    .description = description,
    .groups = groups,
    .stop_at_operand = true,
    .run = run,
};
