// SPDX-License-Identifier: GPL-2.0
/* The ranked rows: paths, functions, lines, and what --by asked for. */
#include "json.h"
#include "util/names.h"

#define ROWS_DEFAULT 100

static void put_function(struct json *json, const struct frame *frame)
{
	_cleanup_free_ char *place = NULL;

	if (frame->function)
		json_string(json, "function", frame->function);
	else if (asprintf(&place, "[%.*s+0x%llx]", (int)module_len(frame->module),
			  module_begin(frame->module), frame->offset) >= 0)
		json_string(json, "function", place);
	else
		json_string(json, "function", NULL);
	json_string(json, "module", frame->module);
}

static void put_source(struct json *json, const char *file, u32 line)
{
	json_string(json, "file", file);
	json_number_or_null(json, "line", line, line);
}

static void put_frames(FILE *out, const struct ranked *row)
{
	putc('[', out);
	for (size_t i = 0; i < row->frame_count && !ferror(out); i++) {
		const struct frame *frame = &row->frames[i];
		struct json json;

		if (i)
			fputs(", ", out);
		json = json_begin(out, "", ", ");
		put_function(&json, frame);
		put_source(&json, frame->file, frame->line);
		json_bool(&json, "inlined", frame->inlined);
		json_end(&json, "");
	}
	putc(']', out);
}

static void put_lines(FILE *out, const struct ranked *row)
{
	putc('[', out);
	for (size_t i = 0; i < row->line_count && !ferror(out); i++) {
		const struct line_count *line = &row->lines[i];
		struct json json;

		if (i)
			fputs(", ", out);
		json = json_begin(out, "", ", ");
		put_source(&json, line->file, line->line);
		json_number(&json, "samples", line->samples);
		json_nanoseconds(&json, "critical_s", line->critical_ns);
		json_bool(&json, "stack_top", line->stack_top);
		json_end(&json, "");
	}
	putc(']', out);
}

static void put_waiting(FILE *out, const struct ranked *row)
{
	struct json json = json_begin(out, "", ", ");

	for (unsigned int wait = 0; wait < GAPP_WAIT_REASONS; wait++)
		if (row->waiting_ns[wait] >= 0.5)
			json_nanoseconds(&json, wait_name(wait), row->waiting_ns[wait]);
	json_end(&json, "");
}

static void put_then(FILE *out, const struct ranked *row)
{
	struct json json = json_begin(out, "", ", ");

	for (unsigned int then = 0; then < THEN_COUNT; then++)
		if (row->then[then])
			json_number(&json, then_name(then), row->then[then]);
	json_end(&json, "");
}

static void put_path(FILE *out, const struct results *results, const struct ranked *row,
		     size_t rank)
{
	struct json json = json_begin(out, "", ", ");
	bool waited = row->kind == PATH_WAITED;

	json_number(&json, "rank", rank);
	json_string(&json, "kind", waited ? "waited" : "ran");
	json_nanoseconds(&json, "critical_s", row->critical_ns);
	json_decimal(&json, "percent", results_percent(results, row->critical_ns));
	json_number(&json, "slices", row->slices);
	json_number(&json, "samples", row->samples);
	json_nanoseconds(&json, "inferred_s", row->inferred_ns);
	json_string(&json, "wait", waited ? wait_name(row->wait) : NULL);
	put_waiting(json_member(&json, "waiting_on"), row);
	put_then(json_member(&json, "then"), row);
	json_bool(&json, "complete", row->complete);
	json_number(&json, "threads", row->threads);
	json_decimal_or_null(&json, "running", row->running > 0, row->running);
	json_seconds_or_null(&json, "median_s", row->median_ns, row->median_ns);
	json_number(&json, "tid", row->tid > 0 ? row->tid : 0);
	json_number(&json, "tgid", row->tgid > 0 ? row->tgid : 0);
	json_string(&json, "comm", row->comm);
	put_frames(json_member(&json, "frames"), row);
	put_lines(json_member(&json, "lines"), row);
	json_end(&json, "");
}

/* A function or a line over all paths. */
static void put_total(FILE *out, const struct results *results, const struct ranked *row,
		      size_t rank)
{
	static const struct frame unknown = { .module = "?" };
	const struct frame *frame = row->frame_count ? row->frames : &unknown;
	struct json json = json_begin(out, "", ", ");

	(void)rank;
	put_function(&json, frame);
	put_source(&json, frame->file, frame->line);
	json_nanoseconds(&json, "critical_s", row->critical_ns);
	json_decimal(&json, "percent", results_percent(results, row->critical_ns));
	json_number(&json, "samples", row->samples);
	if (results_apart(results))
		json_number(&json, "tgid", row->tgid > 0 ? row->tgid : 0);
	json_end(&json, "");
}

/* Stops early where nobody reads any more. */
static void put_rows(FILE *out, const struct results *results, const struct ranking *ranking,
		     size_t most,
		     void (*put)(FILE *out, const struct results *results, const struct ranked *row,
				 size_t rank))
{
	putc('[', out);
	for (size_t i = 0; i < ranking->count && i < most && !ferror(out); i++) {
		fputs(i ? ",\n\t\t" : "\n\t\t", out);
		put(out, results, &ranking->rows[i], i + 1);
	}
	putc(']', out);
}

static const char *by_name(enum by by)
{
	static const char *const names[] = {
		[BY_PATH] = "path", [BY_SLICE_END] = "slice-end", [BY_FUNCTION] = "function",
		[BY_LINE] = "line", [BY_THREAD] = "thread",	  [BY_PROCESS] = "process",
	};

	return names[by];
}

/**
 * json_ranking() - adds paths, functions and lines; with --by its rows as well
 * @json: the report
 * @results: with a ranking
 * @options: what was asked for
 */
void json_ranking(struct json *json, const struct results *results,
		  const struct report_options *options)
{
	size_t most = options->top ? options->top : ROWS_DEFAULT;

	put_rows(json_member(json, "paths"), results, &results->paths, most, put_path);
	put_rows(json_member(json, "functions"), results, &results->functions, most, put_total);
	put_rows(json_member(json, "lines"), results, &results->lines, most, put_total);
	json_string(json, "by", by_name(options->by));
	if (options->by != BY_PATH)
		put_rows(json_member(json, "rows"), results, &results->by, most, put_path);
}
