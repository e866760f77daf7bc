// SPDX-License-Identifier: GPL-2.0
/*
 * Tallies against a counter of the test's own, which is off now and then and wraps, as one of a
 * processor does.
 */
#include "rig.h"

#include "random.h"
#include "tallies.h"

#define RUNS 20000
#define STEPS 50

/* What counts: it grows all the time, and can be read only while it is on. */
struct mock {
	u64 values[GAPP_TALLIES];
	u32 on;
};

static void mock_read(const struct mock *mock, struct gapp_tally_reading *reading)
{
	reading->counted = mock->on;
	for (u32 i = 0; i < GAPP_TALLIES; i++)
		reading->values[i] = mock->on & 1U << i ? mock->values[i] : 0xdead;
}

static void test_difference(void **state)
{
	struct gapp_tally_reading since = { .counted = 3, .values = { 10, UINT64_MAX - 1 } };
	struct gapp_tally_reading now = { .counted = 3, .values = { 17, 3 } };
	struct gapp_tally_sums sums = { 0 };

	(void)state;
	gapp_tallies_add(&sums, &since, &now, 2);
	assert_int_equal(sums.counts[0], 7);
	assert_int_equal(sums.counts[1], 5); /* it wrapped */
	assert_int_equal(sums.uncounted, 0);
}

static void test_missing(void **state)
{
	struct gapp_tally_reading on = { .counted = 7, .values = { 1, 2, 3 } };
	struct gapp_tally_reading off = { .counted = 5, .values = { 4, 99, 6 } };
	struct gapp_tally_sums sums = { 0 };

	(void)state;
	gapp_tallies_add(&sums, &on, &off, 3);
	assert_int_equal(sums.uncounted, 2);
	gapp_tallies_add(&sums, &off, &on, 3);
	assert_int_equal(sums.uncounted, 2);
	assert_int_equal(sums.counts[0], 0); /* 3 forth and 3 back */
	assert_int_equal(sums.counts[1], 0);
	gapp_tallies_miss(&sums, 4);
	assert_int_equal(sums.uncounted, 6);
}

/* Tallies that a session has not are never touched, nor said to be missing. */
static void test_count(void **state)
{
	struct gapp_tally_reading since = { .counted = 0, .values = { 1, 1, 1 } };
	struct gapp_tally_reading now = { .counted = UINT32_MAX, .values = { 2, 2, 2 } };
	struct gapp_tally_sums sums = { 0 };

	(void)state;
	gapp_tallies_add(&sums, &since, &now, 1);
	assert_int_equal(sums.uncounted, 1);
	gapp_tallies_add(&sums, &now, &now, GAPP_TALLIES);
	assert_int_equal(sums.uncounted, 1);
	since.counted = 0;
	gapp_tallies_add(&sums, &since, &now, GAPP_TALLIES);
	assert_int_equal(sums.uncounted, (1U << GAPP_TALLIES) - 1);
	for (u32 i = 0; i < GAPP_TALLIES; i++)
		assert_int_equal(sums.counts[i], 0);
}

/* At random: each sum is what was counted between readings that both had it on. */
static void test_random(void **state)
{
	(void)state;
	for (u32 run = 0; run < RUNS; run++) {
		u64 seed = run + 1;
		const u32 count = 1 + random_next(&seed) % GAPP_TALLIES;
		struct mock mock = { .on = random_next(&seed) };
		struct gapp_tally_reading since, now;
		struct gapp_tally_sums sums = { 0 };
		u64 wanted[GAPP_TALLIES] = { 0 };
		u32 missing = 0;

		for (u32 i = 0; i < GAPP_TALLIES; i++)
			mock.values[i] = random_next(&seed);
		mock_read(&mock, &since);
		for (u32 step = 0; step < STEPS; step++) {
			const u32 was_on = mock.on;

			if (random_next(&seed) % 4 == 0)
				mock.on = random_next(&seed);
			for (u32 i = 0; i < GAPP_TALLIES; i++) {
				const u64 more = random_next(&seed) >> (random_next(&seed) % 64);

				mock.values[i] += more;
				if (was_on & mock.on & 1U << i)
					wanted[i] += more;
				else if (i < count)
					missing |= 1U << i;
			}
			mock_read(&mock, &now);
			gapp_tallies_add(&sums, &since, &now, count);
			since = now;
		}
		for (u32 i = 0; i < GAPP_TALLIES; i++)
			assert_int_equal(sums.counts[i], i < count ? wanted[i] : 0);
		assert_int_equal(sums.uncounted, missing);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_difference),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
