/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of a trace: see view/event.h. */
#ifndef TASKATLAS_FORMAT_EVENT_H
#define TASKATLAS_FORMAT_EVENT_H

#include "format/json.h"
#include "format/style.h"
#include "view/coverage.h"
#include "view/event.h"

struct event_format {
	const struct atlas *atlas;
	const struct host *host;
	bool args;        /* show arguments of execs */
	bool relative;    /* text: seconds since base_ns in place of the time of day */
	uint64_t base_ns; /* see `relative` */
};

/* Append a line: time, kind, pid and tid, name, details. */
void event_text(struct buffer *out, const struct style *style, const struct event *event,
		const struct event_format *format);

/*
 * Append an object and a newline: the event; the first line of a trace; its last line. `json` is an
 * empty object before and afterwards. 0, -ENOMEM.
 */
int event_json(struct json *json, struct buffer *out, const struct event *event,
	       const struct event_format *format);
int event_json_header(struct json *json, struct buffer *out, const struct host *host,
		      uint64_t now_ns, uint32_t kinds);
int event_json_end(struct json *json, struct buffer *out, const struct coverage *coverage,
		   const uint64_t told[EVENT_KIND_NR]);

/* Append how something ended, from a wait status: "code 1", "signal 9 (KILL), core dumped". */
void wait_status_text(struct buffer *out, uint32_t wait_status);

#endif
