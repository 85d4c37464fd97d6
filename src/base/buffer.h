/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A growing byte buffer in which outputs are put together before they are written in one go.
 *
 * The error is sticky: the first failed allocation sets it, everything added afterwards is dropped,
 * and whoever takes the bytes asks buffer_error() once. data[len] is always a NUL that does not
 * count, so a buffer without NULs inside can be read as a string.
 */
#ifndef TASKATLAS_BUFFER_H
#define TASKATLAS_BUFFER_H

#include <stddef.h>

struct buffer {
	char *data;      /* owned; NULL while nothing was added */
	size_t len;      /* bytes used, without the NUL */
	size_t capacity; /* bytes allocated */
	int error;       /* 0 or -ENOMEM */
};

#define BUFFER_EMPTY ((struct buffer){0})

/* Free what it holds; usable again afterwards. Takes NULL. */
void buffer_done(struct buffer *buffer);
/* Drop bytes and error, keep the memory. */
void buffer_reset(struct buffer *buffer);
/* Cut to `len` bytes; no effect if it is not longer. */
void buffer_cut(struct buffer *buffer, size_t len);

/* Append `len` bytes. */
void buffer_add(struct buffer *buffer, const void *bytes, size_t len);
/* Append a NUL-terminated text. */
void buffer_add_text(struct buffer *buffer, const char *text);
/* Append the character `count` times. */
void buffer_fill(struct buffer *buffer, char character, size_t count);
/* Append formatted text. */
__attribute__((format(printf, 2, 3))) void buffer_format(struct buffer *buffer, const char *format,
							 ...);

/* The text in it, "" if there is none; valid until the next call that changes the buffer. */
const char *buffer_text(const struct buffer *buffer);
/* 0, or -ENOMEM if anything added is missing. */
int buffer_error(const struct buffer *buffer);

#endif
