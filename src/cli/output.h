/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stdout: data and nothing else, and no error of it is overlooked. SIGPIPE is ignored (stop.h), so
 * a reader that went away is an error like a full disk.
 */
#ifndef TASKATLAS_CLI_OUTPUT_H
#define TASKATLAS_CLI_OUTPUT_H

#include "base/buffer.h"

/*
 * If one of the first three descriptors is closed, put one there that cannot be used, lest a file
 * that is opened later be taken for stdout.
 */
void output_init(void);

/* Write all that is in the buffer and empty it. 0 or -errno; also the buffer's own error. */
int output_write(struct buffer *buffer);

/* The same; on failure say so and return EXIT_FAILED. */
int output_print(struct buffer *buffer);

/* Say that stdout failed. Returns EXIT_FAILED. */
int output_fail(int error);

#endif
