// SPDX-License-Identifier: GPL-2.0
/* kmod/core/slice.c: what slices collect, and when they are told. */
#include "rig.h"

#include "all_slices.h"
#include "mix.h"
#include "random.h"

static struct slicing room;

static void test_vector(void **state)
{
	struct rig rig = { 0 };

	vec_slices_run(&rig, *state, &room);
	rig_done(&rig);
}

static void test_draw(void **state)
{
	struct rig rig = { 0 };

	vec_draw_run(&rig, *state, &room);
	rig_done(&rig);
}

/* Draws are even between their bounds: a thread's own, and the first ones of neighbours. */
static void test_even(void **state)
{
	u32 own[RANDOM_BINS] = { 0 }, wait[RANDOM_BINS] = { 0 }, first[RANDOM_BINS] = { 0 };
	struct gapp_at at = { .idle = 1, .phase = GAPP_PHASE_RUNNING };
	struct gapp_slice slice, neighbour;
	struct gapp_open_slice open = { 0 };
	struct gapp_slice_end end;
	struct gapp_due rule;
	u32 i, stretches;

	(void)state;
	gapp_due_init(&rule, US(10), GAPP_CRITERION_SHARE, 0);
	gapp_slice_init(&slice, &rule, 0);
	for (i = 0; i < 64000; i++) {
		gapp_slice_begin(&open, &at);
		at.t += US(16);
		at.c += ALONE(US(16));
		gapp_slice_end(&slice, &open, &rule, &at, GAPP_SLICE_SWITCHED, false, &end);
		own[slice.due / (0x10000 / RANDOM_BINS)]++;
		gapp_slice_waited(&slice, &rule, &at);
		gapp_slice_take_wait(&slice, &rule, &stretches);
		wait[slice.wait_due / (0x10000 / RANDOM_BINS)]++;
		gapp_slice_init(&neighbour, &rule, i);
		first[neighbour.due / (0x10000 / RANDOM_BINS)]++;
	}
	assert_true(random_is_even(own, 64000));
	assert_true(random_is_even(wait, 64000));
	assert_true(random_is_even(first, 64000));
}

/**
 * struct pattern - slices of a length that comes again, on paths that do
 * @name: what it shows
 * @length: of each slice; it is alone
 * @min: min_critical_ns
 */
struct pattern {
	const char *name;
	u64 length, min;
};

/*
 * A fixed minimum of 10 us takes every fifth slice of 2 us, and so by chance each of four in turn;
 * but every fourth with one of 8 us, and every second path with slices of 1.9 us.
 */
static const struct pattern patterns[] = {
	{ "3:1 with slices of 2 us", 2000, US(10) },
	{ "3:1 with slices of 1.9 us", 1900, US(10) },
	{ "3:1 with slices of 2 us, about 8 us", 2000, US(8) },
	{ "3:1 with slices of 2 us, about 4 us", 2000, US(4) },
};

#define PATTERN_THREADS 40
#define PATTERN_SLICES 100000

/* Shares by path: a record's goes to the path on which its last slice ended. */
static void run_pattern(const struct pattern *pattern, u64 seed, u64 *shares)
{
	struct gapp_at at = { .n = 1, .n_min = 1, .phase = GAPP_PHASE_RUNNING };
	struct gapp_open_slice open = { 0 };
	struct gapp_slice_end end;
	struct gapp_slice slice;
	struct gapp_due rule;
	u32 i, path = 0;

	gapp_due_init(&rule, pattern->min, GAPP_CRITERION_SHARE, seed);
	gapp_slice_init(&slice, &rule, 0);
	for (i = 0; i < PATTERN_SLICES; i++) {
		path = i % 4 == 3;
		gapp_slice_begin(&open, &at);
		at.t += pattern->length;
		at.s += pattern->length;
		at.g += ALONE(pattern->length);
		at.c = at.g;
		gapp_slice_end(&slice, &open, &rule, &at, GAPP_SLICE_SWITCHED, false, &end);
		if (end.due)
			shares[path] += end.critical_share;
	}
	if (gapp_slice_rest(&slice, &rule, &end))
		shares[path] += end.critical_share;
}

/*
 * Two paths in the fixed order AAAB. How many of a thread's some 18000 records fall on B scatters
 * by 1.3 %, so A:B by 1.8 %: within 3 +- 8 % for each thread, and within 2 % for all of them.
 */
static void test_pattern(void **state)
{
	const struct pattern *pattern = *state;
	u64 all[2] = { 0 }, shares[2];
	double ratio;
	u32 i;

	for (i = 0; i < PATTERN_THREADS; i++) {
		memset(shares, 0, sizeof(shares));
		run_pattern(pattern, gapp_mix(i), shares);
		assert_int_equal(shares[0] + shares[1], ALONE(PATTERN_SLICES * pattern->length));
		ratio = (double)shares[0] / shares[1];
		if (ratio < 3 * 0.92 || ratio > 3 * 1.08)
			print_message("# why: A:B is %.3f for thread %u\n", ratio, i);
		assert_true(ratio > 3 * 0.92 && ratio < 3 * 1.08);
		all[0] += shares[0];
		all[1] += shares[1];
	}
	ratio = (double)all[0] / all[1];
	if (ratio < 3 * 0.98 || ratio > 3 * 1.02)
		print_message("# why: A:B is %.3f for all threads\n", ratio);
	assert_true(ratio > 3 * 0.98 && ratio < 3 * 1.02);
}

/* A slice that is carried has no record, but the thread's next one has its share and counts it. */
static void test_carry(void **state)
{
	struct gapp_at at = { .n = 1, .n_min = 1, .phase = GAPP_PHASE_RUNNING };
	struct gapp_open_slice open = { 0 };
	struct gapp_slice_end end;
	struct gapp_slice slice;
	struct gapp_due rule;

	(void)state;
	gapp_due_init(&rule, 0, GAPP_CRITERION_SHARE, 0);
	gapp_slice_init(&slice, &rule, 0);
	gapp_slice_begin(&open, &at);
	at.t = 7;
	at.c = 700;
	assert_int_equal(gapp_slice_carry(&slice, &open, &rule, &at), 700);
	gapp_slice_begin(&open, &at);
	at.t = 12;
	at.c = 1200;
	assert_int_equal(gapp_slice_carry(&slice, &open, &rule, &at), 500);
	gapp_slice_begin(&open, &at);
	at.t = 13;
	at.c = 1230;
	gapp_slice_end(&slice, &open, &rule, &at, GAPP_SLICE_SWITCHED, false, &end);
	assert_true(end.due);
	assert_int_equal(end.begin, 12);
	assert_int_equal(end.own_critical_share, 30);
	assert_int_equal(end.critical_share, 1230);
	assert_int_equal(end.slices, 3);
	assert_false(gapp_slice_rest(&slice, &rule, &end));
}

/* What ends without gapp_slice_end() ends as with it; what does not is left as it was. */
static bool ends_alike(u32 i)
{
	const u64 random = gapp_mix(i), begin = random >> 16;
	/* nothing, little, much, a step back, more than half of all that there can be */
	const u64 growths[] = { 0, ALONE(random >> 50), ALONE(US(20)), -9ULL, 1ULL << 63 | random };
	const u8 marks = GAPP_OPEN_CRITICAL | GAPP_OPEN_SAMPLED | GAPP_OPEN_HAS_SAMPLES;
	const struct gapp_at at = {
		.t = random >> 40,
		.g = begin + growths[i / 5 % RIG_COUNT(growths)],
		.c = begin + growths[i % RIG_COUNT(growths)],
		.s = random,
		.n = 1,
		.n_min = 1,
		.phase = GAPP_PHASE_RUNNING,
	};
	struct gapp_open_slice open = {
		.begin = { .t = random >> 42, .g = begin, .c = begin, .s = begin },
		.marks = i % 7 ? 0 : random & marks,
	};
	struct gapp_slice before, is, must;
	struct gapp_slice_share share;
	struct gapp_slice_end end;
	struct gapp_due rule;
	bool silent;
	u64 own;

	gapp_due_init(&rule, random >> 63 ? US(8) : 0, GAPP_CRITERION_SHARE, i);
	gapp_slice_init(&before, &rule, i);
	before.lacks -= ALONE((random >> 8) % US(14));
	before.carried = random >> 60;
	is = before;
	must = before;
	silent = gapp_slice_end_usual(&is, &open, &at, &own);
	gapp_slice_end(&must, &open, &rule, &at, GAPP_SLICE_SWITCHED, false, &end);
	if (!silent) {
		assert_memory_equal(&is, &before, sizeof(is));
		assert_true(end.due || open.marks || end.own_critical_share >> 63);
		if (!gapp_slice_take_usual(&is, &open, &rule, &at, &share)) {
			assert_memory_equal(&is, &before, sizeof(is));
			assert_true(!end.due || open.marks);
			return false;
		}
		assert_memory_equal(&is, &must, sizeof(is));
		assert_true(end.due);
		assert_int_equal(share.own, end.own_critical_share);
		assert_int_equal(share.critical, end.critical_share);
		assert_int_equal(share.slices, end.slices);
		assert_int_equal(gapp_slice_cmetric(&open, &at), end.cmetric);
		assert_int_equal(gapp_slice_thread_ns(&open, &at), end.thread_ns);
		assert_false(end.sampled);
		return false;
	}
	assert_memory_equal(&is, &must, sizeof(is));
	assert_false(end.due);
	assert_int_equal(own, end.own_critical_share);
	assert_int_equal(!!own, end.critical);
	assert_false(end.sampled);
	return true;
}

static void test_end_usual(void **state)
{
	u32 i, silent = 0;

	(void)state;
	for (i = 0; i < 200000; i++)
		silent += ends_alike(i);
	assert_in_range(silent, 20000, 180000);
}

int main(void)
{
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(vec_slices); i++)
		rig_add(&group, vec_slices[i]->name, test_vector, vec_slices[i]);
	for (i = 0; i < RIG_COUNT(vec_draws); i++)
		rig_add(&group, vec_draws[i].name, test_draw, &vec_draws[i]);
	rig_add(&group, "draws are even", test_even, NULL);
	rig_add(&group, "a slice that is carried", test_carry, NULL);
	rig_add(&group, "a slice that ends silently", test_end_usual, NULL);
	for (i = 0; i < RIG_COUNT(patterns); i++)
		rig_add(&group, patterns[i].name, test_pattern, &patterns[i]);
	return rig_run("slice", &group);
}
