// SPDX-License-Identifier: GPL-2.0
/* Figures by parallel region of OpenMP as JSON. */
#include "json_regions.h"

#define ROW "\n  "

static void put_function(struct json *json, const struct region_function *function)
{
	const struct frame *frame = function->frame;

	json_begin_element(json, ROW " ");
	json_string(json, "function", frame->function);
	json_string(json, "module", frame->module);
	if (!frame->function)
		json_number(json, "offset", frame->offset);
	json_nanoseconds(json, "critical_s", function->critical_ns);
	json_end(json, '}');
}

static void put_figures(struct json *json, const struct region_row *row)
{
	json_nanoseconds(json, "critical_s", row->critical_ns);
	json_decimal_or_null(json, "running", row->running > 0, row->running);
	json_nanoseconds(json, "idle_s", row->idle_ns);
	json_begin_member(json, "functions", '[');
	for (u32 i = 0; i < row->function_count; i++)
		put_function(json, &row->functions[i]);
	json_end(json, ']');
	json_end(json, '}');
}

static void put_row(struct json *json, const struct region_row *row)
{
	const struct frame *outlined = row->outlined;

	json_begin_element(json, ROW);
	json_string(json, "function", row->function);
	json_string(json, "outlined", outlined->function);
	json_string(json, "module", outlined->module);
	if (!outlined->function)
		json_number(json, "offset", outlined->offset);
	json_string(json, "file", row->file);
	if (row->line)
		json_number(json, "line", row->line);
	else
		json_null(json, "line");
	put_figures(json, row);
}

void json_regions(struct json *json, const struct results *results, const struct options *options)
{
	static const char *const names[] = {
		[OUTSIDE_SEQUENTIAL] = "sequential",
		[OUTSIDE_RUNTIME] = "runtime",
		[OUTSIDE_OTHERS] = "other_processes",
	};
	const struct regions *regions = &results->regions;
	size_t most = options->top ? options->top : SIZE_MAX;

	if (!regions->count)
		return;
	json_begin_member(json, "parallel_regions", '[');
	for (size_t i = 0; i < regions->count && i < most && !ferror(json->out); i++)
		put_row(json, &regions->rows[i]);
	json_end(json, ']');
	json_begin_member(json, "outside_parallel_regions", '{');
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		json_begin_member(json, names[i], '{');
		put_figures(json, &regions->outside[i]);
	}
	json_nanoseconds(json, "runq_s", share_to_ns(results->counters.critical_runq));
	json_begin_member(json, "unknown", '{');
	json_nanoseconds(json, "critical_s", results_unknown_region_ns(results));
	json_nanoseconds(json, "idle_s", regions->outside[OUTSIDE_UNKNOWN].idle_ns);
	json_end(json, '}');
	json_end(json, '}');
}
