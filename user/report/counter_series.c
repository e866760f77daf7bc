// SPDX-License-Identifier: GPL-2.0
#include "counter_series.h"

#include <string.h>

static u64 stride_of(const struct counter_series *series)
{
	return series->stride ? series->stride : 1;
}

/* How many points of so many rows there may be. */
static u32 most_of(const struct counter_point *point, u32 tallies)
{
	const u64 cells = (u64)(point->count + 1) * (tallies ? tallies : 1);
	const u64 most = SERIES_CELLS / cells;

	return most > SERIES_POINTS_MAX	  ? SERIES_POINTS_MAX :
	       most < SERIES_POINTS_LEAST ? SERIES_POINTS_LEAST :
					    most;
}

/* Drops every second point. */
static void thin(struct counter_series *series)
{
	u32 kept = 0;

	series->stride = 2 * stride_of(series);
	for (u32 i = 0; i < series->count; i++) {
		struct counter_point point = series->points[i];

		if (series->numbers[i] % series->stride) {
			counter_point_free(&point);
			continue;
		}
		series->numbers[kept] = series->numbers[i];
		series->points[kept++] = point;
	}
	series->count = kept;
}

static int make_room(struct counter_series *series)
{
	if (series->points)
		return 0;
	series->points = calloc(SERIES_POINTS_MAX, sizeof(*series->points));
	series->numbers = calloc(SERIES_POINTS_MAX, sizeof(*series->numbers));
	return series->points && series->numbers ? 0 : -1;
}

int counter_series_add(struct counter_series *series, const struct counter_point *point,
		       u32 tallies)
{
	const u32 most = most_of(point, tallies);
	struct counter_point copy = { 0 };

	if (make_room(series) || counter_point_copy(&copy, point))
		return -1;
	/* the last one was kept for being the last */
	if (series->count && series->numbers[series->count - 1] % stride_of(series))
		counter_point_free(&series->points[--series->count]);
	while (series->count >= most)
		thin(series);
	series->numbers[series->count] = series->offered++;
	series->points[series->count++] = copy;
	return 0;
}

void counter_series_free(struct counter_series *series)
{
	for (u32 i = 0; i < series->count; i++)
		counter_point_free(&series->points[i]);
	free(series->points);
	free(series->numbers);
	*series = (struct counter_series){ 0 };
}

int counter_series_copy(struct counter_series *to, const struct counter_series *from)
{
	*to = (struct counter_series){ .stride = from->stride, .offered = from->offered };
	if (!from->count)
		return 0;
	if (make_room(to)) {
		counter_series_free(to);
		return -1;
	}
	for (u32 i = 0; i < from->count; i++) {
		if (counter_point_copy(&to->points[i], &from->points[i])) {
			counter_series_free(to);
			return -1;
		}
		to->numbers[i] = from->numbers[i];
		to->count++;
	}
	return 0;
}

/* What take_point() adds to. */
struct adding {
	struct counter_series *series;
	u32 tallies;
};

static int take_point(void *context, const struct counter_point *point)
{
	const struct adding *adding = context;

	return counter_series_add(adding->series, point, adding->tallies);
}

int counter_series_read(struct counter_series *series, struct blocks *blocks, u32 tallies)
{
	struct adding adding = { series, tallies };

	return counter_points_each(blocks, take_point, &adding);
}
