/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What commands that follow the host have in common: opening it, waiting, ending. They say what
 * went wrong; functions that return an int return exit_status.
 */
#ifndef TASKATLAS_CLI_SNAPSHOT_H
#define TASKATLAS_CLI_SNAPSHOT_H

#include "cli/common_options.h"
#include "trace/live.h"
#include "view/coverage.h"

/* Options for live_open() from those of the command line, with the stop flag. */
struct live_options snapshot_options(const struct live_args *args);

/* Open and seed. On success the caller frees *ret. */
int snapshot_open(struct live **ret, const struct live_options *options);

/* Follow for a time, with a line of progress if stderr is a terminal. */
int snapshot_follow(struct live *live, uint64_t for_ns);

/*
 * Take in all that happened until now, heal what is suspect as far as a few seconds allow, and tell
 * the coverage of what is known then. Nothing is detached before that: detaching takes a while, and
 * what a busy host loses in that while could not be healed any more. Nobody asks for it either.
 */
int snapshot_finish(struct live *live, struct coverage *ret);

/* Open and finish: the host as it is now. On success the caller frees *ret. */
int snapshot_take(struct live **ret, struct coverage *ret_coverage, const struct live_args *args);

/*
 * Say on stderr what there is to say about losses and completeness; in `json` outputs only what
 * makes the command fail. EXIT_GOOD if the answer is complete.
 */
int snapshot_report(const struct coverage *coverage, bool json);

#endif
