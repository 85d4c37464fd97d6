// SPDX-License-Identifier: GPL-2.0-only
#include "format/style.h"

#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "bpf/record.h"

void style_begin(struct buffer *out, const struct style *style, enum color color)
{
	static const char *const codes[] = {
	    [COLOR_NONE] = "",         [COLOR_BOLD] = "\033[1m",     [COLOR_DIM] = "\033[2m",
	    [COLOR_RED] = "\033[31m",  [COLOR_GREEN] = "\033[32m",   [COLOR_YELLOW] = "\033[33m",
	    [COLOR_BLUE] = "\033[34m", [COLOR_MAGENTA] = "\033[35m", [COLOR_CYAN] = "\033[36m",
	};

	_Static_assert(sizeof(codes) / sizeof(codes[0]) == COLOR_NR, "a code for every colour");
	if (style->color)
		buffer_add_text(out, codes[color]);
}

void style_end(struct buffer *out, const struct style *style, enum color color)
{
	if (style->color && color != COLOR_NONE)
		buffer_add_text(out, "\033[0m");
}

void style_name(struct buffer *out, const struct style *style, const char *bytes, size_t len)
{
	escape_text(out, bytes, len, !style->unicode);
}

void style_comm(struct buffer *out, const struct style *style, const char *comm)
{
	style_name(out, style, comm, strnlen(comm, REC_COMM_BYTES));
}

void style_wrap(struct buffer *out, const struct style *style, const char *text, size_t indent,
		size_t used)
{
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " ");
		size_t columns = utf8_columns(text, len);

		if (!first && style->columns && used + 1 + columns > style->columns) {
			buffer_add_text(out, "\n");
			buffer_fill(out, ' ', indent);
			used = indent;
		} else if (!first) {
			buffer_add_text(out, " ");
			used++;
		}
		buffer_add(out, text, len);
		used += columns;
		text += len;
		text += strspn(text, " ");
		first = false;
	}
	buffer_add_text(out, "\n");
}
