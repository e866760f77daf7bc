// SPDX-License-Identifier: GPL-2.0
/* The view of the critical path: what it is made of, by function, wait reason and thread. */
#include <math.h>

#include "text_private.h"
#include "wait_views.h"

#define NAME_COLUMNS 28

/* What a view says that the recording has no store for. */
void text_view_missing(struct text *text, const char *view)
{
	text_line(
		text,
		"This recording has no %s: record with --level trace --view %s, which keeps every slice and wake-up.",
		view, view);
}

static double percent(const struct wait_views *views, double ns)
{
	return percent_of(ns, views->run_ns);
}

static void put_part(struct text *text, const struct wait_views *views, double ns, const char *what)
{
	char words[TEXT_WORDS_SIZE], part[TEXT_WORDS_SIZE];

	text_add(text, "%s %s (%s)", what, text_long_time(text, words, ns),
		 text_percent(part, percent(views, ns)));
}

/* The parts that add up to the run, and where the path cannot be known. */
static void put_parts(struct text *text, const struct wait_views *views)
{
	text_title(text, "Path");
	put_part(text, views, views->ns[PIECE_RAN], "ran");
	put_part(text, views, views->ns[PIECE_READY], ", ready");
	put_part(text, views, views->ns[PIECE_WAITED], ", waited");
	if (views->ns[PIECE_NONE])
		put_part(text, views, views->ns[PIECE_NONE], ", no thread");
	if (views->unknown_ns)
		put_part(text, views, views->unknown_ns, ", unknown");
	text_add(text, "; went %llu time%s to another thread", (unsigned long long)views->hops,
		 text_plural(views->hops));
	text_end(text);
}

void text_view_bounds(struct text *text, const struct wait_views *views)
{
	char words[TEXT_WORDS_SIZE];

	if (views->dropped)
		text_warning(
			text,
			"nothing is known of the first %s: the %llu oldest slices found no room: record for less time",
			text_long_time(text, words, views->dropped_ns),
			(unsigned long long)views->dropped);
	if (views->unknown_ns > views->dropped_ns)
		text_warning(
			text,
			"records were lost: the path is not known in %s; give a larger buffer with -m",
			text_long_time(text, words, views->unknown_ns - views->dropped_ns));
}

static void function_name(char *cell, const struct critical_function *row)
{
	if (row->function)
		text_cut(cell, row->function, strlen(row->function), TEXT_NAME_COLUMNS);
	else if (row->module)
		snprintf(cell, TEXT_CELL_SIZE, "0x%llx", (unsigned long long)row->offset);
	else
		snprintf(cell, TEXT_CELL_SIZE, "no call path");
}

static void put_functions(struct text *text, const struct wait_views *views)
{
	size_t most = text_view_rows(text), count = views->function_count;

	text_line(text, "%4s %10s %6s  function that ran", "#", text->unit, "%");
	for (size_t i = 0; i < count && i < most; i++) {
		const struct critical_function *row = &views->functions[i];
		char name[TEXT_CELL_SIZE], module[TEXT_CELL_SIZE] = "";

		function_name(name, row);
		if (row->module)
			text_module(module, row->module);
		text_add(text, "%4zu %10.*f %6.1f  %s%s%s", i + 1, text->decimals,
			 text_time(text, row->ns), percent(views, row->ns), name,
			 *module ? "  " : "", module);
		text_wrap(text, TEXT_INDENT, i ? TEXT_PLAIN : TEXT_BOLD);
	}
	text_view_left_out(text, count > most ? count - most : 0);
	if (views->many_ns)
		text_line(text, "%4s %10.*f %6.1f  not sampled: many threads were active", "",
			  text->decimals, text_time(text, views->many_ns),
			  percent(views, views->many_ns));
}

static void put_reasons(struct text *text, const struct wait_views *views)
{
	size_t most = text_view_rows(text), count = views->reason_count;
	char through[16];

	if (!count)
		return;
	text_blank(text);
	snprintf(through, sizeof(through), "others %s", text->unit);
	text_line(text, "%4s %10s %10s  %-*s who ended the waits", "", through, "waited", 20,
		  "wait for");
	for (size_t i = 0; i < count && i < most; i++) {
		static const char *const enders[WAIT_ENDERS] = {
			[ENDED_BY_THREAD] = "threads not followed",
			[ENDED_BY_INTERRUPT] = "interrupts",
			[ENDED_BY_UNKNOWN] = "not known",
			[ENDED_NOT] = "nobody",
		};
		const struct critical_reason *row = &views->reasons[i];
		const char *comma = "", *name = row->name ?: wait_name(row->reason);
		char cell[TEXT_CELL_SIZE];

		/* of a recording from elsewhere */
		text_cut(cell, name, strlen(name), NAME_COLUMNS);
		text_add(text, "%4s %10.*f %10.*f  %-20s ", "", text->decimals,
			 text_time(text, row->through_ns), text->decimals,
			 text_time(text, critical_reason_waited(row)), cell);
		for (u32 j = 0; j < WAIT_ENDERS; j++) {
			if (!row->waited_ns[j])
				continue;
			text_add(text, "%s%s", comma, enders[j]);
			comma = ", ";
		}
		text_wrap(text, TEXT_INDENT, TEXT_PLAIN);
	}
	text_view_left_out(text, count > most ? count - most : 0);
}

static void put_objects(struct text *text, const struct wait_views *views)
{
	size_t most = text_view_rows(text), count = views->object_count;
	char through[16];

	if (!count)
		return;
	text_blank(text);
	snprintf(through, sizeof(through), "others %s", text->unit);
	text_line(text, "%4s %10s %10s  %-*s wait object", "", through, "waited", 20, "wait for");
	for (size_t i = 0; i < count && i < most; i++) {
		const struct critical_object *row = &views->objects[i];
		const char *reason = row->wait.name ?: wait_name(row->wait.reason);
		const char *name = row->name ?: "(not known)";
		char cell[TEXT_CELL_SIZE], object[TEXT_CELL_SIZE];

		text_cut(cell, reason, strlen(reason), NAME_COLUMNS);
		text_cut(object, name, strlen(name), TEXT_NAME_COLUMNS);
		text_add(text, "%4s %10.*f %10.*f  %-20s %s", "", text->decimals,
			 text_time(text, row->wait.through_ns), text->decimals,
			 text_time(text, critical_reason_waited(&row->wait)), cell, object);
		text_wrap(text, TEXT_INDENT, TEXT_PLAIN);
	}
	text_view_left_out(text, count > most ? count - most : 0);
}

static void put_threads(struct text *text, const struct wait_views *views)
{
	size_t most = text_view_rows(text), count = views->thread_count;

	text_blank(text);
	text_line(text, "%4s %10s %10s %10s  thread", "", "ran", "ready", "waited");
	for (size_t i = 0; i < count && i < most; i++) {
		const struct critical_thread *row = &views->threads[i];
		char name[TEXT_CELL_SIZE];

		text_cut(name, (const char *)row->comm, strnlen((const char *)row->comm, 16),
			 NAME_COLUMNS);
		text_add(text, "%4s %10.*f %10.*f %10.*f  %s %d", "", text->decimals,
			 text_time(text, row->ns[PIECE_RAN]), text->decimals,
			 text_time(text, row->ns[PIECE_READY]), text->decimals,
			 text_time(text, row->ns[PIECE_WAITED]), name, row->tid);
		text_wrap(text, TEXT_INDENT, TEXT_PLAIN);
	}
	text_view_left_out(text, count > most ? count - most : 0);
}

/* The parts are rounded to nanoseconds, each once at most. */
static void put_check(struct text *text, const struct wait_views *views)
{
	char sum[TEXT_WORDS_SIZE], run[TEXT_WORDS_SIZE];
	double parts = wait_views_sum(views);

	if (fabs(parts - views->run_ns) > 1000)
		text_warning(text, "the parts of the critical path are %s, and the run is %s",
			     text_long_time(text, sum, parts),
			     text_long_time(text, run, views->run_ns));
	else if (text->options->verbose)
		text_line(text, "%5sAll parts add up to the run: %s.", "",
			  text_long_time(text, run, views->run_ns));
}

void text_view_path(struct text *text)
{
	const struct wait_views *views = text->results->wait_views;

	if (!views) {
		text_view_missing(text, "critical-path");
		return;
	}
	put_parts(text, views);
	text_view_bounds(text, views);
	put_functions(text, views);
	put_reasons(text, views);
	put_objects(text, views);
	put_threads(text, views);
	put_check(text, views);
}
