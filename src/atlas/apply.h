/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One handler for each kind of record. It gets a record that passed record_decode(). 0; -ENOMEM
 * with the atlas sound, and the record applied in part or not at all.
 */
#ifndef TASKATLAS_ATLAS_APPLY_H
#define TASKATLAS_ATLAS_APPLY_H

#include "atlas/model.h"

#define X(KIND, kind, type) int apply_##kind(struct atlas *atlas, const struct type *rec);
RECORDS(X)
#undef X

#endif
