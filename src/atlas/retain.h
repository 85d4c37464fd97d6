/* SPDX-License-Identifier: GPL-2.0-only */
/* What is kept of processes that are gone, and for how long. */
#ifndef TASKATLAS_ATLAS_RETAIN_H
#define TASKATLAS_ATLAS_RETAIN_H

#include "atlas/model.h"

/* Drop gone processes beyond limits.retain_processes, those gone longest first. */
void retain_trim(struct atlas *atlas);

#endif
