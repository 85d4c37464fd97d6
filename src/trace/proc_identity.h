/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc says of a process besides its mappings. Private to src/trace/. */
#ifndef TASKATLAS_PROC_IDENTITY_H
#define TASKATLAS_PROC_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/record.h"

struct proc_identity {
	uint32_t ppid;
	uint32_t uid, gid; /* real */
	uint32_t ns_tgid;  /* in its innermost pid namespace */
	uint32_t threads;
	bool zombie;
	char comm[REC_COMM_BYTES]; /* NUL-padded */
};

/* Read /proc/TGID/status and comm. 0; -ENOENT, -ESRCH (gone); another -errno; -EPROTO. */
int proc_identity_read(uint32_t tgid, struct proc_identity *ret);

/* The name of one thread, NUL-padded. 0 or as above. */
int proc_comm_read(uint32_t tgid, uint32_t tid, char ret[REC_COMM_BYTES]);

/* Called for each number among the entries of a directory. Non-zero ends it and is returned. */
typedef int (*proc_number_fn)(void *ctx, uint32_t number);
/* Tell the numeric entries of /proc, or of /proc/TGID/task: 0, -errno, or what fn returned. */
int proc_numbers(const char *directory, proc_number_fn fn, void *ctx);

#endif
