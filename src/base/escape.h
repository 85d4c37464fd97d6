/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names from the kernel are bytes that anybody chose. This is where they become something that may
 * be printed. Inside the model nothing is ever escaped.
 */
#ifndef TASKATLAS_ESCAPE_H
#define TASKATLAS_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/*
 * Append bytes as text for people. Printable characters stay; a backslash becomes \\, the usual
 * controls \n, \t, \r, other bytes below U+0080 \xHH, unprintable characters \u{HEX}, and bytes
 * that are not UTF-8 \xHH. Reversible: two different names never give the same text. With `ascii`
 * everything beyond U+007E is escaped too, for terminals that do not speak UTF-8.
 */
void escape_text(struct buffer *out, const char *bytes, size_t len, bool ascii);

/*
 * Append bytes as /proc/PID/maps prints a path: a newline becomes \012 and nothing else changes.
 * With `terminal` every byte of what could drive a terminal, or is not UTF-8, becomes \ooo too.
 */
void escape_proc(struct buffer *out, const char *bytes, size_t len, bool terminal);

/*
 * Append JSON text, given in valid UTF-8, with every unprintable character as \uXXXX: the same
 * value for a JSON reader, and harmless on a terminal.
 */
void escape_json(struct buffer *out, const char *json, size_t len);

/* Append the bytes as lower-case hexadecimal, two digits a byte. */
void escape_hex(struct buffer *out, const char *bytes, size_t len);

#endif
