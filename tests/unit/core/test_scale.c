// SPDX-License-Identifier: GPL-2.0
/* kmod/core/scale.h: a counter's scale stays at a clock whose rate is adjusted. */
#include "rig.h"

#include "random.h"
#include "scale.h"

#define SECOND 1000000000ULL

/* A clock that a counter of @khz drives, @ppm faster than the counter's nominal rate. */
struct machine {
	u32 khz;
	s64 ppm;
	u64 ticks;
	double ns;
};

static struct gapp_comparison run(struct machine *machine, u64 ns)
{
	u64 ticks = (double)ns / 1e6 * machine->khz;

	machine->ticks += ticks;
	machine->ns += ticks * 1e6 / machine->khz * (1 + machine->ppm / 1e6);
	return (struct gapp_comparison){ machine->ticks, machine->ns };
}

static const u32 rates[] = { 1000, 999999, 1000000, 2445382, 3000000, 5999999 };

/* Comparisons after 10 ms, 100 ms, and each second; the rate changes now and then. */
static void test_stays(void **state)
{
	static const s64 ppm[] = { 0, 50, -50, 500, -500 };
	struct gapp_scale scale, next;
	struct gapp_comparison last, now;
	s64 error;

	(void)state;
	for (size_t i = 0; i < RIG_COUNT(rates); i++) {
		struct machine machine = { rates[i], 100, 123456789, 42e9 };

		last = run(&machine, 0);
		gapp_scale_init(&scale, &last, rates[i]);
		assert_int_equal(gapp_scale_error(&scale, &last), 0);
		for (u32 round = 0; round < 200; round++) {
			if (round % 20 == 19)
				machine.ppm = ppm[round / 20 % 5];
			now = run(&machine, round == 0 ? SECOND / 100 :
					    round == 1 ? SECOND / 10 :
							 SECOND);
			error = gapp_scale_error(&scale, &now);
			/* a change of the rate is known at the end of its second only */
			assert_true(llabs(error) <=
				    ((round + 1) % 20 <= 1 && round ? 1100000 : 2000));
			gapp_scale_next(&next, &scale, &last, &now,
					(round ? 1000ULL : 100) * rates[i]);
			/* no leap: both have the same time where the one follows the other */
			assert_int_equal(gapp_scale_ns(&next, now.ticks),
					 gapp_scale_ns(&scale, now.ticks));
			scale = next;
			last = now;
		}
	}
}

/* Time never runs backwards, nor much too fast, however wrong the comparisons are. */
static void test_bounded(void **state)
{
	u64 random = 7, ticks, ns, before;
	struct gapp_scale scale, next;
	struct gapp_comparison last, now;

	(void)state;
	for (u32 i = 0; i < 20000; i++) {
		last = (struct gapp_comparison){ random_below(&random, 1ULL << 60),
						 random_below(&random, 1ULL << 60) };
		gapp_scale_init(&scale, &last, rates[i % 6]);
		now.ticks = last.ticks + random_below(&random, 1ULL << (1 + i % 40));
		now.ns = last.ns + random_below(&random, 1ULL << (1 + i / 7 % 40));
		gapp_scale_next(&next, &scale, &last, &now, random_below(&random, 1ULL << 40));
		assert_true(next.mult > scale.mult / 8 * 6 && next.mult < scale.mult / 8 * 10);
		ns = gapp_scale_ns(&next, next.ticks);
		assert_int_equal(ns, next.ns);
		for (u32 k = 0; k < 4; k++) {
			ticks = next.ticks + random_below(&random, 1ULL << 32);
			before = gapp_scale_ns(&next, ticks - 1);
			assert_true(gapp_scale_ns(&next, ticks) >= before);
		}
	}
}

/* A reading from before the scale's begin, which another CPU took while the scale changed. */
static void test_before(void **state)
{
	const struct gapp_comparison now = { 1000000, 5000000 };
	struct gapp_scale scale;

	(void)state;
	gapp_scale_init(&scale, &now, 2000000);
	assert_int_equal(gapp_scale_ns(&scale, 1000000), 5000000);
	assert_int_equal(gapp_scale_ns(&scale, 999000), 4999500);
	assert_int_equal(gapp_scale_ns(&scale, 1000000 + 20000000000ULL), 5000000 + 10 * SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stays),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
