// SPDX-License-Identifier: GPL-2.0
#include "exact_loops.h"

#include <string.h>

#include "report.h"

#define ROW "\n  "

static bool is_same_text(const char *one, const char *other)
{
	return one == other || (one && other && !strcmp(one, other));
}

static bool is_same_row(const struct exact_loop *one, const struct exact_loop *other)
{
	const struct code_place *place = &one->place, *like = &other->place;

	return one->tgid == other->tgid && place->line == like->line &&
	       place->offset == like->offset && is_same_text(place->function, like->function) &&
	       is_same_text(place->module, like->module) && is_same_text(place->file, like->file);
}

/* Names what was timed: the outermost frame is the function, the innermost has the line. */
static int name_row(struct exact_loop *row, const struct timed_loop *timed, struct symbols *symbols)
{
	const struct frame *frames;
	const size_t count = symbols_frames(symbols, timed->code, false, &frames);
	struct frame frame;

	if (!count)
		return -1;
	frame = frames[count - 1];
	frame.file = frames[0].file;
	frame.line = frames[0].line;
	return code_place_name(&row->place, &frame);
}

static int by_time(const void *a, const void *b)
{
	const struct exact_loop *x = a, *y = b;

	return compare_by(three_way(y->timed_ns, x->timed_ns), three_way(x->tgid, y->tgid),
			  three_way(x->place.line, y->place.line));
}

/* Adds a row, or its figures to those of the row that looks like it. */
static int add_row(struct exact_loops *loops, const struct timed_loop *timed,
		   struct symbols *symbols)
{
	struct exact_loop *row = &loops->rows[loops->row_count];

	*row = (struct exact_loop){
		.tgid = timed->key.tgid,
		.timed_ns = timed->timed_ns,
		.given_up = timed->given_up,
	};
	/* a row that has some of its names is freed with the others */
	loops->row_count++;
	if (name_row(row, timed, symbols))
		return -1;
	for (u32 i = 0; i + 1 < loops->row_count; i++) {
		if (!is_same_row(&loops->rows[i], row))
			continue;
		loops->rows[i].timed_ns += row->timed_ns;
		loops->rows[i].given_up |= row->given_up;
		code_place_free(&row->place);
		loops->row_count--;
		break;
	}
	return 0;
}

struct exact_loops *exact_loops_make(const struct timed_loop *timed, u32 count,
				     struct symbols *symbols)
{
	struct exact_loops *loops = calloc(1, sizeof(*loops));

	if (loops)
		loops->rows = calloc(count + 1, sizeof(*loops->rows));
	if (!loops || !loops->rows) {
		free(loops);
		return NULL;
	}
	for (u32 i = 0; i < count; i++) {
		if (add_row(loops, &timed[i], symbols)) {
			exact_loops_free(loops);
			return NULL;
		}
	}
	qsort(loops->rows, loops->row_count, sizeof(*loops->rows), by_time);
	return loops;
}

void exact_loops_free(struct exact_loops *loops)
{
	if (!loops)
		return;
	for (u32 i = 0; i < loops->row_count; i++)
		code_place_free(&loops->rows[i].place);
	free(loops->rows);
	free(loops);
}

void json_exact_loops(struct json *json, const struct results *results)
{
	const struct exact_loops *loops = results->exact_loops;

	if (!loops)
		return;
	json_begin_member(json, "exact_loops", '[');
	for (u32 i = 0; i < loops->row_count && !ferror(json->out); i++) {
		const struct exact_loop *row = &loops->rows[i];

		json_begin_element(json, ROW);
		json_code_place(json, &row->place);
		json_number(json, "tgid", row->tgid > 0 ? row->tgid : 0);
		json_seconds(json, "timed_s", row->timed_ns);
		json_bool(json, "given_up", row->given_up);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_number(json, "exact_loops_total", loops->count);
	json_number(json, "exact_passes_per_s", loops->passes_per_s);
}
