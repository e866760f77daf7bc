// SPDX-License-Identifier: GPL-2.0
/* How much was seen, how much of it is in the table, and what seeing it took. */
#include "text.h"

static double part_percent(double part, double of)
{
	return of > 0 ? 100 * part / of : 0;
}

/**
 * text_volume() - what there was, in numbers, and gapp's own use of the machine; for -v
 * @text: the report
 */
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

/* Causes of what no path has, each in per cent of the critical time. */
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

/**
 * text_quality() - how far the table can be trusted: at most three lines, and two of --call-graph
 *	verify
 * @text: the report
 */
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
