/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the comparison share. */
#ifndef TASKATLAS_SIM_COMPARE_H
#define TASKATLAS_SIM_COMPARE_H

#include "tests/sim/world.h"

/* The space of a running process, of which t is a live thread: who else is in it, and what is
 * mapped where. */
void compare_space(struct world *w, const struct process *p, const struct k_task *t,
		   enum strictness strictness);

#endif
