/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Just enough of Unicode to print names that others chose: is it UTF-8, may it go to a terminal,
 * and how many columns does it take there. Does not depend on the locale, so the same bytes always
 * give the same output.
 */
#ifndef TASKATLAS_UTF8_H
#define TASKATLAS_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decode the character at bytes[0]. Returns its length, 1 to 4 bytes, and the code point in *ret;
 * 0 if there is no valid one: cut, overlong, surrogate, beyond U+10FFFF, or len is 0 (RFC 3629).
 */
size_t utf8_decode(const char *bytes, size_t len, uint32_t *ret);

/* Are all `len` bytes valid UTF-8? */
bool utf8_valid(const char *bytes, size_t len);

/*
 * May the code point be shown as it is? False for C0, DEL, C1, for what reorders, hides or joins
 * text (bidi controls, zero-width and filler characters, tags, variation selectors), for line and
 * paragraph separators and for noncharacters.
 */
bool utf8_printable(uint32_t code_point);

/* Columns that valid UTF-8 takes on a terminal: 0 for combining, 2 for wide characters, else 1. */
size_t utf8_columns(const char *text, size_t len);

/* Length in bytes of the longest front part that takes at most `columns` columns. */
size_t utf8_fit(const char *text, size_t len, size_t columns);

#endif
