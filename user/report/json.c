// SPDX-License-Identifier: GPL-2.0
#include "json.h"

#include "util/names.h"

struct json json_begin(FILE *out, const char *before, const char *between)
{
	putc('{', out);
	return (struct json){ out, before, between };
}

void json_end(const struct json *json, const char *after)
{
	fprintf(json->out, "%s}", after);
}

FILE *json_member(struct json *json, const char *name)
{
	fprintf(json->out, "%s\"%s\": ", json->before, name);
	json->before = json->between;
	return json->out;
}

static void null(struct json *json, const char *name)
{
	fputs("null", json_member(json, name));
}

void json_seconds(struct json *json, const char *name, u64 ns)
{
	fprintf(json_member(json, name), "%llu.%09llu", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

void json_seconds_or_null(struct json *json, const char *name, bool any, u64 ns)
{
	any ? json_seconds(json, name, ns) : null(json, name);
}

void json_number(struct json *json, const char *name, u64 value)
{
	fprintf(json_member(json, name), "%llu", value);
}

void json_number_or_null(struct json *json, const char *name, bool any, u64 value)
{
	any ? json_number(json, name, value) : null(json, name);
}

void json_decimal(struct json *json, const char *name, double value)
{
	fprintf(json_member(json, name), "%.6f", value);
}

void json_decimal_or_null(struct json *json, const char *name, bool any, double value)
{
	any ? json_decimal(json, name, value) : null(json, name);
}

void json_bool(struct json *json, const char *name, bool value)
{
	fputs(value ? "true" : "false", json_member(json, name));
}

/* @value: NULL becomes null. */
void json_string(struct json *json, const char *name, const char *value)
{
	if (value)
		name_json(json_member(json, name), value, strlen(value));
	else
		null(json, name);
}

void json_comm(struct json *json, const u8 *comm)
{
	name_json(json_member(json, "comm"), comm, comm_len(comm));
}
