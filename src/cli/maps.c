// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/say.h"
#include "cli/snapshot.h"
#include "cli/terminal.h"
#include "format/maps.h"

struct maps_args {
	struct general_args general;
	struct live_args live;
	bool no_headers;
};

static const struct option_row rows[] = {
    {.name = "no-headers",
     .type = OPTION_FLAG,
     .offset = OPTION_AT(struct maps_args, no_headers, bool),
     .help = "Do not print a line with process id and name before each of several processes."},
};

static const struct option_group groups[] = {
    {"What to show", OPTION_ROWS(rows), 0},
    LIVE_GROUP(struct maps_args),
    GENERAL_GROUP(struct maps_args),
    {0},
};

/* The process with this id, or that has a thread with it; NULL = none. */
static const struct process *find_process(const struct atlas *atlas, uint32_t pid)
{
	const struct process *process = atlas_process(atlas, pid), *owner;

	if (process && process->state != PROCESS_GONE)
		return process;
	return atlas_task(atlas, pid, &owner) ? owner : NULL;
}

static void add_header(struct buffer *out, const struct style *style, const struct process *process,
		       bool first)
{
	buffer_format(out, "%s==> %u ", first ? "" : "\n", process->tgid);
	style_comm(out, style, process->comm);
	buffer_add_text(out, " <==\n");
}

/* Print those that there are, each in one write. */
static int print_all(const struct maps_args *args, const uint32_t *pids, size_t nr,
		     const struct live *live, const struct coverage *coverage)
{
	bool headers = nr > 1 && !args->no_headers;
	struct style style = terminal_style(STDOUT_FILENO);
	struct buffer out = BUFFER_EMPTY;
	int missing = EXIT_GOOD, status = EXIT_GOOD;

	for (size_t i = 0; i < nr && !status; i++) {
		const struct process *process = find_process(live_atlas(live), pids[i]);
		int error;

		if (!process) {
			missing = fail("there is no process %u", pids[i]);
			continue;
		}
		if (headers && !args->general.json)
			add_header(&out, &style, process, i == 0);
		if (args->general.json)
			error = maps_json(&out, live_atlas(live), coverage, process);
		else
			error = maps_text(&out, &style, live_atlas(live), live_host(live), process);
		status = error ? fail("out of memory") : output_print(&out);
	}
	buffer_done(&out);
	return status ? status : missing;
}

static int run_parsed(const struct maps_args *args, const uint32_t *pids, size_t nr)
{
	struct live *live = NULL;
	struct coverage coverage;
	int report, status = snapshot_take(&live, &coverage, &args->live);

	if (status)
		return status;
	status = print_all(args, pids, nr, live, &coverage);
	report = snapshot_report(&coverage, args->general.json);
	live_free(live);
	return status ? status : report;
}

static int run(int argc, char **argv)
{
	struct maps_args args = {.live.ring_bytes = LIVE_RING_DEFAULT};
	int operand, status = command_parse(&command_maps, &args, argc, argv, &operand);
	uint32_t *pids;
	size_t nr;

	if (status != PARSED_RUN)
		return status;
	if (operand == argc)
		return usage_error(&command_maps, "which process? PID is missing");
	status = live_args_check(&command_maps, &args.live);
	if (status)
		return status;
	nr = (size_t)(argc - operand);
	pids = calloc(nr, sizeof(*pids));
	if (!pids)
		return fail("out of memory");
	for (size_t i = 0; i < nr && !status; i++)
		status = pid_parse(&command_maps, argv[(size_t)operand + i], &pids[i]);
	if (!status)
		status = run_parsed(&args, pids, nr);
	free(pids);
	return status;
}

static const char *const description[] = {
    "Prints the mappings of each process exactly as /proc/PID/maps does, byte for byte, but from "
    "the atlas: the process is neither asked nor stopped, and no permission on it is needed. On a "
    "terminal, bytes in names that could drive it are printed as \\ooo. PID may be that of a "
    "thread.",
    "Kernel threads and zombies have no mappings. A process whose first thread has ended while "
    "others run on is shown with its mappings, which /proc has under /proc/PID/task/TID only.",
    "Of several processes, each begins with a line ==> PID NAME <==. With --json each is one "
    "object on a line of its own.",
    NULL,
};

const struct command command_maps = {
    .name = "maps",
    .operands = "PID...",
    .summary = "the mappings of processes, as /proc/PID/maps prints them",
    .description = description,
    .groups = groups,
    .run = run,
};
