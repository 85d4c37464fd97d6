// SPDX-License-Identifier: GPL-2.0-only
#include "base/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_DAY (86400 * NS_PER_S)
#define DURATION_MAX (3650 * NS_PER_DAY)

/* Take leading digits. 0, -EINVAL without any, -ERANGE. */
static int take_digits(const char **text, uint64_t *ret)
{
	uint64_t value = 0;
	const char *at = *text;

	for (; *at >= '0' && *at <= '9'; at++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
			return -ERANGE;
	}
	if (at == *text)
		return -EINVAL;
	*text = at;
	*ret = value;
	return 0;
}

int number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *ret)
{
	uint64_t value;
	int error = take_digits(&text, &value);

	if (error == -ERANGE && text[strspn(text, "0123456789")])
		return -EINVAL;
	if (error)
		return error;
	if (*text)
		return -EINVAL;
	if (value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

int size_parse(const char *text, uint64_t *ret_bytes)
{
	static const char units[] = "kKmMgG";
	uint64_t value;
	const char *unit;
	int error = take_digits(&text, &value);

	if (error)
		return error;
	if (*text) {
		unit = strchr(units, *text);
		if (!unit || text[1])
			return -EINVAL;
		if (__builtin_mul_overflow(value, 1ull << (10 * ((unit - units) / 2 + 1)), &value))
			return -ERANGE;
	}
	*ret_bytes = value;
	return 0;
}

/* Nanoseconds of a unit, 0 for an unknown one. */
static uint64_t unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
	    {"", NS_PER_S},         {"ns", 1},         {"us", 1000},
	    {"ms", NS_PER_MS},      {"s", NS_PER_S},   {"m", 60 * NS_PER_S},
	    {"h", 3600 * NS_PER_S}, {"d", NS_PER_DAY},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	}
	return 0;
}

int duration_parse(const char *text, uint64_t *ret_ns)
{
	const char *fraction = NULL;
	size_t fraction_len = 0;
	uint64_t whole, unit, ns, place;
	int error = take_digits(&text, &whole);

	if (error)
		return error;
	if (*text == '.') {
		fraction = text + 1;
		fraction_len = strspn(fraction, "0123456789");
		if (!fraction_len)
			return -EINVAL;
		text = fraction + fraction_len;
	}
	unit = unit_ns(text);
	if (!unit)
		return -EINVAL;
	if (__builtin_mul_overflow(whole, unit, &ns))
		return -ERANGE;
	for (place = unit / 10; place && fraction_len; place /= 10, fraction_len--)
		ns += place * (uint64_t)(*fraction++ - '0');
	if (ns > DURATION_MAX)
		return -ERANGE;
	*ret_ns = ns;
	return 0;
}

void number_group(struct buffer *out, uint64_t value)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, value);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buffer_add(out, ",", 1);
		buffer_add(out, &digits[i], 1);
	}
}

void duration_add(struct buffer *out, uint64_t ns)
{
	unsigned int tenths = ns / (NS_PER_S / 10) % 10;
	uint64_t s = ns / NS_PER_S;

	if (ns < NS_PER_S)
		buffer_format(out, "%" PRIu64 "ms", ns / NS_PER_MS);
	else if (s < 60)
		buffer_format(out, "%" PRIu64 ".%us", s, tenths);
	else if (s < 3600)
		buffer_format(out, "%" PRIu64 "m%02us", s / 60, (unsigned int)(s % 60));
	else if (s < 86400)
		buffer_format(out, "%" PRIu64 "h%02um", s / 3600, (unsigned int)(s / 60 % 60));
	else if (s < 100 * 86400)
		buffer_format(out, "%" PRIu64 "d%02uh", s / 86400, (unsigned int)(s / 3600 % 24));
	else
		buffer_format(out, "%" PRIu64 "d", s / 86400);
}
