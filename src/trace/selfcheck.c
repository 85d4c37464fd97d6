// SPDX-License-Identifier: GPL-2.0-only
#include "trace/selfcheck.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "trace/maps_compare.h"
#include "atlas/maps.h"

/* Keeping the records takes memory, which may map some: by the second or third time it is there. */
#define TRIES 5

struct first_difference {
	uint64_t start;
	enum verify_kind kind;
};

static void see(void *ctx, enum verify_kind kind, const struct maps_line *line,
		const struct proc_mapping *proc)
{
	struct first_difference *first = ctx;

	if (first->kind)
		return;
	first->kind = kind;
	first->start = line ? line->start : proc->start;
}

int selfcheck(struct kernel *kernel, const struct atlas *atlas, const struct host *host,
	      struct message *why)
{
	struct first_difference first = {};

	for (int i = 0; i < TRIES; i++) {
		const struct process *self;
		long equal;
		int err = kernel_walk(kernel, (uint32_t)getpid(), 0, why);

		if (err)
			return err;
		self = atlas_process(atlas, (uint32_t)getpid());
		if (!self)
			return message_set(why, -EBADE,
					   "the walk over tasks does not meet our own process");
		first = (struct first_difference){};
		equal = maps_compare(atlas, host, self, "/proc/self/maps", see, &first);
		if (equal < 0)
			return message_set(why, (int)equal, "cannot read /proc/self/maps: %s",
					   strerror((int)-equal));
		if (equal && !first.kind)
			return 0;
	}
	return message_set(why, -EBADE,
			   "this kernel's mappings are not read rightly (%s at %" PRIx64
			   " of our own): refusing to go on; please report kernel %s",
			   verify_kind_name(first.kind), first.start, host->kernel);
}
