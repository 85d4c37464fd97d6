/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts about the running host. Private to src/trace/. */
#ifndef TASKATLAS_HOST_FACTS_H
#define TASKATLAS_HOST_FACTS_H

#include "atlas/host.h"

/* Ask the machine. Fields that cannot be found stay 0. Maps a page for a moment. */
void host_facts(struct host *ret);

#endif
