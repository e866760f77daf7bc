/* SPDX-License-Identifier: GPL-2.0 */
/* Hashes with a secret seed, and random numbers that need no cryptographic strength. */
#ifndef GAPP_CORE_MIX_H
#define GAPP_CORE_MIX_H

#include "port.h"

/* Mixes 64 bits: every bit of the result depends on every bit of @x. */
static inline u64 gapp_mix(u64 x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	return x;
}

/* Adds @word to the hash @h. */
static inline u64 gapp_hash_add(u64 h, u64 word)
{
	return gapp_mix(h ^ word) + 0x9e3779b97f4a7c15ULL;
}

/* A number below @range from 64 random bits. */
static inline u64 gapp_scale(u64 random, u32 range)
{
	return ((random >> 32) * range) >> 32;
}

/* The sampler's point in period number @period, in nanoseconds. */
static inline u64 gapp_grid_point(u64 period, u32 period_ns, u64 seed)
{
	u64 random = gapp_hash_add(gapp_hash_add(0, seed), period);

	return period * period_ns + gapp_scale(random, period_ns);
}

/**
 * gapp_grid_passed() - how many points the sampler's grid had until now
 * @now_ns: CLOCK_MONOTONIC, in nanoseconds
 * @period_ns: length of a period in nanoseconds, not 0
 * @seed: seed of this CPU
 *
 * Return: the number of points at or before @now_ns. Grids of two seeds differ by one at most.
 */
static inline u64 gapp_grid_passed(u64 now_ns, u32 period_ns, u64 seed)
{
	const u64 period = div_u64(now_ns, period_ns);

	return period + (gapp_grid_point(period, period_ns, seed) <= now_ns);
}

/**
 * gapp_grid_next() - when the sampler takes its next sample
 * @now_ns: CLOCK_MONOTONIC, in nanoseconds
 * @period_ns: length of a period in nanoseconds; 0: the sampler is off
 * @seed: seed of this CPU
 *
 * Each period has one point at an offset that the hash of period and seed gives. So every instant
 * is as likely to be sampled as any other, however short the bursts of a program are and whenever
 * they begin.
 *
 * Return: the first point after @now_ns, in nanoseconds.
 */
static inline u64 gapp_grid_next(u64 now_ns, u32 period_ns, u64 seed)
{
	u64 period, point;

	if (!period_ns)
		return ~0ULL;
	period = div_u64(now_ns, period_ns);
	point = gapp_grid_point(period, period_ns, seed);
	return point > now_ns ? point : gapp_grid_point(period + 1, period_ns, seed);
}

#endif /* GAPP_CORE_MIX_H */
