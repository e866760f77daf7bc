/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processor's own counter of time, where the kernel's clock is made of it. To read it takes
 * half as many instructions as to read the clock. GAPP_HAS_TICKS: gapp can read it on this machine.
 */
#ifndef GAPP_COMPAT_TICKS_H
#define GAPP_COMPAT_TICKS_H

#include <linux/ktime.h>
#include <linux/types.h>

#ifdef CONFIG_X86_64
#include <asm/msr.h>
#include <asm/tsc.h>

#define GAPP_HAS_TICKS true

/* The counter now, after all earlier instructions. */
static __always_inline u64 gapp_ticks(void)
{
	return rdtsc_ordered();
}

/* About how many ticks a millisecond has. */
static inline u32 gapp_ticks_khz(void)
{
	return tsc_khz;
}

/*
 * Whether the kernel trusts the counter: its clock source is the counter itself, now.
 * v7.2, eba302268a01: ktime_get_snapshot_id()
 */
static inline bool gapp_ticks_are_trusted(void)
{
	struct system_time_snapshot snapshot;
	u64 before = rdtsc_ordered(), after;

#ifdef GAPP_HAVE_SNAPSHOT_ID
	ktime_get_snapshot_id(CLOCK_MONOTONIC, &snapshot);
#else
	ktime_get_snapshot(&snapshot);
#endif
	after = rdtsc_ordered();
	return tsc_khz && !check_tsc_unstable() && snapshot.cycles - before <= after - before;
}

#else

#define GAPP_HAS_TICKS false

static __always_inline u64 gapp_ticks(void)
{
	return 0;
}

static inline u32 gapp_ticks_khz(void)
{
	return 0;
}

static inline bool gapp_ticks_are_trusted(void)
{
	return false;
}

#endif

#endif /* GAPP_COMPAT_TICKS_H */
