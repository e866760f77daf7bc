/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which busy-wait loops are timed exactly, while a recording goes on (--spin exact): those in which
 * samples have found threads most often.
 */
#ifndef GAPP_READ_SPIN_EXACT_H
#define GAPP_READ_SPIN_EXACT_H

#include "input/device.h"
#include "input/rings.h"
#include "util/hash_index.h"

struct spin_place_key {
	u64 address;
	u64 tgid;
};

/**
 * struct spin_place - code in which samples have found threads that spin
 * @caller: where that code was called, or 0: the loop may be there
 * @found: how often, since loops were chosen last
 * @state: see each value
 */
struct spin_place {
	struct spin_place_key key;
	u64 caller;
	u64 found;
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
 * @checked: place that was asked for last, whether its loop is still timed exactly
 * @chosen_ns: when the loops were chosen, CLOCK_MONOTONIC; 0: not yet
 * @loops: loops that have been timed exactly
 * @too_busy: loops that were given up, because they are passed too often
 */
struct spin_exact {
	KEYED(spin_place) places;
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
void spin_exact_next(struct spin_exact *exact, struct device *dev);
/* After the last drain: says how many loops were timed exactly, unless @quiet. */
void spin_exact_tell(const struct spin_exact *exact);

#endif /* GAPP_READ_SPIN_EXACT_H */
