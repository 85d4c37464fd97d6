// SPDX-License-Identifier: GPL-2.0-only
#include "trace/proc_identity.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/proc_file.h"

/* The text behind "\nKEY:\t", or NULL. */
static const char *field(const char *status, const char *key)
{
	char pattern[32];
	const char *at;

	snprintf(pattern, sizeof(pattern), "\n%s:", key);
	at = strstr(status, pattern);
	return at ? at + strlen(pattern) + strspn(at + strlen(pattern), " \t") : NULL;
}

static bool field_number(const char *status, const char *key, uint32_t *ret)
{
	const char *text = field(status, key);

	if (!text)
		return false;
	*ret = (uint32_t)strtoul(text, NULL, 10);
	return true;
}

/* "NSpid:" lists the pid of each namespace from ours to the innermost. */
static uint32_t last_number(const char *text)
{
	uint32_t number = 0;

	while (*text && *text != '\n') {
		char *end;

		number = (uint32_t)strtoul(text, &end, 10);
		if (end == text)
			break;
		text = end + strspn(end, " \t");
	}
	return number;
}

int proc_comm_read(uint32_t tgid, uint32_t tid, char ret[REC_COMM_BYTES])
{
	char path[64], *text;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", tgid, tid);
	err = proc_file_read(path, &text, &len);
	if (err)
		return err;
	if (len && text[len - 1] == '\n')
		len--;
	memset(ret, 0, REC_COMM_BYTES);
	memcpy(ret, text, len < REC_COMM_BYTES ? len : REC_COMM_BYTES - 1);
	free(text);
	return 0;
}

int proc_identity_read(uint32_t tgid, struct proc_identity *ret)
{
	struct proc_identity identity = {};
	const char *state, *ns_pids;
	char path[64], *status;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "/proc/%u/status", tgid);
	err = proc_file_read(path, &status, &len);
	if (err)
		return err;
	state = field(status, "State");
	ns_pids = field(status, "NSpid");
	err = state && field_number(status, "PPid", &identity.ppid) &&
		      field_number(status, "Uid", &identity.uid) &&
		      field_number(status, "Gid", &identity.gid) &&
		      field_number(status, "Threads", &identity.threads)
		  ? 0
		  : -EPROTO;
	if (!err) {
		identity.zombie = *state == 'Z' || *state == 'X';
		identity.ns_tgid = ns_pids ? last_number(ns_pids) : tgid;
	}
	free(status);
	if (!err)
		err = proc_comm_read(tgid, tgid, identity.comm);
	if (!err)
		*ret = identity;
	return err;
}

int proc_numbers(const char *directory, proc_number_fn fn, void *ctx)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir))) {
		char *end;
		unsigned long number = strtoul(entry->d_name, &end, 10);

		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && !*end)
			err = fn(ctx, (uint32_t)number);
	}
	closedir(dir);
	return err;
}
