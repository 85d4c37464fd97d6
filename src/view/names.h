/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words under which outputs show the enums of record.h and atlas.h. They are part of the
 * documented formats (docs/json.md): a word never changes its meaning.
 */
#ifndef TASKATLAS_VIEW_NAMES_H
#define TASKATLAS_VIEW_NAMES_H

#include "atlas/atlas.h"

/* Each returns "none" for 0 and "unknown" for what is not in the enum. */
const char *record_kind_name(enum rec_kind kind);
const char *loss_cause_name(enum rec_loss_cause cause);
const char *map_cause_name(enum rec_cause cause);
const char *process_state_name(enum process_state state);
const char *mapping_change_name(enum mapping_change change);

#endif
