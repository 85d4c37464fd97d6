/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mappings of a process as /proc/PID/maps shows them: which there are, in which order, and what
 * each is called. fs/proc/task_mmu.c (show_map_vma, get_vma_name) is the rule for names.
 */
#ifndef TASKATLAS_VIEW_MAPS_H
#define TASKATLAS_VIEW_MAPS_H

#include "atlas/host.h"

/* One line. The name is before + name + after; name is hostile bytes, the others are ours. */
struct maps_line {
	uint64_t start, end, offset;
	char prot[4]; /* "r-x", NUL-terminated */
	bool shared;
	uint32_t major, minor;
	uint64_t inode;
	bool deleted; /* " (deleted)" is in `after` */
	bool cut;     /* only the tail of the name is known; "..." is in `before` */
	const char *before;
	const char *name; /* NULL = the mapping has none, or it is not known yet */
	size_t name_len;  /* bytes */
	const char *after;
};

/*
 * The space whose mappings /proc/PID/maps shows; NULL if it shows none (kernel thread, zombie,
 * gone). A process whose leader has exited while threads run on has its mappings here, where /proc
 * shows none under its PID but all under /proc/PID/task/TID.
 */
const struct space *maps_space(const struct process *process);

/* Is every mapping of the process known and true? */
bool maps_complete(const struct atlas *atlas, const struct process *process);

/* Describe one mapping of `space`. */
void maps_line_fill(struct maps_line *ret, const struct atlas *atlas, const struct host *host,
		    const struct space *space, const struct mapping *mapping);

/* Lines in the order of /proc, the gate mapping last. `while (maps_next(&it, &line))`. */
struct maps_iter {
	const struct atlas *atlas;
	const struct host *host;
	const struct space *space; /* NULL = no lines */
	struct mapping_iter mappings;
	bool gate_done;
};
struct maps_iter maps_lines(const struct atlas *atlas, const struct host *host,
			    const struct process *process);
bool maps_next(struct maps_iter *it, struct maps_line *ret);

#endif
