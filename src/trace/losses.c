// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel side lost, told as records: its own counters, and the runs it was not given. */
#include "trace/kernel_private.h"

#include <errno.h>

/* One LOSS record to the sink. */
static int loss_tell(struct kernel *kernel, uint32_t kind, uint32_t cause, uint64_t count)
{
	struct rec_loss record = {
	    .hdr = {.kind = REC_LOSS, .size = sizeof(record), .time_ns = kernel_now_ns()},
	    .count = count,
	    .lost_kind = kind,
	    .cause = cause,
	};

	return kernel->sink(kernel->ctx, &record, sizeof(record));
}

/* Tell what grew of one cause. Returns how many records, or what the sink returned. */
static int grown_tell(struct kernel *kernel, const __u64 *now, __u64 *told, uint32_t cause)
{
	int records = 0;

	for (uint32_t kind = 0; kind < REC_NR; kind++) {
		uint64_t count = __atomic_load_n(&now[kind], __ATOMIC_RELAXED);
		int err;

		if (count == told[kind])
			continue;
		err = loss_tell(kernel, kind, cause, count - told[kind]);
		if (err < 0)
			return err;
		told[kind] = count;
		records++;
	}
	return records;
}

static int misses_tell(struct kernel *kernel)
{
	struct bpf_program *program;
	int records = 0;
	size_t i = 0;

	bpf_object__for_each_program(program, kernel->skel->obj)
	{
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);
		int err;

		if (i >= KERNEL_PROGRAMS_MAX)
			break;
		if (!bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) &&
		    info.recursion_misses != kernel->misses_told[i]) {
			err = loss_tell(kernel, REC_NONE, REC_LOSS_SKIPPED,
					info.recursion_misses - kernel->misses_told[i]);
			if (err < 0)
				return err;
			kernel->misses_told[i] = info.recursion_misses;
			records++;
		}
		i++;
	}
	return records;
}

int kernel_losses(struct kernel *kernel, int thorough)
{
	const struct counters *now = &kernel->skel->bss->counters;
	int full, failed, busy, misses;

	full = grown_tell(kernel, now->ring_full, kernel->told.ring_full, REC_LOSS_RING_FULL);
	if (full < 0)
		return full;
	failed =
	    grown_tell(kernel, now->read_failed, kernel->told.read_failed, REC_LOSS_READ_FAILED);
	if (failed < 0)
		return failed;
	busy =
	    grown_tell(kernel, now->scratch_busy, kernel->told.scratch_busy, REC_LOSS_SCRATCH_BUSY);
	if (busy < 0)
		return busy;
	misses = thorough ? misses_tell(kernel) : 0;
	return misses < 0 ? misses : full + failed + busy + misses;
}
