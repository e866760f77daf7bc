/* SPDX-License-Identifier: GPL-2.0 */
/* The vectors about kmod/core/slice.c, and the bounds of its draws. */
#ifndef GAPP_VEC_ALL_SLICES_H
#define GAPP_VEC_ALL_SLICES_H

#include "averages.h"
#include "idles.h"
#include "shares.h"

/* clang-format off */

static const struct vec_slices *const vec_slices[] = {
	&vec_share_of_a_tenth,
	&vec_share_in_pieces,
	&vec_carried_to_the_last,
	&vec_carried_until_due,
	&vec_carried_by_thread,
	&vec_parts,
	&vec_parts_remember,
	&vec_every_slice,
	&vec_slices_and_spins,
	&vec_samples,
	&vec_no_begin,
	&vec_slices_before_start,
	&vec_average_at_n_min,
	&vec_average_above,
	&vec_average_of_a_tenth,
	&vec_average_later_n_min,
	&vec_average_long,
	&vec_waits_of_all,
	&vec_waits_carried,
	&vec_waits_of_no_time,
	&vec_back_between,
	&vec_back_within,
	&vec_back_at_a_part,
	&vec_slice_of_40_days,
};

/**
 * struct vec_draw - between what bounds a record is due
 * @name: what it shows
 * @min: min_critical_ns
 * @least: nanoseconds
 * @most: nanoseconds
 */
struct vec_draw {
	const char *name;
	u64 min, least, most;
};

static const struct vec_draw vec_draws[] = {
	{ "draws about 0", 0, 0, 0 },
	{ "draws about 1 us", US(1), 500, 1500 },
	{ "draws about 10 us", US(10), US(5), US(15) },
	{ "draws about 1 s", US(1000000), US(500000), US(1500000) },
	{ "draws about more than there can be", ~0ULL, 1ULL << 49, 3ULL << 49 },
};

/* clang-format on */

/* All share that there can be is always due, so there is a new draw each time. */
static inline void vec_draw_run(void *rig, const struct vec_draw *vec, struct slicing *s)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "draw" };
	const struct gapp_at begin = { .n = 1, .n_min = 1, .phase = GAPP_PHASE_RUNNING };
	struct gapp_at at = begin;
	struct gapp_open_slice open = { 0 };
	struct gapp_slice *slice;
	u64 due, wait_due;
	struct gapp_slice_end end;
	u32 stretches;

	slicing_init(s, vec->min, GAPP_CRITERION_SHARE, 1);
	slice = &s->threads[0].core;
	at.c = ~0ULL;
	for (p.index = 0; p.index < 4096; p.index++) {
		due = gapp_slice_due(slice, &s->rule);
		wait_due = gapp_slice_wait_due(slice, &s->rule);
		vec_same(&p, "at least", due >= ALONE(vec->least), true);
		vec_same(&p, "at most", due <= ALONE(vec->most), true);
		vec_same(&p, "wait, at least", wait_due >= vec->least, true);
		vec_same(&p, "wait, at most", wait_due <= vec->most, true);
		gapp_slice_begin(&open, &begin);
		at.t++;
		at.idle = 1;
		gapp_slice_end(slice, &open, &s->rule, &at, GAPP_SLICE_SWITCHED, false, &end);
		vec_same(&p, "due", end.due, true);
		gapp_slice_waited(slice, &s->rule, &at);
		gapp_slice_take_wait(slice, &s->rule, &stretches);
	}
}

#endif /* GAPP_VEC_ALL_SLICES_H */
