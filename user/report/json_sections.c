// SPDX-License-Identifier: GPL-2.0
/* Figures by section as JSON. */
#include "json_sections.h"

#include "section_views.h"

#define ROW "\n  "

static void put_function(struct json *json, const struct section_function *function)
{
	json_begin_element(json, ROW " ");
	json_string(json, "function", function->function);
	json_string(json, "module", function->module);
	if (!function->function && function->module)
		json_number(json, "offset", function->offset);
	json_nanoseconds(json, "critical_s", function->critical_ns);
	json_end(json, '}');
}

static void put_row(struct json *json, const struct section_row *row)
{
	json_begin_element(json, ROW);
	json_string(json, "name", row->name);
	json_number(json, "begins", row->begins);
	json_seconds(json, "time_s", row->ns);
	json_decimal_or_null(json, "active_average", row->active_known, row->active);
	json_nanoseconds(json, "critical_s", row->critical_ns);
	json_nanoseconds(json, "divided_s", row->divided_ns);
	json_begin_member(json, "functions", '[');
	for (u32 i = 0; i < row->function_count; i++)
		put_function(json, &row->functions[i]);
	json_end(json, ']');
	json_end(json, '}');
}

void json_sections(struct json *json, const struct results *results, const struct options *options)
{
	const struct section_views *views = results->sections;
	u32 most = options->top ? options->top : UINT32_MAX;

	if (!views)
		return;
	json_begin_member(json, "sections", '[');
	for (u32 i = 0; i < views->count && i < most && !ferror(json->out); i++)
		put_row(json, &views->rows[i]);
	json_end(json, ']');
	json_begin_member(json, "outside_sections", '{');
	json_seconds_or_null(json, "time_s", views->outside_known, views->outside_ns);
	json_decimal_or_null(json, "active_average", views->outside_active_known,
			     views->outside_active);
	json_nanoseconds(json, "critical_s", views->outside_critical_ns);
	json_end(json, '}');
	json_number(json, "sections_unpaired", views->unpaired);
	json_number(json, "sections_without_room", views->without_room);
	json_number(json, "sections_ended_unseen", views->ended_unseen);
	json_number(json, "marks_left_out", results->model.status.marks_left_out);
}
