/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times of records as dates. Records carry CLOCK_BOOTTIME; the host's offset turns that into the
 * time of day, as it was when the offset was taken.
 */
#ifndef TASKATLAS_FORMAT_CLOCK_H
#define TASKATLAS_FORMAT_CLOCK_H

#include "atlas/host.h"
#include "base/buffer.h"

/* Append the local time of day, HH:MM:SS, with a fraction of `digits` digits, 0 to 9. */
void clock_day(struct buffer *out, const struct host *host, uint64_t boot_ns, int digits);

/* Append UTC as RFC 3339 has it, with nine digits: 2026-01-31T12:00:00.123456789Z. */
void clock_utc(struct buffer *out, const struct host *host, uint64_t boot_ns);

#endif
