// SPDX-License-Identifier: GPL-2.0
/* The report of --format json: docs/schema/report.schema.json. */
#include "json.h"
#include "util/names.h"
#include "report.h"

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

/* Stops early where nobody reads any more. */
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
