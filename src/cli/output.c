// SPDX-License-Identifier: GPL-2.0-only
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/say.h"

void output_init(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* Lowest first, so this is the descriptor we get. Opened the wrong way round. */
		if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return;
	}
}

int output_write(struct buffer *buffer)
{
	const char *at = buffer_text(buffer);
	size_t left = buffer->len;
	int error = buffer_error(buffer);

	while (!error && left) {
		ssize_t written = write(STDOUT_FILENO, at, left);

		if (written >= 0) {
			at += written;
			left -= (size_t)written;
		} else if (errno != EINTR) {
			error = -errno;
		}
	}
	buffer_reset(buffer);
	return error;
}

int output_fail(int error)
{
	return fail("cannot write the output: %s", strerror(-error));
}

int output_print(struct buffer *buffer)
{
	int error = output_write(buffer);

	return error ? output_fail(error) : EXIT_GOOD;
}
