// SPDX-License-Identifier: GPL-2.0-only
#include "format/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "format/clock.h"

void json_init(struct json *json)
{
	*json = (struct json){.root = json_object_new_object()};
	if (!json->root)
		json->error = -ENOMEM;
}

void json_done(struct json *json)
{
	if (!json)
		return;
	json_object_put(json->root);
	*json = (struct json){0};
}

/* Takes `value`, NULL of which is a failed allocation unless `null`. */
static bool add(struct json *json, struct json_object *at, const char *key,
		struct json_object *value, bool null)
{
	int failed;

	if (json->error || !at || (!value && !null)) {
		json->error = json->error ? json->error : -ENOMEM;
		json_object_put(value);
		return false;
	}
	if (key)
		failed = json_object_object_add_ex(
		    at, key, value, JSON_C_OBJECT_ADD_CONSTANT_KEY | JSON_C_OBJECT_ADD_KEY_IS_NEW);
	else
		failed = json_object_array_add(at, value);
	if (!failed)
		return true;
	json_object_put(value);
	json->error = -ENOMEM;
	return false;
}

struct json_object *json_add_object(struct json *json, struct json_object *at, const char *key)
{
	struct json_object *value = json_object_new_object();

	return add(json, at, key, value, false) ? value : NULL;
}

struct json_object *json_add_array(struct json *json, struct json_object *at, const char *key)
{
	struct json_object *value = json_object_new_array();

	return add(json, at, key, value, false) ? value : NULL;
}

void json_add_null(struct json *json, struct json_object *at, const char *key)
{
	add(json, at, key, NULL, true);
}

void json_add_flag(struct json *json, struct json_object *at, const char *key, bool value)
{
	add(json, at, key, json_object_new_boolean(value), false);
}

void json_add_number(struct json *json, struct json_object *at, const char *key, uint64_t value)
{
	add(json, at, key, json_object_new_uint64(value), false);
}

void json_add_text(struct json *json, struct json_object *at, const char *key, const char *text)
{
	add(json, at, key, json_object_new_string(text), false);
}

void json_add_buffer(struct json *json, struct json_object *at, const char *key,
		     struct buffer *text)
{
	if (buffer_error(text))
		json->error = -ENOMEM;
	json_add_text(json, at, key, buffer_text(text));
	buffer_reset(text);
}

void json_add_address(struct json *json, struct json_object *at, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_add_text(json, at, key, text);
}

void json_add_time(struct json *json, struct json_object *at, const char *key,
		   const struct host *host, uint64_t boot_ns)
{
	struct buffer text = BUFFER_EMPTY;

	if (!boot_ns) {
		json_add_null(json, at, key);
		return;
	}
	clock_utc(&text, host, boot_ns);
	json_add_buffer(json, at, key, &text);
	buffer_done(&text);
}

void json_add_bytes(struct json *json, struct json_object *at, const char *key,
		    const char *bytes_key, const char *bytes, size_t len)
{
	struct buffer text = BUFFER_EMPTY;

	if (utf8_valid(bytes, len) && !(len && memchr(bytes, '\0', len))) {
		add(json, at, key, json_object_new_string_len(bytes, (int)len), false);
		return;
	}
	escape_text(&text, bytes, len, false);
	json_add_buffer(json, at, key, &text);
	escape_hex(&text, bytes, len);
	json_add_buffer(json, at, bytes_key, &text);
	buffer_done(&text);
}

void json_add_comm(struct json *json, struct json_object *at, const char *comm)
{
	json_add_name(json, at, "comm", comm, strnlen(comm, REC_COMM_BYTES));
}

int json_print(struct json *json, struct buffer *out)
{
	const char *text = NULL;
	int error = json->error;
	size_t len;

	if (!error)
		text = json_object_to_json_string_length(
		    json->root, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &len);
	if (text)
		escape_json(out, text, len);
	else
		error = -ENOMEM;
	json_done(json);
	json_init(json);
	return error ? error : buffer_error(out);
}

void json_open(struct buffer *out, const char *key)
{
	/* The object in front is closed and not empty. */
	buffer_cut(out, out->len ? out->len - 1 : 0);
	buffer_format(out, ",\"%s\":[", key);
}

void json_next(struct buffer *out, bool first)
{
	if (!first)
		buffer_add_text(out, ",");
}

void json_close(struct buffer *out)
{
	buffer_add_text(out, "]}");
}
