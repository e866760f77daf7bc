// SPDX-License-Identifier: GPL-2.0
/* Who hands the CPU to whom as JSON. */
#include "json_handovers.h"

#include "handovers.h"

#define ROW "\n  "

static void put_end(struct json *json, const char *name, const struct handover_end *end)
{
	json_begin_member(json, name, '{');
	json_number(json, "tid", end->tid > 0 ? end->tid : 0);
	json_number(json, "tgid", end->tgid > 0 ? end->tgid : 0);
	*end->comm ? json_comm(json, end->comm) : json_null(json, "comm");
	json_code_place(json, &end->entry);
	if (end->own.module) {
		json_begin_member(json, "own", '{');
		json_code_place(json, &end->own);
		json_end(json, '}');
	} else {
		json_null(json, "own");
	}
	json_end(json, '}');
}

void json_handovers(struct json *json, const struct results *results, const struct options *options)
{
	const struct handovers *handovers = results->handovers;
	u32 most = options->top ? options->top : UINT32_MAX;

	if (!handovers)
		return;
	json_begin_member(json, "handovers", '[');
	for (u32 i = 0; i < handovers->row_count && i < most && !ferror(json->out); i++) {
		const struct handover *row = &handovers->rows[i];

		json_begin_element(json, ROW);
		put_end(json, "from", &row->from);
		put_end(json, "to", &row->to);
		json_number(json, "count", row->count);
		json_seconds(json, "last_s", row->last_ns);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_number(json, "handovers_total", handovers->count);
	json_number(json, "handovers_lost", handovers->lost);
}
