/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of all figures: CLOCK_MONOTONIC, or the processor's counter on a scale that is kept at
 * CLOCK_MONOTONIC. Readings on two CPUs may differ by nanoseconds, and by up to microseconds when
 * the scale changes.
 */
#ifndef GAPP_CLOCK_H
#define GAPP_CLOCK_H

#include <linux/ktime.h>

#include "compat/ticks.h"
#include "core/scale.h"

/* NULL: the counter is not used. A scale stays as long as whoever read this pointer is under RCU.
 */
extern const struct gapp_scale *gapp_clock_scale;

/* Interrupts off, or under RCU. */
static __always_inline const struct gapp_scale *gapp_clock_get_scale(void)
{
	return READ_ONCE(gapp_clock_scale);
}

/* The time, in nanoseconds, by a scale. */
static __always_inline u64 gapp_clock_by(const struct gapp_scale *scale)
{
	return gapp_scale_ns(scale, gapp_ticks());
}

/**
 * gapp_clock() - the time
 *
 * Interrupts off, or under RCU. Without a scale this may take microseconds: not while others wait.
 *
 * Return: nanoseconds.
 */
static __always_inline u64 gapp_clock(void)
{
	const struct gapp_scale *scale = gapp_clock_get_scale();

	if (unlikely(!scale))
		return ktime_get_mono_fast_ns();
	return gapp_clock_by(scale);
}

int gapp_clock_init(void);
void gapp_clock_exit(void);
void gapp_clock_get(void);
void gapp_clock_put(void);

#endif /* GAPP_CLOCK_H */
