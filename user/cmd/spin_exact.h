/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which busy-wait loops are timed exactly, while a recording goes on (--spin exact): those in which
 * samples have found threads most often.
 */
#ifndef GAPP_READ_SPIN_EXACT_H
#define GAPP_READ_SPIN_EXACT_H

#include "input/device.h"
#include "input/maps.h"
#include "input/rings.h"
#include "report/exact_loops.h"
#include "util/hash_index.h"

struct spin_place_key {
	u64 address;
	u64 tgid;
};

/**
 * struct spin_place - code in which samples have found threads that spin
 * @caller: where that code was called, or 0: the loop may be there
 * @found: how often, since loops were chosen last
 * @loop: its loop among those that have been timed; HASH_NONE: none, or there was no room
 * @state: see each value
 */
struct spin_place {
	struct spin_place_key key;
	u64 caller;
	u64 found;
	u32 loop;
	enum spin_place_state {
		SPIN_PLACE_SAMPLED,
		SPIN_PLACE_EXACT, /* its loop is timed exactly */
		SPIN_PLACE_SAME, /* so it is, for another place */
		SPIN_PLACE_REFUSED, /* its loop cannot be, or is passed too often */
	} state;
};

/**
 * struct spin_exact - the loops
 * @places: where threads were found
 * @on: loops are timed exactly
 * @told: why some are not has been said
 * @full: there was no room for a loop
 * @checked: number of the loop that was asked for last, whether it is still timed
 * @chosen_ns: when the loops were chosen, CLOCK_MONOTONIC; 0: not yet
 * @timed: those loops of which it is known how long they were timed
 * @loops: loops that have been timed exactly
 * @exact_loops: what they come to; NULL: not made yet
 * @too_busy: loops that were given up, because they are passed too often
 */
struct spin_exact {
	KEYED(spin_place) places;
	KEYED(timed_loop) timed;
	struct exact_loops *exact_loops;
	bool on;
	bool told;
	bool full;
	u32 checked;
	u64 chosen_ns;
	u32 loops;
	u32 too_busy;
};

void spin_exact_free(struct spin_exact *exact);

/* A slice ended. Returns 0, or -1 without memory. */
int spin_exact_slice(struct spin_exact *exact, const struct gapp_record_slice *slice,
		     const struct rings *rings);
/* Between two drains: has the next loop timed exactly, if one is worth it. */
void spin_exact_next(struct spin_exact *exact, struct device *dev, struct maps *maps);
/* After the last drain: no loop is timed any more. */
void spin_exact_end(struct spin_exact *exact);
/* Then, where there is no report that says it: says how many loops were timed exactly. */
void spin_exact_tell(const struct spin_exact *exact);
/*
 * Then: makes @exact->exact_loops, if loops could be timed. Returns 0, or -1 without memory.
 */
int spin_exact_make(struct spin_exact *exact, struct symbols *symbols);

#endif /* GAPP_READ_SPIN_EXACT_H */
