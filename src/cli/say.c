// SPDX-License-Identifier: GPL-2.0-only
#include "cli/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "cli/cmd.h"

#define SENTENCE_BYTES 4096

/* One write, so that lines of several processes do not mix. That it may fail changes nothing. */
static void print(const char *prefix, const char *name, const char *text, const char *suffix)
{
	struct buffer line = BUFFER_EMPTY;
	ssize_t written;

	buffer_format(&line, "%s%s: ", prefix, name);
	escape_proc(&line, text, strlen(text), true);
	buffer_format(&line, "%s\n", suffix);
	written = write(STDERR_FILENO, buffer_text(&line), line.len);
	(void)written;
	buffer_done(&line);
}

void say(const char *format, ...)
{
	char text[SENTENCE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	print("taskatlas", "", text, "");
}

int fail(const char *format, ...)
{
	char text[SENTENCE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	print("taskatlas", "", text, "");
	return EXIT_FAILED;
}

int usage_error(const struct command *command, const char *format, ...)
{
	char text[SENTENCE_BYTES], hint[64] = " (see taskatlas --help)";
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (command)
		snprintf(hint, sizeof(hint), " (see taskatlas %s --help)", command->name);
	print(command ? "taskatlas " : "taskatlas", command ? command->name : "", text, hint);
	return EXIT_USAGE;
}
