/* SPDX-License-Identifier: GPL-2.0 */
/* When the sampler looks. The points were computed by another program, with numbers of any length.
 */
#ifndef GAPP_VEC_GRIDS_H
#define GAPP_VEC_GRIDS_H

#include "mix.h"
#include "same.h"

/**
 * struct vec_grid - one question
 * @name: what it shows
 * @now_ns: now
 * @period_ns: the period
 * @seed: the CPU's
 * @must: the answer
 */
struct vec_grid {
	const char *name;
	u64 now_ns;
	u32 period_ns;
	u64 seed;
	u64 must;
};

#define HZ_333 3003003
#define SEED 0xdeadbeefcafef00dULL

/* clang-format off */
static const struct vec_grid vec_grids[] = {
	{ "the first point", 0, HZ_333, 0, 2772026 },
	{ "the first point, another seed", 0, HZ_333, 1, 1626031 },
	{ "the first point, a third one", 0, HZ_333, SEED, 786478 },
	{ "just before a point", 786477, HZ_333, SEED, 786478 },
	{ "at a point", 786478, HZ_333, SEED, 3137813 },
	{ "late in a period", 3003002, HZ_333, SEED, 3137813 },
	{ "early in a period", 3003003, HZ_333, SEED, 3137813 },
	{ "the second point", 3137813, HZ_333, SEED, 7713198 },
	{ "the third point", 9009008, HZ_333, SEED, 9457696 },
	{ "35 days later", 3003003000000000ULL, HZ_333, 1, 3003003002402547ULL },
	{ "a period of one nanosecond", 41, 1, SEED, 42 },
	{ "no period", 41, 0, SEED, ~0ULL },
};

/* clang-format on */

#undef HZ_333
#undef SEED

static inline void vec_grid_run(void *rig, const struct vec_grid *vec)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "grid" };

	vec_same(&p, "point", gapp_grid_next(vec->now_ns, vec->period_ns, vec->seed), vec->must);
}

#endif /* GAPP_VEC_GRIDS_H */
