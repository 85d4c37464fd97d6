// SPDX-License-Identifier: GPL-2.0-only
/* The kinds of worlds that random schedules make. */
#include <string.h>

#include "tests/sim/schedule.h"

#define MAP_CALLS(n)                                                                               \
	[OP_MMAP] = 2 * (n), [OP_MUNMAP] = (n), [OP_MPROTECT] = (n), [OP_MREMAP] = (n),            \
	[OP_BRK] = (n), [OP_MADVISE] = (n) / 2 + 1
#define LABELS(n)                                                                                  \
	[OP_RENAME] = (n), [OP_MOVE] = (n), [OP_IDENTITY] = (n), [OP_RENAME_FILE] = (n) / 2 + 1
#define ENDS(n) [OP_EXIT] = (n), [OP_EXIT_GROUP] = (n) / 2 + 1, [OP_REAP] = 2 * (n)

const struct mix mixes[] = {
    {
	.name = "all",
	.weight = {MAP_CALLS(4), LABELS(2), ENDS(3), [OP_THREAD] = 4, [OP_FORK] = 4, [OP_VFORK] = 2,
		   [OP_CLONE_VM] = 1, [OP_EXEC] = 3},
	.consume = 10,
	.walk_once_in = 300,
	.ring_limit = RING_PLACES,
    },
    {
	.name = "threads", /* map against each other in few spaces, and fork */
	.weight = {MAP_CALLS(8), LABELS(1),
		   ENDS(1), [OP_THREAD] = 6, [OP_FORK] = 2, [OP_CLONE_VM] = 1},
	.consume = 6,
	.walk_once_in = 150,
	.ring_limit = RING_PLACES,
    },
    {
	.name = "processes", /* come and go, and their tids and spaces are reused */
	.weight = {MAP_CALLS(1), LABELS(1), ENDS(8), [OP_THREAD] = 4, [OP_FORK] = 8, [OP_VFORK] = 6,
		   [OP_CLONE_VM] = 2, [OP_EXEC] = 6},
	.consume = 10,
	.walk_once_in = 200,
	.ring_limit = RING_PLACES,
    },
    {
	.name = "execs", /* by leaders and by other threads */
	.weight = {MAP_CALLS(2), LABELS(2),
		   ENDS(2), [OP_THREAD] = 12, [OP_FORK] = 2, [OP_VFORK] = 2, [OP_EXEC] = 10},
	.consume = 8,
	.walk_once_in = 100,
	.ring_limit = RING_PLACES,
    },
    {
	.name = "walks", /* nearly without pause */
	.weight = {MAP_CALLS(2), LABELS(4), ENDS(4), [OP_THREAD] = 6, [OP_FORK] = 4, [OP_VFORK] = 2,
		   [OP_CLONE_VM] = 1, [OP_EXEC] = 4},
	.consume = 16,
	.walk_once_in = 10,
	.ring_limit = RING_PLACES,
    },
    {
	.name = "children", /* processes of one thread that nobody shares a space with, and walks */
	.weight = {MAP_CALLS(4), ENDS(2), [OP_FORK] = 6, [OP_EXEC] = 1},
	.consume = 10,
	.walk_once_in = 2,
	.slow_walker = true,
	.ring_limit = RING_PLACES,
    },
    {
	.name = "failures", /* reads that fail: ranges are suspect, or handed over */
	.weight = {MAP_CALLS(4), LABELS(1), ENDS(2), [OP_THREAD] = 4, [OP_FORK] = 3, [OP_VFORK] = 1,
		   [OP_CLONE_VM] = 1, [OP_EXEC] = 3},
	.consume = 10,
	.walk_once_in = 200,
	.ring_limit = RING_PLACES,
	.fail_once_in = 12,
    },
    {
	.name = "overflow", /* of the ring, all the time */
	.weight = {MAP_CALLS(3), LABELS(2), ENDS(4), [OP_THREAD] = 4, [OP_FORK] = 4, [OP_VFORK] = 2,
		   [OP_CLONE_VM] = 1, [OP_EXEC] = 4},
	.consume = 6,
	.walk_once_in = 60,
	.ring_limit = 12,
    },
    {
	.name = "losses", /* few, by every way there is */
	.weight = {MAP_CALLS(3), LABELS(2), ENDS(4), [OP_THREAD] = 4, [OP_FORK] = 4, [OP_VFORK] = 2,
		   [OP_CLONE_VM] = 1, [OP_EXEC] = 4},
	.consume = 12,
	.walk_once_in = 60,
	.ring_limit = 40,
	.skip_once_in = 60,
	.fail_once_in = 60,
    },
};

#define NR_MIXES (sizeof(mixes) / sizeof(mixes[0]))

const struct mix *mix_find(const char *name)
{
	for (size_t i = 0; i < NR_MIXES; i++)
		if (!strcmp(mixes[i].name, name))
			return &mixes[i];
	return NULL;
}

const struct mix *mix_at(uint64_t number, bool with_loss)
{
	const size_t first_lossy = NR_MIXES - 2;

	return with_loss ? &mixes[first_lossy + number % 2] : &mixes[number % first_lossy];
}

struct config mix_config(const struct mix *mix)
{
	return (struct config){
	    .ring_limit = mix->ring_limit,
	    .skip_once_in = mix->skip_once_in,
	    .fail_once_in = mix->fail_once_in,
	    .check_once_in = 64,
	};
}
