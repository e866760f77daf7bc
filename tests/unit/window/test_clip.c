// SPDX-License-Identifier: GPL-2.0
/* Records that are partly in a window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "input/rings.h"
#include "window/clip.h"

#define SAMPLES 3
#define DESCRIPTOR 77

/* A slice from 1000 to 2000 ns with a share of 1000, 900 of it up to its three samples. */
struct sampled {
	struct gapp_record_slice slice;
	struct gapp_sample samples[SAMPLES];
	s32 in[SAMPLES + 1];
	struct gapp_wait_file file;
};

static struct sampled made(void)
{
	struct sampled made = {
		.slice = {
			.head = { .type = GAPP_RECORD_SLICE,
				  .size = sizeof(made),
				  .time_ns = 2000 },
			.begin_ns = 1000,
			.critical_share = 1050,
			.own_critical_share = 1000,
			.cmetric = 1000,
			.thread_ns = 2000,
			.slices = 4,
			.then = GAPP_THEN_WAIT,
			.flags = GAPP_SLICE_FILE,
			.sample_count = SAMPLES,
		},
		.samples = { { .path = 1, .critical_share = 300 },
			     { .path = 2, .critical_share = 300 },
			     { .path = 3, .critical_share = 300 } },
		.in = { 11, 12, 13 },
		.file = { .inode = DESCRIPTOR },
	};

	return made;
}

static bool clipped(struct sampled *made, u64 begin_ns, u64 end_ns)
{
	const struct window_span span = { begin_ns, end_ns };

	return clip_record(&made->slice.head, &span);
}

static void whole_slices_stay_as_they_are(void **state)
{
	const struct sampled before = made();
	struct sampled one = made();

	(void)state;
	assert_true(clipped(&one, 1000, 2000));
	assert_memory_equal(&one, &before, sizeof(one));
	assert_true(clipped(&one, 0, UINT64_MAX));
	assert_memory_equal(&one, &before, sizeof(one));
}

static void slices_of_other_times_go(void **state)
{
	struct sampled one = made();

	(void)state;
	assert_false(clipped(&one, 2001, 3000));
	assert_false(clipped(&one, 0, 999));
}

static void what_was_before_is_cut(void **state)
{
	struct sampled one = made();
	struct gapp_record_slice *slice = &one.slice;

	(void)state;
	assert_true(clipped(&one, 1400, 3000));
	assert_int_equal(slice->begin_ns, 1400);
	assert_int_equal(slice->head.time_ns, 2000);
	assert_int_equal(slice->own_critical_share, 600);
	/* what earlier slices have stays */
	assert_int_equal(slice->critical_share, 650);
	assert_int_equal(slice->cmetric, 600);
	assert_int_equal(slice->thread_ns, 1200);
	assert_int_equal(slice->slices, 4);
	assert_int_equal(slice->then, GAPP_THEN_WAIT);
	assert_int_equal(slice->sample_count, 2);
	assert_int_equal(one.samples[0].path, 2);
	assert_int_equal(one.samples[0].critical_share, 200);
	assert_int_equal(one.samples[1].critical_share, 300);
	assert_int_equal(record_samples_in(slice)[0], 12);
	assert_int_equal(record_samples_in(slice)[1], 13);
	assert_int_equal(slice_wait_file(slice)->inode, DESCRIPTOR);
	assert_true(record_is_whole(&slice->head, sizeof(one)));
}

static void what_comes_after_is_cut(void **state)
{
	struct sampled one = made();
	struct gapp_record_slice *slice = &one.slice;

	(void)state;
	assert_true(clipped(&one, 0, 1500));
	assert_int_equal(slice->begin_ns, 1000);
	assert_int_equal(slice->head.time_ns, 1500);
	assert_int_equal(slice->own_critical_share, 500);
	assert_int_equal(slice->critical_share, 550);
	assert_int_equal(slice->sample_count, 2);
	assert_int_equal(one.samples[0].critical_share, 300);
	assert_int_equal(one.samples[1].critical_share, 200);
	assert_int_equal(record_samples_in(slice)[1], 12);
	/* how it ended is not known yet, at that time */
	assert_int_equal(slice->then, GAPP_THEN_ON);
	assert_int_equal(slice->slices, 3);
	assert_null(slice_wait_file(slice));
	assert_true(record_is_whole(&slice->head, sizeof(one)));
}

/* What was counted in all of a slice is not known of its parts. */
static void what_was_counted_goes_with_a_cut(void **state)
{
	struct {
		struct sampled sampled;
		struct gapp_slice_tallies tallies;
		u64 counts[2];
	} one = { .sampled = made(), .tallies = { .count = 2 }, .counts = { 5, 6 } };
	struct gapp_record_slice *slice = &one.sampled.slice;

	(void)state;
	slice->flags |= GAPP_SLICE_TALLIES;
	slice->head.size = sizeof(one);
	assert_true(clipped(&one.sampled, 1000, 2000));
	assert_int_equal(((const u64 *)(slice_tallies(slice) + 1))[1], 6);
	assert_true(clipped(&one.sampled, 1500, 2000));
	assert_false(slice->flags & GAPP_SLICE_TALLIES);
	assert_int_equal(slice->head.size, sizeof(*slice) + slice_tallies_at(slice));
	assert_int_equal(slice_wait_file(slice)->inode, DESCRIPTOR);
}

/* Shares of the pieces of a slice are the share of the slice, wherever it is cut. */
static void pieces_are_the_whole(void **state)
{
	(void)state;
	for (u64 at = 1000; at <= 2000; at += 37) {
		struct sampled before = made(), after = made();
		u64 share = 0;

		assert_true(clipped(&before, 0, at));
		assert_true(clipped(&after, at, UINT64_MAX));
		for (u32 i = 0; i < before.slice.sample_count; i++)
			share += before.samples[i].critical_share;
		assert_true(share <= before.slice.own_critical_share);
		assert_int_equal(before.slice.own_critical_share + after.slice.own_critical_share,
				 1000);
		assert_int_equal(before.slice.slices + after.slice.slices, at < 2000 ? 7 : 8);
	}
}

/* Nothing is known of the times of the slices that it stands for. */
static void the_rest_of_a_thread_counts_whole(void **state)
{
	struct sampled one = made();

	(void)state;
	one.slice.flags = GAPP_SLICE_REST;
	assert_true(clipped(&one, 1500, 2500));
	assert_int_equal(one.slice.critical_share, 1050);
	assert_false(clipped(&one, 1500, 1900));
}

static bool clipped_wait(struct gapp_record_wait *wait, u64 begin_ns, u64 end_ns)
{
	const struct window_span span = { begin_ns, end_ns };

	*wait = (struct gapp_record_wait){
		.head = { .type = GAPP_RECORD_WAIT, .size = sizeof(*wait), .time_ns = 2000 },
		.begin_ns = 1000,
		.wait_ns = 1300,
		.stretches = 2,
	};
	return clip_record(&wait->head, &span);
}

static void of_waits_the_last_stretch_is_cut(void **state)
{
	struct gapp_record_wait wait;

	(void)state;
	assert_true(clipped_wait(&wait, 0, 3000));
	assert_int_equal(wait.wait_ns, 1300);
	assert_true(clipped_wait(&wait, 1600, 3000));
	assert_int_equal(wait.wait_ns, 700);
	assert_true(clipped_wait(&wait, 0, 1900));
	assert_int_equal(wait.wait_ns, 1200);
	assert_false(clipped_wait(&wait, 2100, 3000));
	assert_false(clipped_wait(&wait, 0, 900));
}

static void other_records_are_in_or_out(void **state)
{
	struct gapp_record_wake wake = {
		.head = { .type = GAPP_RECORD_WAKE, .size = sizeof(wake), .time_ns = 1500 },
	};

	(void)state;
	assert_true(clip_record(&wake.head, &(struct window_span){ 1500, 1500 }));
	assert_false(clip_record(&wake.head, &(struct window_span){ 1501, 2000 }));
	assert_false(clip_record(&wake.head, &(struct window_span){ 1000, 1499 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_slices_stay_as_they_are),
		cmocka_unit_test(slices_of_other_times_go),
		cmocka_unit_test(what_was_before_is_cut),
		cmocka_unit_test(what_comes_after_is_cut),
		cmocka_unit_test(what_was_counted_goes_with_a_cut),
		cmocka_unit_test(pieces_are_the_whole),
		cmocka_unit_test(the_rest_of_a_thread_counts_whole),
		cmocka_unit_test(of_waits_the_last_stretch_is_cut),
		cmocka_unit_test(other_records_are_in_or_out),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("clip", tests, NULL, NULL);
}
