/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TASKATLAS_OBSERVE_BPF_H
#define TASKATLAS_OBSERVE_BPF_H

#include "state.bpf.h"

/* One page below the end of the address space: the end of an observation of a whole space. */
#define OBSERVE_END (~0ull & ~(PAGE_BYTES - 1))

/* `how`: a cause (enum rec_cause), and these. */
#define OBSERVE_CAUSE 0xff
#define OBSERVE_WALK                                                                               \
	(1 << 8) /* from outside the space's own tasks: paced, the tree must allow it */
#define OBSERVE_NEXT (1 << 9) /* the range ends with the first mapping that starts above lo */
#define OBSERVE_HAND_OVER                                                                          \
	(1 << 10) /* do not read: tell that it is not known, so that it is walked */

/* What observe() returns besides an address. */
#define OBSERVE_LOST 1ull /* a record was lost or a read failed; counted */
#define OBSERVE_GONE                                                                               \
	2ull /* the task has left the space meanwhile: its own records say the rest                \
	      */

/*
 * "In this space, [lo, hi) holds exactly these mappings": MAPS records for [lo, hi), in chunks.
 * mm, task: kernel addresses. task: in whose name, and who must still be in the space when it was
 * read; 0 = the caller itself. lo, hi: bytes, page aligned; [0, OBSERVE_END) is a whole space.
 * Returns where it stopped: hi; below it when it was paused for the ring to be drained (with
 * OBSERVE_WALK only), to be called again with that as lo; or OBSERVE_LOST, OBSERVE_GONE.
 */
u64 observe(u64 mm, u64 lo, u64 hi, u64 task, u32 how);

/* What is mapped at addr, into the scratch: see tree.bpf.c. 0, or -1. */
int entry_at(u32 scratch_nr, u64 mm, u64 addr, u32 outside);
/* Key of the file behind a struct file; its FILE record is sent if it was not yet. */
u64 file_tell(u32 scratch_nr, u64 file);
/*
 * The same for a name that is not its file's, of the VMA in the scratch: what the kernel calls it,
 * or what the process called it. 0 if it has none. file: its vm_file or 0.
 */
u64 special_tell(u32 scratch_nr, u64 file);

#endif
