/* SPDX-License-Identifier: GPL-2.0 */
/* Writes JSON. */
#ifndef GAPP_READ_JSON_WRITE_H
#define GAPP_READ_JSON_WRITE_H

#include <stdbool.h>
#include <stdio.h>

#include "util/util.h"

/**
 * struct json - the document that is being written
 * @out: the stream
 * @depth: objects and lists that are open
 * @empty: the innermost of them has no element yet
 */
struct json {
	FILE *out;
	unsigned int depth;
	bool empty;
};

/* Writes what stands between two elements; @line: begin of a new line, or NULL. */
void json_next(struct json *json, const char *line);
FILE *json_member(struct json *json, const char *name);
/* An object, '{', or a list, '['. */
void json_begin(struct json *json, char bracket);
void json_end(struct json *json, char bracket);
void json_begin_member(struct json *json, const char *name, char bracket);
/* Begins an object in a list; @line: as of json_next(). */
void json_begin_element(struct json *json, const char *line);
void json_null(struct json *json, const char *name);
void json_seconds(struct json *json, const char *name, u64 ns);
void json_seconds_or_null(struct json *json, const char *name, bool any, u64 ns);
void json_number(struct json *json, const char *name, u64 value);
void json_decimal(struct json *json, const char *name, double value);
void json_decimal_or_null(struct json *json, const char *name, bool any, double value);
void json_bool(struct json *json, const char *name, bool value);
/* @value: NULL becomes null. */
void json_string(struct json *json, const char *name, const char *value);
void json_comm(struct json *json, const u8 *comm);
void json_nanoseconds(struct json *json, const char *name, double ns);

#endif /* GAPP_READ_JSON_WRITE_H */
