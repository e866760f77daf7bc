// SPDX-License-Identifier: GPL-2.0
/* The table of places, and each place at length. */
#include "util/names.h"
#include "text_private.h"

#define PLACE_FROM_COLUMNS 24 /* less is left to the function */
#define PLACE_COLUMNS 28 /* of a source line, at most */
#define WORDS_COLUMNS 36 /* of a function in a sentence, at most */
#define SECOND_PART 0.25 /* of all waiting: a second wait reason is named as well */

const char *text_wait(unsigned int wait)
{
	const char *name = wait < GAPP_WAIT_REASONS ? wait_name(wait) : NULL;

	return name ? name : "other";
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
	text_append(cell, TEXT_CELL_SIZE, "%s", offset);
}

/* The innermost frame whose source is known: where the user finds the code. */
static const struct frame *frame_with_source(const struct ranked *row)
{
	for (size_t i = 0; i < row->frame_count; i++)
		if (row->frames[i].file)
			return &row->frames[i];
	return NULL;
}

static void put_source(char *cell, const char *file, u32 line, unsigned int columns)
{
	const char *base = base_name(file);
	char number[16] = "";

	if (line)
		snprintf(number, sizeof(number), ":%u", line);
	text_cut(cell, base, strlen(base),
		 columns > strlen(number) + 1 ? columns - strlen(number) : 1);
	text_append(cell, TEXT_CELL_SIZE, "%s", number);
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
	text_cut(cell, row->comm, strlen(row->comm),
		 columns > strlen(number) ? columns - strlen(number) : 1);
	text_append(cell, TEXT_CELL_SIZE, "%s", number);
}

/* The function in which the place of text_place() lies, if it is not the innermost one. */
static const struct frame *caller_with_source(const struct ranked *row)
{
	const struct frame *frame = frame_with_source(row);

	if (!frame || frame == row->frames || !frame->function)
		return NULL;
	return row->line_count && row->lines[0].file ? NULL : frame;
}

static unsigned int cell_width(const char *cell)
{
	return text_width(cell, strlen(cell));
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
		room -= cell_width(place) + 2;
	caller = caller_with_source(row);
	text_function(cell, &row->frames[0], caller ? room * 3 / 5 : room);
	room -= cell_width(cell);
	if (caller && room > strlen(" from ")) {
		text_function(part, caller, room - strlen(" from "));
		text_append(cell, TEXT_CELL_SIZE, " from %s", part);
	} else if (row->frames[0].inlined && row->frame_count > 1 && room > strlen(" in ") + 8) {
		text_function(part, &row->frames[1], room - strlen(" in "));
		text_append(cell, TEXT_CELL_SIZE, " in %s", part);
	}
	if (*place)
		text_append(cell, TEXT_CELL_SIZE, "  %s", place);
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
		text_append(cell, TEXT_CELL_SIZE, " from %s", part);
	}
	text_place(place, row, PLACE_COLUMNS);
	if (*place)
		text_append(cell, TEXT_CELL_SIZE, " (%s)", place);
}

/* Why a place counts: what the others waited for, or if it is a wait, its own wait reason. */
static void text_reason(char *cell, const struct ranked *row, unsigned int columns)
{
	unsigned int first = 0, second = 0;
	char words[64] = "no others";
	double sum = 0;

	for (unsigned int i = 0; i < GAPP_WAIT_REASONS; i++) {
		sum += row->waiting_ns[i];
		if (row->waiting_ns[i] > row->waiting_ns[first])
			first = i;
	}
	for (unsigned int i = 0; i < GAPP_WAIT_REASONS; i++)
		if (i != first && (second == first || row->waiting_ns[i] > row->waiting_ns[second]))
			second = i;

	if (row->kind == PATH_WAITED)
		snprintf(words, sizeof(words), "waited: %s", text_wait(row->wait));
	else if (sum > 0 && second != first && row->waiting_ns[second] >= SECOND_PART * sum)
		snprintf(words, sizeof(words), "%s, %s", text_wait(first), text_wait(second));
	else if (sum > 0)
		snprintf(words, sizeof(words), "%s", text_wait(first));
	text_cut(cell, words, strlen(words), columns);
}

#define ROWS_DEFAULT 5 /* above NOTABLE_PERCENT */
#define ROWS_VERBOSE 10
#define REASON_COLUMNS 18
#define REASON_FROM_COLUMNS 64 /* narrower terminals show no wait reasons */
#define FIGURES_COLUMNS 24
#define LINE_BYTES 1000
#define PATH_BYTES 1000
#define PATH_LINES 2
#define FRAME_COLUMNS 32 /* of a function on a path */
#define LINES_SHOWN 4
#define INFERRED_PERCENT 10 /* of a place: from here on the report says how much is inferred */

static const struct ranking *table(const struct text *text)
{
	return text->options->by == BY_PATH ? &text->results->paths : &text->results->by;
}

/**
 * text_row_counts() - whether a place says something about a bottleneck
 * @text: the report
 * @row: of a ranking
 *
 * Where every process is a target of its own, most of them wait for work nearly all the time.
 */
bool text_row_counts(const struct text *text, const struct ranked *row)
{
	if (!results_apart(text->results) || row->kind == PATH_RAN)
		return true;
	switch (row->wait) {
	case GAPP_WAIT_LOCK:
	case GAPP_WAIT_BARRIER:
	case GAPP_WAIT_DISK:
	case GAPP_WAIT_FAULT:
	case GAPP_WAIT_MEMORY:
		return true;
	default:
		return false;
	}
}

static size_t rows_wanted(const struct text *text, unsigned int lines_after)
{
	unsigned int used = text->lines + 1 + lines_after;

	if (text->options->top)
		return text->options->top;
	if (text->verbose)
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
	if (text->columns < REASON_FROM_COLUMNS)
		text_line(text, "%4s %11s %6s  %s", "#", unit, "%", titles[text->options->by]);
	else
		text_line(text, "%4s %11s %6s  %-*s %s", "#", unit, "%", REASON_COLUMNS,
			  "while others wait", titles[text->options->by]);
}

/* "lock              ", or nothing where there is no room. */
static unsigned int put_reason(const struct text *text, char *cell, const struct ranked *row)
{
	if (text->columns < REASON_FROM_COLUMNS) {
		*cell = '\0';
		return 0;
	}
	text_reason(cell, row, REASON_COLUMNS);
	for (unsigned int width = text_width(cell, strlen(cell)); width <= REASON_COLUMNS; width++)
		text_append(cell, TEXT_CELL_SIZE, " ");
	return REASON_COLUMNS + 1;
}

/* "web (100): ", where places are of several targets. */
static unsigned int put_owner(const struct text *text, char *cell, const struct ranked *row)
{
	const struct gapp_target_figures *target = results_target(text->results, row->tgid);
	const char *name = target ? (const char *)target->comm : row->comm;

	*cell = '\0';
	if (!results_apart(text->results) || !row->frame_count)
		return 0;
	text_cut(cell, name, strnlen(name, GAPP_COMM_LEN), GAPP_COMM_LEN);
	text_append(cell, TEXT_CELL_SIZE, " (%d): ", row->tgid);
	return text_width(cell, strlen(cell));
}

static void put_row(struct text *text, const struct ranked *row, size_t rank)
{
	char reason[TEXT_CELL_SIZE], code[TEXT_CELL_SIZE], owner[TEXT_CELL_SIZE];
	unsigned int taken = FIGURES_COLUMNS + 1;
	char line[LINE_BYTES] = "";

	taken += put_reason(text, reason, row);
	taken += put_owner(text, owner, row);
	text_code(code, row, text->columns > taken + 8 ? text->columns - taken : 8);
	text_append(line, sizeof(line), "%4zu %11.*f %6.1f  %s%s%s", rank, text->decimals,
		    text_time(text, row->critical_ns),
		    results_percent(text->results, row->critical_ns), reason, owner, code);
	text_wrap(text, line, 0, 1, rank == 1);
}

static void put_rest(struct text *text, size_t count, double ns)
{
	static const char *const names[] = {
		[BY_PATH] = "path", [BY_SLICE_END] = "path", [BY_FUNCTION] = "function",
		[BY_LINE] = "line", [BY_THREAD] = "thread",  [BY_PROCESS] = "process",
	};
	enum by by = text->options->by;
	const char *plural = count == 1 ? "" : by == BY_PROCESS ? "es" : "s";
	char percent[TEXT_PERCENT_SIZE], part[TEXT_PERCENT_SIZE + 4] = "";

	/* the sum of several targets' times is no part of the run */
	if (!results_apart(text->results))
		snprintf(part, sizeof(part), " (%s)",
			 text_percent(percent, results_percent(text->results, ns)));
	text_line(text, "%5s%.*f %s%s in %zu more %s%s", "", text->decimals, text_time(text, ns),
		  text->unit, part, count, names[by], plural);
}

/* "main > a > b", outermost first; with @left_out frames missing after the first. */
static void join_frames(char *path, const struct ranked *row, size_t left_out)
{
	char cell[TEXT_CELL_SIZE];

	*path = '\0';
	if (!row->complete)
		text_append(path, PATH_BYTES, "? > ");
	for (size_t i = row->frame_count; i--;) {
		size_t depth = row->frame_count - 1 - i;

		if (depth >= 1 && depth <= left_out) {
			if (depth == 1)
				text_append(path, PATH_BYTES, " > ~");
			continue;
		}
		text_function(cell, &row->frames[i], FRAME_COLUMNS);
		text_append(path, PATH_BYTES, "%s%s", depth ? " > " : "", cell);
	}
}

static void put_path(struct text *text, const struct ranked *row, size_t rank)
{
	/* what wrapping between functions may leave unused at the end of a line */
	unsigned int room = PATH_LINES * text->columns - FRAME_COLUMNS - 8;
	char path[PATH_BYTES], line[PATH_BYTES] = "";
	size_t left_out = 0;

	if (!row->frame_count) {
		text_code(path, row, text->columns - 8);
	} else {
		join_frames(path, row, 0);
		/* beyond this many even the shortest names have no room */
		if (row->frame_count > room / 4)
			left_out = row->frame_count - room / 4;
		while (left_out + 2 < row->frame_count && text_width(path, strlen(path)) > room)
			join_frames(path, row, ++left_out);
	}
	text_append(line, sizeof(line), "#%zu  %s", rank, path);
	text_wrap(text, line, 4, PATH_LINES, rank == 1);
}

static void put_slices(struct text *text, const struct ranked *row)
{
	char line[256] = "    ", median[TEXT_TIME_SIZE];

	text_append(line, sizeof(line), "%.*f %s in %llu ", text->decimals,
		    text_time(text, row->critical_ns), text->unit, row->slices);
	if (row->kind == PATH_WAITED)
		text_append(line, sizeof(line), "stretch%s", row->slices == 1 ? "" : "es");
	else
		text_append(line, sizeof(line), "slice%s", text_plural(row->slices));
	if (row->median_ns)
		text_append(line, sizeof(line), ", median %s",
			    text_short_time(median, row->median_ns));
	if (row->threads)
		text_append(line, sizeof(line), ", %llu thread%s", row->threads,
			    text_plural(row->threads));
	if (row->running)
		text_append(line, sizeof(line), ", %.1f running", row->running);
	text_line(text, "%s", line);
}

static void put_lines(struct text *text, const struct ranked *row)
{
	char line[512] = "    lines", cell[TEXT_CELL_SIZE];
	double inferred = row->critical_ns > 0 ? 100 * row->inferred_ns / row->critical_ns : 0;
	size_t shown = 0;

	if (inferred >= INFERRED_PERCENT)
		text_append(line, sizeof(line), " (%.0f %% sampled)", 100 - inferred);
	for (size_t i = 0; i < row->line_count && shown < LINES_SHOWN; i++) {
		const struct line_count *one = &row->lines[i];
		struct ranked here = { .lines = (struct line_count *)one, .line_count = 1 };
		struct line_count plain = *one;

		plain.stack_top = false;
		here.lines = &plain;
		text_place(cell, &here, FRAME_COLUMNS);
		if (!*cell && one->frame)
			text_function(cell, one->frame, FRAME_COLUMNS);
		if (!*cell)
			continue;
		text_append(line, sizeof(line), "%s %s %.0f %%%s", shown++ ? "," : "", cell,
			    row->critical_ns > 0 ? 100 * one->critical_ns / row->critical_ns : 0,
			    one->stack_top ? " (StackTop)" : "");
	}
	if (shown)
		text_line(text, "%s", line);
}

static void put_then(struct text *text, const struct ranked *row)
{
	char line[512] = "    then";
	bool any = false;

	for (unsigned int i = 0; i < THEN_COUNT; i++) {
		const char *name = then_name(i);

		if (!row->then[i])
			continue;
		text_append(line, sizeof(line), "%s %s %llu", any ? "," : "", name ? name : "other",
			    row->then[i]);
		any = true;
	}
	if (any)
		text_line(text, "%s", line);
}

static void put_at_length(struct text *text, const struct ranked *row, size_t rank)
{
	text_blank(text);
	put_path(text, row, rank);
	put_slices(text, row);
	put_lines(text, row);
	if (text->verbose)
		put_then(text, row);
}

/**
 * text_paths() - the table, and its first place, with -v each of its places, at length
 * @text: the report
 * @lines_after: lines that the report has after the table
 */
void text_paths(struct text *text, unsigned int lines_after)
{
	bool all = text->options->top || text->verbose;
	const struct ranking *ranking = table(text);
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

	at_length = text->verbose ? rank : rank > 0;
	for (size_t i = 0, shown = 0; shown < at_length; i++)
		if (text_row_counts(text, &ranking->rows[i])) {
			shown++;
			put_at_length(text, &ranking->rows[i], shown);
		}
}
