/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON output through json-c: one object built, then printed as one line. The rules of
 * docs/json.md on names, addresses and times are kept here and nowhere else.
 *
 * The error is sticky, as in a buffer: adding to NULL or after a failure does nothing, and
 * json_print() tells. Keys must be string constants.
 */
#ifndef TASKATLAS_FORMAT_JSON_H
#define TASKATLAS_FORMAT_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "atlas/host.h"
#include "base/buffer.h"

#define JSON_SCHEMA 1 /* version of the formats in docs/json.md */

struct json {
	struct json_object *root; /* owned */
	int error;                /* 0, -ENOMEM */
};

/* An empty object. */
void json_init(struct json *json);
/* Takes NULL. */
void json_done(struct json *json);

/* Add to an object under `key`, or, with key NULL, at the end of an array. */
struct json_object *json_add_object(struct json *json, struct json_object *at, const char *key);
struct json_object *json_add_array(struct json *json, struct json_object *at, const char *key);
void json_add_null(struct json *json, struct json_object *at, const char *key);
void json_add_flag(struct json *json, struct json_object *at, const char *key, bool value);
void json_add_number(struct json *json, struct json_object *at, const char *key, uint64_t value);
/* A text of ours: valid UTF-8. */
void json_add_text(struct json *json, struct json_object *at, const char *key, const char *text);
/* The buffer's text, and empty it. */
void json_add_buffer(struct json *json, struct json_object *at, const char *key,
		     struct buffer *text);
/* An address, as "0x7f..." . */
void json_add_address(struct json *json, struct json_object *at, const char *key, uint64_t value);
/* A time as a date in UTC; null for 0. */
void json_add_time(struct json *json, struct json_object *at, const char *key,
		   const struct host *host, uint64_t boot_ns);
/*
 * Hostile bytes. Valid UTF-8 without NULs is kept as it is. Else `key` holds it as escape_text()
 * prints it, and `bytes_key`, which must be key with "_bytes" behind it, all bytes in hexadecimal.
 */
void json_add_bytes(struct json *json, struct json_object *at, const char *key,
		    const char *bytes_key, const char *bytes, size_t len);
#define json_add_name(json, at, key, bytes, len)                                                   \
	json_add_bytes(json, at, key, key "_bytes", bytes, len)
/* The same for a comm, which may lack a NUL. */
void json_add_comm(struct json *json, struct json_object *at, const char *comm);

/* Append the object, without a newline, and begin a new one. 0, -ENOMEM. */
int json_print(struct json *json, struct buffer *out);

/*
 * Long arrays are printed element by element: json_print() the object, json_open() an array in it,
 * then json_next() and json_print() for each element, then json_close().
 */
void json_open(struct buffer *out, const char *key);
void json_next(struct buffer *out, bool first);
void json_close(struct buffer *out);

#endif
