/* SPDX-License-Identifier: GPL-2.0 */
/* Mixing of 64-bit numbers: for hashes with a secret seed, and for draws that nobody bets on. */
#ifndef GAPP_CORE_MIX_H
#define GAPP_CORE_MIX_H

#include "port.h"

/* Every bit of the result depends on every bit of @x. */
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

/* A number below @range; @random is uniform over 64 bits. */
static inline u64 gapp_scale(u64 random, u32 range)
{
	return ((random >> 32) * range) >> 32;
}

#endif /* GAPP_CORE_MIX_H */
