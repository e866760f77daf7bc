/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers of the tests: the same ones for the same seed. */
#ifndef GAPP_UNIT_RANDOM_H
#define GAPP_UNIT_RANDOM_H

#include <stdlib.h>

#include "port.h"

/* splitmix64 */
static inline u64 random_next(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static inline u64 random_below(u64 *state, u64 limit)
{
	return random_next(state) % limit;
}

#define RANDOM_BINS 64

/* Chi-square with 63 degrees of freedom: beyond these limits once in a million tests. */
static inline bool random_is_even(const u32 *bins, u32 hits)
{
	double expected = (double)hits / RANDOM_BINS, chi_square = 0;
	u32 i;

	for (i = 0; i < RANDOM_BINS; i++)
		chi_square += (bins[i] - expected) * (bins[i] - expected) / expected;
	return chi_square > 20 && chi_square < 130;
}

/* PROPERTY_RUNS and PROPERTY_SEED, as test_property has them. */
static inline u64 from_environment(const char *name, u64 otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

#endif /* GAPP_UNIT_RANDOM_H */
