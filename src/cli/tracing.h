/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace itself, once its options are understood. */
#ifndef TASKATLAS_CLI_TRACING_H
#define TASKATLAS_CLI_TRACING_H

#include "cli/common_options.h"
#include "view/event_filter.h"

#define TRACE_FOR_EVER UINT64_MAX

struct trace_args {
	struct general_args general;
	struct live_args live;
	struct text_list pids, comms, users, cgroups;
	const char *kinds; /* NULL = the default ones */
	bool no_seed;
	uint64_t for_ns; /* TRACE_FOR_EVER = until a signal */
	bool maps;
	bool args;
	uint64_t args_bytes; /* 0 = not given */
	bool relative;
};

/* Trace until the end; argv is a command to follow, argv[0] NULL for none. Returns exit_status. */
int tracing_run(const struct trace_args *args, const struct event_filter *filter, char **argv);

#endif
