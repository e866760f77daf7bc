// SPDX-License-Identifier: GPL-2.0
/* Two recordings compared, for programs: docs/schema/diff.schema.json. */
#include "diff.h"
#include "json_write.h"

#define ROW "\n\t\t"

static void put_part(struct json *json, const char *seconds, const char *percent,
		     const struct results *results, bool known, double ns)
{
	json_seconds_or_null(json, seconds, known, ns > 0 ? ns + 0.5 : 0);
	json_decimal_or_null(json, percent, known, results_percent_of_all(results, ns));
}

static void put_recorded(struct json *json, const char *name, const struct recorded *recorded)
{
	const struct results *results = recorded->results;
	const struct model *model = &results->model;
	bool one = !results_apart(results);

	json_begin_member(json, name, '{');
	json_string(json, "file", recorded->file);
	json_seconds(json, "wall_s", model->status.wall_ns);
	json_number(json, "cpus", model->status.cpus);
	json_number(json, "threads", model->status.threads);
	json_number(json, "n_min", results_n_min_most(results));
	json_decimal_or_null(json, "parallelism_average", one, model_average(model));
	put_part(json, "serial_s", "serial_percent", results, one, model_with(model, 1));
	put_part(json, "idle_s", "idle_percent", results, one, model->status.idle_ns);
	put_part(json, "critical_s", "critical_percent", results, results->ranked,
		 results_critical_ns(results));
	json_end(json, '}');
}

static void put_frames(struct json *json, const struct ranked *row)
{
	json_begin_member(json, "frames", '[');
	for (size_t i = 0; i < row->frame_count && !ferror(json->out); i++) {
		const struct frame *frame = &row->frames[i];

		json_begin_element(json, NULL);
		json_string(json, "function", frame->function);
		json_string(json, "module", frame->module);
		json_string(json, "file", frame->file);
		frame->line ? json_number(json, "line", frame->line) : json_null(json, "line");
		json_end(json, '}');
	}
	json_end(json, ']');
}

/* What mending a place can save at most; null where it is not known, as of rows that are no places.
 */
static void put_gain(struct json *json, const char *name, const struct ranked *row)
{
	bool known = row && row->gain_ns > 0;

	json_seconds_or_null(json, name, known, known ? row->gain_ns + 0.5 : 0);
}

static void put_change(struct json *json, const struct change *change)
{
	const struct ranked *row = change_row(change);
	double before = change->before ? change->before->critical_ns : 0;
	double after = change->after ? change->after->critical_ns : 0;

	json_begin_element(json, ROW);
	json_string(json, "state",
		    !change->before ? "appeared" :
		    !change->after  ? "vanished" :
				      "both");
	json_string(json, "kind", row->kind == PATH_RAN ? "ran" : "waited");
	json_decimal(json, "base_percent", change->before_percent);
	json_decimal(json, "new_percent", change->after_percent);
	json_decimal(json, "change_points", change_points(change));
	json_nanoseconds(json, "base_s", before);
	json_nanoseconds(json, "new_s", after);
	put_gain(json, "base_gain_bound_s", change->before);
	put_gain(json, "new_gain_bound_s", change->after);
	json_string(json, "comm", row->comm);
	put_frames(json, row);
	json_end(json, '}');
}

static void put_changes(struct json *json, const char *name, const struct changes *changes,
			size_t most)
{
	json_begin_member(json, name, '[');
	for (size_t i = 0; i < changes->count && i < most && !ferror(json->out); i++)
		put_change(json, &changes->rows[i]);
	json_end(json, ']');
}

void diff_json(FILE *out, const struct diff *diff)
{
	static const char *const verdicts[] = {
		[DIFF_SAME] = "same", [DIFF_BETTER] = "better", [DIFF_WORSE] = "worse"
	};
	const struct options *options = diff->options;
	size_t most = options->top ? options->top : SIZE_MAX;
	struct json json = { .out = out };

	json_begin(&json, '{');
	json_string(&json, "version", GAPP_VERSION);
	json_string(&json, "verdict", verdicts[diff->verdict]);
	json_bool(&json, "whole_runs", diff->whole_runs);
	put_recorded(&json, "base", &diff->before);
	put_recorded(&json, "new", &diff->after);
	json_string(&json, "by", by_names[options->by]);
	put_changes(&json, "rows", &diff->rows, most);
	if (options->by != BY_FUNCTION)
		put_changes(&json, "functions", &diff->functions, most);
	fputs("\n}\n", out);
}
