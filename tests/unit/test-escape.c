// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/buffer.h"
#include "base/escape.h"
#include "base/utf8.h"

#define BYTES(literal) literal, sizeof(literal) - 1

struct escape_case {
	const char *in;
	size_t len;
	const char *out;
};

static void check_text(const struct escape_case *cases, size_t nr, bool ascii)
{
	for (size_t i = 0; i < nr; i++) {
		struct buffer out = BUFFER_EMPTY;

		escape_text(&out, cases[i].in, cases[i].len, ascii);
		assert_int_equal(buffer_error(&out), 0);
		assert_string_equal(buffer_text(&out), cases[i].out);
		buffer_done(&out);
	}
}

static void test_text(void **state)
{
	static const struct escape_case cases[] = {
	    {BYTES(""), ""},
	    {BYTES("plain name.so"), "plain name.so"},
	    {BYTES("a\\b"), "a\\\\b"},
	    {BYTES("a\nb\tc\rd"), "a\\nb\\tc\\rd"},
	    {BYTES("a\0b"), "a\\x00b"},
	    {BYTES("\x1b[2J"), "\\x1b[2J"},
	    {BYTES("\x7f"), "\\x7f"},
	    {BYTES("caf\xc3\xa9"), "caf\xc3\xa9"},
	    {BYTES("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80"},
	    {BYTES("\xc2\x9b"
		   "31m"),
	     "\\u{9b}31m"}, /* CSI as C1 */
	    {BYTES("\xe2\x80\xae"
		   "gpj"),
	     "\\u{202e}gpj"},                          /* right-to-left override */
	    {BYTES("\xe2\x80\x8b"), "\\u{200b}"},      /* zero-width space */
	    {BYTES("\xef\xbb\xbf"), "\\u{feff}"},      /* byte order mark */
	    {BYTES("\xef\xb8\x8f"), "\\u{fe0f}"},      /* variation selector */
	    {BYTES("\xf3\xa0\x81\x81"), "\\u{e0041}"}, /* tag character */
	    {BYTES("\xff"), "\\xff"},                  /* never in UTF-8 */
	    {BYTES("\xc0\xaf"), "\\xc0\\xaf"},         /* overlong slash */
	    {BYTES("\xe0\x80\xaf"), "\\xe0\\x80\\xaf"},
	    {BYTES("\xed\xa0\x80"), "\\xed\\xa0\\x80"},          /* surrogate */
	    {BYTES("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80"}, /* beyond U+10FFFF */
	    {BYTES("\xe2\x82"), "\\xe2\\x82"},                   /* cut */
	    {BYTES("\xe2(\x82"), "\\xe2(\\x82"},
	};

	(void)state;
	check_text(cases, sizeof(cases) / sizeof(cases[0]), false);
}

static void test_text_ascii(void **state)
{
	static const struct escape_case cases[] = {
	    {BYTES("caf\xc3\xa9 ~"), "caf\\u{e9} ~"},
	    {BYTES("\xf0\x9f\x98\x80"), "\\u{1f600}"},
	};

	(void)state;
	check_text(cases, sizeof(cases) / sizeof(cases[0]), true);
}

/* Undo escape_text(): what it wrote must give back the bytes. */
static size_t unescape(const char *text, char *out)
{
	char *at = out;

	while (*text) {
		unsigned int value;
		int used;

		if (*text != '\\') {
			*at++ = *text++;
		} else if (sscanf(text, "\\x%2x%n", &value, &used) == 1) {
			*at++ = (char)value;
			text += used;
		} else if (sscanf(text, "\\u{%x}%n", &value, &used) == 1) {
			if (value >= 0x10000) {
				*at++ = (char)(0xf0 | value >> 18);
				*at++ = (char)(0x80 | (value >> 12 & 0x3f));
			} else if (value >= 0x800) {
				*at++ = (char)(0xe0 | value >> 12);
			}
			*at++ =
			    (char)(value >= 0x800 ? 0x80 | (value >> 6 & 0x3f) : 0xc0 | value >> 6);
			*at++ = (char)(0x80 | (value & 0x3f));
			text += used;
		} else {
			*at++ = text[1] == 'n'   ? '\n'
				: text[1] == 't' ? '\t'
				: text[1] == 'r' ? '\r'
						 : '\\';
			text += 2;
		}
	}
	return (size_t)(at - out);
}

static void test_text_is_reversible(void **state)
{
	uint32_t random = 12345;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char in[24], back[24 * 4];
		size_t len = (size_t)round % sizeof(in);
		struct buffer out = BUFFER_EMPTY;

		for (size_t i = 0; i < len; i++) {
			random = random * 1103515245 + 12345;
			in[i] = "\xe2\x80\xae\xf3\xa0\\xun{\n\xc2\x9b"
				"ab\xff\0\x1b"[(random >> 16) % 19];
		}
		escape_text(&out, in, len, round & 1);
		assert_int_equal(unescape(buffer_text(&out), back), len);
		assert_memory_equal(back, in, len);
		buffer_done(&out);
	}
}

static void check_proc(const char *in, size_t len, bool terminal, const char *expected)
{
	struct buffer out = BUFFER_EMPTY;

	escape_proc(&out, in, len, terminal);
	assert_string_equal(buffer_text(&out), expected);
	buffer_done(&out);
}

static void test_proc(void **state)
{
	(void)state;
	check_proc(BYTES("/a\nb\\c\x1b\xff\xc3\xa9"), false, "/a\\012b\\c\x1b\xff\xc3\xa9");
	check_proc(BYTES("/a\nb\\c\x1b[0m\xff\xc3\xa9"), true, "/a\\012b\\c\\033[0m\\377\xc3\xa9");
	check_proc(BYTES("\xe2\x80\xae"), true, "\\342\\200\\256");
}

static void test_json(void **state)
{
	static const char json[] = "{\"a\":\"\xc3\xa9\x7f\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81\"}";
	struct buffer out = BUFFER_EMPTY;

	(void)state;
	escape_json(&out, json, sizeof(json) - 1);
	assert_string_equal(buffer_text(&out),
			    "{\"a\":\"\xc3\xa9\\u007f\\u009b\\u202e\\udb40\\udc41\"}");
	buffer_done(&out);
}

static void test_hex(void **state)
{
	struct buffer out = BUFFER_EMPTY;

	(void)state;
	escape_hex(&out, "\x00\xff/a", 4);
	assert_string_equal(buffer_text(&out), "00ff2f61");
	buffer_done(&out);
}

static void test_columns(void **state)
{
	static const char wide[] = "a\xe6\xbc\xa2"
				   "b"; /* a, one wide character, b */

	(void)state;
	assert_int_equal(utf8_columns(BYTES("abc")), 3);
	assert_int_equal(utf8_columns(BYTES("e\xcc\x81")), 1); /* e and a combining accent */
	assert_int_equal(utf8_columns(BYTES(wide)), 4);
	assert_int_equal(utf8_fit(BYTES(wide), 0), 0);
	assert_int_equal(utf8_fit(BYTES(wide), 1), 1);
	assert_int_equal(utf8_fit(BYTES(wide), 2), 1); /* half a character is none */
	assert_int_equal(utf8_fit(BYTES(wide), 3), 4);
	assert_int_equal(utf8_fit(BYTES(wide), 99), 5);
}

static void test_ranges_agree(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 0x20; c++)
		assert_false(utf8_printable(c));
	for (uint32_t c = 0x20; c < 0x7f; c++)
		assert_true(utf8_printable(c));
	for (uint32_t c = 0x7f; c < 0xa0; c++)
		assert_false(utf8_printable(c));
	for (uint32_t plane = 0; plane <= 0x10; plane++) {
		assert_false(utf8_printable(plane << 16 | 0xfffe));
		assert_false(utf8_printable(plane << 16 | 0xffff));
	}
	assert_false(utf8_printable(0x110000));
	assert_true(utf8_printable(0x6f22));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_text_ascii),
	    cmocka_unit_test(test_text_is_reversible),
	    cmocka_unit_test(test_proc),
	    cmocka_unit_test(test_json),
	    cmocka_unit_test(test_hex),
	    cmocka_unit_test(test_columns),
	    cmocka_unit_test(test_ranges_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
