/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One message for one failure: modules below cli/ do not print, they say here what was tried, on
 * what, why it failed and what to do. cli/ prints it.
 */
#ifndef TASKATLAS_MESSAGE_H
#define TASKATLAS_MESSAGE_H

#define MESSAGE_BYTES 1024

struct message {
	char text[MESSAGE_BYTES]; /* one line, without a newline; "" = none */
};

/*
 * Set the text, cut to fit, and return error: `return message_set(why, -EPERM, "cannot ...");`.
 * `why` may be NULL.
 */
__attribute__((format(printf, 3, 4))) int message_set(struct message *why, int error,
						      const char *format, ...);

#endif
