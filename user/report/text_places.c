// SPDX-License-Identifier: GPL-2.0
/* The table of places, and each place at length. */
#include <limits.h>

#include "util/names.h"
#include "source_text.h"
#include "text_private.h"

#define ROWS_DEFAULT 5 /* above NOTABLE_PERCENT */
#define ROWS_VERBOSE 10
#define REASON_COLUMNS 18
#define REASON_FROM_COLUMNS 64 /* narrower terminals show no wait reasons */
#define FIGURES_COLUMNS 24
#define PATH_LINES 2 /* of a path or a list, unless its only names are longer */
#define MOST_PERCENT 50 /* of a place: what it did beside its name in the table */
#define ALL_PART 0.99 /* of a place: one name of threads stands without its part */
#define LINES_SHOWN 4
#define LEAST_LINE_PERCENT 0.5
#define SOURCE_COLUMNS_MIN 16 /* for the text of a source line */
#define DOING_SHOWN 4
#define DOING_PERCENT 1 /* of a place: less is not shown */
#define ITEM_SIZE (TEXT_CELL_SIZE + 64) /* a name, and its part */
#define NAMES_SHOWN 3 /* of threads */
#define INFERRED_PERCENT 10 /* of a place: from here on the report says how much is inferred */
#define NAME_INDENT 8 /* of a name that has a line of its own */
#define LENGTH_INDENT 4 /* of what is said of a place at length */
#define ELIDED " > ..." /* for functions that are left out of a path */
#define SECOND_PART 0.25 /* of all waiting: a second wait reason is named as well */

/* The wait reason with most waiting while @row ran; sets @sum to all waiting. */
unsigned int text_main_wait(const struct ranked *row, double *sum)
{
	unsigned int most = 0;

	*sum = 0;
	for (unsigned int i = 0; i < GAPP_WAIT_REASONS; i++) {
		*sum += row->waiting_ns[i];
		if (row->waiting_ns[i] > row->waiting_ns[most])
			most = i;
	}
	return most;
}

/*
 * The wait reasons that are named, the one with most waiting first; sets @sum to all waiting. Of
 * two, a join is the second: threads that are waited for to end are those that wait for the other.
 * Returns how many, at least one.
 */
unsigned int text_named_waits(const struct ranked *row, double *sum, unsigned int waits[2])
{
	unsigned int first = text_main_wait(row, sum), second = first ? 0 : 1;

	for (unsigned int i = 0; i < GAPP_WAIT_REASONS; i++)
		if (i != first && row->waiting_ns[i] > row->waiting_ns[second])
			second = i;
	waits[0] = first;
	waits[1] = second;
	if (row->waiting_ns[second] <= 0 || row->waiting_ns[second] < SECOND_PART * *sum)
		return 1;
	if (first == GAPP_WAIT_JOIN) {
		waits[0] = second;
		waits[1] = first;
	}
	return 2;
}

/* What a wait is called in the table, or if that has no room there, its reason. */
static const char *name_of_wait(unsigned int wait, const struct wait_kind *called,
				unsigned int room)
{
	bool told = called->name && !called->plain && strlen(called->name) <= room;

	return told ? called->name : wait_name(wait);
}

/*
 * A wait reason with the object that nearly all such waits are for: "lock journal_lock"; where the
 * rules have a name for the waits, or that is too wide, the reason alone. @words: 64 bytes.
 */
static void set_waited_for(const struct text *text, const struct ranked *row, char *words,
			   const char *before, unsigned int wait, const struct wait_kind *called)
{
	const char *object = ranked_waits_main(&text->results->waits, row->target, wait);
	unsigned int room = REASON_COLUMNS - strlen(before);
	const char *name = name_of_wait(wait, called, room);
	char cell[TEXT_CELL_SIZE] = "";

	snprintf(words, 64, "%s%s", before, name);
	if (!object || name != wait_name(wait) || strlen(object) >= room)
		return;
	text_cut(cell, object, strlen(object), TEXT_NAME_COLUMNS);
	if (strlen(name) + 1 + text_width(cell) <= room)
		snprintf(words, 64, "%s%s %.40s", before, name, cell);
}

/* Two wait reasons, the first with its object if there is room for that. @words: 64 bytes. */
static void set_two_waited_for(const struct text *text, const struct ranked *row, char *words,
			       const unsigned int *waits)
{
	const struct wait_kind none = { .reason = waits[0] };
	const char *second = wait_name(waits[1]);
	char first[64];

	set_waited_for(text, row, first, "", waits[0], &none);
	if (text_width(first) + strlen(", ") + strlen(second) > REASON_COLUMNS)
		snprintf(first, sizeof(first), "%s", wait_name(waits[0]));
	snprintf(words, 64, "%.40s, %s", first, second);
}

/*
 * Adds why a place counts: what the others waited for, or if it is a wait, its own wait reason.
 * Where nobody waited for the most part, that comes first.
 */
static void add_reason(struct text *text, const struct ranked *row)
{
	double sum, alone;
	unsigned int waits[2], named = text_named_waits(row, &sum, waits);
	char words[64] = "no others";

	alone = row->critical_ns > sum ? row->critical_ns - sum : 0;
	if (row->kind == PATH_WAITED)
		set_waited_for(text, row, words, "waited: ", row->wait, &row->called);
	else if (sum > 0 && alone > sum && sum >= SECOND_PART * row->critical_ns)
		snprintf(words, sizeof(words), "no others, %s", wait_name(waits[0]));
	else if (sum > 0 && alone <= sum && named > 1)
		set_two_waited_for(text, row, words, waits);
	else if (sum > 0 && alone <= sum)
		set_waited_for(text, row, words, "", waits[0], &row->waiting_called[waits[0]]);
	text_add(text, "%-*s ", REASON_COLUMNS, words);
}

/*
 * Whether a place says something about a bottleneck: where every process is a target of its own,
 * most of them wait for work nearly all the time.
 */
bool text_row_counts(const struct text *text, const struct ranked *row)
{
	static const bool held_up[GAPP_WAIT_REASONS] = {
		[GAPP_WAIT_LOCK] = true,   [GAPP_WAIT_BARRIER] = true,
		[GAPP_WAIT_DISK] = true,   [GAPP_WAIT_FAULT] = true,
		[GAPP_WAIT_MEMORY] = true, [GAPP_WAIT_KERNEL_LOCK] = true,
		[GAPP_WAIT_SPIN] = true,
	};

	return !results_apart(text->results) || row->kind == PATH_RAN ||
	       (row->wait < GAPP_WAIT_REASONS && held_up[row->wait]);
}

static void put_head(struct text *text)
{
	static const char *const titles[] = {
		[BY_PLACE] = "code that held everyone up",
		[BY_PATH] = "code that held everyone up",
		[BY_SLICE_END] = "where their slices ended",
		[BY_FUNCTION] = "function",
		[BY_LINE] = "line",
		[BY_THREAD] = "thread",
		[BY_PROCESS] = "process",
		[BY_WAIT_OBJECT] = "wait object",
	};
	char unit[16];

	snprintf(unit, sizeof(unit), "critical %s", text->unit);
	text_add(text, "%4s %11s %6s  ", "#", unit, "%");
	if (text->columns >= REASON_FROM_COLUMNS)
		text_add(text, "%-*s ", REASON_COLUMNS, "while others wait");
	text_line(text, "%s", titles[text->options->by]);
}

/* Adds "web (100): " where places are of several targets. */
static void add_owner(struct text *text, const struct ranked *row)
{
	const struct gapp_target_figures *target = results_target(text->results, row->tgid);
	const char *name = target ? (const char *)target->comm : row->comm;
	char cell[TEXT_CELL_SIZE];

	if (!results_apart(text->results) || !row->frame_count)
		return;
	text_cut(cell, name, strnlen(name, GAPP_COMM_LEN), GAPP_COMM_LEN);
	text_add(text, "%s (%d): ", cell, row->tgid);
}

/* Adds what the place mostly did, if there is room: ", fscanf 61 %". */
static void add_main_doing(char *cell, const struct ranked *row, unsigned int room)
{
	const struct doing *doing = row->doing;
	char name[TEXT_CELL_SIZE], words[TEXT_CELL_SIZE + 16];

	if (!row->doing_count || !doing->frame ||
	    percent_of(doing->critical_ns, row->critical_ns) < MOST_PERCENT)
		return;
	text_doing(name, doing);
	snprintf(words, sizeof(words), ", %s %.0f %%", name,
		 percent_of(doing->critical_ns, row->critical_ns));
	if (text_width(cell) + text_width(words) <= room)
		cell_add(cell, "%s", words);
}

/* What a row stands for; a process, with its command line. */
static void code_of_row(const struct text *text, char *cell, const struct ranked *row)
{
	if (text->options->by == BY_PROCESS)
		text_process(text, cell, row);
	else if (text->options->by == BY_WAIT_OBJECT)
		text_cut(cell, row->frames->function, strlen(row->frames->function),
			 TEXT_NAME_COLUMNS);
	else
		text_code(cell, row);
}

/*
 * Puts a place's code together for the table: "rehash  hash.c:88, memcpy 80 %". A name that does
 * not fit into @room stays in @name, and gets a line of its own.
 */
static void make_code(const struct text *text, char *cell, char *name, const struct ranked *row,
		      unsigned int room)
{
	char where[TEXT_CELL_SIZE];

	code_of_row(text, name, row);
	text_where(where, row);
	*cell = '\0';
	if (text_width(name) + (*where ? 2 : 0) + text_width(where) <= room) {
		cell_add(cell, "%s%s%s", name, *where ? "  " : "", where);
		*name = '\0';
	} else if (text_width(where) <= room) {
		cell_add(cell, "%s", where);
	}
	add_main_doing(cell, row, room);
}

static double percent_of_run(const struct text *text, const struct ranked *row)
{
	return percent_of(row->critical_ns, results_wall_of(text->results, row));
}

/* Adds the begin of a row. Returns the columns that are left. */
static unsigned int begin_row(struct text *text, const struct ranked *row, size_t rank)
{
	size_t begin;
	unsigned int taken = FIGURES_COLUMNS + 1;

	text_add(text, "%4zu %11.*f %6.1f  ", rank, text->decimals,
		 text_time(text, row->critical_ns), percent_of_run(text, row));
	begin = strlen(text->line);
	if (text->columns >= REASON_FROM_COLUMNS)
		add_reason(text, row);
	add_owner(text, row);
	taken += text_width(text->line + begin);
	return text->columns > taken ? text->columns - taken : 0;
}

static void put_row(struct text *text, const struct ranked *row, size_t rank)
{
	char code[TEXT_CELL_SIZE], name[TEXT_CELL_SIZE];

	make_code(text, code, name, row, begin_row(text, row, rank));
	text_add(text, "%s", code);
	text_wrap(text, NAME_INDENT, rank == 1 ? TEXT_BOLD : TEXT_PLAIN);
	if (!*name)
		return;
	text_add(text, "%*s%s", NAME_INDENT, "", name);
	text_wrap(text, NAME_INDENT, rank == 1 ? TEXT_BOLD : TEXT_PLAIN);
}

/* Lines that a row takes. */
static unsigned int row_lines(struct text *text, const struct ranked *row, size_t rank)
{
	char code[TEXT_CELL_SIZE], name[TEXT_CELL_SIZE];
	unsigned int lines;

	make_code(text, code, name, row, begin_row(text, row, rank));
	text_add(text, "%s", code);
	lines = text_lines(text, NAME_INDENT);
	*text->line = '\0';
	if (*name) {
		text_add(text, "%*s%s", NAME_INDENT, "", name);
		lines += text_lines(text, NAME_INDENT);
	}
	*text->line = '\0';
	return lines;
}

static void put_rest(struct text *text, size_t count, double ns)
{
	enum by by = text->options->by;
	const char *plural = count == 1 ? "" : by == BY_PROCESS ? "es" : "s";
	char percent[TEXT_WORDS_SIZE], part[TEXT_WORDS_SIZE + 4] = "";

	/* the sum of several targets' times is no part of the run */
	if (!results_apart(text->results))
		snprintf(part, sizeof(part), " (%s)",
			 text_percent(percent, results_percent(text->results, ns)));
	text_line(text, "%5s%.*f %s%s in %zu %s%s%s", "", text->decimals, text_time(text, ns),
		  text->unit, part, count, text->rows ? "more " : "",
		  by == BY_SLICE_END ? "path" : by_names[by], plural);
}

/* Adds "main > a > b", outermost first; without @left_out functions after the first. */
static void add_frames(struct text *text, const struct ranked *row, size_t left_out)
{
	char cell[TEXT_CELL_SIZE];

	if (!row->complete)
		text_add(text, "? > ");
	for (size_t i = row->frame_count; i--;) {
		size_t depth = row->frame_count - 1 - i;

		if (depth >= 1 && depth <= left_out) {
			if (depth == 1)
				text_add(text, ELIDED);
			continue;
		}
		text_function(cell, &row->frames[i], 1);
		text_add(text, "%s%s", depth ? " > " : "", cell);
	}
}

static void put_path(struct text *text, const struct ranked *row, size_t rank)
{
	/* what wrapping between functions may leave unused at the end of a line */
	unsigned int room = PATH_LINES * text->columns - text->columns / 3;
	char code[TEXT_CELL_SIZE];
	size_t begin, left_out = 0;

	text_add(text, "#%zu  ", rank);
	begin = strlen(text->line);
	if (!row->frame_count || text->options->by == BY_WAIT_OBJECT) {
		code_of_row(text, code, row);
		text_add(text, "%s", code);
	} else {
		/* beyond this many even the shortest names have no room */
		if (row->frame_count > room / 4)
			left_out = row->frame_count - room / 4;
		add_frames(text, row, left_out);
		while (left_out + 2 < row->frame_count && text_width(text->line + begin) > room) {
			text->line[begin] = '\0';
			add_frames(text, row, ++left_out);
		}
	}
	text_wrap(text, LENGTH_INDENT, rank == 1 ? TEXT_BOLD : TEXT_PLAIN);
}

/* Adds the names of a place's threads with their parts: ": main 80 %, pool 20 %". */
static void add_members(struct text *text, const struct ranked *row)
{
	double shown = 0;
	size_t names = 0;

	for (size_t i = 0;
	     i < row->member_count && names < NAMES_SHOWN && shown < row->critical_ns * ALL_PART;
	     i++) {
		const char *comm = row->members[i].comm;
		char cell[TEXT_CELL_SIZE];
		bool seen = false;
		double ns = 0;

		for (size_t j = 0; j < i; j++)
			seen |= !strcmp(row->members[j].comm, comm);
		for (size_t j = i; j < row->member_count; j++)
			ns += strcmp(row->members[j].comm, comm) ? 0 : row->members[j].critical_ns;
		if (seen)
			continue;
		text_cut(cell, comm, strlen(comm), TEXT_NAME_COLUMNS);
		text_add(text, "%s %s", names++ ? "," : ":", cell);
		shown += ns;
		if (shown < row->critical_ns * ALL_PART || names > 1)
			text_add(text, " %.0f %%", percent_of(ns, row->critical_ns));
	}
}

static void put_slices(struct text *text, const struct ranked *row)
{
	bool waits = text->options->by == BY_WAIT_OBJECT, waited = row->kind == PATH_WAITED;
	const char *what = waits ? "wait" : waited ? "stretch" : "slice";
	const char *plural = row->slices == 1 ? "" : waited && !waits ? "es" : "s";
	char median[TEXT_WORDS_SIZE];

	text_add(text, "    %.*f %s in %llu %s%s", text->decimals,
		 text_time(text, row->critical_ns), text->unit, row->slices, what, plural);
	if (row->median_ns)
		text_add(text, ", median %s", text_short_time(median, row->median_ns));
	if (row->running)
		text_add(text, ", %.1f running", row->running);
	if (row->threads)
		text_add(text, ", %llu thread%s", row->threads, text_plural(row->threads));
	add_members(text, row);
	text_wrap(text, LENGTH_INDENT, TEXT_PLAIN);
}

/* What mending the place can save at most. */
static void put_gain(struct text *text, const struct ranked *row)
{
	if (row->gain_ns <= 0)
		return;
	text_add(text, "    mending it saves at most %.*f %s of %.*f, as far as %s", text->decimals,
		 text_time(text, row->gain_ns), text->unit, text->decimals,
		 text_time(text, results_wall_of(text->results, row)),
		 row->kind == PATH_WAITED ? text_nobody_ran(text) : "few threads ran");
	text_wrap(text, LENGTH_INDENT, TEXT_PLAIN);
}

void text_doing(char *cell, const struct doing *doing)
{
	if (!doing->frame)
		snprintf(cell, TEXT_CELL_SIZE, "own code");
	else if (!doing->frame->function && doing->frame->library)
		text_module(cell, doing->frame->module);
	else
		text_function(cell, doing->frame, 1);
}

/* Adds an item to a list that has @count. Returns whether there is room for it. */
static bool add_item(struct text *text, const char *item, size_t count)
{
	return text_add_item(text, LENGTH_INDENT, count ? PATH_LINES : UINT_MAX, item);
}

/* What the place did: the functions that it called. */
static void put_doing(struct text *text, const struct ranked *row)
{
	char cell[TEXT_CELL_SIZE], item[ITEM_SIZE];
	size_t shown = 0;

	if (!row->doing_count || (row->doing_count == 1 && !row->doing->frame))
		return;
	text_add(text, "    doing");
	for (size_t i = 0; i < row->doing_count && shown < DOING_SHOWN; i++) {
		double percent = percent_of(row->doing[i].critical_ns, row->critical_ns);

		if (percent < DOING_PERCENT)
			break;
		text_doing(cell, &row->doing[i]);
		snprintf(item, sizeof(item), "%s %s %.0f %%", shown ? "," : "", cell, percent);
		if (!add_item(text, item, shown++))
			break;
	}
	text_wrap(text, LENGTH_INDENT, TEXT_PLAIN);
}

/* A line with less than half a percent of the time is shown only where nothing is left out. */
static bool is_worth_showing(const struct text *text, const struct ranked *row,
			     const struct line_count *line)
{
	return text->options->verbose ||
	       percent_of(line->critical_ns, row->critical_ns) >= LEAST_LINE_PERCENT;
}

static void put_lines(struct text *text, const struct ranked *row)
{
	double inferred = percent_of(row->inferred_ns, row->critical_ns);
	char cell[TEXT_CELL_SIZE], item[ITEM_SIZE];
	size_t shown = 0, known = 0;

	for (size_t i = 0; i < row->line_count; i++)
		known += !!row->lines[i].file;
	if (!known)
		return;
	text_add(text, "    lines");
	if (inferred >= INFERRED_PERCENT)
		text_add(text, " (%.0f %% sampled)", 100 - inferred);
	for (size_t i = 0; i < row->line_count && shown < LINES_SHOWN; i++) {
		const struct line_count *line = &row->lines[i];

		if (shown && !is_worth_showing(text, row, line))
			break;
		if (line->file)
			text_source(cell, line->file, line->line);
		else if (line->frame)
			text_function(cell, line->frame, 1);
		else
			continue;
		snprintf(item, sizeof(item), "%s %s %.0f %%%s", shown ? "," : "", cell,
			 percent_of(line->critical_ns, row->critical_ns),
			 line->stack_top ? " (StackTop)" : "");
		if (!add_item(text, item, shown++))
			break;
	}
	if (shown)
		text_wrap(text, LENGTH_INDENT, TEXT_PLAIN);
	*text->line = '\0';
}

/* Writes the text of the lines whose files are found: of the first one, with -v of all. */
static void put_source(struct text *text, const struct ranked *row)
{
	size_t most = text->options->verbose ? LINES_SHOWN : 1, shown = 0;
	char source[SOURCE_TEXT_SIZE], cell[TEXT_CELL_SIZE], begin[TEXT_CELL_SIZE];

	for (size_t i = 0; i < row->line_count && shown < most; i++) {
		const struct line_count *line = &row->lines[i];
		unsigned int used;

		if (!line->file || !source_text(source, text->options, line->file, line->line))
			continue;
		text_source(cell, line->file, line->line);
		used = snprintf(begin, sizeof(begin), "      %s  ", cell);
		if (used + SOURCE_COLUMNS_MIN > text->columns)
			return;
		text_cut(cell, source, strlen(source), text->columns - used);
		text_add(text, "%s%s", begin, cell);
		text_end(text);
		shown++;
	}
}

/*
 * Adds why the slices ended. That is not known of all that were too short for a record; and slices
 * without critical time, which the row does not count, may be among those of which it is.
 */
static void put_then(struct text *text, const struct ranked *row)
{
	const char *before = "    then";
	u64 known = 0, kinds = 0;

	for (unsigned int i = 0; i < THEN_COUNT; i++) {
		if (!row->then[i])
			continue;
		text_add(text, "%s %s %llu", before, then_name(i), row->then[i]);
		before = ",";
		kinds++;
		known += i == THEN_ON ? 0 : row->then[i];
	}
	if (!kinds)
		return;
	/* each of the counts is rounded */
	if (row->kind == PATH_RAN && row->slices > known + kinds)
		text_add(text, ", not known %llu", row->slices - known);
	else if (row->kind == PATH_RAN && known > row->slices + kinds)
		text_add(text, " (with slices without critical time)");
	text_wrap(text, LENGTH_INDENT, TEXT_PLAIN);
}

static void put_at_length(struct text *text, const struct ranked *row, size_t rank)
{
	text_blank(text);
	put_path(text, row, rank);
	put_slices(text, row);
	put_gain(text, row);
	if (text->brief >= TEXT_BRIEF) {
		/* who names a folder of sources asks for the text before all else */
		if (text->options->source_path_count)
			put_source(text, row);
		return;
	}
	put_doing(text, row);
	put_lines(text, row);
	if (text->brief < TEXT_WITHOUT_SOURCE || text->options->source_path_count)
		put_source(text, row);
	text_kernel(text, row);
	text_place_counters(text, row);
	if (text->options->verbose)
		put_then(text, row);
}

const struct ranking *text_ranking(const struct text *text)
{
	switch (text->options->by) {
	case BY_PLACE:
		return &text->results->places;
	case BY_PATH:
		return &text->results->paths;
	default:
		return &text->results->by;
	}
}

/* Whether the report has room for a row and for what follows the table. */
static bool has_room(struct text *text, const struct ranked *row, size_t rank,
		     unsigned int lines_after)
{
	if (text->options->top)
		return rank < text->options->top;
	if (text->options->verbose)
		return rank < ROWS_VERBOSE;
	if (rank >= ROWS_DEFAULT)
		return false;
	return !rank ||
	       text->lines + row_lines(text, row, rank + 1) + lines_after <= text_room(text);
}

/* Whether a row is worth lines: there is time to gain, and the row has enough of it. */
static bool is_notable(const struct text *text, const struct ranked *row)
{
	double all = row->kind == PATH_RAN ? results_critical_ns(text->results) :
					     text->model->status.idle_ns;

	return text->options->top || text->options->verbose ||
	       percent_of_run(text, row) >= NOTABLE_PERCENT ||
	       (results_percent(text->results, all) >= NOTABLE_PERCENT &&
		row->critical_ns >= BOTTLENECK_PART * all);
}

/* Whether the table has the row; who asks for wait objects wants to see them all. */
static bool is_in_table(const struct text *text, const struct ranked *row)
{
	return text->options->by == BY_WAIT_OBJECT || text_row_counts(text, row);
}

/* Lines of the table with one row; 0: it has none. */
unsigned int text_least_rows(struct text *text)
{
	const struct ranking *ranking = text_ranking(text);

	for (size_t i = 0; i < ranking->count; i++) {
		const struct ranked *row = &ranking->rows[i];

		if (is_in_table(text, row))
			return is_notable(text, row) ? 1 + row_lines(text, row, 1) : 0;
	}
	return 0;
}

/**
 * text_table() - the table of places
 * @text: the report
 * @lines_after: lines that the report has after the table
 */
void text_table(struct text *text, unsigned int lines_after)
{
	const struct ranking *ranking = text_ranking(text);
	size_t rest = 0;
	double rest_ns = 0;

	text->rows = 0;
	for (size_t i = 0; i < ranking->count; i++) {
		const struct ranked *row = &ranking->rows[i];

		if (!is_in_table(text, row))
			continue;
		if (!rest && is_notable(text, row) &&
		    has_room(text, row, text->rows, lines_after)) {
			if (!text->rows)
				put_head(text);
			put_row(text, row, ++text->rows);
		} else {
			rest++;
			rest_ns += row->critical_ns;
		}
	}
	if (rest)
		put_rest(text, rest, rest_ns);
	if (rest && !text->rows)
		text_blank(text);
}

/* Writes the first rows of the table at length; the first may do so before the table. */
void text_at_length(struct text *text, size_t most)
{
	const struct ranking *ranking = text_ranking(text);
	size_t shown = 0;

	for (size_t i = 0; i < ranking->count && shown < most; i++) {
		const struct ranked *row = &ranking->rows[i];

		if (!is_in_table(text, row))
			continue;
		if (!is_notable(text, row) || (text->rows && shown == text->rows))
			return;
		put_at_length(text, row, ++shown);
	}
}
