// SPDX-License-Identifier: GPL-2.0
#include "scale.h"

/* The next scale is faster or slower than the clock by at most one part in so many. */
#define MOST_CORRECTION 1000

/**
 * gapp_scale_init() - a scale that begins where the clock is
 * @scale: the scale
 * @now: a comparison
 * @khz: about how many ticks the counter makes in a millisecond
 */
void gapp_scale_init(struct gapp_scale *scale, const struct gapp_comparison *now, u32 khz)
{
	scale->ticks = now->ticks;
	scale->ns = now->ns;
	scale->mult = div_u64(1000000ULL << GAPP_SCALE_SHIFT, khz);
}

/**
 * gapp_scale_error() - how far a scale is behind the clock
 * @scale: the scale
 * @now: a comparison
 *
 * Return: nanoseconds; negative: it is ahead.
 */
s64 gapp_scale_error(const struct gapp_scale *scale, const struct gapp_comparison *now)
{
	return now->ns - gapp_scale_ns(scale, now->ticks);
}

/* @ns in @ticks, shifted as in a scale. */
static u64 mult_of(u64 ns, u64 ticks)
{
	unsigned int shift = GAPP_SCALE_SHIFT;

	/* div_u64() divides by 32 bits */
	while (ticks >> 32) {
		ticks >>= 1;
		if (shift)
			shift--;
		else
			ns >>= 1;
	}
	while (ns >> (62 - shift) && ticks > 1) {
		ns >>= 1;
		ticks >>= 1;
	}
	if (ns >> (62 - shift))
		ns = 1ULL << (62 - shift);
	return div_u64(ns << shift, ticks ?: 1);
}

static u64 within(u64 mult, u64 least, u64 most)
{
	return mult < least ? least : mult > most ? most : mult;
}

/**
 * gapp_scale_next() - the scale that goes on from another one
 * @next: goes on where @scale is at @now
 * @scale: the scale so far
 * @last: the comparison before
 * @now: the comparison
 * @ahead: after so many ticks @next meets the clock, if that keeps its rate since @last
 *
 * However wrong the comparisons are, the rate changes by at most an eighth.
 */
void gapp_scale_next(struct gapp_scale *next, const struct gapp_scale *scale,
		     const struct gapp_comparison *last, const struct gapp_comparison *now,
		     u64 ahead)
{
	const u64 former = scale->mult, step = former / 8;
	s64 error = gapp_scale_error(scale, now);
	u64 mult, correction;

	next->ticks = now->ticks;
	next->ns = gapp_scale_ns(scale, now->ticks);
	next->mult = former;
	if (now->ticks <= last->ticks || now->ns <= last->ns)
		return;
	mult = within(mult_of(now->ns - last->ns, now->ticks - last->ticks), former - step,
		      former + step);
	correction = mult_of(error < 0 ? -error : error, ahead);
	correction = within(correction, 0, mult / MOST_CORRECTION);
	next->mult = error < 0 ? mult - correction : mult + correction;
}
