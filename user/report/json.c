// SPDX-License-Identifier: GPL-2.0
/* The report of --format json: docs/schema/report.schema.json. */
#include "report.h"
#include "util/names.h"

/**
 * struct json - an object that is being written
 * @out: the stream
 * @before: text before the next member
 * @between: text before each member after the next
 */
struct json {
	FILE *out;
	const char *before;
	const char *between;
};

static struct json json_begin(FILE *out, const char *before, const char *between)
{
	putc('{', out);
	return (struct json){ out, before, between };
}

static void json_end(const struct json *json, const char *after)
{
	fprintf(json->out, "%s}", after);
}

static FILE *json_member(struct json *json, const char *name)
{
	fprintf(json->out, "%s\"%s\": ", json->before, name);
	json->before = json->between;
	return json->out;
}

static void null(struct json *json, const char *name)
{
	fputs("null", json_member(json, name));
}

static void json_seconds(struct json *json, const char *name, u64 ns)
{
	fprintf(json_member(json, name), "%llu.%09llu", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

static void json_seconds_or_null(struct json *json, const char *name, bool any, u64 ns)
{
	any ? json_seconds(json, name, ns) : null(json, name);
}

static void json_number(struct json *json, const char *name, u64 value)
{
	fprintf(json_member(json, name), "%llu", value);
}

static void json_number_or_null(struct json *json, const char *name, bool any, u64 value)
{
	any ? json_number(json, name, value) : null(json, name);
}

static void json_decimal(struct json *json, const char *name, double value)
{
	fprintf(json_member(json, name), "%.6f", value);
}

static void json_decimal_or_null(struct json *json, const char *name, bool any, double value)
{
	any ? json_decimal(json, name, value) : null(json, name);
}

static void json_bool(struct json *json, const char *name, bool value)
{
	fputs(value ? "true" : "false", json_member(json, name));
}

/* @value: NULL becomes null. */
static void json_string(struct json *json, const char *name, const char *value)
{
	if (value)
		name_json(json_member(json, name), value, strlen(value));
	else
		null(json, name);
}

static void json_comm(struct json *json, const u8 *comm)
{
	name_json(json_member(json, "comm"), comm, comm_len(comm));
}

static inline void json_nanoseconds(struct json *json, const char *name, double ns)
{
	json_seconds(json, name, ns > 0 ? ns + 0.5 : 0);
}

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

/* Writes the sums of a function or a line over all paths. */
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

/* Writes rows until a write fails. */
static void put_places(FILE *out, const struct results *results, const struct ranking *ranking,
		       size_t most,
		       void (*put)(FILE *out, const struct results *results,
				   const struct ranked *row, size_t rank))
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

/* Adds paths, functions and lines; with --by its places as well. */
static void json_ranking(struct json *json, const struct results *results,
			 const struct report_options *options)
{
	size_t most = options->top ? options->top : ROWS_DEFAULT;

	put_places(json_member(json, "paths"), results, &results->paths, most, put_path);
	put_places(json_member(json, "functions"), results, &results->functions, most, put_total);
	put_places(json_member(json, "lines"), results, &results->lines, most, put_total);
	json_string(json, "by", by_name(options->by));
	if (options->by != BY_PATH)
		put_places(json_member(json, "rows"), results, &results->by, most, put_path);
}

static const char *call_graph_name(const struct report_options *options)
{
	static const char *const names[] = {
		[GAPP_UNWIND_BY_FP] = "fp",	  [GAPP_UNWIND_BY_AUTO] = "auto",
		[GAPP_UNWIND_BY_TABLE] = "table", [GAPP_UNWIND_BY_COPY] = "copy",
		[GAPP_UNWIND_BY_NONE] = "none",
	};

	return options->verify ? "verify" : names[options->unwind_by];
}

/* Writes each of @ns in percent of the critical time that has a call path. */
static void put_parts(FILE *out, const struct results *results, const double *ns, size_t first,
		      size_t count, const char *(*name)(unsigned int))
{
	struct json json = json_begin(out, "", ", ");
	double all = results->sums.attributed_ns;

	for (size_t i = first; i < count; i++)
		json_decimal(&json, name(i), all > 0 ? 100 * ns[i] / all : 0);
	json_end(&json, "");
}

static void put_copies(FILE *out, const struct gapp_counters *counters,
		       const struct call_paths_figures *copies)
{
	struct json json = json_begin(out, "", ", ");

	json_number(&json, "copies", counters->stack_copies);
	json_number(&json, "longer", copies->longer);
	json_number(&json, "whole", copies->whole);
	json_number(&json, "unknown", copies->unknown);
	json_end(&json, "");
}

static void put_tables(FILE *out, const struct table_sync_figures *sync)
{
	struct json json = json_begin(out, "", ", ");

	json_number(&json, "tables", sync->objects.tables);
	json_number(&json, "bytes", sync->objects.table_bytes);
	json_number(&json, "without", sync->objects.without);
	json_number(&json, "refused", sync->objects.refused);
	json_seconds(&json, "compile_s", sync->objects.compile_ns);
	json_seconds(&json, "load_s", sync->objects.load_ns);
	json_number(&json, "processes", sync->processes);
	json_number(&json, "sends", sync->sends);
	json_number(&json, "outdated", sync->outdated);
	json_number(&json, "mapping_requests", sync->mapping_requests);
	json_seconds(&json, "send_s", sync->send_ns);
	json_end(&json, "");
}

static void put_addresses(FILE *out, const struct code_address *places, u16 count)
{
	putc('[', out);
	for (u16 i = 0; i < count; i++) {
		struct json json;

		fputs(i ? ", " : "", out);
		json = json_begin(out, "", ", ");
		json_string(&json, "module", places[i].object->name);
		json_number(&json, "offset", places[i].offset);
		json_end(&json, "");
	}
	putc(']', out);
}

static void put_case(FILE *out, const struct verify_case *one)
{
	static const char *const ends[] = {
		[UNWIND_OUTERMOST] = "whole",	[UNWIND_FULL] = "max_stack",
		[UNWIND_BEYOND] = "copy_ended", [UNWIND_UNMAPPED] = "unmapped",
		[UNWIND_NO_RULE] = "no_rule",
	};
	struct json json = json_begin(out, "", ", ");

	json_string(&json, "verdict", verify_name(one->verdict));
	json_number(&json, "tgid", one->tgid > 0 ? one->tgid : 0);
	json_number(&json, "times", one->times);
	json_number(&json, "equal", one->equal);
	json_string(&json, "end", end_name(one->end));
	json_string(&json, "libdwfl_end", ends[one->libdwfl_end]);
	put_addresses(json_member(&json, "frames"), one->addresses, one->count);
	put_addresses(json_member(&json, "libdwfl_frames"), one->libdwfl_addresses,
		      one->libdwfl_count);
	json_end(&json, "");
}

static void put_verify(FILE *out, const struct verify *verify)
{
	struct json json = json_begin(out, "", ", ");
	const u64 *verdicts = verify->verdicts;

	json_number(&json, "equal", verdicts[VERIFY_EQUAL]);
	json_number(&json, "differ", verdicts[VERIFY_DIFFERS] + verdicts[VERIFY_SHORTER]);
	json_number(&json, "shorter", verdicts[VERIFY_SHORTER]);
	json_number(&json, "beyond_copy", verdicts[VERIFY_BEYOND]);
	json_number(&json, "gave_up", verdicts[VERIFY_GAVE_UP]);
	json_number(&json, "unchecked", verdicts[VERIFY_UNCHECKED]);
	json_member(&json, "cases");
	putc('[', out);
	for (size_t i = 0; i < verify->case_count; i++) {
		fputs(i ? ",\n\t\t" : "\n\t\t", out);
		put_case(out, &verify->cases[i]);
	}
	putc(']', out);
	json_end(&json, "");
}

/* Adds how paths were found, cut and compared. */
static void json_unwinds(struct json *json, const struct results *results,
			 const struct report_options *options)
{
	static const struct call_paths_figures none;
	const struct profile_sums *sums = &results->sums;
	const struct call_paths_figures *copies = sums->copies ? sums->copies : &none;

	json_string(json, "call_graph", call_graph_name(options));
	put_parts(json_member(json, "complete_by_percent"), results, sums->complete_by_ns, 0,
		  PATH_METHODS, method_name);
	put_parts(json_member(json, "cut_percent"), results, sums->cut_ns, GAPP_UNWIND_COMPLETE + 1,
		  PATH_ENDS, end_name);
	put_copies(json_member(json, "stack_copies"), &results->counters, copies);
	if (results->table_sync.on)
		put_tables(json_member(json, "tables"), &results->table_sync);
	if (options->verify)
		put_verify(json_member(json, "verify"), &copies->verify);
}

static void put_lost(FILE *out, const struct gapp_counters *counters)
{
	static const char *const causes[] = {
		[GAPP_LOST_RING] = "ring",
		[GAPP_LOST_PATHS] = "paths",
		[GAPP_LOST_UNREADABLE] = "unreadable",
		[GAPP_LOST_SAMPLES] = "samples",
		[GAPP_LOST_THREADS] = "threads",
		[GAPP_LOST_STACK_COPIES] = "stack_copies",
	};
	struct json json = json_begin(out, "", ", ");

	for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
		json_number(&json, causes[i], counters->lost[i]);
	json_end(&json, "");
}

static void put_unattributed(FILE *out, const struct results *results)
{
	struct json json = json_begin(out, "", ", ");

	json_nanoseconds(&json, "run_queue", share_to_ns(results->counters.critical_runq));
	json_nanoseconds(&json, "lost", share_to_ns(results->counters.lost_critical_share));
	json_nanoseconds(&json, "table_full", results->sums.table_full_ns);
	json_nanoseconds(&json, "no_user_path", results->sums.no_path_ns);
	json_end(&json, "");
}

static void put_reader(FILE *out, const struct own *own)
{
	struct json json = json_begin(out, "", ", ");

	json_decimal(&json, "cpu_s", own->cpu_s);
	json_number(&json, "rss_kib", own->rss_kib);
	json_decimal(&json, "report_s", own->report_s);
	json_end(&json, "");
}

static void put_overhead(FILE *out, const struct results *results)
{
	const struct gapp_counters *counters = &results->counters;
	struct json json = json_begin(out, "", ", ");
	bool any = counters->probe_timed;

	json_decimal_or_null(&json, "probe_percent", any, results_probe_percent(results));
	json_decimal_or_null(&json, "probe_s", any, results_probe_ns(results) / NSEC_PER_SEC);
	json_number(&json, "probe_calls", counters->probe_calls);
	json_end(&json, "");
}

static void put_target(FILE *out, const struct gapp_target_figures *target)
{
	struct json json = json_begin(out, "", ", ");

	json_number(&json, "id", target->id);
	json_number(&json, "tgid", target->tgid);
	json_comm(&json, target->comm);
	json_seconds(&json, "wall_s", target->wall_ns);
	json_seconds(&json, "critical_s", share_ns(target->c));
	json_seconds(&json, "idle_s", target->idle_ns);
	json_number(&json, "n_min", target->n_min);
	json_end(&json, "");
}

static void put_targets(FILE *out, const struct results *results)
{
	putc('[', out);
	for (size_t i = 0; i < results->target_count && !ferror(out); i++) {
		fputs(i ? ",\n\t\t" : "\n\t\t", out);
		put_target(out, &results->targets[i]);
	}
	putc(']', out);
}

/* Adds totals and losses. */
static void json_volume(struct json *json, const struct results *results,
			const struct report_options *options)
{
	const struct gapp_counters *counters = &results->counters;

	json_string(json, "level", options->level == GAPP_LEVEL_TRACE ? "trace" : "critical");
	json_number(json, "rate_hz", options->rate_hz);
	json_nanoseconds(json, "critical_s", results_critical_ns(results));
	json_number(json, "slices", counters->slices);
	json_number(json, "critical_slices", counters->critical_slices);
	json_number(json, "unsampled_slices", counters->unsampled_slices);
	json_number(json, "switches", counters->switches);
	json_number(json, "samples", counters->samples);
	json_number(json, "distinct_paths", results->sums.stacks);
	put_lost(json_member(json, "lost"), counters);
	json_decimal_or_null(json, "complete_path_percent", results->sums.attributed_ns > 0,
			     results_complete_percent(results));
	json_unwinds(json, results, options);
	put_unattributed(json_member(json, "unattributed_s"), results);
	put_reader(json_member(json, "reader"), &results->own);
	put_overhead(json_member(json, "overhead"), results);
	if (results_apart(results))
		put_targets(json_member(json, "targets"), results);
}

static void put_command(FILE *out, char *const *command)
{
	if (!command) {
		fputs("null", out);
		return;
	}
	putc('[', out);
	for (char *const *argument = command; *argument; argument++) {
		if (argument != command)
			fputs(", ", out);
		name_json(out, *argument, strlen(*argument));
	}
	putc(']', out);
}

/* @model is NULL where there are several targets: they have no n in common. */
static void put_parallelism(FILE *out, const struct model *model)
{
	if (!model) {
		fputs("null", out);
		return;
	}
	putc('[', out);
	for (size_t n = 0; n < model->parallelism_count; n++)
		fprintf(out, "%s%.6f", n ? ", " : "", model_percent(model, model_with(model, n)));
	putc(']', out);
}

static void put_recount(FILE *out, const struct gapp_status *status)
{
	struct json json = json_begin(out, "", ", ");

	json_number(&json, "n", status->recount_n);
	json_number(&json, "tracked_n", status->recount_tracked_n);
	json_number(&json, "threads", status->recount_threads);
	json_number(&json, "tracked_threads", status->recount_tracked);
	json_number(&json, "differ", status->recount_differ);
	json_end(&json, "");
}

static void put_sums(struct json *json, const struct gapp_thread_figures *row, bool ranked)
{
	bool seen = row->flags & GAPP_FIGURES_KERNEL_SEEN;

	json_seconds(json, "cmetric_s", share_ns(row->cm_run));
	if (ranked)
		json_seconds(json, "critical_s", share_ns(row->critical_run));
	json_seconds(json, "runq_share_s", share_ns(row->cm_runq));
	json_seconds(json, "run_s", row->run_ns);
	json_seconds(json, "runq_s", row->runq_ns);
	json_seconds(json, "blocked_s", row->blocked_ns);
	json_number(json, "slices", row->slices);
	json_number(json, "wakeups", row->wakeups);
	json_number(json, "blocks", row->blocks);
	json_seconds_or_null(json, "kernel_run_s", seen, row->kernel_run_ns);
	json_seconds_or_null(json, "kernel_runq_s", seen, row->kernel_runq_ns);
}

static void put_thread(FILE *out, const struct gapp_thread_figures *thread, bool ranked)
{
	struct json json = json_begin(out, "", ", ");

	json_number(&json, "tid", thread->tid);
	json_number(&json, "tgid", thread->tgid);
	json_comm(&json, thread->comm);
	put_sums(&json, thread, ranked);
	json_seconds(&json, "joined_s", thread->joined_ns);
	json_seconds_or_null(&json, "left_s", thread->left_ns, thread->left_ns);
	json_end(&json, "");
}

static void put_exited(FILE *out, const struct gapp_thread_figures *row, bool ranked)
{
	struct json json = json_begin(out, "", ", ");

	json_number(&json, "tgid", row->tgid);
	json_comm(&json, row->comm);
	json_number(&json, "threads", row->threads);
	put_sums(&json, row, ranked);
	json_end(&json, "");
}

/* Writes rows until a write fails. */
static void put_rows(FILE *out, const struct gapp_thread_figures *rows, size_t count, bool ranked,
		     void (*put)(FILE *out, const struct gapp_thread_figures *row, bool ranked))
{
	putc('[', out);
	for (size_t i = 0; i < count && !ferror(out); i++) {
		fputs(i ? ",\n\t\t" : "\n\t\t", out);
		put(out, &rows[i], ranked);
	}
	putc(']', out);
}

void report_json(FILE *out, const struct results *results, const struct report_options *options)
{
	const struct model *model = &results->model;
	const struct gapp_status *status = &model->status;
	struct json json = json_begin(out, "\n\t", ",\n\t");
	u64 wall = status->wall_ns, idle = status->idle_ns;
	bool apart = results_apart(results);
	struct agreement agreement;

	model_agreement(model, &agreement);

	json_string(&json, "version", GAPP_VERSION);
	put_command(json_member(&json, "command"), options->command);
	json_seconds(&json, "wall_s", wall);
	json_number(&json, "cpus", status->cpus);
	json_seconds_or_null(&json, "active_s", !apart, wall > idle ? wall - idle : 0);
	json_seconds_or_null(&json, "idle_s", !apart, idle);
	json_decimal_or_null(&json, "accounted_percent", wall, wall ? model_accounted(model) : 0);
	json_decimal_or_null(&json, "kernel_agrees_percent", agreement.any, agreement.percent);
	json_bool(&json, "n_recount_ok", model_recount_ok(model));
	json_number(&json, "not_followed", status->not_followed);
	json_number(&json, "unexpected", status->unexpected);
	json_decimal_or_null(&json, "parallelism_average", !apart, model_average(model));
	put_parallelism(json_member(&json, "parallelism"), apart ? NULL : model);
	json_number(&json, "n_min", status->n_min);
	json_number(&json, "start_ns", status->start_ns);
	json_number(&json, "stop_ns", status->start_ns + wall);
	put_recount(json_member(&json, "recount"), status);
	json_number(&json, "threads_total", status->threads);
	if (results->ranked) {
		json_volume(&json, results, options);
		json_ranking(&json, results, options);
	}
	put_rows(json_member(&json, "threads"), model->threads, model->thread_count,
		 results->ranked, put_thread);
	put_rows(json_member(&json, "exited"), model->processes, model->process_count,
		 results->ranked, put_exited);
	json_end(&json, "\n");
	putc('\n', out);
}
