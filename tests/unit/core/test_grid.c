// SPDX-License-Identifier: GPL-2.0
/* kmod/core/mix.h: when the sampler takes a sample. */
#include "rig.h"

#include "grids.h"
#include "random.h"

#define HZ_333 3003003

static const u32 periods[] = { 1, 2, 3, 1000, 50000, HZ_333, 0xffffffff };

static void test_grid(void **state)
{
	struct rig rig = { 0 };

	vec_grid_run(&rig, *state);
	rig_done(&rig);
}

/* One point in each period, and whoever asks at any time before it gets it. */
static void test_one_a_period(void **state)
{
	u64 random = 1, period, point, last, now, seed;
	size_t i;
	u32 k;

	(void)state;
	for (i = 0; i < RIG_COUNT(periods); i++) {
		seed = random_next(&random);
		now = random_below(&random, 1ULL << 50) / periods[i] * periods[i];
		period = now / periods[i];
		last = gapp_grid_next(now ? now - 1 : 0, periods[i], seed);
		if (last / periods[i] != period)
			last = gapp_grid_next(last, periods[i], seed);
		for (k = 0; k < 2000; k++) {
			point = gapp_grid_next(last, periods[i], seed);
			assert_true(point > last);
			assert_int_equal(point / periods[i], ++period);
			now = last + random_below(&random, point - last);
			assert_int_equal(gapp_grid_next(now, periods[i], seed), point);
			last = point;
		}
	}
}

/* Between two points the count stays, and each point adds one. */
static void test_passed(void **state)
{
	u64 random = 7, point, next, now, seed, passed;
	size_t i;
	u32 k;

	(void)state;
	for (i = 0; i < RIG_COUNT(periods); i++) {
		seed = random_next(&random);
		point = gapp_grid_next(random_below(&random, 1ULL << 50), periods[i], seed);
		passed = gapp_grid_passed(point, periods[i], seed);
		for (k = 0; k < 2000; k++) {
			next = gapp_grid_next(point, periods[i], seed);
			now = point + random_below(&random, next - point);
			assert_int_equal(gapp_grid_passed(now, periods[i], seed), passed);
			assert_int_equal(gapp_grid_passed(next - 1, periods[i], seed), passed);
			assert_int_equal(gapp_grid_passed(next, periods[i], seed), ++passed);
			point = next;
		}
	}
}

/* Every part of a period is hit as often as any other. */
static void test_even(void **state)
{
	u32 bins[RANDOM_BINS] = { 0 };
	u64 point = 0, i;

	(void)state;
	for (i = 0; i < 64000; i++) {
		point = gapp_grid_next(point, HZ_333, 42);
		bins[point % HZ_333 * RANDOM_BINS / HZ_333]++;
	}
	assert_true(random_is_even(bins, 64000));
}

/* Nor does it follow from one CPU's offset where its neighbour's is, or its own next one. */
static void test_independent(void **state)
{
	u32 by_cpu[RANDOM_BINS] = { 0 }, by_period[RANDOM_BINS] = { 0 };
	u64 one, other, next, now;
	u64 i;

	(void)state;
	for (i = 0; i < 64000; i++) {
		now = i * 2 * HZ_333;
		one = gapp_grid_next(now, HZ_333, 6) % HZ_333;
		other = gapp_grid_next(now, HZ_333, 7) % HZ_333;
		next = gapp_grid_next(now + HZ_333, HZ_333, 6) % HZ_333;
		by_cpu[(one + HZ_333 - other) % HZ_333 * RANDOM_BINS / HZ_333]++;
		by_period[(one + HZ_333 - next) % HZ_333 * RANDOM_BINS / HZ_333]++;
	}
	assert_true(random_is_even(by_cpu, 64000));
	assert_true(random_is_even(by_period, 64000));
}

/*
 * A burst of a hundredth of the period that begins with each period is hit in a hundredth of all
 * periods; armed from its begin, a timer would never hit it.
 */
static void test_short_bursts(void **state)
{
	u32 hits = 0, bursts = 100000;
	u64 i, begin;

	(void)state;
	for (i = 1; i <= bursts; i++) {
		begin = i * HZ_333;
		hits += gapp_grid_next(begin, HZ_333, 3) < begin + HZ_333 / 100;
	}
	assert_in_range(hits, 850, 1150);
}

int main(void)
{
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(vec_grids); i++)
		rig_add(&group, vec_grids[i].name, test_grid, &vec_grids[i]);
	rig_add(&group, "one point in a period", test_one_a_period, NULL);
	rig_add(&group, "points that have passed", test_passed, NULL);
	rig_add(&group, "every instant is hit alike", test_even, NULL);
	rig_add(&group, "offsets do not follow from others", test_independent, NULL);
	rig_add(&group, "short bursts are hit", test_short_bursts, NULL);
	return rig_run("grid", &group);
}
