// SPDX-License-Identifier: GPL-2.0-only
#include "trace/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#define EVENTS_OF_HOST "/sys/kernel/tracing/events"

/* tracefs without a place in the tree: fsopen(2), Linux 5.2. */
static int mount_detached(void)
{
	int fs = fsopen("tracefs", FSOPEN_CLOEXEC), mount = -1, events, err;

	if (fs < 0)
		return -errno;
	if (!fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mount = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY);
	err = -errno;
	close(fs);
	if (mount < 0)
		return err;
	events = openat(mount, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = -errno;
	close(mount);
	return events < 0 ? err : events;
}

int tracefs_events_open(struct message *why)
{
	int events = open(EVENTS_OF_HOST, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (events >= 0)
		return events;
	events = mount_detached();
	if (events < 0)
		message_set(
		    why, events,
		    "cannot open tracefs: " EVENTS_OF_HOST " is not there, and mounting it: %s"
		    " (mount -t tracefs tracefs /sys/kernel/tracing, or run with CAP_SYS_ADMIN)",
		    strerror(-events));
	return events;
}

int tracefs_event_number(int events_fd, const char *name)
{
	char path[128], text[16] = "";
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/id", name);
	fd = openat(events_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	return got > 0 && atoi(text) > 0 ? atoi(text) : -ENODATA;
}
