// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/say.h"
#include "cli/snapshot.h"
#include "cli/terminal.h"
#include "cli/users.h"
#include "format/tree.h"

struct tree_args {
	struct general_args general;
	struct live_args live;
	bool threads;
	bool kernel;
};

static const struct option_row rows[] = {
    {.name = "threads",
     .letter = 't',
     .type = OPTION_FLAG,
     .offset = OPTION_AT(struct tree_args, threads, bool),
     .help = "Show threads too, each below its process, as {NAME}."},
    {.name = "kernel",
     .letter = 'k',
     .type = OPTION_FLAG,
     .offset = OPTION_AT(struct tree_args, kernel, bool),
     .help = "Show kernel threads too, as [NAME]."},
};

static const struct option_group groups[] = {
    {"What to show", OPTION_ROWS(rows), 0},
    LIVE_GROUP(struct tree_args),
    GENERAL_GROUP(struct tree_args),
    {0},
};

static int print_tree(const struct tree_args *args, const struct tree *tree,
		      const struct atlas *atlas, const struct coverage *coverage)
{
	struct style style = terminal_style(STDOUT_FILENO);
	struct users *users = users_new();
	struct buffer out = BUFFER_EMPTY;
	struct tree_format format = {
	    .atlas = atlas,
	    .coverage = coverage,
	    .threads = args->threads,
	    .user_name = users ? users_name : NULL,
	    .ctx = users,
	};
	int error, status;

	if (args->general.json)
		error = tree_json(&out, tree, &format);
	else
		error = tree_text(&out, &style, tree, &format);
	status = error ? fail("out of memory") : output_print(&out);
	buffer_done(&out);
	users_free(users);
	return status;
}

static int run_parsed(const struct tree_args *args, uint32_t root)
{
	struct tree_options options = {.root_tgid = root, .kernel = args->kernel};
	struct live *live = NULL;
	struct tree tree = {0};
	struct coverage coverage;
	int error, report, status = snapshot_take(&live, &coverage, &args->live);

	if (status)
		return status;
	error = tree_build(&tree, live_atlas(live), &options);
	if (error == -ENOENT)
		status = fail("there is no process %u", root);
	else if (error)
		status = fail("out of memory");
	else
		status = print_tree(args, &tree, live_atlas(live), &coverage);
	report = snapshot_report(&coverage, args->general.json);
	tree_done(&tree);
	live_free(live);
	return status ? status : report;
}

static int run(int argc, char **argv)
{
	struct tree_args args = {.live.ring_bytes = LIVE_RING_DEFAULT};
	uint32_t root = 0;
	int operand, status = command_parse(&command_tree, &args, argc, argv, &operand);

	if (status != PARSED_RUN)
		return status;
	if (argc - operand > 1)
		return usage_error(&command_tree, "it takes one PID at most");
	status = live_args_check(&command_tree, &args.live);
	if (!status && operand < argc)
		status = pid_parse(&command_tree, argv[operand], &root);
	return status ? status : run_parsed(&args, root);
}

static const char *const description[] = {
    "Prints the processes of this host as a tree by present parent, or those from PID downwards: "
    "process id, user, cgroup, age, number of threads, number of mappings, name and executable. A "
    "process whose parent is not shown stands at the left edge.",
    "On a terminal that is too narrow, columns are left out. JSON output has every field, among "
    "them who forked a process, which stays when its parent is gone.",
    NULL,
};

const struct command command_tree = {
    .name = "tree",
    .operands = "[PID]",
    .summary = "processes as a tree",
    .description = description,
    .groups = groups,
    .run = run,
};
