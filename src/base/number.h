/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers, sizes and durations as people write them on a command line, and as they read them.
 * Parsing is strict: no sign, no blanks, nothing behind; what does not fit is refused, not clipped.
 */
#ifndef TASKATLAS_NUMBER_H
#define TASKATLAS_NUMBER_H

#include <stdint.h>

#include "base/buffer.h"

/* Decimal digits. 0; -EINVAL if it is no number; -ERANGE outside [min, max]. */
int number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *ret);

/* Bytes: decimal digits and an optional K, M, G (1024, either case). 0, -EINVAL, -ERANGE. */
int size_parse(const char *text, uint64_t *ret_bytes);

/*
 * A length of time: a decimal number, which may have a fraction, and an optional unit of ns, us,
 * ms, s (the default), m, h, d. 0; -EINVAL; -ERANGE beyond ten years.
 */
int duration_parse(const char *text, uint64_t *ret_ns);

/* Append with a comma between groups of three digits. */
void number_group(struct buffer *out, uint64_t value);

/* Append in at most six columns, rounded down: 850ms, 12.3s, 4m05s, 3h12m, 5d04h, 1234d. */
void duration_add(struct buffer *out, uint64_t ns);

#endif
