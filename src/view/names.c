// SPDX-License-Identifier: GPL-2.0-only
#include "view/names.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const char *look_up(const char *const *names, size_t nr, unsigned int value)
{
	return value < nr && names[value] ? names[value] : "unknown";
}

const char *record_kind_name(enum rec_kind kind)
{
	static const char *const names[] = {[REC_NONE] = "none",
#define X(KIND, name, type) [REC_##KIND] = #name,
					    RECORDS(X)
#undef X
	};

	_Static_assert(NR(names) == REC_NR, "a name for every record kind");
	return look_up(names, NR(names), kind);
}

const char *loss_cause_name(enum rec_loss_cause cause)
{
	static const char *const names[] = {
	    [REC_LOSS_NONE] = "none",
	    [REC_LOSS_RING_FULL] = "ring_full",
	    [REC_LOSS_READ_FAILED] = "read_failed",
	    [REC_LOSS_SCRATCH_BUSY] = "scratch_busy",
	    [REC_LOSS_SKIPPED] = "skipped",
	};

	_Static_assert(NR(names) == REC_LOSS_CAUSE_NR, "a name for every cause of loss");
	return look_up(names, NR(names), cause);
}

const char *map_cause_name(enum rec_cause cause)
{
	static const char *const names[] = {
	    [REC_CAUSE_NONE] = "none",         [REC_CAUSE_MMAP] = "mmap",
	    [REC_CAUSE_MUNMAP] = "munmap",     [REC_CAUSE_MREMAP] = "mremap",
	    [REC_CAUSE_MPROTECT] = "mprotect", [REC_CAUSE_BRK] = "brk",
	    [REC_CAUSE_SHM] = "shm",           [REC_CAUSE_MADVISE] = "madvise",
	    [REC_CAUSE_OTHER] = "other",       [REC_CAUSE_STACK] = "stack",
	    [REC_CAUSE_EXEC] = "exec",         [REC_CAUSE_FORK] = "fork",
	    [REC_CAUSE_WALK] = "walk",
	};

	_Static_assert(NR(names) == REC_CAUSE_NR, "a name for every cause");
	return look_up(names, NR(names), cause);
}

const char *process_state_name(enum process_state state)
{
	static const char *const names[] = {
	    [PROCESS_NONE] = "none",
	    [PROCESS_RUNNING] = "running",
	    [PROCESS_ZOMBIE] = "zombie",
	    [PROCESS_GONE] = "gone",
	};

	_Static_assert(NR(names) == PROCESS_STATE_NR, "a name for every state");
	return look_up(names, NR(names), state);
}

const char *mapping_change_name(enum mapping_change change)
{
	static const char *const names[] = {
	    [MAPPING_NONE] = "none",
	    [MAPPING_ADDED] = "added",
	    [MAPPING_REMOVED] = "removed",
	    [MAPPING_CHANGED] = "changed",
	};

	_Static_assert(NR(names) == MAPPING_CHANGE_NR, "a name for every change");
	return look_up(names, NR(names), change);
}
