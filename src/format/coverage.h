/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each output says about itself: see view/coverage.h.
 */
#ifndef TASKATLAS_FORMAT_COVERAGE_H
#define TASKATLAS_FORMAT_COVERAGE_H

#include "format/json.h"
#include "format/style.h"
#include "view/coverage.h"

/*
 * Append one line without a newline: host, time, losses and what that means for the answer. Nothing
 * if there is nothing to say: nothing lost, everything seen.
 */
void coverage_text(struct buffer *out, const struct style *style, const struct coverage *coverage);

/* Append "fork 2, maps 17" for the kinds of which records were lost. */
void coverage_lost_text(struct buffer *out, const struct coverage *coverage);

/* Add "host" to `at`. */
void host_json(struct json *json, struct json_object *at, const struct host *host);

/* Add "coverage" to `at`. */
void coverage_json(struct json *json, struct json_object *at, const struct coverage *coverage);

/* Begin an output of its own: type, schema, version, and, unless NULL, coverage. */
void json_begin(struct json *json, const char *type, const struct coverage *coverage);

#endif
