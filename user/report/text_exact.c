// SPDX-License-Identifier: GPL-2.0
/* Which busy-wait loops were timed exactly: the line "Exact". */
#include "exact_loops.h"
#include "text_private.h"

/* Loops that are named, without -v. */
#define LOOPS_SHOWN 2

/* "do_spin in libgomp.so.1 (wait.h:56) for 1.80 s". */
static void add_loop(struct text *text, const struct exact_loop *loop)
{
	const struct frame frame = code_place_frame(&loop->place);
	char cell[TEXT_CELL_SIZE], words[TEXT_WORDS_SIZE];

	text_function(cell, &frame, 1);
	text_add(text, "%s", cell);
	if (frame.function) {
		text_module(cell, frame.module);
		text_add(text, " in %s", cell);
	}
	if (loop->place.file) {
		text_source(cell, loop->place.file, loop->place.line);
		text_add(text, " (%s)", cell);
	}
	if (results_apart(text->results))
		text_add(text, " of process %d", loop->tgid);
	text_add(text, " for %s", text_long_time(text, words, loop->timed_ns));
	if (loop->given_up)
		text_add(text, ", given up: more than %llu passes a second",
			 (unsigned long long)text->results->exact_loops->passes_per_s);
}

void text_exact(struct text *text)
{
	const struct exact_loops *loops = text->results->exact_loops;
	const u32 most = text->options->verbose ? UINT32_MAX : LOOPS_SHOWN;
	u32 shown;

	if (!loops || text->brief >= TEXT_BRIEFER)
		return;
	text_title(text, "Exact");
	if (loops->count)
		text_add(text, "%llu busy-wait loop%s timed by breakpoints: ",
			 (unsigned long long)loops->count, text_plural(loops->count));
	else
		text_add(
			text,
			"no busy-wait loop was timed exactly: samples found threads in none often enough, or not all of its exits are known");
	for (shown = 0; shown < loops->row_count && shown < most; shown++) {
		text_add(text, "%s", shown ? "; " : "");
		add_loop(text, &loops->rows[shown]);
	}
	if (shown < loops->row_count)
		text_add(text, "; %u more: -v shows them", loops->row_count - shown);
	text_end(text);
}
