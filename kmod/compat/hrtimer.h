/* SPDX-License-Identifier: GPL-2.0 */
/* Setting up a timer. */
#ifndef GAPP_COMPAT_HRTIMER_H
#define GAPP_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>
/* v7.3, 03b5d4c27982: the kernel's own side of timers */
#ifdef GAPP_HAVE_HRTIMER_BASES
#include <linux/hrtimer_bases.h>
#else
#include <linux/hrtimer_defs.h>
#endif
#include <linux/jiffies.h>

#include "compat.h"

/*
 * The timer expires in hard interrupt context, also on PREEMPT_RT, on the CPU that starts it.
 * v6.13, 908a1d775422, and by backport: hrtimer_setup()
 */
static inline void gapp_hrtimer_setup(struct hrtimer *timer,
				      enum hrtimer_restart (*function)(struct hrtimer *timer))
{
#ifdef GAPP_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	timer->function = function;
#endif
}

/*
 * Number of the interrupt in which timers expire. Called where @timer, which expires in hard
 * interrupt context, does; timers that expire in one interrupt on one CPU find the same number.
 * Without high resolution they expire in the tick.
 */
static inline u32 gapp_hrtimer_interrupt(const struct hrtimer *timer)
{
#ifdef CONFIG_HIGH_RES_TIMERS
	const struct hrtimer_cpu_base *base = timer->base->cpu_base;

	if (likely(base->hres_active))
		return base->nr_events;
#endif
	return jiffies;
}

#endif /* GAPP_COMPAT_HRTIMER_H */
