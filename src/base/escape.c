// SPDX-License-Identifier: GPL-2.0-only
#include "base/escape.h"

#include "base/utf8.h"

/* One character that must not appear as it is. */
static void text_character(struct buffer *out, uint32_t code_point)
{
	switch (code_point) {
	case '\\':
		buffer_add_text(out, "\\\\");
		break;
	case '\n':
		buffer_add_text(out, "\\n");
		break;
	case '\t':
		buffer_add_text(out, "\\t");
		break;
	case '\r':
		buffer_add_text(out, "\\r");
		break;
	default:
		buffer_format(out, code_point < 0x80 ? "\\x%02x" : "\\u{%x}", code_point);
	}
}

void escape_text(struct buffer *out, const char *bytes, size_t len, bool ascii)
{
	uint32_t code_point;
	size_t used;

	for (; len; bytes += used, len -= used) {
		used = utf8_decode(bytes, len, &code_point);
		if (!used) {
			buffer_format(out, "\\x%02x", (unsigned char)*bytes);
			used = 1;
		} else if (code_point == '\\' || !utf8_printable(code_point) ||
			   (ascii && code_point > 0x7e)) {
			text_character(out, code_point);
		} else {
			buffer_add(out, bytes, used);
		}
	}
}

static void add_octal(struct buffer *out, const char *bytes, size_t len)
{
	for (; len; bytes++, len--)
		buffer_format(out, "\\%03o", (unsigned char)*bytes);
}

void escape_proc(struct buffer *out, const char *bytes, size_t len, bool terminal)
{
	uint32_t code_point;
	size_t used;

	for (; len; bytes += used, len -= used) {
		used = terminal ? utf8_decode(bytes, len, &code_point) : 1;
		if (*bytes == '\n' || !used || (terminal && !utf8_printable(code_point))) {
			used = used ? used : 1;
			add_octal(out, bytes, used);
		} else {
			buffer_add(out, bytes, used);
		}
	}
}

void escape_json(struct buffer *out, const char *json, size_t len)
{
	uint32_t code_point;
	size_t used;

	for (; len; json += used, len -= used) {
		used = utf8_decode(json, len, &code_point);
		if (!used) {
			used = 1;
			code_point = 0xfffd;
		} else if (utf8_printable(code_point)) {
			buffer_add(out, json, used);
			continue;
		}
		if (code_point >= 0x10000)
			buffer_format(out, "\\u%04x\\u%04x", 0xd7c0 + (code_point >> 10),
				      0xdc00 + (code_point & 0x3ff));
		else
			buffer_format(out, "\\u%04x", code_point);
	}
}

void escape_hex(struct buffer *out, const char *bytes, size_t len)
{
	for (; len; bytes++, len--)
		buffer_format(out, "%02x", (unsigned char)*bytes);
}
