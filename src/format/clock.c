// SPDX-License-Identifier: GPL-2.0-only
#include "format/clock.h"

#include <time.h>

#define NS_PER_S 1000000000

/* Seconds since 1970, and the rest. */
static time_t real_time(const struct host *host, uint64_t boot_ns, long *ret_ns)
{
	int64_t ns = (int64_t)boot_ns + host->realtime_offset_ns;
	int64_t rest = ns % NS_PER_S;

	if (rest < 0)
		rest += NS_PER_S;
	*ret_ns = (long)rest;
	return (time_t)((ns - rest) / NS_PER_S);
}

void clock_day(struct buffer *out, const struct host *host, uint64_t boot_ns, int digits)
{
	long ns;
	time_t seconds = real_time(host, boot_ns, &ns);
	struct tm day = {0};

	localtime_r(&seconds, &day);
	buffer_format(out, "%02d:%02d:%02d", day.tm_hour, day.tm_min, day.tm_sec);
	if (!digits)
		return;
	for (int i = digits; i < 9; i++)
		ns /= 10;
	buffer_format(out, ".%0*ld", digits, ns);
}

void clock_utc(struct buffer *out, const struct host *host, uint64_t boot_ns)
{
	long ns;
	time_t seconds = real_time(host, boot_ns, &ns);
	struct tm day = {0};

	gmtime_r(&seconds, &day);
	buffer_format(out, "%04d-%02d-%02dT%02d:%02d:%02d.%09ldZ", day.tm_year + 1900,
		      day.tm_mon + 1, day.tm_mday, day.tm_hour, day.tm_min, day.tm_sec, ns);
}
