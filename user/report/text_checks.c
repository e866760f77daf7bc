// SPDX-License-Identifier: GPL-2.0
/* Whether the figures can be trusted: what the report says at its top and at its end. */
#include <stdarg.h>

#include "util/names.h"
#include "text.h"

#define ACCOUNTED_MARGIN 0.1 /* per cent */
#define AGREES_AT_LEAST 95.0 /* per cent */

static bool accounted_ok(const struct model *model)
{
	double percent = model_accounted(model);

	return percent > 100 - ACCOUNTED_MARGIN && percent < 100 + ACCOUNTED_MARGIN;
}

static bool agreement_ok(const struct agreement *agreement)
{
	return !agreement->any || agreement->active_percent >= AGREES_AT_LEAST;
}

/* The first line, if so: what is not followed is not in any figure. */
void text_not_followed(struct text *text)
{
	u64 count = text->model->status.not_followed;

	if (count)
		text_line(text, "Warning: %llu thread%s not followed: use --max-threads", count,
			  text_plural(count));
}

static void put_unexpected(struct text *text)
{
	u64 count = text->model->status.unexpected;

	if (count)
		text_line(text, "Warning: %llu impossible state change%s: events were missed",
			  count, text_plural(count));
}

/**
 * text_warnings() - what a reader must know before all else, of threads' figures
 * @text: the report, with the checks at its end
 */
void text_warnings(struct text *text)
{
	struct agreement agreement;

	put_unexpected(text);
	if (model_is_empty(text->model))
		return;
	model_agreement(text->model, &agreement);
	if (!accounted_ok(text->model) || !model_recount_ok(text->model) ||
	    !agreement_ok(&agreement))
		text_line(text, "Warning: the figures do not pass every check: see the last lines");
}

static void put_lost(struct text *text)
{
	const struct gapp_counters *counters = &text->results->counters;
	double critical = results_critical_ns(text->results);
	double lost = share_to_ns(counters->lost_critical_share);
	u64 records = counters->lost[GAPP_LOST_RING], paths = counters->lost[GAPP_LOST_PATHS];
	char percent[TEXT_PERCENT_SIZE];

	if (records)
		text_line(text, "Warning: %llu record%s lost, with %s of the critical time: use -m",
			  records, text_plural(records),
			  text_percent(percent, critical > 0 ? 100 * lost / critical : 0));
	if (paths)
		text_line(
			text,
			"Warning: no room for %llu call path%s: use --max-stack or --min-critical",
			paths, text_plural(paths));
}

/* The failing ones by their names. */
static void put_failing(struct text *text)
{
	const struct model *model = text->model;
	struct agreement agreement;
	char line[256] = "Warning: checks fail:";
	bool accounted = accounted_ok(model), recount = model_recount_ok(model), agrees;

	model_agreement(model, &agreement);
	agrees = agreement_ok(&agreement);
	if (accounted && recount && agrees)
		return;
	if (!accounted)
		text_append(line, sizeof(line), " sum of shares %.1f %%%s", model_accounted(model),
			    recount && agrees ? "" : ",");
	if (!recount)
		text_append(line, sizeof(line), " recount%s", agrees ? "" : ",");
	if (!agrees)
		text_append(line, sizeof(line), " kernel's accounting");
	text_line(text, "%s; -v says more", line);
}

/**
 * text_doubts() - the same, with all that the ranking rests on
 * @text: the report
 */
void text_doubts(struct text *text)
{
	put_unexpected(text);
	put_lost(text);
	put_failing(text);
}

static _attribute_(format(printf, 3, 4)) void put_line(const struct text *text, const char *title,
						       const char *format, ...)
{
	va_list args;

	fprintf(text->out, "%-*s", TEXT_INDENT, title);
	va_start(args, format);
	vfprintf(text->out, format, args);
	va_end(args);
	putc('\n', text->out);
}

static void put_accounted(const struct text *text)
{
	put_line(text, "Checks", "shares + idle = %.3f %% of the run time",
		 model_accounted(text->model));
	if (!accounted_ok(text->model))
		put_line(text, "",
			 "  not 100: time is missing or counted twice; trust no figure above");
}

static void put_recount(const struct text *text)
{
	const struct gapp_status *status = &text->model->status;

	if (!(status->flags & GAPP_STATUS_RECOUNTED)) {
		put_line(text, "", "recount at stop: not made, so missed events would not be seen");
		return;
	}
	if (model_recount_ok(text->model)) {
		put_line(text, "", "recount at stop: agrees (n = %u, %u thread%s)",
			 status->recount_n, status->recount_threads,
			 text_plural(status->recount_threads));
		return;
	}
	put_line(text, "", "recount at stop: differs for %u thread%s", status->recount_differ,
		 text_plural(status->recount_differ));
	put_line(text, "", "  the kernel's tasks: n = %u, %u thread%s", status->recount_n,
		 status->recount_threads, text_plural(status->recount_threads));
	put_line(text, "", "  followed by gapp:   n = %u, %u thread%s", status->recount_tracked_n,
		 status->recount_tracked, text_plural(status->recount_tracked));
	put_line(text, "", "  events or threads were missed: CMetric and parallelism may be off");
}

static void put_worst(const struct text *text, const struct agreement *agreement)
{
	const struct gapp_thread_figures *worst = agreement->worst;
	char name[NAME_SAFE_SIZE(GAPP_COMM_LEN)];

	name_safe(name, worst->comm, comm_len(worst->comm), GAPP_COMM_LEN);
	put_line(text, "", "  differs most: %d %s, by %.3f %s", worst->tid, name,
		 text_time(text, agreement->worst_ns), text->unit);
	put_line(text, "", "  by the kernel: on-CPU %.3f %s, run-queue %.3f %s",
		 text_time(text, worst->kernel_run_ns), text->unit,
		 text_time(text, worst->kernel_runq_ns), text->unit);
	put_line(text, "", "  by gapp:       on-CPU %.3f %s, run-queue %.3f %s",
		 text_time(text, worst->kernel_seen_run_ns), text->unit,
		 text_time(text, worst->kernel_seen_runq_ns), text->unit);
}

static void put_agreement(const struct text *text)
{
	struct agreement agreement;

	model_agreement(text->model, &agreement);
	if (!agreement.any) {
		put_line(text, "", "kernel's own accounting: too little time to compare");
		return;
	}
	put_line(text, "", "kernel's own accounting: %.2f %% agrees", agreement.percent);
	if (!agreement_ok(&agreement)) {
		put_line(text, "", "  of %.3f %s on CPUs and run queues they differ in %.3f %s:",
			 text_time(text, agreement.kernel_ns), text->unit,
			 text_time(text, agreement.differ_ns), text->unit);
		put_line(text, "",
			 "  events were missed or seen late; CMetric may be off by as much");
	}
	if (text->verbose && agreement.worst)
		put_worst(text, &agreement);
}

/**
 * text_checks() - the sums and the two independent checks
 * @text: the report, not of an empty run
 */
void text_checks(const struct text *text)
{
	put_accounted(text);
	put_recount(text);
	put_agreement(text);
}

/**
 * text_checks_in_short() - the same on one line
 * @text: the report, not of an empty run
 */
void text_checks_in_short(struct text *text)
{
	const struct gapp_status *status = &text->model->status;
	struct agreement agreement;
	char line[256];

	snprintf(line, sizeof(line), "%-*sshares + idle = %.3f %%; recount %s; ", TEXT_INDENT,
		 "Checks", model_accounted(text->model),
		 !(status->flags & GAPP_STATUS_RECOUNTED) ? "not made" :
		 model_recount_ok(text->model)		  ? "agrees" :
							    "differs");
	model_agreement(text->model, &agreement);
	if (agreement.any)
		text_append(line, sizeof(line), "kernel's own: %.2f %%", agreement.percent);
	else
		text_append(line, sizeof(line), "kernel's own: too short");
	text_line(text, "%s", line);
}
