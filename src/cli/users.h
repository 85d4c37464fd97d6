/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of users, asked once each from this system's user database. */
#ifndef TASKATLAS_CLI_USERS_H
#define TASKATLAS_CLI_USERS_H

#include <stdint.h>

struct users;

/* Empty. NULL = no memory. */
struct users *users_new(void);
/* Takes NULL. */
void users_free(struct users *users);

/* Name of a user, a user_name_fn (format/tree.h); NULL = has none, or no memory. Good until
 * users_free(). */
const char *users_name(void *users, uint32_t uid);

/* The user with this name or number. 0, -ENOENT. */
int users_find(const char *text, uint32_t *ret_uid);

#endif
