/* SPDX-License-Identifier: GPL-2.0-only */
/* The host in one screen: see view/summary.h. */
#ifndef TASKATLAS_FORMAT_SUMMARY_H
#define TASKATLAS_FORMAT_SUMMARY_H

#include "format/json.h"
#include "format/style.h"
#include "view/coverage.h"
#include "view/summary.h"

/* What a comparison with /proc gave. */
struct summary_verdict {
	uint64_t processes, threads, mappings; /* compared and equal */
	uint64_t differences;
	uint64_t not_comparable, unsettled; /* processes */
};

struct summary_format {
	const struct atlas *atlas;
	const struct coverage *coverage;
	const struct summary_verdict *verdict; /* NULL = not compared */
};

/* Append the screen. 0, -ENOMEM. */
int summary_text(struct buffer *out, const struct style *style, const struct summary *summary,
		 const struct summary_format *format);

/* Append one object and a newline. 0, -ENOMEM. */
int summary_json(struct buffer *out, const struct summary *summary,
		 const struct summary_format *format);

#endif
