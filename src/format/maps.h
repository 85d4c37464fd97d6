/* SPDX-License-Identifier: GPL-2.0-only */
/* The mappings of a process: see view/maps.h. */
#ifndef TASKATLAS_FORMAT_MAPS_H
#define TASKATLAS_FORMAT_MAPS_H

#include "format/json.h"
#include "format/style.h"
#include "view/coverage.h"
#include "atlas/maps.h"

/*
 * Append a line as the kernel prints it in /proc/PID/maps, byte for byte; with style->terminal,
 * bytes of names that could drive a terminal become \ooo.
 */
void maps_text_line(struct buffer *out, const struct style *style, const struct maps_line *line);

/* Append every line of a process. 0, -ENOMEM. */
int maps_text(struct buffer *out, const struct style *style, const struct atlas *atlas,
	      const struct host *host, const struct process *process);

/* Append permissions as /proc has them: "r-xp". */
void maps_prot_text(struct buffer *out, const struct maps_line *line);
/* Append the whole name, escaped for people; nothing without a name. */
void maps_name_text(struct buffer *out, const struct style *style, const struct maps_line *line);

/* Add the fields of a mapping to an object. */
void maps_line_json(struct json *json, struct json_object *at, const struct maps_line *line);

/* Append one object, and a newline, for a process. 0, -ENOMEM. */
int maps_json(struct buffer *out, const struct atlas *atlas, const struct coverage *coverage,
	      const struct process *process);

#endif
