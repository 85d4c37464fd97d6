// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linked into every unit test: a file descriptor that is open at the end, and was not at the start,
 * fails the program. Destructors run after everything that atexit() was told.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DESCRIPTORS_MAX 1024

static bool open_at_start[DESCRIPTORS_MAX];

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

__attribute__((constructor)) static void descriptors_note(void)
{
	for (int fd = 0; fd < DESCRIPTORS_MAX; fd++)
		open_at_start[fd] = is_open(fd);
}

static void descriptor_report(int fd)
{
	char link[64], target[256];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, target, sizeof(target));
	fprintf(stderr, "# leaked descriptor %d: %.*s\n", fd, len < 0 ? 0 : (int)len, target);
}

__attribute__((destructor)) static void descriptors_check(void)
{
	bool leaked = false;

	for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
		if (open_at_start[fd] || !is_open(fd))
			continue;
		descriptor_report(fd);
		leaked = true;
	}
	if (leaked) {
		fflush(NULL); /* nobody else does it after us */
		_exit(99);
	}
}
