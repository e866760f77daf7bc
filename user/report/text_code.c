// SPDX-License-Identifier: GPL-2.0
/* How a row's code and the reason why it counts are called. */
#include "util/names.h"
#include "text.h"

#define PLACE_FROM_COLUMNS 24 /* less is left to the function */
#define PLACE_COLUMNS 28 /* of a source line, at most */
#define WORDS_COLUMNS 36 /* of a function in a sentence */
#define SECOND_PART 0.25 /* of all waiting: a second class is named as well */

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

/**
 * text_function() - "rehash", or "[lib.so+0x1234]" where no name is known
 * @cell: the result
 * @frame: where
 * @columns: room
 */
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

static void put_place(char *cell, const char *file, u32 line, unsigned int columns)
{
	const char *base = base_name(file);
	char number[16] = "";

	if (line)
		snprintf(number, sizeof(number), ":%u", line);
	text_cut(cell, base, strlen(base),
		 columns > strlen(number) + 1 ? columns - strlen(number) : 1);
	text_append(cell, TEXT_CELL_SIZE, "%s", number);
}

/**
 * text_place() - "hash.c:88", the line that counts most; "" where no source is known
 * @cell: the result
 * @row: of the report
 * @columns: room
 */
void text_place(char *cell, const struct ranked *row, unsigned int columns)
{
	const struct frame *frame = frame_with_source(row);

	*cell = '\0';
	if (row->line_count && row->lines[0].file && !row->lines[0].stack_top)
		put_place(cell, row->lines[0].file, row->lines[0].line, columns);
	else if (frame)
		put_place(cell, frame->file, frame->line, columns);
}

/* A thread or a process; a row without a path. */
static void put_owner(char *cell, const struct ranked *row, unsigned int columns)
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

/**
 * text_code() - a row's code for a table: "rehash  hash.c:88"
 * @cell: the result
 * @row: of the report
 * @columns: room
 */
void text_code(char *cell, const struct ranked *row, unsigned int columns)
{
	char place[TEXT_CELL_SIZE], part[TEXT_CELL_SIZE];
	const struct frame *caller;
	unsigned int room = columns;

	if (!row->frame_count) {
		put_owner(cell, row, columns);
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

/**
 * text_code_in_words() - a row's code for a sentence: "rehash (hash.c:88)"
 * @cell: the result
 * @row: of the report
 */
void text_code_in_words(char *cell, const struct ranked *row)
{
	char place[TEXT_CELL_SIZE], part[TEXT_CELL_SIZE];
	const struct frame *caller;

	if (!row->frame_count) {
		put_owner(cell, row, WORDS_COLUMNS);
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

/**
 * text_reason() - why a row counts: what the others waited for, or what itself did
 * @cell: the result
 * @row: of the report
 * @columns: room
 */
void text_reason(char *cell, const struct ranked *row, unsigned int columns)
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
