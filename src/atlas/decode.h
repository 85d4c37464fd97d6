/* SPDX-License-Identifier: GPL-2.0-only */
/* Is it a record? Everything that record.h says of one and that handlers rely on. */
#ifndef TASKATLAS_DECODE_H
#define TASKATLAS_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/record.h"

/*
 * Check `size` bytes. 0, and *ret may be cast by its kind: its size, lengths and counts are inside,
 * and for MAPS the mappings are page aligned, not empty, sorted, disjoint, and touch [lo, hi).
 * -EPROTO otherwise.
 */
int record_decode(const void *bytes, size_t size, const struct rec_hdr **ret);

/*
 * The range of a MAPS record that passed: whole pages (what is seen of a part of a page holds for
 * all of it), and not beyond MAP_END.
 */
void maps_range(const struct rec_maps *rec, uint64_t *ret_lo, uint64_t *ret_hi);

#endif
