/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For some time a recording has words watched, and learns which instructions end waits for them. If
 * there are few of those, it then has the module tell of all that they store, into whichever words,
 * and nothing is watched meanwhile.
 */
#ifndef GAPP_READ_STORE_POINTS_H
#define GAPP_READ_STORE_POINTS_H

#include "input/device.h"
#include "input/maps.h"
#include "profile/store_sites.h"

/**
 * struct store_points - what is told
 * @on: the session can be told of stores
 * @told: of how many instructions stores are told now
 * @checked: number of the instruction that was asked for last, whether it is still told
 * @until_ns: when that ends, or may begin next, CLOCK_MONOTONIC
 */
struct store_points {
	bool on;
	u32 told;
	u32 checked;
	u64 until_ns;
};

/* After device_configure(): whether anything can be told. */
void store_points_begin(struct store_points *points, const struct device *dev);

/*
 * Between two drains: looks at an instruction, has stores told, or not any more. A word is watched
 * until @watched_until_ns. Returns whether stores are told, so that nothing can be watched.
 */
bool store_points_next(struct store_points *points, struct store_sites *sites, struct device *dev,
		       struct maps *maps, u64 watched_until_ns);

#endif /* GAPP_READ_STORE_POINTS_H */
