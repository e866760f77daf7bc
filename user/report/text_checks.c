// SPDX-License-Identifier: GPL-2.0
/* How far the figures can be trusted: checks, losses, how paths were found, and gapp's own cost. */
#include "util/names.h"
#include "advice.h"
#include "text_private.h"

#define ACCOUNTED_MARGIN 0.1 /* per cent */
#define AGREES_AT_LEAST 95.0 /* per cent */

/* While a session runs, what it accounts for is read a moment later than its run time. */
static bool accounted_ok(const struct text *text)
{
	double percent = model_accounted(text->model);
	double margin =
		ACCOUNTED_MARGIN + results_percent(text->results, text->results->window.skew_ns);

	return percent > 100 - margin && percent < 100 + margin;
}

static bool lives_ok(const struct model *model)
{
	return !model_wrong_lives(model);
}

/*
 * The kernel's account of a thread on a CPU is behind until its next tick or switch, so the two can
 * only be compared when the session has been stopped.
 */
static bool agreement_ok(const struct text *text)
{
	struct agreement agreement;

	model_agreement(text->model, &agreement);
	return results_go_on(text->results) || !agreement.any ||
	       agreement.active_percent >= AGREES_AT_LEAST;
}

/* Only at stop the module counts again. */
static bool recount_ok(const struct text *text)
{
	return results_go_on(text->results) || model_recount_ok(text->model);
}

/* Warns in the report's first lines: threads that were not followed are in no figure. */
void text_not_followed(struct text *text)
{
	const struct gapp_status *status = &text->model->status;
	u64 denied = status->not_followed_denied, late = status->not_followed_late;
	u64 beyond = status->not_followed - denied - late;
	u32 kthreads = text->results->kthreads_without_room;

	if (denied && !model_is_empty(text->model))
		text_warning(text,
			     "%llu thread%s with other rights (set-id) not followed: use sudo",
			     denied, text_plural(denied));
	if (beyond)
		text_warning(text, "%llu thread%s not followed: use --max-threads", beyond,
			     text_plural(beyond));
	if (late)
		text_warning(
			text,
			"%llu thread%s not followed for lack of memory: free some, or use --delay",
			late, text_plural(late));
	if (kthreads)
		text_warning(
			text,
			"%u kernel thread%s not followed, beyond %u: give --kthreads a narrower name",
			kthreads, text_plural(kthreads), GAPP_MAX_ADDED_PROCESSES);
}

/* Events that had to wait are no loss, but threads have waited for them. */
static void put_waits(struct text *text)
{
	u32 waits = text->results->counters.post_waits;

	if (waits)
		text_warning(
			text,
			"%u event%s found no room while another CPU stood still: gapp delayed threads",
			waits, text_plural(waits));
}

/* For reports without a ranking, whose last lines have the checks. */
void text_warnings(struct text *text)
{
	const struct model *model = text->model;
	u64 unexpected = model->status.unexpected;

	put_waits(text);
	if (unexpected)
		text_warning(text, "%llu impossible state change%s: events were missed", unexpected,
			     text_plural(unexpected));
	if (!model_is_empty(model) &&
	    (!accounted_ok(text) || !recount_ok(text) || !agreement_ok(text)))
		text_warning(text, "the figures do not pass every check: see the last lines");
}

static void put_lost(struct text *text)
{
	const struct gapp_counters *counters = &text->results->counters;
	double lost = share_to_ns(counters->lost_critical_share);
	u64 no_room = counters->lost[GAPP_LOST_RING], paths = counters->lost[GAPP_LOST_PATHS];
	u64 no_time = counters->lost[GAPP_LOST_RECORDS_OVER_BUDGET];
	u64 late = counters->lost[GAPP_LOST_PATHS_OVER_BUDGET];
	u64 marks = text->model->status.marks_left_out;
	u32 waits = counters->post_waits;
	char percent[TEXT_WORDS_SIZE];

	if (no_room || no_time) {
		text_percent(percent, percent_of(lost, results_critical_ns(text->results)));
		text_add(text, TEXT_WARNS "%llu record%s lost, with %s of the critical time: %s",
			 no_room + no_time, text_plural(no_room + no_time), percent,
			 no_room ? "use -m" : "raise max_switch_us");
		if (no_room && no_time)
			text_add(text, "; for %llu raise max_switch_us", no_time);
		text_end_warning(text);
	}
	if (late) {
		text_add(text,
			 TEXT_WARNS
			 "no time for %llu call path%s: raise max_switch_us, max_cpu_percent",
			 late, text_plural(late));
		if (waits)
			text_add(text, "; %u event%s held up", waits, text_plural(waits));
		text_end_warning(text);
	} else {
		put_waits(text);
	}
	if (marks)
		text_warning(text, "no room for %llu mark%s: use -m", marks, text_plural(marks));
	if (paths)
		text_warning(text,
			     "no room for %llu call path%s: use --max-stack or --min-critical",
			     paths, text_plural(paths));
}

/* Warns of checks that fail, by their names. */
static void put_failing(struct text *text)
{
	const struct model *model = text->model;
	const char *before = TEXT_WARNS "checks fail:";
	u64 unexpected = model->status.unexpected;

	if (unexpected) {
		text_add(text, "%s %llu impossible state change%s (missed events)", before,
			 unexpected, text_plural(unexpected));
		before = ",";
	}
	if (!accounted_ok(text)) {
		text_add(text, "%s sum of shares %.1f %%", before, model_accounted(model));
		before = ",";
	}
	if (!recount_ok(text)) {
		text_add(text, "%s recount", before);
		before = ",";
	}
	if (!agreement_ok(text)) {
		text_add(text, "%s kernel's accounting", before);
		before = ",";
	}
	if (!lives_ok(model))
		text_add(text, "%s sum of threads' times", before);
	if (!*text->line)
		return;
	text_add(text, "%s", text->options->verbose ? "" : "; -v says more");
	text_end_warning(text);
}

/* Writes the warnings of a report with a ranking. */
void text_doubts(struct text *text)
{
	if (text->results->no_kernel)
		text_warning(text, "no kernel frames: %s", text->results->no_kernel);
	if (text->results->counters.flags & GAPP_COUNTERS_32_BIT)
		text_warning(
			text,
			"code of 32 bits has no call paths: build it for 64 bits to see its places");
	put_lost(text);
	put_failing(text);
}

/* Writes a line beside the title of the checks, however wide. */
#define put_line(text, title, ...) \
	(text_title(text, title), text_add(text, __VA_ARGS__), text_whole(text))

static void put_recount(struct text *text)
{
	const struct gapp_status *status = &text->model->status;

	if (results_go_on(text->results)) {
		put_line(text, "", "recount at stop: not yet, the recording goes on");
		return;
	}
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

static void put_worst(struct text *text, const struct agreement *agreement)
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

static void put_agreement(struct text *text)
{
	struct agreement agreement;

	model_agreement(text->model, &agreement);
	if (!agreement.any) {
		put_line(text, "", "kernel's own accounting: too little time to compare");
		return;
	}
	put_line(text, "", "kernel's own accounting: %.2f %% agrees", agreement.percent);
	if (!agreement_ok(text)) {
		put_line(text, "", "  of %.3f %s on CPUs and run queues they differ in %.3f %s:",
			 text_time(text, agreement.kernel_ns), text->unit,
			 text_time(text, agreement.differ_ns), text->unit);
		put_line(text, "",
			 "  events were missed or seen late; CMetric may be off by as much");
	}
	if (text->options->verbose && agreement.worst)
		put_worst(text, &agreement);
}

/* Whether each thread's times fill its life, where what threads waited for was added up. */
static void put_lives(struct text *text)
{
	size_t count = text->model->wait_count, wrong = model_wrong_lives(text->model);

	if (!count)
		return;
	if (!wrong)
		put_line(text, "", "run + run-queue + blocked = life: of %zu thread%s", count,
			 text_plural(count));
	else
		put_line(text, "", "run + run-queue + blocked = life: not of %zu of %zu thread%s",
			 wrong, count, text_plural(count));
}

/* Writes the sums and the two independent checks, of a run that is not empty. */
void text_checks(struct text *text)
{
	put_line(text, "Checks", "shares + idle = %.3f %% of the run time",
		 model_accounted(text->model));
	if (!accounted_ok(text))
		put_line(text, "",
			 "  not 100: time is missing or counted twice; trust no figure above");
	put_recount(text);
	put_agreement(text);
	put_lives(text);
}

/* Writes the checks of text_checks() on one line. */
void text_checks_in_short(struct text *text)
{
	bool recounted = text->model->status.flags & GAPP_STATUS_RECOUNTED;
	const char *agrees = model_recount_ok(text->model) ? "agrees" : "differs";
	struct agreement agreement;

	model_agreement(text->model, &agreement);
	text_title(text, "Checks");
	text_add(text, "shares + idle = %.3f %%; recount %s; kernel's own: ",
		 model_accounted(text->model),
		 recounted		      ? agrees :
		 results_go_on(text->results) ? "at stop" :
						"not made");
	if (agreement.any)
		text_line(text, "%.2f %%", agreement.percent);
	else
		text_line(text, "too short");
}

/* Writes "NAME N %" for each of @ns that is at least 0.05 % of the paths' critical time. */
static void put_parts(struct text *text, const char *title, const char *before,
		      const char *const *names, const double *ns, size_t count)
{
	bool any = false;

	text_title(text, title);
	for (size_t i = 0; i < count; i++) {
		double percent = percent_of(ns[i], text->results->sums.attributed_ns);

		if (!names[i] || percent < SHOWN_PERCENT)
			continue;
		text_add(text, "%s%s %.1f %%", any ? ", " : before, names[i], percent);
		any = true;
	}
	if (any)
		text_wrap(text, TEXT_INDENT, TEXT_PLAIN);
	*text->line = '\0';
}

/* With --call-graph verify: writes how many paths equal those from copies. */
static void text_verified(struct text *text)
{
	const struct call_paths_figures *copies = text->results->sums.copies;
	const u64 *verdicts;

	if (!text->options->verify || !copies)
		return;
	verdicts = copies->verify.verdicts;
	text_title(text, "Verify");
	text_add(text, "%llu paths equal, %llu differ, %llu beyond the copy",
		 verdicts[VERIFY_EQUAL], verdicts[VERIFY_DIFFERS] + verdicts[VERIFY_SHORTER],
		 verdicts[VERIFY_BEYOND]);
	if (verdicts[VERIFY_GAVE_UP] || verdicts[VERIFY_UNCHECKED])
		text_add(text, ", %llu without a rule, %llu unchecked", verdicts[VERIFY_GAVE_UP],
			 verdicts[VERIFY_UNCHECKED]);
	text_wrap(text, TEXT_INDENT, TEXT_PLAIN);
}

static void put_tables(struct text *text)
{
	const struct table_sync_figures *sync = &text->results->table_sync;
	const struct object_figures *objects = &sync->objects;
	char made[TEXT_WORDS_SIZE], loaded[TEXT_WORDS_SIZE], sent[TEXT_WORDS_SIZE];

	if (!sync->on)
		return;
	text_title(text, "Tables");
	text_add(text, "%llu of %.1f MiB, made in %s, loaded in %s; %llu object%s without",
		 objects->tables, objects->table_bytes / 1048576.0,
		 text_short_time(made, objects->compile_ns),
		 text_short_time(loaded, objects->load_ns), objects->without,
		 text_plural(objects->without));
	if (objects->refused)
		text_add(text, ", %llu of them refused", objects->refused);
	text_add(text, "; mappings of %llu process%s sent %llu time%s in %s, %llu asked for",
		 sync->processes, sync->processes == 1 ? "" : "es", sync->sends,
		 text_plural(sync->sends), text_short_time(sent, sync->send_ns),
		 sync->mapping_requests);
	text_wrap(text, TEXT_INDENT, TEXT_PLAIN);
}

static void put_copies(struct text *text)
{
	const struct gapp_counters *counters = &text->results->counters;
	const struct call_paths_figures *copies = text->results->sums.copies;
	u64 lost = counters->lost[GAPP_LOST_STACK_COPIES];

	if (!copies || (!counters->stack_copies && !lost))
		return;
	text_title(text, "Copies");
	text_add(text, "%llu of stacks, %llu more were lost", counters->stack_copies, lost);
	if (copies->copies)
		text_add(text, "; %llu made a path longer, %llu whole", copies->longer,
			 copies->whole);
	if (copies->unknown)
		text_add(text, "; %llu not known (any more)", copies->unknown);
	text_wrap(text, TEXT_INDENT, TEXT_PLAIN);
}

static void put_side(struct text *text, const char *who, const struct code_address *places,
		     u16 count, u16 from, const char *end)
{
	text_add(text, "%*s%s", TEXT_INDENT + 4, "", who);
	for (u16 i = from; i < count && i < from + 3; i++)
		text_add(text, " %s+%#llx", places[i].object->name, places[i].offset);
	text_line(text, "%s (%u frames, %s)", count > from + 3 ? " ..." : "", count, end);
}

static void put_case(struct text *text, const struct verify_case *one)
{
	static const char *const libdwfl_ends[] = {
		[UNWIND_OUTERMOST] = "whole",	[UNWIND_FULL] = "full",
		[UNWIND_BEYOND] = "copy ended", [UNWIND_UNMAPPED] = "code not known",
		[UNWIND_NO_RULE] = "no rule",
	};

	text_line(text, "%*sprocess %d, %llu time%s: after %u equal frame%s", TEXT_INDENT + 2, "",
		  one->tgid, one->times, text_plural(one->times), one->equal,
		  text_plural(one->equal));
	if (one->equal)
		put_side(text, "both:   ", one->addresses + one->equal - 1, 1, 0,
			 "the last of them");
	put_side(text, "module: ", one->addresses, one->count, one->equal, end_name(one->end));
	put_side(text, "libdwfl:", one->libdwfl_addresses, one->libdwfl_count, one->equal,
		 libdwfl_ends[one->libdwfl_end]);
}

/* Writes for -v how paths were found, cut and compared, at length. */
void text_unwinds(struct text *text)
{
	static const char *const ends[PATH_ENDS] = {
		[GAPP_UNWIND_FULL] = "at --max-stack",
		[GAPP_UNWIND_NO_FRAME] = "frame pointer leads nowhere",
		[GAPP_UNWIND_UNREADABLE] = "stack not in memory",
		[GAPP_UNWIND_NO_RULE] = "no rule",
		[GAPP_UNWIND_LOOP] = "loop",
		[GAPP_UNWIND_UNMAPPED] = "code not known",
		[GAPP_UNWIND_LATE] = "no time in a switch",
		[PATH_END_COPY] = "copy ended",
		[PATH_END_NO_FP] = "code without frame pointer",
	};
	const struct profile_sums *sums = &text->results->sums;

	put_parts(text, "Cut paths", "", ends, sums->cut_ns, PATH_ENDS);
	put_tables(text);
	put_copies(text);
	for (size_t i = 0; sums->copies && i < sums->copies->verify.case_count; i++)
		put_case(text, &sums->copies->verify.cases[i]);
}

/* Writes for -v the numbers of slices, samples and switches, and what gapp itself took. */
void text_volume(struct text *text)
{
	const struct gapp_counters *counters = &text->results->counters;
	const struct own *own = &text->results->own;
	char longest[TEXT_WORDS_SIZE];

	text_title(text, "Slices");
	text_line(text, "%llu, %llu of them critical (CR %.1f %%)", counters->slices,
		  counters->critical_slices,
		  percent_of(counters->critical_slices, counters->slices));
	text_title(text, "");
	text_line(text, "%llu critical slices (%.1f %%) have no sample; %llu samples, %llu late",
		  counters->unsampled_slices,
		  percent_of(counters->unsampled_slices, counters->critical_slices),
		  counters->samples, counters->lost[GAPP_LOST_SAMPLES]);
	text_title(text, "");
	text_line(text, "%llu switches; %llu records; %llu distinct paths", counters->switches,
		  counters->records, text->results->sums.stacks);
	text_title(text, "Overhead");
	text_add(text, "probe of switches: %llu calls, ", counters->probe_calls);
	if (counters->probe_timed)
		text_line(text, "%.3f %s, %.2f %% of the CPUs' time",
			  text_time(text, results_probe_ns(text->results)), text->unit,
			  results_probe_percent(text->results));
	else
		text_line(text, "too few to time one");
	if (counters->longest_ns) {
		text_title(text, "");
		text_line(text, "a switch or a sample took at most %s, of those that were timed",
			  text_short_time(longest, counters->longest_ns));
	}
	if (counters->posts) {
		text_title(text, "");
		text_line(text, "%llu events came while another CPU was changing n: applied later",
			  counters->posts);
	}
	text_title(text, "");
	text_line(text, "gapp-read: %.2f s of CPU time, %.1f MiB; report after %.2f s", own->cpu_s,
		  own->rss_kib / 1024.0, own->report_s);
}

/* Writes why critical time has no path, each cause in percent of the critical time. */
static void put_unattributed(struct text *text, double percent, double critical)
{
	const struct results *results = text->results;
	const struct {
		const char *name;
		double ns;
	} causes[] = {
		{ "cpu-wait", share_to_ns(results->counters.critical_runq) },
		{ "lost", share_to_ns(results->counters.lost_critical_share) },
		{ "table full", results->sums.table_full_ns },
		{ "no user path", results->sums.no_path_ns },
	};
	bool any = false;

	text_title(text, "");
	text_add(text, "%.1f %% of critical time has no path", percent);
	for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
		double part = percent_of(causes[i].ns, critical);

		if (part < SHOWN_PERCENT)
			continue;
		text_add(text, "%s%s %.1f", any ? ", " : " (", causes[i].name, part);
		any = true;
	}
	text_add(text, "%s", any ? ")" : "");
	text_wrap(text, TEXT_INDENT, TEXT_PLAIN);
}

/* How far the table can be trusted: at most four lines, and two of --call-graph verify. */
void text_quality(struct text *text)
{
	static const char *const methods[PATH_METHODS] = {
		[PATH_BY_TABLE] = "tables",
		[PATH_BY_FP] = "frame pointers",
		[PATH_BY_COPY] = "copies",
	};
	const struct results *results = text->results;
	double critical = results_critical_ns(results), unattributed;

	text_title(text, "Data");
	if (results->sums.attributed_ns > 0)
		text_add(text, "%.1f %% of paths' time is on whole paths; ",
			 results_complete_percent(results));
	else
		text_add(text, "no critical time has a path; ");
	if (results->counters.probe_timed)
		text_line(text, "overhead %.2f %%", results_probe_percent(results));
	else
		text_line(text, "overhead not measured");
	unattributed = percent_of(results_unattributed_ns(results), critical);
	if (text->brief < TEXT_WITHOUT_METHODS) {
		put_parts(text, "", "by ", methods, results->sums.complete_by_ns, PATH_METHODS);
		if (unattributed >= SHOWN_PERCENT)
			put_unattributed(text, unattributed, critical);
	}
	text_verified(text);
}

/* What gives names to functions that have none, and what else the report lacks. */
void text_advice(struct text *text)
{
	for (size_t i = 0; i < text->results->advice_count; i++) {
		const char *advice = text->results->advice[i], *title = i ? "" : "Names";

		if (!strncmp(advice, ADVICE_DECODER_BEGIN, strlen(ADVICE_DECODER_BEGIN)))
			title = "Spinning";
		text_title(text, title);
		text_add(text, "%s", advice);
		text_wrap(text, TEXT_INDENT, TEXT_PLAIN);
	}
}
