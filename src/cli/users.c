// SPDX-License-Identifier: GPL-2.0-only
/*
 * A statically linked program must not use the C library's name services, which load libraries of
 * the very version that it was built with: it reads /etc/passwd.
 */
#include "cli/users.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/table.h"

struct user {
	uint32_t uid;
	char *name; /* NULL = has none */
	UT_hash_handle hh;
};

struct users {
	struct user *by_uid;
};

struct users *users_new(void)
{
	return calloc(1, sizeof(struct users));
}

void users_free(struct users *users)
{
	struct user *user, *next;

	if (!users)
		return;
	HASH_ITER(hh, users->by_uid, user, next)
	{
		HASH_DEL(users->by_uid, user);
		free(user->name);
		free(user);
	}
	free(users);
}

#ifdef TASKATLAS_STATIC
/* The entry with this name, or, with name NULL, this number. */
static const struct passwd *look_up(const char *name, uint32_t uid)
{
	FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *entry;

	if (!file)
		return NULL;
	do
		entry = fgetpwent(file);
	while (entry && (name ? strcmp(entry->pw_name, name) != 0 : entry->pw_uid != uid));
	fclose(file);
	return entry;
}
#else
static const struct passwd *look_up(const char *name, uint32_t uid)
{
	return name ? getpwnam(name) : getpwuid(uid);
}
#endif

const char *users_name(void *users, uint32_t uid)
{
	struct users *all = users;
	const struct passwd *entry;
	struct user *user;

	HASH_FIND(hh, all->by_uid, &uid, sizeof(uid), user);
	if (user)
		return user->name;
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	entry = look_up(NULL, uid);
	user->uid = uid;
	user->name = entry ? strdup(entry->pw_name) : NULL;
	HASH_ADD(hh, all->by_uid, uid, sizeof(uid), user);
	if (table_holds(user))
		return user->name;
	free(user->name);
	free(user);
	return NULL;
}

int users_find(const char *text, uint32_t *ret_uid)
{
	const struct passwd *entry;
	uint64_t uid;

	if (!number_parse(text, 0, UINT32_MAX - 1, &uid)) {
		*ret_uid = (uint32_t)uid;
		return 0;
	}
	entry = look_up(text, 0);
	if (!entry)
		return -ENOENT;
	*ret_uid = entry->pw_uid;
	return 0;
}
