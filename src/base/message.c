// SPDX-License-Identifier: GPL-2.0-only
#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>

int message_set(struct message *why, int error, const char *format, ...)
{
	va_list args;

	if (!why)
		return error;
	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return error;
}
