// SPDX-License-Identifier: GPL-2.0
/* Records that are looked at before they are taken. */
#include "fake_rings.h"

/**
 * struct sink - records as they were given
 * @times: of the records
 * @count: how many
 */
struct sink {
	u64 times[64];
	size_t count;
};

static void note(void *context, const struct gapp_record *record)
{
	struct sink *sink = context;

	assert_true(sink->count < ARRAY_SIZE(sink->times));
	sink->times[sink->count++] = record->time_ns;
}

static int take(void *context, const struct gapp_record *record)
{
	note(context, record);
	return 0;
}

static struct rings *open_fake(struct fake_rings *fake)
{
	struct rings *rings;

	fake_rings_make(fake);
	rings = rings_new(fake->fd, &fake->layout);
	assert_non_null(rings);
	return rings;
}

static void put_wake(struct fake_rings *fake, u32 cpu, u64 time_ns)
{
	fake_put(fake, cpu, GAPP_RECORD_WAKE, sizeof(struct gapp_record_wake), time_ns);
}

static void put_needmap(struct fake_rings *fake, u32 cpu, u64 time_ns)
{
	fake_put(fake, cpu, GAPP_RECORD_NEED_MAPPING, sizeof(struct gapp_record_need_mapping),
		 time_ns);
}

static void scan(struct rings *rings, struct sink *sink)
{
	rings_scan(rings, GAPP_RECORD_NEED_MAPPING, note, sink);
}

static void scans_what_is_too_young_once(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink seen = { 0 }, sink = { 0 };

	(void)state;
	put_wake(&fake, 0, 10);
	put_needmap(&fake, 0, 20);
	put_needmap(&fake, 2, 15);
	scan(rings, &seen);
	assert_int_equal(seen.count, 2);
	assert_true(seen.times[0] == 20 && seen.times[1] == 15);
	assert_int_equal(*fake_tail(&fake, 0), 0);
	scan(rings, &seen);
	assert_int_equal(seen.count, 2);
	put_needmap(&fake, 0, 30);
	scan(rings, &seen);
	assert_int_equal(seen.count, 3);

	/* all of it is still there */
	assert_int_equal(rings_drain(rings, UINT64_MAX, take, &sink), 4);
	for (size_t i = 1; i < 4; i++)
		assert_true(sink.times[i - 1] < sink.times[i]);
	scan(rings, &seen);
	assert_int_equal(seen.count, 3);
	/* what was drained unseen is not given any more */
	put_needmap(&fake, 1, 40);
	assert_int_equal(rings_drain(rings, UINT64_MAX, take, &sink), 1);
	put_needmap(&fake, 1, 50);
	scan(rings, &seen);
	assert_int_equal(seen.count, 4);
	assert_true(seen.times[3] == 50);
	rings_free(rings);
}

static void scans_rings_that_wrap(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink seen = { 0 };
	size_t count = 0;

	(void)state;
	for (u64 time = 0; time < 5 * FAKE_RING; time += 1000) {
		struct sink sink = { 0 };

		fake_put(&fake, 1, GAPP_RECORD_WAKE, 1000, time);
		put_needmap(&fake, 1, time);
		count++;
		seen.count = 0;
		scan(rings, &seen);
		assert_int_equal(seen.count, 1);
		assert_true(seen.times[0] == time);
		if (time % 7000 == 0)
			assert_true(rings_drain(rings, UINT64_MAX, take, &sink) > 0);
	}
	assert_true(count > 50);
	rings_free(rings);
}

static void scans_nothing_without_sense(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct gapp_record *record;
	struct sink seen = { 0 };

	(void)state;
	put_needmap(&fake, 0, 1);
	record = fake_put(&fake, 0, GAPP_RECORD_NEED_MAPPING, 32, 2);
	record->size = 24;
	put_needmap(&fake, 0, 3);
	scan(rings, &seen);
	assert_int_equal(seen.count, 1);
	scan(rings, &seen);
	assert_int_equal(seen.count, 1);
	fake.ring[1]->write_position = FAKE_RING + 8;
	fake.ring[2]->write_position = 12;
	scan(rings, &seen);
	assert_int_equal(seen.count, 1);
	/* a head that goes back */
	fake.ring[0]->write_position = 8;
	scan(rings, &seen);
	assert_int_equal(seen.count, 1);
	rings_free(rings);
}

/* Even before one that is too young, and what is behind it is not kept. */
static void passes_what_nobody_wants(void **state)
{
	u64 wake = sizeof(struct gapp_record_wake), wait = sizeof(struct gapp_record_wait);
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink sink = { 0 };

	(void)state;
	rings_skip(rings, GAPP_RECORD_WAKE);
	put_wake(&fake, 0, 10);
	fake_put(&fake, 0, GAPP_RECORD_WAIT, wait, 20);
	put_wake(&fake, 0, 30);
	put_needmap(&fake, 0, 40);
	put_wake(&fake, 1, 10);
	put_wake(&fake, 1, 90);
	assert_int_equal(rings_drain(rings, 25, take, &sink), 1);
	assert_true(sink.times[0] == 20);
	assert_int_equal(*fake_tail(&fake, 0), wake + wait + wake);
	assert_int_equal(*fake_tail(&fake, 1), 2 * wake);
	assert_int_equal(rings_drain(rings, UINT64_MAX, take, &sink), 1);
	assert_true(sink.times[1] == 40);
	rings_free(rings);
}

static u32 chance(u32 *state, u32 below)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 16) % below;
}

/* Puts any record; returns whether it is to be given where no wake-up is. */
static bool put_any(struct fake_rings *fake, u32 *state, u64 time_ns)
{
	const u32 cpu = chance(state, FAKE_CPUS), kind = chance(state, 12);
	const u32 samples = kind < 10 ? 0 : 1 + chance(state, 2);
	struct gapp_record_slice *slice;

	if (kind < 4) {
		put_wake(fake, cpu, time_ns);
	} else if (kind == 4) {
		fake_put(fake, cpu, 99, 200, time_ns);
	} else if (kind == 5) {
		fake_put(fake, cpu, GAPP_RECORD_WAIT, sizeof(struct gapp_record_wait), time_ns);
	} else {
		slice = fake_put(fake, cpu, GAPP_RECORD_SLICE,
				 sizeof(*slice) + samples * sizeof(struct gapp_sample), time_ns);
		slice->sample_count = samples;
	}
	return kind > 4;
}

static void gives_slices_between_wakes_that_nobody_wants(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	u64 time_ns = 0, expected[30];
	u32 seed = 7;

	(void)state;
	rings_skip(rings, GAPP_RECORD_WAKE);
	for (int round = 0; round < 2000; round++) {
		const u32 puts = chance(&seed, ARRAY_SIZE(expected));
		const u64 middle = time_ns + chance(&seed, 40);
		struct sink sink = { 0 };
		size_t count = 0;

		for (u32 i = 0; i < puts; i++) {
			time_ns += 1 + chance(&seed, 2);
			expected[count] = time_ns;
			count += put_any(&fake, &seed, time_ns);
		}
		assert_true(rings_drain(rings, middle, take, &sink) >= 0);
		for (size_t i = 0; i < sink.count; i++)
			assert_true(sink.times[i] < middle);
		assert_true(sink.count == count || expected[sink.count] >= middle);
		assert_true(rings_drain(rings, UINT64_MAX, take, &sink) >= 0);
		assert_int_equal(sink.count, count);
		assert_memory_equal(sink.times, expected, count * sizeof(expected[0]));
		for (u32 cpu = 0; cpu < FAKE_CPUS; cpu++)
			assert_int_equal(*fake_tail(&fake, cpu), fake.ring[cpu]->write_position);
	}
	assert_true(fake.ring[0]->write_position > 20 * FAKE_RING);
	rings_free(rings);
}

static int refuse_third(void *context, const struct gapp_record *record)
{
	take(context, record);
	return ((struct sink *)context)->count == 3 ? -1 : 0;
}

static struct gapp_record_slice *put_slice(struct fake_rings *fake, u64 time_ns)
{
	return fake_put(fake, 0, GAPP_RECORD_SLICE, sizeof(struct gapp_record_slice), time_ns);
}

static void ends_at_a_slice_that_makes_no_sense(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink sink = { 0 };

	(void)state;
	for (u64 time = 1; time <= 5; time++)
		put_slice(&fake, time);
	assert_int_equal(rings_drain(rings, UINT64_MAX, refuse_third, &sink), RINGS_ENDED);
	assert_int_equal(sink.count, 3);
	/* a sample that is not there */
	put_slice(&fake, 6)->sample_count = 1;
	put_slice(&fake, 7);
	sink.count = 0;
	assert_int_equal(rings_drain(rings, UINT64_MAX, take, &sink), -1);
	assert_int_equal(sink.count, 2);
	rings_free(rings);
}

static void gives_no_slice_that_nobody_wants(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink sink = { 0 };

	(void)state;
	rings_skip(rings, GAPP_RECORD_SLICE);
	put_wake(&fake, 0, 1);
	put_slice(&fake, 2);
	put_slice(&fake, 3);
	put_wake(&fake, 0, 4);
	assert_int_equal(rings_drain(rings, UINT64_MAX, take, &sink), 2);
	assert_true(sink.times[0] == 1 && sink.times[1] == 4);
	rings_free(rings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scans_what_is_too_young_once),
		cmocka_unit_test(scans_rings_that_wrap),
		cmocka_unit_test(scans_nothing_without_sense),
		cmocka_unit_test(passes_what_nobody_wants),
		cmocka_unit_test(gives_slices_between_wakes_that_nobody_wants),
		cmocka_unit_test(ends_at_a_slice_that_makes_no_sense),
		cmocka_unit_test(gives_no_slice_that_nobody_wants),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("rings_scan", tests, NULL, NULL);
}
