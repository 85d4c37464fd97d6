// SPDX-License-Identifier: GPL-2.0-only
#include "cli/common_options.h"

#include "base/number.h"

#define RING_BYTES_MIN (64u << 10)
#define RING_BYTES_MAX (1u << 30)
#define PID_MAX (4u << 20) /* PID_MAX_LIMIT of the kernel, 64 bits */

const struct option_row general_rows[] = {
    {.name = "json",
     .type = OPTION_FLAG,
     .offset = OPTION_AT(struct general_args, json, bool),
     .help = "Print JSON, as docs/json.md describes it."},
    {.name = "help",
     .letter = 'h',
     .type = OPTION_FLAG,
     .offset = OPTION_AT(struct general_args, help, bool),
     .help = "Print this help."},
};
_Static_assert(sizeof(general_rows) / sizeof(general_rows[0]) == GENERAL_ROWS_NR, "rows");

const struct option_row live_rows[] = {
    {.name = "ring",
     .type = OPTION_SIZE,
     .offset = OPTION_AT(struct live_args, ring_bytes, uint64_t),
     .argument = "SIZE",
     .help = "Size of the ring buffer between kernel and taskatlas: a power of two from 64K to "
	     "1G. By default 4M to 64M, by the number of CPUs. Too small a ring loses records, "
	     "which are counted and healed."},
};
_Static_assert(sizeof(live_rows) / sizeof(live_rows[0]) == LIVE_ROWS_NR, "rows");

int live_args_check(const struct command *command, const struct live_args *args)
{
	uint64_t bytes = args->ring_bytes;

	if (bytes == LIVE_RING_DEFAULT)
		return 0;
	if (bytes < RING_BYTES_MIN || bytes > RING_BYTES_MAX || (bytes & (bytes - 1)))
		return usage_error(command, "--ring wants a power of two from 64K to 1G, not %llu",
				   (unsigned long long)bytes);
	return 0;
}

int pid_parse(const struct command *command, const char *text, uint32_t *ret)
{
	uint64_t pid;

	if (number_parse(text, 1, PID_MAX, &pid))
		return usage_error(command, "'%s' is no process id", text);
	*ret = (uint32_t)pid;
	return 0;
}
