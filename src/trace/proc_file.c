// SPDX-License-Identifier: GPL-2.0-only
#include "trace/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_BYTES 65536

static int read_all(int fd, char **ret, size_t *ret_len)
{
	size_t size = FIRST_BYTES, len = 0;
	char *text = malloc(size + 1);

	while (text) {
		ssize_t got = read(fd, text + len, size - len);
		char *larger;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			int err = got < 0 ? -errno : 0;

			if (err) {
				free(text);
				return err;
			}
			text[len] = '\0';
			*ret = text;
			*ret_len = len;
			return 0;
		}
		len += (size_t)got;
		if (size - len >= FIRST_BYTES / 2)
			continue;
		size *= 2;
		larger = realloc(text, size + 1);
		if (!larger)
			break;
		text = larger;
	}
	free(text);
	return -ENOMEM;
}

int proc_file_read(const char *path, char **ret, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = read_all(fd, ret, ret_len);
	close(fd);
	return err;
}
