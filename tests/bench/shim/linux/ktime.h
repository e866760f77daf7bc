/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock as the kernel reads it on x86: a sequence count, the time-stamp counter, a
 * multiplication and a shift. shim_clock is set once, before any other thread runs.
 */
#ifndef GAPP_BENCH_SHIM_KTIME_H
#define GAPP_BENCH_SHIM_KTIME_H

#include <time.h>

#include "core/port.h"

/**
 * struct shim_clock - how time follows from the counter
 * @seq: as the kernel has one
 * @mult: nanoseconds of a tick, with @shift fractional bits; 0: ask the system's clock
 * @shift: of @mult
 * @begin: of the counter
 * @ns: CLOCK_MONOTONIC then
 */
struct shim_clock {
	u32 seq;
	u32 mult;
	u32 shift;
	u64 begin;
	u64 ns;
};

extern struct shim_clock shim_clock;

static inline u64 shim_system_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

#ifdef __x86_64__

static inline u64 shim_counter(void)
{
	u32 low, high;

	__asm__ __volatile__("lfence; rdtsc" : "=a"(low), "=d"(high)::"memory");
	return (u64)high << 32 | low;
}

#else

static inline u64 shim_counter(void)
{
	return 0;
}

#endif

static inline u64 shim_now(void)
{
	u32 seq;
	u64 now;

	if (!shim_clock.mult)
		return shim_system_ns();
	do {
		/* Before what it counts changes of. */
		seq = smp_load_acquire(&shim_clock.seq);
		now = shim_clock.ns +
		      (((shim_counter() - shim_clock.begin) * shim_clock.mult) >> shim_clock.shift);
	} while (READ_ONCE(shim_clock.seq) != seq);
	return now;
}

#ifdef GAPP_FAULTS
/* Of a reading of the clock; a check counts those that come when others wait. */
void shim_clock_is_read(void);
#else
static inline void shim_clock_is_read(void)
{
}
#endif

static inline u64 ktime_get_mono_fast_ns(void)
{
	shim_clock_is_read();
	return shim_now();
}

#endif /* GAPP_BENCH_SHIM_KTIME_H */
