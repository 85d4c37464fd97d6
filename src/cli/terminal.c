// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"

#define COLUMNS_DEFAULT 80
#define COLUMNS_MAX 10000

/* Asked without setlocale(): what we print and match must not depend on the locale otherwise. */
static bool locale_is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool utf8;

	if (!locale)
		return false;
	utf8 = !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
	freelocale(locale);
	return utf8;
}

static size_t terminal_columns(int fd)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	uint64_t columns;

	if (text && !number_parse(text, 1, COLUMNS_MAX, &columns))
		return (size_t)columns;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return COLUMNS_DEFAULT;
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

bool terminal_can_rewrite(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb");
}

struct style terminal_style(int fd)
{
	bool terminal = isatty(fd);

	return (struct style){
	    .terminal = terminal,
	    .color = terminal_can_rewrite(fd) && !is_set("NO_COLOR"),
	    .unicode = locale_is_utf8(),
	    .columns = terminal ? terminal_columns(fd) : 0,
	};
}
