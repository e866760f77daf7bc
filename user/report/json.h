/* SPDX-License-Identifier: GPL-2.0 */
/* Writes JSON, member by member. */
#ifndef GAPP_READ_JSON_H
#define GAPP_READ_JSON_H

#include <stdio.h>

#include "report.h"

/**
 * struct json - an object that is being written
 * @out: where to
 * @before: what comes before the next member
 * @between: what comes before those after it
 */
struct json {
	FILE *out;
	const char *before;
	const char *between;
};

struct json json_begin(FILE *out, const char *before, const char *between);
void json_end(const struct json *json, const char *after);
/* Begins a member; what is written to the stream next is its value. */
FILE *json_member(struct json *json, const char *name);

void json_seconds(struct json *json, const char *name, u64 ns);
void json_seconds_or_null(struct json *json, const char *name, bool any, u64 ns);
void json_number(struct json *json, const char *name, u64 value);
void json_number_or_null(struct json *json, const char *name, bool any, u64 value);
void json_decimal(struct json *json, const char *name, double value);
void json_decimal_or_null(struct json *json, const char *name, bool any, double value);
void json_bool(struct json *json, const char *name, bool value);
void json_string(struct json *json, const char *name, const char *value);
void json_comm(struct json *json, const u8 *comm);

static inline void json_nanoseconds(struct json *json, const char *name, double ns)
{
	json_seconds(json, name, ns > 0 ? ns + 0.5 : 0);
}

/* json_ranking.c: the members that only a report with a ranking has */
void json_ranking(struct json *json, const struct results *results,
		  const struct report_options *options);
/* json_volume.c: likewise */
void json_volume(struct json *json, const struct results *results,
		 const struct report_options *options);

/* json_walks.c: likewise */
void json_walks(struct json *json, const struct results *results,
		const struct report_options *options);

#endif /* GAPP_READ_JSON_H */
