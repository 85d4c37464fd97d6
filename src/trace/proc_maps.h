/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading /proc/PID/maps: what verify and the self-check compare with. Private to src/trace/. */
#ifndef TASKATLAS_PROC_MAPS_H
#define TASKATLAS_PROC_MAPS_H

#include <stddef.h>
#include <stdint.h>

struct proc_mapping {
	uint64_t start, end, offset; /* bytes */
	uint32_t flags;              /* REC_MAP_READ, _WRITE, _EXEC, _SHARED */
	uint32_t major, minor;
	uint64_t inode;
	const char *name; /* bytes, the kernel's \012 put back to a newline; "" = none */
	size_t name_len;
};

/* Called for each line, in order. Non-zero ends the reading and is returned. */
typedef int (*proc_mapping_fn)(void *ctx, const struct proc_mapping *mapping);

/*
 * Read the file whole, then tell each of its lines. 0; -errno of open() or read(); -EPROTO for a
 * line that is none; or what fn returned.
 */
int proc_maps_read(const char *path, proc_mapping_fn fn, void *ctx);

/* Parse one line of `len` bytes without its newline; its name is unescaped in place. 0 or -EPROTO.
 */
int proc_maps_parse(char *line, size_t len, struct proc_mapping *ret);

#endif
