// SPDX-License-Identifier: GPL-2.0
/* The table of places, and each place at length. */
#include "util/names.h"
#include "text_private.h"

#define ROWS_DEFAULT 5 /* above NOTABLE_PERCENT */
#define ROWS_VERBOSE 10
#define REASON_COLUMNS 18
#define REASON_FROM_COLUMNS 64 /* narrower terminals show no wait reasons */
#define FIGURES_COLUMNS 24
#define PATH_LINES 2
#define FRAME_COLUMNS 32 /* of a function on a path */
#define LINES_SHOWN 4
#define INFERRED_PERCENT 10 /* of a place: from here on the report says how much is inferred */
#define PLACE_FROM_COLUMNS 24 /* less is left to the function */
#define PLACE_COLUMNS 28 /* of a source line, at most */
#define WORDS_COLUMNS 36 /* of a function in a sentence, at most */
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

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "rehash", or "[lib.so+0x1234]" where no name is known. */
void text_function(char *cell, const struct frame *frame, unsigned int columns)
{
	const char *module = module_begin(base_name(frame->module));
	char offset[32];

	if (frame->function) {
		text_cut(cell, frame->function, strlen(frame->function), columns);
		return;
	}
	snprintf(offset, sizeof(offset), "+0x%llx]", frame->offset);
	if (columns < strlen(offset) + 2) {
		text_cut(cell, offset, strlen(offset), columns);
		return;
	}
	text_cut(cell + 1, module, module_len(base_name(frame->module)),
		 columns - strlen(offset) - 1);
	*cell = '[';
	cell_add(cell, "%s", offset);
}

/* The innermost frame whose source is known: where the user finds the code. */
static const struct frame *frame_with_source(const struct ranked *row)
{
	for (size_t i = 0; i < row->frame_count; i++)
		if (row->frames[i].file)
			return &row->frames[i];
	return NULL;
}

/* Cuts @name, so that all of @end has room after it. */
static void cut_before(char *cell, const char *name, const char *end, unsigned int columns)
{
	text_cut(cell, name, strlen(name), columns > strlen(end) ? columns - strlen(end) : 1);
	cell_add(cell, "%s", end);
}

static void put_source(char *cell, const char *file, u32 line, unsigned int columns)
{
	char number[16] = "";

	if (line)
		snprintf(number, sizeof(number), ":%u", line);
	cut_before(cell, base_name(file), number, columns);
}

/* "hash.c:88", the line that counts most; "" where no source is known. */
static void text_place(char *cell, const struct ranked *row, unsigned int columns)
{
	const struct frame *frame = frame_with_source(row);

	*cell = '\0';
	if (row->line_count && row->lines[0].file && !row->lines[0].stack_top)
		put_source(cell, row->lines[0].file, row->lines[0].line, columns);
	else if (frame)
		put_source(cell, frame->file, frame->line, columns);
}

/* Names the thread or process that a place without a path stands for. */
static void put_thread(char *cell, const struct ranked *row, unsigned int columns)
{
	s32 id = row->tid ? row->tid : row->tgid;
	char number[16];

	if (!*row->comm && !id) {
		text_cut(cell, "(no call path)", strlen("(no call path)"), columns);
		return;
	}
	snprintf(number, sizeof(number), " (%d)", id);
	cut_before(cell, row->comm, number, columns);
}

/* The function in which the place of text_place() lies, if it is not the innermost one. */
static const struct frame *caller_with_source(const struct ranked *row)
{
	const struct frame *frame = frame_with_source(row);

	if (!frame || frame == row->frames || !frame->function)
		return NULL;
	return row->line_count && row->lines[0].file ? NULL : frame;
}

/* A place's code for a table: "rehash  hash.c:88". */
static void text_code(char *cell, const struct ranked *row, unsigned int columns)
{
	char place[TEXT_CELL_SIZE], part[TEXT_CELL_SIZE];
	const struct frame *caller;
	unsigned int room = columns;

	if (!row->frame_count) {
		put_thread(cell, row, columns);
		return;
	}
	*place = '\0';
	if (columns >= PLACE_FROM_COLUMNS)
		text_place(place, row, columns / 2 < PLACE_COLUMNS ? columns / 2 : PLACE_COLUMNS);
	if (!*place && row->frames[0].function && columns >= PLACE_FROM_COLUMNS) {
		const char *module = base_name(row->frames[0].module);

		text_cut(part, module, strlen(module), columns / 2 - 2);
		snprintf(place, sizeof(place), "[%.*s]", (int)sizeof(place) - 3, part);
	}
	if (*place)
		room -= text_width(place) + 2;
	caller = caller_with_source(row);
	text_function(cell, &row->frames[0], caller ? room * 3 / 5 : room);
	room -= text_width(cell);
	if (caller && room > strlen(" from ")) {
		text_function(part, caller, room - strlen(" from "));
		cell_add(cell, " from %s", part);
	} else if (row->frames[0].inlined && row->frame_count > 1 && room > strlen(" in ") + 8) {
		text_function(part, &row->frames[1], room - strlen(" in "));
		cell_add(cell, " in %s", part);
	}
	if (*place)
		cell_add(cell, "  %s", place);
}

/* A place's code for a sentence: "rehash (hash.c:88)". */
void text_code_in_words(char *cell, const struct ranked *row)
{
	char place[TEXT_CELL_SIZE], part[TEXT_CELL_SIZE];
	const struct frame *caller;

	if (!row->frame_count) {
		put_thread(cell, row, WORDS_COLUMNS);
		return;
	}
	text_function(cell, &row->frames[0], WORDS_COLUMNS);
	caller = caller_with_source(row);
	if (caller) {
		text_function(part, caller, WORDS_COLUMNS);
		cell_add(cell, " from %s", part);
	}
	text_place(place, row, PLACE_COLUMNS);
	if (*place)
		cell_add(cell, " (%s)", place);
}

/* Adds why a place counts: what the others waited for, or if it is a wait, its own wait reason. */
static void add_reason(struct text *text, const struct ranked *row)
{
	double sum;
	unsigned int first = text_main_wait(row, &sum), second = first;
	char words[64] = "no others";

	for (unsigned int i = 0; i < GAPP_WAIT_REASONS; i++)
		if (i != first && (second == first || row->waiting_ns[i] > row->waiting_ns[second]))
			second = i;

	if (row->kind == PATH_WAITED)
		snprintf(words, sizeof(words), "waited: %s", wait_name(row->wait));
	else if (sum > 0 && row->waiting_ns[second] >= SECOND_PART * sum)
		snprintf(words, sizeof(words), "%s, %s", wait_name(first), wait_name(second));
	else if (sum > 0)
		snprintf(words, sizeof(words), "%s", wait_name(first));
	text_add(text, "%-*s ", REASON_COLUMNS, words);
}

/*
 * Whether a place says something about a bottleneck: where every process is a target of its own,
 * most of them wait for work nearly all the time.
 */
bool text_row_counts(const struct text *text, const struct ranked *row)
{
	static const bool held_up[GAPP_WAIT_REASONS] = {
		[GAPP_WAIT_LOCK] = true,  [GAPP_WAIT_BARRIER] = true, [GAPP_WAIT_DISK] = true,
		[GAPP_WAIT_FAULT] = true, [GAPP_WAIT_MEMORY] = true,
	};

	return !results_apart(text->results) || row->kind == PATH_RAN ||
	       (row->wait < GAPP_WAIT_REASONS && held_up[row->wait]);
}

static size_t rows_wanted(const struct text *text, unsigned int lines_after)
{
	unsigned int used = text->lines + 1 + lines_after;

	if (text->options->top)
		return text->options->top;
	if (text->options->verbose)
		return ROWS_VERBOSE;
	if (used + ROWS_DEFAULT <= TEXT_LINES)
		return ROWS_DEFAULT;
	return used < TEXT_LINES ? TEXT_LINES - used : 1;
}

static void put_head(struct text *text)
{
	static const char *const titles[] = {
		[BY_PATH] = "code that held everyone up",
		[BY_SLICE_END] = "where their slices ended",
		[BY_FUNCTION] = "function",
		[BY_LINE] = "line",
		[BY_THREAD] = "thread",
		[BY_PROCESS] = "process",
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

static void put_row(struct text *text, const struct ranked *row, size_t rank)
{
	char code[TEXT_CELL_SIZE];
	unsigned int taken = FIGURES_COLUMNS + 1;
	size_t begin;

	text_add(text, "%4zu %11.*f %6.1f  ", rank, text->decimals,
		 text_time(text, row->critical_ns),
		 results_percent(text->results, row->critical_ns));
	begin = strlen(text->line);
	if (text->columns >= REASON_FROM_COLUMNS)
		add_reason(text, row);
	add_owner(text, row);
	taken += text_width(text->line + begin);
	text_code(code, row, text->columns > taken + 8 ? text->columns - taken : 8);
	text_add(text, "%s", code);
	text_wrap(text, 0, 1, rank == 1);
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
	text_line(text, "%5s%.*f %s%s in %zu more %s%s", "", text->decimals, text_time(text, ns),
		  text->unit, part, count, by == BY_SLICE_END ? "path" : by_names[by], plural);
}

/* Adds "main > a > b", outermost first; with @left_out frames missing after the first. */
static void add_frames(struct text *text, const struct ranked *row, size_t left_out)
{
	char cell[TEXT_CELL_SIZE];

	if (!row->complete)
		text_add(text, "? > ");
	for (size_t i = row->frame_count; i--;) {
		size_t depth = row->frame_count - 1 - i;

		if (depth >= 1 && depth <= left_out) {
			if (depth == 1)
				text_add(text, " > ~");
			continue;
		}
		text_function(cell, &row->frames[i], FRAME_COLUMNS);
		text_add(text, "%s%s", depth ? " > " : "", cell);
	}
}

static void put_path(struct text *text, const struct ranked *row, size_t rank)
{
	/* what wrapping between functions may leave unused at the end of a line */
	unsigned int room = PATH_LINES * text->columns - FRAME_COLUMNS - 8;
	char code[TEXT_CELL_SIZE];
	size_t begin, left_out = 0;

	text_add(text, "#%zu  ", rank);
	begin = strlen(text->line);
	if (!row->frame_count) {
		text_code(code, row, text->columns - 8);
		text_add(text, "%s", code);
	} else {
		add_frames(text, row, 0);
		/* beyond this many even the shortest names have no room */
		if (row->frame_count > room / 4)
			left_out = row->frame_count - room / 4;
		while (left_out + 2 < row->frame_count && text_width(text->line + begin) > room) {
			text->line[begin] = '\0';
			add_frames(text, row, ++left_out);
		}
	}
	text_wrap(text, 4, PATH_LINES, rank == 1);
}

static void put_slices(struct text *text, const struct ranked *row)
{
	bool waited = row->kind == PATH_WAITED, one = row->slices == 1;
	const char *plural = one ? "" : waited ? "es" : "s";
	char median[TEXT_WORDS_SIZE];

	text_add(text, "    %.*f %s in %llu %s%s", text->decimals,
		 text_time(text, row->critical_ns), text->unit, row->slices,
		 waited ? "stretch" : "slice", plural);
	if (row->median_ns)
		text_add(text, ", median %s", text_short_time(median, row->median_ns));
	if (row->threads)
		text_add(text, ", %llu thread%s", row->threads, text_plural(row->threads));
	if (row->running)
		text_add(text, ", %.1f running", row->running);
	text_end(text);
}

static void put_lines(struct text *text, const struct ranked *row)
{
	double inferred = percent_of(row->inferred_ns, row->critical_ns);
	char cell[TEXT_CELL_SIZE];
	size_t shown = 0;

	text_add(text, "    lines");
	if (inferred >= INFERRED_PERCENT)
		text_add(text, " (%.0f %% sampled)", 100 - inferred);
	for (size_t i = 0; i < row->line_count && shown < LINES_SHOWN; i++) {
		const struct line_count *line = &row->lines[i];

		if (line->file)
			put_source(cell, line->file, line->line, FRAME_COLUMNS);
		else if (line->frame)
			text_function(cell, line->frame, FRAME_COLUMNS);
		else
			continue;
		text_add(text, "%s %s %.0f %%%s", shown++ ? "," : "", cell,
			 percent_of(line->critical_ns, row->critical_ns),
			 line->stack_top ? " (StackTop)" : "");
	}
	if (shown)
		text_end(text);
	*text->line = '\0';
}

static void put_then(struct text *text, const struct ranked *row)
{
	const char *before = "    then";

	for (unsigned int i = 0; i < THEN_COUNT; i++) {
		if (!row->then[i])
			continue;
		text_add(text, "%s %s %llu", before, then_name(i), row->then[i]);
		before = ",";
	}
	if (*text->line)
		text_end(text);
}

static void put_at_length(struct text *text, const struct ranked *row, size_t rank)
{
	text_blank(text);
	put_path(text, row, rank);
	put_slices(text, row);
	put_lines(text, row);
	if (text->options->verbose)
		put_then(text, row);
}

/**
 * text_paths() - the table, and its first place, with -v each of its places, at length
 * @text: the report
 * @lines_after: lines that the report has after the table
 */
void text_paths(struct text *text, unsigned int lines_after)
{
	bool all = text->options->top || text->options->verbose;
	const struct results *results = text->results;
	const struct ranking *ranking = text->options->by == BY_PATH ? &results->paths :
								       &results->by;
	size_t most = rows_wanted(text, lines_after), rank = 0, rest = 0, at_length;
	double rest_ns = 0;

	for (size_t i = 0; i < ranking->count; i++) {
		const struct ranked *row = &ranking->rows[i];

		if (!text_row_counts(text, row))
			continue;
		if (rank < most && !rest &&
		    (all || results_percent(text->results, row->critical_ns) >= NOTABLE_PERCENT)) {
			if (!rank)
				put_head(text);
			put_row(text, row, ++rank);
		} else {
			rest++;
			rest_ns += row->critical_ns;
		}
	}
	if (rest)
		put_rest(text, rest, rest_ns);

	at_length = text->options->verbose ? rank : rank > 0;
	for (size_t i = 0, shown = 0; shown < at_length; i++)
		if (text_row_counts(text, &ranking->rows[i])) {
			shown++;
			put_at_length(text, &ranking->rows[i], shown);
		}
}
