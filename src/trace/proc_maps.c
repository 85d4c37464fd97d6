// SPDX-License-Identifier: GPL-2.0-only
#include "trace/proc_maps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/record.h"
#include "trace/proc_file.h"

/* A number in `base`, then the character `end`, which is stepped over. */
static bool number_take(char **at, int base, char end, uint64_t *ret)
{
	char *stop;

	if (!**at || **at == ' ' || **at == '-' || **at == '+')
		return false;
	errno = 0;
	*ret = strtoull(*at, &stop, base);
	if (errno || *stop != end)
		return false;
	*at = stop + (end ? 1 : 0);
	return true;
}

static bool flags_take(char **at, uint32_t *ret)
{
	const char *p = *at;

	if (strnlen(p, 5) < 5 || p[4] != ' ' || !strchr("r-", p[0]) || !strchr("w-", p[1]) ||
	    !strchr("x-", p[2]) || !strchr("sp", p[3]))
		return false;
	*ret = (p[0] == 'r' ? REC_MAP_READ : 0) | (p[1] == 'w' ? REC_MAP_WRITE : 0) |
	       (p[2] == 'x' ? REC_MAP_EXEC : 0) | (p[3] == 's' ? REC_MAP_SHARED : 0);
	*at += 5;
	return true;
}

/* The kernel escapes just the newline. */
static size_t unescape(char *name, size_t len)
{
	size_t to = 0;

	for (size_t from = 0; from < len; from++) {
		if (len - from >= 4 && !memcmp(name + from, "\\012", 4)) {
			name[to++] = '\n';
			from += 3;
		} else {
			name[to++] = name[from];
		}
	}
	return to;
}

int proc_maps_parse(char *line, size_t len, struct proc_mapping *ret)
{
	struct proc_mapping m = {};
	char *at = line, *inode_end;
	uint64_t major, minor;

	if (memchr(line, '\0', len))
		return -EPROTO;
	line[len] = '\0';
	if (!number_take(&at, 16, '-', &m.start) || !number_take(&at, 16, ' ', &m.end) ||
	    !flags_take(&at, &m.flags) || !number_take(&at, 16, ' ', &m.offset) ||
	    !number_take(&at, 16, ':', &major) || !number_take(&at, 16, ' ', &minor))
		return -EPROTO;
	inode_end = strchrnul(at, ' ');
	if (!number_take(&at, 10, *inode_end, &m.inode))
		return -EPROTO;
	m.major = (uint32_t)major;
	m.minor = (uint32_t)minor;
	at += strspn(at, " ");
	m.name = at;
	m.name_len = unescape(at, len - (size_t)(at - line));
	*ret = m;
	return 0;
}

int proc_maps_read(const char *path, proc_mapping_fn fn, void *ctx)
{
	char *text;
	size_t len;
	int err = proc_file_read(path, &text, &len);

	if (err)
		return err;
	for (size_t at = 0; !err && at < len;) {
		char *end = memchr(text + at, '\n', len - at);
		size_t line = end ? (size_t)(end - text) - at : len - at;
		struct proc_mapping mapping;

		err = proc_maps_parse(text + at, line, &mapping);
		if (!err)
			err = fn(ctx, &mapping);
		at += line + 1;
	}
	free(text);
	return err;
}
