/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of atlas_check(). */
#ifndef TASKATLAS_ATLAS_CHECK_H
#define TASKATLAS_ATLAS_CHECK_H

#include "atlas/model.h"

struct checker {
	const struct atlas *atlas;
	char *why; /* the first thing that was found broken; "" = nothing */
	size_t why_size;
};

/* Say what is broken; -EUCLEAN. */
__attribute__((format(printf, 2, 3))) int broken(struct checker *check, const char *format, ...);

/* Each: 0, -EUCLEAN, -ENOMEM. */
int check_processes(struct checker *check);
int check_tasks(struct checker *check);
int check_spaces(struct checker *check);
int check_chunks(struct checker *check);
int check_names(struct checker *check);

#endif
