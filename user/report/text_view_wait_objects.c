// SPDX-License-Identifier: GPL-2.0
/* The views of wait objects and of wakers. */
#include "spin_diagnoses.h"
#include "text_private.h"

#define REASON_COLUMNS 11
#define LENGTH_INDENT 4
#define SITES_SHOWN 3
/* A holder that ended less of the time that all waits took, in per cent, has no words. */
#define LEAST_ENDED 1
#define LEAST_SITE_PERCENT 0.5 /* of an object's waits */
#define LEAST_WAITED_PART 0.01 /* of the longest row's: less, which held nobody up, is no row */

/* What a wait is for, as the table of places has it. */
static const char *reason_of(const struct ranked_object *object)
{
	return object->called ?: wait_name(object->reason);
}

/* As reason_of(), beside the name: "condition in pool_take" says itself that it is a condition. */
static const char *reason_beside(const struct ranked_object *object)
{
	const char *reason = reason_of(object);

	return object->name && !strncmp(object->name, reason, strlen(reason)) ?
		       wait_name(object->reason) :
		       reason;
}

/* A name from outside: cut, and safe for a terminal. */
static void add_name(struct text *text, const char *name, const char *otherwise)
{
	char cell[TEXT_CELL_SIZE];

	text_cut(cell, name ?: otherwise, strlen(name ?: otherwise), TEXT_NAME_COLUMNS);
	text_add(text, "%s", cell);
}

static void add_frame(struct text *text, const struct frame *frame)
{
	char cell[TEXT_CELL_SIZE], source[TEXT_CELL_SIZE];

	if (!frame) {
		text_add(text, "no call path");
		return;
	}
	text_function(cell, frame, 1);
	text_add(text, "%s", cell);
	if (!frame->file)
		return;
	text_source(source, frame->file, frame->line);
	text_add(text, " (%s)", source);
}

/* A join ends in the C library's or the kernel's code for the end of a thread. */
static bool is_threads_end(const struct ranked_ender *waker, u32 reason)
{
	return reason == GAPP_WAIT_JOIN && waker->frame && waker->frame->library;
}

/* @reason: what was waited for. */
static void add_waker(struct text *text, const struct ranked_ender *waker, u32 reason)
{
	if (waker->interrupt && waker->kind) {
		text_add(text, "a %s interrupt", waker->kind);
		return;
	}
	if (waker->interrupt) {
		text_add(text, "an interrupt");
		return;
	}
	if (is_threads_end(waker, reason)) {
		text_add(text, "the end of a thread of ");
	} else if (waker->frame) {
		add_frame(text, waker->frame);
		text_add(text, " of ");
	}
	add_name(text, waker->name, "not known");
}

static bool is_known(const struct ranked_ender *waker)
{
	return waker->interrupt || waker->frame || waker->name;
}

/*
 * Of busy waits those ends are known that came while the word was watched; threads may sleep for
 * the object, too, and then it has another wait reason.
 */
static void put_enders(struct text *text, const struct ranked_object *object)
{
	const bool spins = object->reason == GAPP_WAIT_SPIN || object->spins.spins;
	u64 seen = 0;
	u32 shown = 0;

	for (size_t i = 0; i < object->ender_count; i++)
		seen += is_known(&object->enders[i]) ? object->enders[i].waits : 0;
	for (size_t i = 0; i < object->ender_count && shown < SITES_SHOWN; i++) {
		if (seen && !is_known(&object->enders[i]))
			continue;
		text_add(text, shown++ ? ", " : "; ended by ");
		add_waker(text, &object->enders[i], object->reason);
	}
	if (spins && seen && seen < object->waits)
		text_add(text, " (seen of %.0f %%)", percent_of(seen, object->waits));
}

static void put_sites(struct text *text, const struct ranked_object *object)
{
	if (!object->site_count)
		return;
	text_add(text, "    waited for in");
	for (size_t i = 0; i < object->site_count && i < SITES_SHOWN; i++) {
		double percent = percent_of(object->sites[i].waits, object->waits);

		if (i && percent < LEAST_SITE_PERCENT)
			break;
		text_add(text, "%s ", i ? "," : "");
		add_frame(text, object->sites[i].frame);
		if (object->site_count > 1)
			text_add(text, " %.0f %%", percent);
	}
	put_enders(text, object);
	text_wrap(text, LENGTH_INDENT, TEXT_PLAIN);
}

static void put_diagnoses(struct text *text, const struct ranked_object *object)
{
	char words[SPIN_WORDS_SIZE];

	for (u32 i = 0; i < SPIN_DIAGNOSES; i++) {
		if (!spin_diagnose(text->results, object, i, words))
			continue;
		text_add(text, "    %s", words);
		text_wrap(text, LENGTH_INDENT, TEXT_PLAIN);
	}
}

/* The first holders that are critical, or that are not. */
static void put_holders(struct text *text, const struct ranked_object *object, bool critical)
{
	const struct ranked_holder *row = object->holders, *end = row + object->holder_count;
	char held[TEXT_WORDS_SIZE], waited[TEXT_WORDS_SIZE];
	u32 shown = 0, more = 0;

	for (; row < end; row++) {
		if (row->critical != critical)
			continue;
		if (shown == SITES_SHOWN ||
		    (shown && percent_of(row->waited_ns, object->waited_ns) < LEAST_ENDED)) {
			more++;
			continue;
		}
		if (!shown++)
			text_add(text, "    %s in", critical ? "held" : "held while many ran");
		else
			text_add(text, ";");
		text_add(text, " ");
		if (row->frame)
			add_frame(text, row->frame);
		else
			text_add(text, "code that is not known");
		text_add(text, " %llu time%s", (unsigned long long)row->holds,
			 text_plural(row->holds));
		if (row->hold_ns)
			text_add(text, ", at least %s", text_long_time(text, held, row->hold_ns));
		text_add(text, ", which ended %s of waits",
			 text_long_time(text, waited, row->waited_ns));
	}
	if (more)
		text_add(text, "; and %u more place%s", more, text_plural(more));
	if (shown)
		text_wrap(text, LENGTH_INDENT, TEXT_PLAIN);
}

static void put_count(struct text *text, u64 waits, const char *one, const char *many)
{
	if (!waits)
		return;
	text_add(text, "%llu wait%s %s", (unsigned long long)waits, text_plural(waits),
		 waits == 1 ? one : many);
	text_wrap(text, 0, TEXT_PLAIN);
}

/* Says that times are estimates, if they are. */
void text_estimated_waits(struct text *text)
{
	if (text->results->waits.all)
		return;
	text_add(
		text,
		"Not every wait was recorded: the times are estimates. To record all, add --level trace --view %s.",
		view_names[text->options->view ?: VIEW_WAIT_OBJECTS]);
	text_wrap(text, 0, TEXT_PLAIN);
}

/* What the records could not say. */
static void put_missing(struct text *text)
{
	const struct ranked_waits *waits = &text->results->waits;

	text_estimated_waits(text);
	put_count(text, waits->without_room, "found no room in the tables.",
		  "found no room in the tables.");
	put_count(text, waits->cut, "is left out: its begin or end was not recorded.",
		  "are left out: their begin or end was not recorded.");
	put_count(text, waits->left_out,
		  "ended without the waker's call path: there were too many at a time.",
		  "ended without the waker's call path: there were too many at a time.");
	if (!waits->not_looked_up)
		return;
	text_add(text, "%llu name%s of files or threads %s missing: there were too many at a time.",
		 (unsigned long long)waits->not_looked_up, text_plural(waits->not_looked_up),
		 waits->not_looked_up == 1 ? "is" : "are");
	text_wrap(text, 0, TEXT_PLAIN);
}

static bool is_collected(struct text *text)
{
	if (text->results->waits.collected)
		return true;
	text_line(text, "The recording has no waits: an older gapp-read made it.");
	return false;
}

static void put_object(struct text *text, const struct ranked_object *object, size_t rank)
{
	double ns = object->critical_ns + object->idle_ns;
	char waited[TEXT_WORDS_SIZE] = "-";

	if (ranked_object_has_length(object))
		snprintf(waited, sizeof(waited), "%.*f", text->decimals,
			 text_time(text, object->waited_ns));
	text_add(text, "%4zu %11.*f %6.1f %10s %8llu  %-*s ", rank, text->decimals,
		 text_time(text, ns), results_percent(text->results, ns), waited,
		 (unsigned long long)object->waits, REASON_COLUMNS, reason_beside(object));
	add_name(text, object->name, "(not known)");
	text_wrap(text, LENGTH_INDENT, rank == 1 ? TEXT_BOLD : TEXT_PLAIN);
	put_sites(text, object);
	put_diagnoses(text, object);
	put_holders(text, object, true);
	put_holders(text, object, false);
}

/* How many of the first @rows rows say something; with --top or -v all of them do. */
static size_t rows_worth_showing(const struct text *text, size_t rows)
{
	const struct ranked_waits *waits = &text->results->waits;
	u64 most = 0;

	if (rows > waits->object_count)
		rows = waits->object_count;
	if (text->options->top || text->options->verbose)
		return rows;
	for (size_t i = 0; i < rows; i++)
		if (waits->objects[i].waited_ns > most)
			most = waits->objects[i].waited_ns;
	while (rows > 1) {
		const struct ranked_object *last = &waits->objects[rows - 1];
		double ns = last->critical_ns + last->idle_ns;

		if (results_percent(text->results, ns) >= SHOWN_PERCENT ||
		    last->waited_ns >= LEAST_WAITED_PART * most)
			break;
		rows--;
	}
	return rows;
}

void text_view_wait_objects(struct text *text)
{
	const struct ranked_waits *waits = &text->results->waits;
	char critical[16], waited[16];
	size_t rows = rows_worth_showing(text, text_view_rows(text)), shown;

	if (!is_collected(text))
		return;
	snprintf(critical, sizeof(critical), "critical %s", text->unit);
	snprintf(waited, sizeof(waited), "waited %s", text->unit);
	if (waits->object_count)
		text_line(text, "%4s %11s %6s %10s %8s  %-*s wait object", "#", critical, "%",
			  waited, "waits", REASON_COLUMNS, "for");
	else
		text_line(text, "No wait was recorded.");
	for (shown = 0; shown < rows; shown++)
		put_object(text, &waits->objects[shown], shown + 1);
	text_view_left_out(text, waits->object_count - shown);
	put_missing(text);
}

/* Whether the object is called by the function that waits: "condition in pool_take". */
static bool is_in_name(const struct ranked_object *object, const struct frame *frame)
{
	char cell[TEXT_CELL_SIZE];
	size_t name, function;

	if (!object->name || !frame || frame->file)
		return false;
	text_function(cell, frame, 1);
	name = strlen(object->name);
	function = strlen(cell);
	return name > function && !strcmp(object->name + name - function, cell);
}

static void put_pair(struct text *text, const struct ranked_pair *pair)
{
	const struct ranked_waits *waits = &text->results->waits;
	const struct ranked_object *object = &waits->objects[pair->object];
	const char *reason = pair->kind.name ?: wait_name(pair->kind.reason);
	char median[TEXT_WORDS_SIZE];

	text_add(text, "%10.*f %8llu %8s  ", text->decimals, text_time(text, pair->waker.waited_ns),
		 (unsigned long long)pair->waker.waits, text_short_time(median, pair->median_ns));
	add_name(text, pair->waiter, "(not known)");
	text_add(text, " from ");
	if (!object->name || strncmp(object->name, reason, strlen(reason)))
		text_add(text, "%s ", reason);
	add_name(text, object->name, "(not known)");
	if (!is_in_name(object, pair->frame)) {
		text_add(text, " in ");
		add_frame(text, pair->frame);
	}
	text_add(text, ", woken by ");
	add_waker(text, &pair->waker, pair->kind.reason);
	text_wrap(text, LENGTH_INDENT, TEXT_PLAIN);
}

void text_view_wakers(struct text *text)
{
	const struct ranked_waits *waits = &text->results->waits;
	size_t rows = text_view_rows(text), shown;
	char waited[16];

	if (!is_collected(text))
		return;
	snprintf(waited, sizeof(waited), "waited %s", text->unit);
	if (waits->pair_count)
		text_line(text, "%10s %8s %8s  who waited, and who woke it", waited, "waits",
			  "median");
	else
		text_line(text, "No wake-up was recorded.");
	for (shown = 0; shown < waits->pair_count && shown < rows; shown++)
		put_pair(text, &waits->pairs[shown]);
	text_view_left_out(text, waits->pair_count - shown);
	put_missing(text);
}
