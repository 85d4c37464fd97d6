// SPDX-License-Identifier: GPL-2.0-only
#include "base/buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_FIRST 256

void buffer_done(struct buffer *buffer)
{
	if (!buffer)
		return;
	free(buffer->data);
	*buffer = BUFFER_EMPTY;
}

void buffer_reset(struct buffer *buffer)
{
	buffer->error = 0;
	buffer_cut(buffer, 0);
}

void buffer_cut(struct buffer *buffer, size_t len)
{
	if (!buffer->data || len >= buffer->len)
		return;
	buffer->len = len;
	buffer->data[len] = '\0';
}

/* Room for `more` bytes and the NUL. */
static int buffer_reserve(struct buffer *buffer, size_t more)
{
	size_t capacity = buffer->capacity ? buffer->capacity : BUFFER_FIRST;
	char *data;

	if (buffer->error)
		return buffer->error;
	if (more > SIZE_MAX / 4 || buffer->len > SIZE_MAX / 4)
		return buffer->error = -ENOMEM;
	while (capacity < buffer->len + more + 1)
		capacity *= 2;
	if (capacity == buffer->capacity)
		return 0;
	data = realloc(buffer->data, capacity);
	if (!data)
		return buffer->error = -ENOMEM;
	data[buffer->len] = '\0';
	buffer->data = data;
	buffer->capacity = capacity;
	return 0;
}

void buffer_add(struct buffer *buffer, const void *bytes, size_t len)
{
	if (!len || buffer_reserve(buffer, len))
		return;
	memcpy(buffer->data + buffer->len, bytes, len);
	buffer->len += len;
	buffer->data[buffer->len] = '\0';
}

void buffer_add_text(struct buffer *buffer, const char *text)
{
	buffer_add(buffer, text, strlen(text));
}

void buffer_fill(struct buffer *buffer, char character, size_t count)
{
	if (!count || buffer_reserve(buffer, count))
		return;
	memset(buffer->data + buffer->len, character, count);
	buffer->len += count;
	buffer->data[buffer->len] = '\0';
}

void buffer_format(struct buffer *buffer, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0)
		buffer->error = -ENOMEM;
	if (len <= 0 || buffer_reserve(buffer, len))
		return;
	va_start(args, format);
	vsnprintf(buffer->data + buffer->len, (size_t)len + 1, format, args);
	va_end(args);
	buffer->len += len;
}

const char *buffer_text(const struct buffer *buffer)
{
	return buffer->data ? buffer->data : "";
}

int buffer_error(const struct buffer *buffer)
{
	return buffer->error;
}
