/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How text for people is to look: what the output is, not what is printed. cli/ finds it out and
 * every text format takes it.
 */
#ifndef TASKATLAS_FORMAT_STYLE_H
#define TASKATLAS_FORMAT_STYLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

struct style {
	bool terminal;  /* what is printed may be acted upon: escape everything */
	bool color;     /* use ANSI colours */
	bool unicode;   /* UTF-8 is understood: lines are drawn with it, names keep it */
	size_t columns; /* width to fit into; 0 = no limit */
};

enum color {
	COLOR_NONE = 0,
	COLOR_BOLD,
	COLOR_DIM,
	COLOR_RED,
	COLOR_GREEN,
	COLOR_YELLOW,
	COLOR_BLUE,
	COLOR_MAGENTA,
	COLOR_CYAN,
	COLOR_NR
};

/* Begin and end a colour; nothing without style->color. */
void style_begin(struct buffer *out, const struct style *style, enum color color);
void style_end(struct buffer *out, const struct style *style, enum color color);

/* Append hostile bytes for people, escaped to what the style allows. */
void style_name(struct buffer *out, const struct style *style, const char *bytes, size_t len);
/* The same for a comm, which may lack a NUL. */
void style_comm(struct buffer *out, const struct style *style, const char *comm);

/*
 * Append `text`, broken at blanks into lines of at most style->columns, each begun with `indent`
 * blanks but the first, which continues a line that has `used` columns already. A newline ends it.
 * Words that are longer than a line stay whole.
 */
void style_wrap(struct buffer *out, const struct style *style, const char *text, size_t indent,
		size_t used);

#endif
