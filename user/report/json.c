// SPDX-License-Identifier: GPL-2.0
/* The report of --format json: docs/schema/report.schema.json. */
#include "exact_loops.h"
#include "json_counters.h"
#include "json_handovers.h"
#include "json_regions.h"
#include "json_sections.h"
#include "json_wait_views.h"
#include "json_waits.h"
#include "json_write.h"
#include "kernel_names.h"
#include "merged.h"
#include "thread_waits.h"
#include "report.h"
#include "util/names.h"

#define MEMBERS_MAX 64 /* of a place's threads, the most critical ones */
#define ROW "\n\t\t" /* what a row of a long list begins with */

static void put_code_in(struct json *json, const struct frame *frame, const char *object)
{
	_cleanup_free_ char *place = NULL;

	if (!frame->function && asprintf(&place, "[%.*s+0x%llx]", (int)module_len(frame->module),
					 module_begin(frame->module), frame->offset) < 0)
		place = NULL;
	json_string(json, "function", frame->function ? frame->function : place);
	json_string(json, object, frame->module);
}

static void put_function(struct json *json, const struct frame *frame)
{
	put_code_in(json, frame, "module");
}

static void put_code(struct json *json, const struct frame *frame)
{
	put_code_in(json, frame, "object");
}

static void put_source(struct json *json, const char *file, u32 line)
{
	json_string(json, "file", file);
	line ? json_number(json, "line", line) : json_null(json, "line");
}

/* Loops over what can be long end when a write fails. */
static void put_frames(struct json *json, const struct ranked *row)
{
	json_begin_member(json, "frames", '[');
	for (size_t i = 0; i < row->frame_count && !ferror(json->out); i++) {
		const struct frame *frame = &row->frames[i];

		json_begin_element(json, NULL);
		put_function(json, frame);
		put_source(json, frame->file, frame->line);
		json_bool(json, "inlined", frame->inlined);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_lines(struct json *json, const struct ranked *row)
{
	json_begin_member(json, "lines", '[');
	for (size_t i = 0; i < row->line_count && !ferror(json->out); i++) {
		const struct line_count *line = &row->lines[i];

		json_begin_element(json, NULL);
		put_source(json, line->file, line->line);
		json_number(json, "samples", line->samples);
		json_nanoseconds(json, "critical_s", line->critical_ns);
		json_bool(json, "stack_top", line->stack_top);
		json_end(json, '}');
	}
	json_end(json, ']');
}

/* Adds how much of a place's time was in the kernel, and for what. */
static void put_kernel(struct json *json, const struct ranked *row)
{
	bool known = row->kernel_known_ns > 0;
	char buffer[KERNEL_NAME_SIZE];

	json_nanoseconds(json, "kernel_known_s", row->kernel_known_ns);
	if (known)
		json_nanoseconds(json, "kernel_s", row->kernel_ns);
	else
		json_null(json, "kernel_s");
	json_begin_member(json, "system_calls", '{');
	for (size_t i = 0; i < row->kernel_count && !ferror(json->out); i++)
		json_nanoseconds(json, kernel_name(row->kernel[i].in, buffer), row->kernel[i].ns);
	json_end(json, '}');
}

static void put_path(struct json *json, const struct results *results, const struct ranked *row)
{
	bool waited = row->kind == PATH_WAITED;

	json_string(json, "kind", waited ? "waited" : "ran");
	json_nanoseconds(json, "critical_s", row->critical_ns);
	json_decimal(json, "percent", results_row_percent(results, row));
	json_number(json, "slices", row->slices);
	json_number(json, "samples", row->samples);
	json_nanoseconds(json, "inferred_s", row->inferred_ns);
	json_string(json, "wait", waited ? wait_name(row->wait) : NULL);
	json_string(json, "wait_name", waited ? row->called.name : NULL);
	json_begin_member(json, "waiting_on", '{');
	for (unsigned int wait = 0; wait < GAPP_WAIT_REASONS; wait++)
		if (row->waiting_ns[wait] >= 0.5)
			json_nanoseconds(json, wait_name(wait), row->waiting_ns[wait]);
	json_end(json, '}');
	json_begin_member(json, "then", '{');
	for (unsigned int then = 0; then < THEN_COUNT; then++)
		if (row->then[then])
			json_number(json, then_name(then), row->then[then]);
	json_end(json, '}');
	put_kernel(json, row);
	json_place_counters(json, results, row);
	json_bool(json, "complete", row->complete);
	json_number(json, "threads", row->threads);
	json_decimal_or_null(json, "running", row->running > 0, row->running);
	json_seconds_or_null(json, "median_s", row->median_ns, row->median_ns);
	json_number(json, "tid", row->tid > 0 ? row->tid : 0);
	json_number(json, "tgid", row->tgid > 0 ? row->tgid : 0);
	json_string(json, "comm", row->comm);
	put_frames(json, row);
	put_lines(json, row);
}

/* Writes the sums of a function or a line over all paths. */
static void put_total(struct json *json, const struct results *results, const struct ranked *row)
{
	static const struct frame unknown = { .module = "?" };
	const struct frame *frame = row->frame_count ? row->frames : &unknown;

	put_function(json, frame);
	put_source(json, frame->file, frame->line);
	json_nanoseconds(json, "critical_s", row->critical_ns);
	json_decimal(json, "percent", results_row_percent(results, row));
	json_number(json, "samples", row->samples);
	if (results_apart(results))
		json_number(json, "tgid", row->tgid > 0 ? row->tgid : 0);
}

static void put_places_path(struct json *json, const struct ranked *row)
{
	json_begin_member(json, "path", '[');
	for (size_t i = 0; i < row->frame_count; i++) {
		json_begin_element(json, NULL);
		put_code(json, &row->frames[i]);
		put_source(json, row->frames[i].file, row->frames[i].line);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_doing(struct json *json, const struct ranked *row)
{
	json_begin_member(json, "doing", '[');
	for (size_t i = 0; i < row->doing_count; i++) {
		const struct doing *doing = &row->doing[i];

		json_begin_element(json, NULL);
		/* the place's own code is called by the place's own name */
		put_code(json, doing->frame ? doing->frame : row->frames);
		json_bool(json, "own", !doing->frame);
		json_nanoseconds(json, "critical_s", doing->critical_ns);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_waiting(struct json *json, const struct ranked *row)
{
	json_begin_member(json, "waiting", '[');
	for (unsigned int wait = 0; wait < GAPP_WAIT_REASONS; wait++) {
		if (row->waiting_ns[wait] < 0.5)
			continue;
		json_begin_element(json, NULL);
		json_string(json, "wait", wait_name(wait));
		json_string(json, "name", row->waiting_called[wait].name);
		json_nanoseconds(json, "critical_s", row->waiting_ns[wait]);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_members(struct json *json, const struct ranked *row)
{
	json_begin_member(json, "threads", '[');
	for (size_t i = 0; i < row->member_count && i < MEMBERS_MAX; i++) {
		const struct member *member = &row->members[i];

		json_begin_element(json, NULL);
		json_number(json, "tid", member->tid > 0 ? member->tid : 0);
		json_number(json, "tgid", member->tgid > 0 ? member->tgid : 0);
		json_string(json, "comm", member->comm);
		json_nanoseconds(json, "critical_s", member->critical_ns);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_place(struct json *json, const struct results *results, const struct ranked *row)
{
	const struct line_count *line = row->line_count && row->lines->file ? row->lines : NULL;
	const struct frame *frame = row->frames;
	bool waited = row->kind == PATH_WAITED;

	json_string(json, "kind", waited ? "waited" : "ran");
	json_nanoseconds(json, "critical_s", row->critical_ns);
	json_decimal(json, "percent", results_row_percent(results, row));
	json_seconds_or_null(json, "gain_bound_s", row->gain_ns > 0, row->gain_ns + 0.5);
	put_code(json, frame);
	put_source(json, line ? line->file : frame->file, line ? line->line : frame->line);
	json_string(json, "wait", waited ? wait_name(row->wait) : NULL);
	json_string(json, "wait_name", waited ? row->called.name : NULL);
	json_number(json, "slices", row->slices);
	json_seconds_or_null(json, "median_s", row->median_ns, row->median_ns);
	json_decimal_or_null(json, "running", row->running > 0, row->running);
	json_number(json, "tgid", row->tgid > 0 ? row->tgid : 0);
	json_bool(json, "complete", row->complete);
	put_places_path(json, row);
	put_doing(json, row);
	put_lines(json, row);
	put_waiting(json, row);
	put_kernel(json, row);
	json_place_counters(json, results, row);
	json_number(json, "thread_count", row->threads);
	put_members(json, row);
}

static void put_places(struct json *json, const struct results *results, size_t most)
{
	const struct ranking *places = &results->places;

	json_begin_member(json, "places", '[');
	for (size_t i = 0; i < places->count && i < most && !ferror(json->out); i++) {
		json_begin_element(json, ROW);
		json_number(json, "rank", i + 1);
		put_place(json, results, &places->rows[i]);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_verdict(struct json *json, const struct results *results,
			const struct options *options)
{
	_cleanup_free_ char *verdict = NULL;
	size_t size;
	FILE *stream = open_memstream(&verdict, &size);

	if (stream) {
		report_verdict(stream, results, options);
		fclose(stream);
	}
	json_string(json, "verdict", verdict);
}

static void put_ranking(struct json *json, const char *name, const struct results *results,
			const struct ranking *ranking, size_t most, bool totals)
{
	json_begin_member(json, name, '[');
	for (size_t i = 0; i < ranking->count && i < most && !ferror(json->out); i++) {
		json_begin_element(json, ROW);
		if (totals) {
			put_total(json, results, &ranking->rows[i]);
		} else {
			json_number(json, "rank", i + 1);
			put_path(json, results, &ranking->rows[i]);
		}
		json_end(json, '}');
	}
	json_end(json, ']');
}

/* Adds paths, functions and lines; with --by its places as well. */
static void put_rankings(struct json *json, const struct results *results,
			 const struct options *options)
{
	size_t most = options->top ? options->top : SIZE_MAX;

	put_places(json, results, SIZE_MAX);
	put_ranking(json, "paths", results, &results->paths, most, false);
	put_ranking(json, "functions", results, &results->functions, most, true);
	put_ranking(json, "lines", results, &results->lines, most, true);
	json_string(json, "by", by_names[options->by]);
	if (options->by > BY_PATH)
		put_ranking(json, "rows", results, &results->by, most, false);
	json_waits(json, results, options);
}

static const char *call_graph_name(const struct options *options)
{
	static const char *const names[] = {
		[GAPP_UNWIND_BY_FP] = "fp",	  [GAPP_UNWIND_BY_AUTO] = "auto",
		[GAPP_UNWIND_BY_TABLE] = "table", [GAPP_UNWIND_BY_COPY] = "copy",
		[GAPP_UNWIND_BY_NONE] = "none",
	};

	return options->verify ? "verify" : names[options->unwind_by];
}

/* Writes each of @ns in percent of the critical time that has a call path. */
static void put_parts(struct json *json, const char *member, const struct results *results,
		      const double *ns, size_t first, size_t count,
		      const char *(*name)(unsigned int))
{
	json_begin_member(json, member, '{');
	for (size_t i = first; i < count; i++)
		json_decimal(json, name(i), percent_of(ns[i], results->sums.attributed_ns));
	json_end(json, '}');
}

static void put_tables(struct json *json, const struct table_sync_figures *sync)
{
	json_begin_member(json, "tables", '{');
	json_number(json, "tables", sync->objects.tables);
	json_number(json, "bytes", sync->objects.table_bytes);
	json_number(json, "without", sync->objects.without);
	json_number(json, "refused", sync->objects.refused);
	json_seconds(json, "compile_s", sync->objects.compile_ns);
	json_seconds(json, "load_s", sync->objects.load_ns);
	json_number(json, "processes", sync->processes);
	json_number(json, "sends", sync->sends);
	json_number(json, "outdated", sync->outdated);
	json_number(json, "mapping_requests", sync->mapping_requests);
	json_seconds(json, "send_s", sync->send_ns);
	json_end(json, '}');
}

static void put_addresses(struct json *json, const char *name, const struct code_address *addresses,
			  u16 count)
{
	json_begin_member(json, name, '[');
	for (u16 i = 0; i < count; i++) {
		json_begin_element(json, NULL);
		json_string(json, "module", addresses[i].object->name);
		json_number(json, "offset", addresses[i].offset);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_verify(struct json *json, const struct verify *verify)
{
	static const char *const ends[] = {
		[UNWIND_OUTERMOST] = "whole",	[UNWIND_FULL] = "max_stack",
		[UNWIND_BEYOND] = "copy_ended", [UNWIND_UNMAPPED] = "unmapped",
		[UNWIND_NO_RULE] = "no_rule",
	};
	const u64 *verdicts = verify->verdicts;

	json_begin_member(json, "verify", '{');
	json_number(json, "equal", verdicts[VERIFY_EQUAL]);
	json_number(json, "differ", verdicts[VERIFY_DIFFERS] + verdicts[VERIFY_SHORTER]);
	json_number(json, "shorter", verdicts[VERIFY_SHORTER]);
	json_number(json, "beyond_copy", verdicts[VERIFY_BEYOND]);
	json_number(json, "gave_up", verdicts[VERIFY_GAVE_UP]);
	json_number(json, "unchecked", verdicts[VERIFY_UNCHECKED]);
	json_begin_member(json, "cases", '[');
	for (size_t i = 0; i < verify->case_count; i++) {
		const struct verify_case *one = &verify->cases[i];

		json_begin_element(json, ROW);
		json_string(json, "verdict", verify_name(one->verdict));
		json_number(json, "tgid", one->tgid > 0 ? one->tgid : 0);
		json_number(json, "times", one->times);
		json_number(json, "equal", one->equal);
		json_string(json, "end", end_name(one->end));
		json_string(json, "libdwfl_end", ends[one->libdwfl_end]);
		put_addresses(json, "frames", one->addresses, one->count);
		put_addresses(json, "libdwfl_frames", one->libdwfl_addresses, one->libdwfl_count);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
}

/* Adds how paths were found, cut and compared. */
static void put_unwinds(struct json *json, const struct results *results,
			const struct options *options)
{
	static const struct call_paths_figures none;
	const struct profile_sums *sums = &results->sums;
	const struct call_paths_figures *copies = sums->copies ? sums->copies : &none;

	json_string(json, "call_graph", call_graph_name(options));
	json_bool(json, "kernel_frames", options->kernel && !results->no_kernel);
	put_parts(json, "complete_by_percent", results, sums->complete_by_ns, 0, PATH_METHODS,
		  method_name);
	put_parts(json, "cut_percent", results, sums->cut_ns, GAPP_UNWIND_COMPLETE + 1, PATH_ENDS,
		  end_name);
	json_begin_member(json, "stack_copies", '{');
	json_number(json, "copies", results->counters.stack_copies);
	json_number(json, "longer", copies->longer);
	json_number(json, "whole", copies->whole);
	json_number(json, "unknown", copies->unknown);
	json_end(json, '}');
	if (results->table_sync.on)
		put_tables(json, &results->table_sync);
	if (options->verify)
		put_verify(json, &copies->verify);
}

/* Adds what the recording cost: the reader, and the probe of context switches. */
static void put_cost(struct json *json, const struct results *results)
{
	bool timed = results->counters.probe_timed;

	json_begin_member(json, "reader", '{');
	json_decimal(json, "cpu_s", results->own.cpu_s);
	json_number(json, "rss_kib", results->own.rss_kib);
	json_decimal(json, "report_s", results->own.report_s);
	json_end(json, '}');
	json_begin_member(json, "overhead", '{');
	json_decimal_or_null(json, "probe_percent", timed, results_probe_percent(results));
	json_decimal_or_null(json, "probe_s", timed, results_probe_ns(results) / NSEC_PER_SEC);
	json_number(json, "probe_calls", results->counters.probe_calls);
	json_nanoseconds(json, "longest_switch_s", results->counters.longest_ns);
	json_number(json, "posts", results->counters.posts);
	json_number(json, "post_waits", results->counters.post_waits);
	json_end(json, '}');
}

static void put_targets(struct json *json, const struct results *results)
{
	_cleanup_free_ double *critical_ns = results_targets_critical_ns(results);

	if (!critical_ns)
		out_of_memory();
	json_begin_member(json, "targets", '[');
	for (size_t i = 0; critical_ns && i < results->target_count && !ferror(json->out); i++) {
		const struct gapp_target_figures *target = &results->targets[i];

		json_begin_element(json, ROW);
		json_number(json, "id", target->id);
		json_number(json, "tgid", target->tgid);
		json_comm(json, target->comm);
		json_seconds(json, "wall_s", target->wall_ns);
		json_nanoseconds(json, "critical_s", critical_ns[i]);
		json_seconds(json, "idle_s", target->idle_ns);
		json_seconds(json, "spun_s", target->spun_ns);
		json_number(json, "n_min", target->n_min);
		json_end(json, '}');
	}
	json_end(json, ']');
}

/* Adds totals and losses. */
static void put_volume(struct json *json, const struct results *results,
		       const struct options *options)
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
	if (counters->flags & GAPP_COUNTERS_32_BIT)
		json_bool(json, "code_of_32_bits", true);
	json_begin_member(json, "lost", '{');
	json_number(json, "ring", counters->lost[GAPP_LOST_RING]);
	json_number(json, "paths", counters->lost[GAPP_LOST_PATHS]);
	json_number(json, "unreadable", counters->lost[GAPP_LOST_UNREADABLE]);
	json_number(json, "samples", counters->lost[GAPP_LOST_SAMPLES]);
	json_number(json, "threads", counters->lost[GAPP_LOST_THREADS]);
	json_number(json, "stack_copies", counters->lost[GAPP_LOST_STACK_COPIES]);
	json_number(json, "paths_over_budget", counters->lost[GAPP_LOST_PATHS_OVER_BUDGET]);
	json_number(json, "records_over_budget", counters->lost[GAPP_LOST_RECORDS_OVER_BUDGET]);
	json_end(json, '}');
	json_decimal_or_null(json, "complete_path_percent", results->sums.attributed_ns > 0,
			     results_complete_percent(results));
	put_unwinds(json, results, options);
	json_begin_member(json, "unattributed_s", '{');
	json_nanoseconds(json, "run_queue", share_to_ns(counters->critical_runq));
	json_nanoseconds(json, "lost", share_to_ns(counters->lost_critical_share));
	json_nanoseconds(json, "table_full", results->sums.table_full_ns);
	json_nanoseconds(json, "no_user_path", results->sums.no_path_ns);
	json_end(json, '}');
	put_cost(json, results);
	if (results_apart(results))
		put_targets(json, results);
}

static void put_command(struct json *json, char *const *command)
{
	if (!command) {
		json_null(json, "command");
		return;
	}
	json_begin_member(json, "command", '[');
	for (; *command; command++) {
		json_next(json, NULL);
		name_json(json->out, *command, strlen(*command));
	}
	json_end(json, ']');
}

/* Writes no list where there are several targets: they have no n in common. */
static void put_parallelism(struct json *json, const struct model *model, bool apart)
{
	if (apart) {
		json_null(json, "parallelism");
		return;
	}
	json_begin_member(json, "parallelism", '[');
	for (size_t n = 0; n < model->parallelism_count; n++) {
		json_next(json, NULL);
		fprintf(json->out, "%.6f", model_percent(model, model_with(model, n)));
	}
	json_end(json, ']');
}

/* Writes the figures of threads, or the sums of processes' exited threads. */
static void put_threads(struct json *json, const struct model *model, bool exited, bool ranked)
{
	const struct gapp_thread_figures *rows = exited ? model->processes : model->threads;
	size_t count = exited ? model->process_count : model->thread_count;

	json_begin_member(json, exited ? "exited" : "threads", '[');
	for (size_t i = 0; i < count && !ferror(json->out); i++) {
		const struct gapp_thread_figures *row = &rows[i];
		bool seen = row->flags & GAPP_FIGURES_KERNEL_SEEN;

		json_begin_element(json, ROW);
		if (!exited)
			json_number(json, "tid", row->tid);
		json_number(json, "tgid", row->tgid);
		json_comm(json, row->comm);
		if (exited)
			json_number(json, "threads", row->threads);
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
		if (!exited) {
			json_seconds(json, "joined_s", row->joined_ns);
			json_seconds_or_null(json, "left_s", row->left_ns, row->left_ns);
			json_thread_waits(json, model_waits(model, row));
		}
		json_end(json, '}');
	}
	json_end(json, ']');
}

/* Adds how parallel the run was, and how long. */
static void put_run(struct json *json, const struct results *results)
{
	const struct model *model = &results->model;
	const struct gapp_status *status = &model->status;
	u64 wall = status->wall_ns, idle = status->idle_ns;
	bool apart = results_apart(results);
	struct agreement agreement;

	model_agreement(model, &agreement);
	json_seconds(json, "wall_s", wall);
	json_number(json, "cpus", status->cpus);
	json_seconds_or_null(json, "active_s", !apart, wall > idle ? wall - idle : 0);
	json_seconds_or_null(json, "idle_s", !apart, idle);
	json_seconds(json, "spun_s", results_spun_ns(results));
	json_nanoseconds(json, "starved_s", results_starved_ns(results));
	json_decimal_or_null(json, "accounted_percent", wall, wall ? model_accounted(model) : 0);
	json_decimal_or_null(json, "kernel_agrees_percent", agreement.any, agreement.percent);
	if (results_go_on(results))
		json_null(json, "n_recount_ok");
	else
		json_bool(json, "n_recount_ok", model_recount_ok(model));
	json_number(json, "not_followed", status->not_followed);
	json_number(json, "not_followed_denied", status->not_followed_denied);
	json_number(json, "not_followed_late", status->not_followed_late);
	json_number(json, "kernel_threads_not_followed", results->kthreads_without_room);
	json_number(json, "unexpected", status->unexpected);
	json_decimal_or_null(json, "parallelism_average", !apart, model_average(model));
	put_parallelism(json, model, apart);
	json_number(json, "n_min", status->n_min);
	json_number(json, "n_min_most", results_n_min_most(results));
	json_number(json, "n_min_least", results_n_min_least(results));
	json_seconds(json, "n_min_most_s", wall - results_n_min_less_ns(results));
	json_number(json, "start_ns", status->start_ns);
	json_number(json, "stop_ns", status->start_ns + wall);
}

/* Adds the recordings that a merged one was made of. */
static void put_merged(struct json *json, const struct merged *merged)
{
	if (!merged)
		return;
	json_begin_member(json, "merged", '[');
	for (u32 i = 0; i < merged->count && !ferror(json->out); i++) {
		const struct merged_part *part = &merged->parts[i];

		json_begin_element(json, ROW);
		json_string(json, "file", part->file);
		json_number(json, "start_ns", part->start_ns);
		json_number(json, "stop_ns", part->stop_ns);
		json_bool(json, "records", part->records);
		json_begin_member(json, "targets", '[');
		for (u32 j = 0; j < part->target_count; j++) {
			json_next(json, NULL);
			fprintf(json->out, "%u", part->targets[j]);
		}
		json_end(json, ']');
		json_end(json, '}');
	}
	json_end(json, ']');
}

/* Adds which span of the recording the figures are of, if they are not of all of it. */
static void put_window(struct json *json, const struct window *window)
{
	if (!window->end_ns)
		return;
	json_begin_member(json, "window", '{');
	json_seconds(json, "begin_s", window->begin_ns);
	json_seconds(json, "end_s", window->end_ns);
	json_number(json, "dump", window->number);
	json_string(json, "cause", window->cause);
	json_bool(json, "full", window->full);
	json_end(json, '}');
}

static void put_recount(struct json *json, const struct gapp_status *status)
{
	json_begin_member(json, "recount", '{');
	json_number(json, "n", status->recount_n);
	json_number(json, "tracked_n", status->recount_tracked_n);
	json_number(json, "threads", status->recount_threads);
	json_number(json, "tracked_threads", status->recount_tracked);
	json_number(json, "differ", status->recount_differ);
	json_end(json, '}');
}

void report_json(FILE *out, const struct results *results, const struct options *options)
{
	const struct model *model = &results->model;
	struct json json = { .out = out };

	json_begin(&json, '{');
	json_string(&json, "version", GAPP_VERSION);
	put_command(&json, options->command);
	put_merged(&json, results->merged);
	put_run(&json, results);
	put_window(&json, &results->window);
	put_recount(&json, &model->status);
	json_number(&json, "threads_total", model->status.threads);
	if (results->ranked) {
		put_verdict(&json, results, options);
		put_volume(&json, results, options);
		put_rankings(&json, results, options);
	}
	json_wait_views(&json, results->wait_views);
	json_handovers(&json, results, options);
	json_sections(&json, results, options);
	json_regions(&json, results, options);
	json_exact_loops(&json, results);
	json_counters(&json, results, options);
	put_threads(&json, model, false, results->ranked);
	put_threads(&json, model, true, results->ranked);
	fputs("\n}\n", out);
}
