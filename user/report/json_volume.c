// SPDX-License-Identifier: GPL-2.0
/* How much there was, how much of it was lost, and what gapp itself took. */
#include "json.h"

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

/**
 * json_volume() - adds totals and losses
 * @json: the report
 * @results: with a ranking
 * @options: what was asked for
 */
void json_volume(struct json *json, const struct results *results,
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
	json_walks(json, results, options);
	put_unattributed(json_member(json, "unattributed_s"), results);
	put_reader(json_member(json, "reader"), &results->own);
	put_overhead(json_member(json, "overhead"), results);
	if (results_apart(results))
		put_targets(json_member(json, "targets"), results);
}
