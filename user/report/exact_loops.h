/* SPDX-License-Identifier: GPL-2.0 */
/* Which busy-wait loops were timed exactly: --spin exact. */
#ifndef GAPP_READ_EXACT_LOOPS_H
#define GAPP_READ_EXACT_LOOPS_H

#include "code_place.h"
#include "json_write.h"

struct results;

struct timed_loop_key {
	u64 address;
	u64 tgid;
};

/**
 * struct timed_loop - a loop that has been timed exactly
 * @key: an address in it, and its process
 * @code: what the process had mapped there
 * @since_ns: when that began last, CLOCK_MONOTONIC; 0: it is not timed now
 * @timed_ns: how long it was timed before that, nanoseconds
 * @given_up: it was passed too often
 */
struct timed_loop {
	struct timed_loop_key key;
	struct code_address code;
	u64 since_ns;
	u64 timed_ns;
	bool given_up;
};

/**
 * struct exact_loop - a loop as it is shown
 * @place: its function, with the line of an instruction in the loop
 * @tgid: its process
 * @timed_ns: how long it was timed exactly, nanoseconds
 * @given_up: it was passed too often; samples timed it from then on
 */
struct exact_loop {
	struct code_place place;
	s32 tgid;
	u64 timed_ns;
	bool given_up;
};

/**
 * struct exact_loops - the loops of a recording
 * @rows: one for each place and process, the longest time first
 * @row_count: elements of @rows
 * @count: all loops that were timed exactly; several may have one place, and of the last ones of
 *	very many none is known
 * @passes_per_s: passes that were too often, a second
 */
struct exact_loops {
	struct exact_loop *rows;
	u32 row_count;
	u64 count;
	u64 passes_per_s;
};

/* @count: elements of @timed. Sets @rows and @row_count. NULL: no memory. */
struct exact_loops *exact_loops_make(const struct timed_loop *timed, u32 count,
				     struct symbols *symbols);
void exact_loops_free(struct exact_loops *loops);

void exact_loops_save(const struct exact_loops *loops, struct blocks_writer *writer);
/* Sets @loops; NULL: the recording has none. Returns 0, or -1 without memory. */
int exact_loops_read(struct blocks *blocks, struct exact_loops **loops);

/* Adds them, if the recording has them. */
void json_exact_loops(struct json *json, const struct results *results);

#endif /* GAPP_READ_EXACT_LOOPS_H */
