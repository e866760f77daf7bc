// SPDX-License-Identifier: GPL-2.0
/* How far the figures can be trusted: checks, losses, how paths were found, and gapp's own cost. */
#include <stdarg.h>

#include "util/names.h"
#include "text_private.h"

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

/* Warns in the report's first line: threads that were not followed are in no figure. */
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
 * text_warnings() - warns if threads' figures fail a check; for reports without a ranking
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

/* Warns of checks that fail, by their names. */
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

/* Writes the warnings of a report with a ranking. */
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
 * text_checks_in_short() - the checks of text_checks() on one line
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

static double percent_of_paths(const struct results *results, double ns)
{
	double all = results->sums.attributed_ns;

	return all > 0 ? 100 * ns / all : 0;
}

/* Appends "NAME N %" to @line for each part of at least 0.05 % of the paths' critical time. */
static bool append_parts(const struct results *results, char *line, size_t size,
			 const char *const *names, const double *ns, size_t count)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		double percent = percent_of_paths(results, ns[i]);

		if (!names[i] || percent < 0.05)
			continue;
		text_append(line, size, "%s%s %.1f %%", any ? ", " : "", names[i], percent);
		any = true;
	}
	return any;
}

/* Writes how whole paths were found: one line, or none. */
static void text_methods(struct text *text)
{
	static const char *const names[PATH_METHODS] = {
		[PATH_BY_TABLE] = "tables",
		[PATH_BY_FP] = "frame pointers",
		[PATH_BY_COPY] = "copies",
	};
	const struct results *results = text->results;
	char line[256];

	snprintf(line, sizeof(line), "%-*sby ", TEXT_INDENT, "");
	if (append_parts(results, line, sizeof(line), names, results->sums.complete_by_ns,
			 PATH_METHODS))
		text_line(text, "%s", line);
}

/* With --call-graph verify: writes how many paths equal those from copies. */
static void text_verified(struct text *text)
{
	const struct call_paths_figures *copies = text->results->sums.copies;
	const u64 *verdicts;
	char line[256];

	if (!text->options->verify || !copies)
		return;
	verdicts = copies->verify.verdicts;
	snprintf(line, sizeof(line), "%-*s%llu paths equal, %llu differ, %llu beyond the copy",
		 TEXT_INDENT, "Verify", verdicts[VERIFY_EQUAL],
		 verdicts[VERIFY_DIFFERS] + verdicts[VERIFY_SHORTER], verdicts[VERIFY_BEYOND]);
	if (verdicts[VERIFY_GAVE_UP] || verdicts[VERIFY_UNCHECKED])
		text_append(line, sizeof(line), ", %llu without a rule, %llu unchecked",
			    verdicts[VERIFY_GAVE_UP], verdicts[VERIFY_UNCHECKED]);
	text_wrap(text, line, TEXT_INDENT, 2, false);
}

static void put_cut(struct text *text)
{
	static const char *const names[PATH_ENDS] = {
		[GAPP_UNWIND_FULL] = "at --max-stack",
		[GAPP_UNWIND_NO_FRAME] = "frame pointer leads nowhere",
		[GAPP_UNWIND_UNREADABLE] = "stack not in memory",
		[GAPP_UNWIND_NO_RULE] = "no rule",
		[GAPP_UNWIND_LOOP] = "loop",
		[GAPP_UNWIND_UNMAPPED] = "code not known",
		[PATH_END_COPY] = "copy ended",
		[PATH_END_NO_FP] = "code without frame pointer",
	};
	const struct results *results = text->results;
	char line[512];

	snprintf(line, sizeof(line), "%-*s", TEXT_INDENT, "Cut paths");
	if (append_parts(results, line, sizeof(line), names, results->sums.cut_ns, PATH_ENDS))
		text_wrap(text, line, TEXT_INDENT, 4, false);
}

static void put_tables(struct text *text)
{
	const struct table_sync_figures *sync = &text->results->table_sync;
	const struct object_figures *objects = &sync->objects;
	char line[512], made[TEXT_TIME_SIZE], loaded[TEXT_TIME_SIZE], sent[TEXT_TIME_SIZE];

	if (!sync->on)
		return;
	snprintf(line, sizeof(line),
		 "%-*s%llu of %.1f MiB, made in %s, loaded in %s; %llu object%s without",
		 TEXT_INDENT, "Tables", objects->tables, objects->table_bytes / 1048576.0,
		 text_short_time(made, objects->compile_ns),
		 text_short_time(loaded, objects->load_ns), objects->without,
		 text_plural(objects->without));
	if (objects->refused)
		text_append(line, sizeof(line), ", %llu of them refused", objects->refused);
	text_append(line, sizeof(line),
		    "; mappings of %llu process%s sent %llu time%s in %s, %llu asked for",
		    sync->processes, sync->processes == 1 ? "" : "es", sync->sends,
		    text_plural(sync->sends), text_short_time(sent, sync->send_ns),
		    sync->mapping_requests);
	text_wrap(text, line, TEXT_INDENT, 3, false);
}

static void put_copies(struct text *text)
{
	const struct gapp_counters *counters = &text->results->counters;
	const struct call_paths_figures *copies = text->results->sums.copies;
	u64 lost = counters->lost[GAPP_LOST_STACK_COPIES];
	char line[512];

	if (!copies || (!counters->stack_copies && !lost))
		return;
	snprintf(line, sizeof(line), "%-*s%llu of stacks, %llu more were lost", TEXT_INDENT,
		 "Copies", counters->stack_copies, lost);
	if (copies->copies)
		text_append(line, sizeof(line), "; %llu made a path longer, %llu whole",
			    copies->longer, copies->whole);
	if (copies->unknown)
		text_append(line, sizeof(line), "; %llu not known (any more)", copies->unknown);
	text_wrap(text, line, TEXT_INDENT, 3, false);
}

static const char *libdwfl_end_text(unsigned int end)
{
	static const char *const names[] = {
		[UNWIND_OUTERMOST] = "whole",	[UNWIND_FULL] = "full",
		[UNWIND_BEYOND] = "copy ended", [UNWIND_UNMAPPED] = "code not known",
		[UNWIND_NO_RULE] = "no rule",
	};

	return names[end];
}

static void put_side(struct text *text, const char *who, const struct code_address *places,
		     u16 count, u16 from, const char *end)
{
	char line[512];

	snprintf(line, sizeof(line), "%*s%s", TEXT_INDENT + 4, "", who);
	for (u16 i = from; i < count && i < from + 3; i++)
		text_append(line, sizeof(line), " %s+%#llx", places[i].object->name,
			    places[i].offset);
	text_append(line, sizeof(line), "%s (%u frames, %s)", count > from + 3 ? " ..." : "", count,
		    end);
	text_line(text, "%s", line);
}

static void put_case(struct text *text, const struct verify_case *one)
{
	text_line(text, "%*sprocess %d, %llu time%s: after %u equal frame%s", TEXT_INDENT + 2, "",
		  one->tgid, one->times, text_plural(one->times), one->equal,
		  text_plural(one->equal));
	if (one->equal)
		put_side(text, "both:   ", one->addresses + one->equal - 1, 1, 0,
			 "the last of them");
	put_side(text, "module: ", one->addresses, one->count, one->equal, end_name(one->end));
	put_side(text, "libdwfl:", one->libdwfl_addresses, one->libdwfl_count, one->equal,
		 libdwfl_end_text(one->libdwfl_end));
}

/* Writes for -v how paths were found, cut and compared, at length. */
void text_unwinds(struct text *text)
{
	const struct call_paths_figures *copies = text->results->sums.copies;

	put_cut(text);
	put_tables(text);
	put_copies(text);
	for (size_t i = 0; copies && i < copies->verify.case_count; i++)
		put_case(text, &copies->verify.cases[i]);
}

static double part_percent(double part, double of)
{
	return of > 0 ? 100 * part / of : 0;
}

/* Writes for -v the numbers of slices, samples and switches, and what gapp itself took. */
void text_volume(struct text *text)
{
	const struct gapp_counters *counters = &text->results->counters;
	const struct own *own = &text->results->own;

	text_line(text, "%-*s%llu, %llu of them critical (CR %.1f %%)", TEXT_INDENT, "Slices",
		  counters->slices, counters->critical_slices,
		  part_percent(counters->critical_slices, counters->slices));
	text_line(text,
		  "%-*s%llu critical slices (%.1f %%) have no sample; %llu samples, %llu late",
		  TEXT_INDENT, "", counters->unsampled_slices,
		  part_percent(counters->unsampled_slices, counters->critical_slices),
		  counters->samples, counters->lost[GAPP_LOST_SAMPLES]);
	text_line(text, "%-*s%llu switches; %llu records; %llu distinct paths", TEXT_INDENT, "",
		  counters->switches, counters->records, text->results->sums.stacks);
	if (counters->probe_timed)
		text_line(text,
			  "%-*sprobe of switches: %llu calls, %.3f %s, %.2f %% of the CPUs' time",
			  TEXT_INDENT, "Overhead", counters->probe_calls,
			  text_time(text, results_probe_ns(text->results)), text->unit,
			  results_probe_percent(text->results));
	else
		text_line(text, "%-*sprobe of switches: %llu calls, too few to time one",
			  TEXT_INDENT, "Overhead", counters->probe_calls);
	text_line(text, "%-*sgapp-read: %.2f s of CPU time, %.1f MiB; report after %.2f s",
		  TEXT_INDENT, "", own->cpu_s, own->rss_kib / 1024.0, own->report_s);
}

static void add_cause(char *line, size_t size, const char *name, double ns, double of, bool *any)
{
	double percent = part_percent(ns, of);

	if (percent < 0.05)
		return;
	text_append(line, size, "%s%s %.1f", *any ? ", " : " (", name, percent);
	*any = true;
}

/* Writes why critical time has no path, each cause in percent of the critical time. */
static void put_unattributed(struct text *text, double critical)
{
	const struct results *results = text->results;
	double missing = results_unattributed_ns(results);
	char line[256];
	bool any = false;

	snprintf(line, sizeof(line), "%-*s%.1f %% of critical time has no path", TEXT_INDENT, "",
		 part_percent(missing, critical));
	add_cause(line, sizeof(line), "cpu-wait", share_to_ns(results->counters.critical_runq),
		  critical, &any);
	add_cause(line, sizeof(line), "lost", share_to_ns(results->counters.lost_critical_share),
		  critical, &any);
	add_cause(line, sizeof(line), "table full", results->sums.table_full_ns, critical, &any);
	add_cause(line, sizeof(line), "no user path", results->sums.no_path_ns, critical, &any);
	text_line(text, "%s%s", line, any ? ")" : "");
}

/* How far the table can be trusted: at most three lines, and two of --call-graph verify. */
void text_quality(struct text *text)
{
	const struct results *results = text->results;
	double critical = results_critical_ns(results);
	char line[256];

	snprintf(line, sizeof(line), "%-*s", TEXT_INDENT, "Data");
	if (results->sums.attributed_ns > 0)
		text_append(line, sizeof(line), "%.1f %% of paths' time is on whole paths; ",
			    results_complete_percent(results));
	else
		text_append(line, sizeof(line), "no critical time has a path; ");
	if (results->counters.probe_timed)
		text_append(line, sizeof(line), "overhead %.2f %%", results_probe_percent(results));
	else
		text_append(line, sizeof(line), "overhead not measured");
	text_line(text, "%s", line);
	text_methods(text);
	if (part_percent(results_unattributed_ns(results), critical) >= 0.05)
		put_unattributed(text, critical);
	text_verified(text);
}
