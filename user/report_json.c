// SPDX-License-Identifier: GPL-2.0
/* The report of --format json: docs/schema/report.schema.json. */
#include "names.h"
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

static struct json begin(FILE *out, const char *before, const char *between)
{
	putc('{', out);
	return (struct json){ out, before, between };
}

static void end(const struct json *json, const char *after)
{
	fprintf(json->out, "%s}", after);
}

static FILE *member(struct json *json, const char *name)
{
	fprintf(json->out, "%s\"%s\": ", json->before, name);
	json->before = json->between;
	return json->out;
}

static void put_seconds(FILE *out, u64 ns)
{
	fprintf(out, "%llu.%09llu", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

static void seconds(struct json *json, const char *name, u64 ns)
{
	put_seconds(member(json, name), ns);
}

static void seconds_or_null(struct json *json, const char *name, bool any, u64 ns)
{
	if (any)
		seconds(json, name, ns);
	else
		fputs("null", member(json, name));
}

static void number(struct json *json, const char *name, u64 value)
{
	fprintf(member(json, name), "%llu", value);
}

static void decimal(struct json *json, const char *name, double value)
{
	fprintf(member(json, name), "%.6f", value);
}

static void decimal_or_null(struct json *json, const char *name, bool any, double value)
{
	if (any)
		decimal(json, name, value);
	else
		fputs("null", member(json, name));
}

static void name(struct json *json, const struct gapp_thread *row)
{
	name_json(member(json, "comm"), row->comm, comm_len(row->comm));
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

static void put_parallelism(FILE *out, const struct model *model)
{
	putc('[', out);
	for (size_t n = 0; n < model->parallelism_count; n++)
		fprintf(out, "%s%.6f", n ? ", " : "", model_percent(model, model_with(model, n)));
	putc(']', out);
}

static void put_recount(FILE *out, const struct gapp_status *status)
{
	struct json json = begin(out, "", ", ");

	number(&json, "n", status->recount_n);
	number(&json, "tracked_n", status->recount_tracked_n);
	number(&json, "threads", status->recount_threads);
	number(&json, "tracked_threads", status->recount_tracked);
	number(&json, "differ", status->recount_differ);
	end(&json, "");
}

static void put_sums(struct json *json, const struct gapp_thread *row)
{
	bool seen = row->flags & GAPP_THREAD_KERNEL_SEEN;

	seconds(json, "cmetric_s", share_ns(row->cm_run));
	seconds(json, "runq_share_s", share_ns(row->cm_runq));
	seconds(json, "run_s", row->run_ns);
	seconds(json, "runq_s", row->runq_ns);
	seconds(json, "blocked_s", row->blocked_ns);
	number(json, "slices", row->slices);
	number(json, "wakeups", row->wakeups);
	number(json, "blocks", row->blocks);
	seconds_or_null(json, "kernel_run_s", seen, row->kernel_run_ns);
	seconds_or_null(json, "kernel_runq_s", seen, row->kernel_runq_ns);
}

static void put_thread(FILE *out, const struct gapp_thread *thread)
{
	struct json json = begin(out, "", ", ");

	number(&json, "tid", thread->tid);
	number(&json, "tgid", thread->tgid);
	name(&json, thread);
	put_sums(&json, thread);
	seconds(&json, "joined_s", thread->joined_ns);
	seconds_or_null(&json, "left_s", thread->left_ns, thread->left_ns);
	end(&json, "");
}

static void put_exited(FILE *out, const struct gapp_thread *row)
{
	struct json json = begin(out, "", ", ");

	number(&json, "tgid", row->tgid);
	name(&json, row);
	number(&json, "threads", row->threads);
	put_sums(&json, row);
	end(&json, "");
}

/* Stops early where nobody reads any more. */
static void put_rows(FILE *out, const struct gapp_thread *rows, size_t count,
		     void (*put)(FILE *out, const struct gapp_thread *row))
{
	putc('[', out);
	for (size_t i = 0; i < count && !ferror(out); i++) {
		fputs(i ? ",\n\t\t" : "\n\t\t", out);
		put(out, &rows[i]);
	}
	putc(']', out);
}

void report_json(FILE *out, const struct model *model, const struct options *options)
{
	const struct gapp_status *status = &model->status;
	struct json json = begin(out, "\n\t", ",\n\t");
	u64 wall = status->wall_ns, idle = status->idle_ns;
	struct agreement agreement;

	model_agreement(model, &agreement);

	fprintf(member(&json, "version"), "\"%s\"", GAPP_VERSION);
	put_command(member(&json, "command"), options->command);
	seconds(&json, "wall_s", wall);
	number(&json, "cpus", status->cpus);
	seconds(&json, "active_s", wall > idle ? wall - idle : 0);
	seconds(&json, "idle_s", idle);
	decimal_or_null(&json, "accounted_percent", wall, wall ? model_accounted(model) : 0);
	decimal_or_null(&json, "kernel_agrees_percent", agreement.any, agreement.percent);
	fputs(model_recount_ok(model) ? "true" : "false", member(&json, "n_recount_ok"));
	number(&json, "not_followed", status->not_followed);
	number(&json, "unexpected", status->unexpected);
	decimal(&json, "parallelism_average", model_average(model));
	put_parallelism(member(&json, "parallelism"), model);
	number(&json, "n_min", status->n_min);
	number(&json, "start_ns", status->start_ns);
	number(&json, "stop_ns", status->start_ns + wall);
	put_recount(member(&json, "recount"), status);
	number(&json, "threads_total", status->threads);
	put_rows(member(&json, "threads"), model->threads, model->thread_count, put_thread);
	put_rows(member(&json, "exited"), model->processes, model->process_count, put_exited);
	end(&json, "\n");
	putc('\n', out);
}
