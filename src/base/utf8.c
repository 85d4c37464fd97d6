// SPDX-License-Identifier: GPL-2.0-only
#include "base/utf8.h"

struct range {
	uint32_t first, last; /* both inside */
};

/* What is never shown as it is; ascending. From UnicodeData: categories Cc, Cf, Zl, Zp, and the
 * letters that are drawn as nothing. U+xxFFFE and U+xxFFFF are tested apart. */
static const struct range hidden[] = {
    {0x0000, 0x001f},   {0x007f, 0x009f},   {0x00ad, 0x00ad},   {0x034f, 0x034f},
    {0x0600, 0x0605},   {0x061c, 0x061c},   {0x06dd, 0x06dd},   {0x070f, 0x070f},
    {0x0890, 0x0891},   {0x08e2, 0x08e2},   {0x115f, 0x1160},   {0x17b4, 0x17b5},
    {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
    {0x3164, 0x3164},   {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
    {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
    {0x13430, 0x1345f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

/* Drawn over the character before them: the common blocks of combining marks; ascending. */
static const struct range combining[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff},
    {0x302a, 0x302d}, {0x3099, 0x309a}, {0xfe20, 0xfe2f},
};

/* Two columns: East Asian Width W and F; ascending. */
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x3029},   {0x302e, 0x303e},   {0x3041, 0x3098},
    {0x309b, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},
    {0x16fe0, 0x18aff}, {0x1b000, 0x1b2ff}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static bool in_ranges(const struct range *ranges, size_t nr, uint32_t code_point)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (code_point > ranges[middle].last)
			low = middle + 1;
		else
			high = middle;
	}
	return low < nr && code_point >= ranges[low].first;
}

size_t utf8_decode(const char *bytes, size_t len, uint32_t *ret)
{
	/* The smallest code point that needs so many bytes; less is overlong. */
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *in = (const unsigned char *)bytes;
	uint32_t code_point;
	size_t need, i;

	if (!len)
		return 0;
	if (in[0] < 0x80) {
		*ret = in[0];
		return 1;
	}
	need = in[0] >= 0xf0 ? 4 : in[0] >= 0xe0 ? 3 : 2;
	if (in[0] < 0xc2 || in[0] > 0xf4 || need > len)
		return 0;
	code_point = in[0] & (0x7f >> need);
	for (i = 1; i < need; i++) {
		if ((in[i] & 0xc0) != 0x80)
			return 0;
		code_point = code_point << 6 | (in[i] & 0x3f);
	}
	if (code_point < least[need] || code_point > 0x10ffff ||
	    (code_point >= 0xd800 && code_point <= 0xdfff))
		return 0;
	*ret = code_point;
	return need;
}

bool utf8_valid(const char *bytes, size_t len)
{
	uint32_t code_point;
	size_t used;

	for (; len; bytes += used, len -= used) {
		used = utf8_decode(bytes, len, &code_point);
		if (!used)
			return false;
	}
	return true;
}

bool utf8_printable(uint32_t code_point)
{
	return (code_point & 0xfffe) != 0xfffe && code_point <= 0x10ffff &&
	       !in_ranges(hidden, NR(hidden), code_point);
}

static size_t columns_of(uint32_t code_point)
{
	if (code_point < 0x300)
		return 1;
	if (in_ranges(combining, NR(combining), code_point))
		return 0;
	return in_ranges(wide, NR(wide), code_point) ? 2 : 1;
}

/* Columns of the next character, and its bytes; a byte that is not UTF-8 takes one column. */
static size_t next_columns(const char *text, size_t len, size_t *ret_used)
{
	uint32_t code_point;
	size_t used = utf8_decode(text, len, &code_point);

	*ret_used = used ? used : 1;
	return used ? columns_of(code_point) : 1;
}

size_t utf8_columns(const char *text, size_t len)
{
	size_t columns = 0, used;

	for (; len; text += used, len -= used)
		columns += next_columns(text, len, &used);
	return columns;
}

size_t utf8_fit(const char *text, size_t len, size_t columns)
{
	size_t taken = 0, used, at = 0;

	for (; at < len; at += used) {
		taken += next_columns(text + at, len - at, &used);
		if (taken > columns)
			break;
	}
	return at;
}
