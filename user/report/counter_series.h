/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Points of counters in bounded memory: when there are too many, every second one goes. Sums up to
 * a point stay what they were, so what is left adds up to the same.
 */
#ifndef GAPP_READ_COUNTER_SERIES_H
#define GAPP_READ_COUNTER_SERIES_H

#include "counter_points.h"

/* Points at most, and at least where many nodes leave room for few. */
#define SERIES_POINTS_MAX 512U
#define SERIES_POINTS_LEAST 16U
/* Rows of all points times tallies, about, so that what is written of them stays small. */
#define SERIES_CELLS 16384U

/**
 * struct counter_series - points; all zero: none
 * @points: in the order of time; the last one is always the latest
 * @numbers: of each, how many came before it
 * @count: elements of @points
 * @stride: every so manieth point is kept; 0: every one
 * @offered: points so far
 */
struct counter_series {
	struct counter_point *points;
	u64 *numbers;
	u32 count;
	u64 stride;
	u64 offered;
};

/* Adds a copy of a point, later than those before. Returns 0, or -1 without memory. */
int counter_series_add(struct counter_series *series, const struct counter_point *point,
		       u32 tallies);
void counter_series_free(struct counter_series *series);
/* Returns 0, or -1 without memory; then @to is empty. */
int counter_series_copy(struct counter_series *to, const struct counter_series *from);

/* Reads the points of a recording's file. Returns 0, or -1 without memory. */
int counter_series_read(struct counter_series *series, struct blocks *blocks, u32 tallies);

#endif /* GAPP_READ_COUNTER_SERIES_H */
