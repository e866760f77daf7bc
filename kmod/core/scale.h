/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A scale turns readings of a counter into the time of a clock that the counter drives. The clock's
 * rate may be adjusted, so scale and clock are compared now and then, and the next scale leads back
 * to the clock.
 */
#ifndef GAPP_CORE_SCALE_H
#define GAPP_CORE_SCALE_H

#include "port.h"

#define GAPP_SCALE_SHIFT 32

/**
 * struct gapp_scale - a line from ticks to nanoseconds
 * @ticks: reading of the counter at its begin
 * @ns: time there, in nanoseconds
 * @mult: nanoseconds of a tick, shifted left by GAPP_SCALE_SHIFT
 */
struct gapp_scale {
	u64 ticks;
	u64 ns;
	s64 mult;
};

/**
 * struct gapp_comparison - counter and clock, read at the same time
 * @ticks: reading of the counter
 * @ns: reading of the clock, in nanoseconds
 */
struct gapp_comparison {
	u64 ticks;
	u64 ns;
};

/**
 * gapp_scale_ns() - the time at a reading of the counter
 * @scale: the scale
 * @ticks: the reading; it may be from shortly before the scale's begin
 *
 * Return: nanoseconds.
 */
static inline u64 gapp_scale_ns(const struct gapp_scale *scale, u64 ticks)
{
	const s64 passed = ticks - scale->ticks;

	return scale->ns + gapp_product_s64(passed, scale->mult, GAPP_SCALE_SHIFT);
}

void gapp_scale_init(struct gapp_scale *scale, const struct gapp_comparison *now, u32 khz);
s64 gapp_scale_error(const struct gapp_scale *scale, const struct gapp_comparison *now);
void gapp_scale_next(struct gapp_scale *next, const struct gapp_scale *scale,
		     const struct gapp_comparison *last, const struct gapp_comparison *now,
		     u64 ahead);

#endif /* GAPP_CORE_SCALE_H */
