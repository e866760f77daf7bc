// SPDX-License-Identifier: GPL-2.0
#include "json_write.h"

#include "util/names.h"

void json_next(struct json *json, const char *line)
{
	if (!json->empty)
		putc(',', json->out);
	if (line || !json->empty)
		fputs(line ? line : " ", json->out);
	json->empty = false;
}

FILE *json_member(struct json *json, const char *name)
{
	json_next(json, json->depth == 1 ? "\n\t" : NULL);
	fprintf(json->out, "\"%s\": ", name);
	return json->out;
}

void json_begin(struct json *json, char bracket)
{
	putc(bracket, json->out);
	json->depth++;
	json->empty = true;
}

void json_end(struct json *json, char bracket)
{
	putc(bracket, json->out);
	json->depth--;
	json->empty = false;
}

void json_begin_member(struct json *json, const char *name, char bracket)
{
	json_member(json, name);
	json_begin(json, bracket);
}

void json_begin_element(struct json *json, const char *line)
{
	json_next(json, line);
	json_begin(json, '{');
}

void json_null(struct json *json, const char *name)
{
	fputs("null", json_member(json, name));
}

void json_seconds(struct json *json, const char *name, u64 ns)
{
	fprintf(json_member(json, name), "%llu.%09llu", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

void json_seconds_or_null(struct json *json, const char *name, bool any, u64 ns)
{
	any ? json_seconds(json, name, ns) : json_null(json, name);
}

void json_number(struct json *json, const char *name, u64 value)
{
	fprintf(json_member(json, name), "%llu", value);
}

void json_decimal(struct json *json, const char *name, double value)
{
	fprintf(json_member(json, name), "%.6f", value);
}

void json_decimal_or_null(struct json *json, const char *name, bool any, double value)
{
	any ? json_decimal(json, name, value) : json_null(json, name);
}

void json_bool(struct json *json, const char *name, bool value)
{
	fputs(value ? "true" : "false", json_member(json, name));
}

void json_string(struct json *json, const char *name, const char *value)
{
	if (value)
		name_json(json_member(json, name), value, strlen(value));
	else
		json_null(json, name);
}

void json_comm(struct json *json, const u8 *comm)
{
	name_json(json_member(json, "comm"), comm, comm_len(comm));
}

void json_nanoseconds(struct json *json, const char *name, double ns)
{
	json_seconds(json, name, ns > 0 ? ns + 0.5 : 0);
}
