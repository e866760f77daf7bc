// SPDX-License-Identifier: GPL-2.0
/* The critical path over time: its parts, and how they are merged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/timeline_path.h"

#define START 1000000
#define PID 10

static struct timeline_path path;

static int end(void **state)
{
	timeline_path_free(&path);
	return 0;
}

static void slice(s32 tid, u64 from, u64 to, u32 then)
{
	struct {
		struct gapp_record_slice slice;
		struct gapp_sample samples[2];
	} one = {
		.slice = { .head = { .type = GAPP_RECORD_SLICE,
				     .size = sizeof(one),
				     .time_ns = START + to },
			   .tid = tid,
			   .tgid = PID,
			   .begin_ns = START + from,
			   .cmetric = (to - from) << GAPP_SHARE_SHIFT,
			   .own_critical_share = (to - from) << GAPP_SHARE_SHIFT,
			   .then = then,
			   .wait = GAPP_WAIT_LOCK,
			   .sample_count = 2 },
	};

	assert_int_equal(timeline_path_record(&path, &one.slice.head), 0);
}

static void wake(s32 tid, u64 at, s32 waker)
{
	const struct gapp_record_wake one = {
		.head = { .type = GAPP_RECORD_WAKE, .size = sizeof(one), .time_ns = START + at },
		.tid = tid,
		.tgid = PID,
		.flags = waker ? GAPP_SLICE_WAKER : 0,
		.waker_tid = waker,
		.waker_tgid = PID,
	};

	assert_int_equal(timeline_path_record(&path, &one.head), 0);
}

static void is_part(u32 number, s32 tid, u32 what, u64 begin, u64 until)
{
	const struct path_part *part = &path.parts[number];

	assert_true(number < path.count);
	assert_int_equal(path.store.threads.rows[part->thread].key.tid, tid);
	assert_int_equal(part->what, what);
	assert_int_equal(part->begin, begin);
	assert_int_equal(part->end, until);
}

/* Thread 11 waits for thread 12, which wakes it. */
static void it_goes_to_the_waker_and_back(void **state)
{
	timeline_path_init(&path, START, 100);
	slice(11, 0, 100, GAPP_THEN_WAIT);
	slice(12, 20, 150, GAPP_THEN_ON);
	wake(11, 200, 12);
	slice(12, 150, 210, GAPP_THEN_EXITED);
	slice(11, 230, 300, GAPP_THEN_STOPPED);
	assert_int_equal(timeline_path_make(&path, START + 300), 0);
	assert_true(path.known);
	assert_int_equal(path.count, 4);
	is_part(0, 11, PIECE_RAN, 230, 300);
	is_part(1, 11, PIECE_READY, 200, 230);
	is_part(2, 12, PIECE_RAN, 100, 200);
	is_part(3, 11, PIECE_RAN, 0, 100);
	assert_int_equal(path.unknown_ns + path.known_from, 0);
}

/* Two threads that wake one another, for 100 and 20 ns. */
static void narrow_parts_are_merged(void **state)
{
	const u64 length = 120 * 1000;
	u64 parts = 0, covered = 0;

	timeline_path_init(&path, START, 64);
	wake(12, 0, 11);
	for (u64 at = 0; at < length; at += 120) {
		slice(11, at, at + 100, GAPP_THEN_WAIT);
		wake(12, at + 100, 11);
		slice(12, at + 100, at + 120, GAPP_THEN_WAIT);
		wake(11, at + 120, 12);
	}
	slice(11, length, length + 5000, GAPP_THEN_STOPPED);
	assert_int_equal(timeline_path_make(&path, START + length + 5000), 0);
	assert_true(path.count <= 64);
	assert_true(path.narrow_ns > 0);
	is_part(0, 11, PIECE_RAN, length, length + 5000);
	for (u32 i = 0; i < path.count; i++) {
		const struct path_part *part = &path.parts[i];

		assert_true(!i || part->end == path.parts[i - 1].begin);
		assert_int_equal(path.store.threads.rows[part->thread].key.tid, 11);
		assert_int_equal(part->what, i ? PATH_SEVERAL : PIECE_RAN);
		parts += part->parts;
		covered += part->end - part->begin;
	}
	assert_int_equal(parts, 2001);
	assert_int_equal(covered, length + 5000);
	timeline_path_shrink(&path, 1);
	assert_int_equal(path.count, 1);
}

static void without_records_it_is_empty(void **state)
{
	timeline_path_init(&path, START, 64);
	assert_int_equal(timeline_path_make(&path, START + 5000), 0);
	assert_int_equal(path.count, 0);
	timeline_path_shrink(&path, 0);
	timeline_path_free(&path);
	path = (struct timeline_path){ 0 };
	timeline_path_shrink(&path, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(it_goes_to_the_waker_and_back, end),
		cmocka_unit_test_teardown(narrow_parts_are_merged, end),
		cmocka_unit_test_teardown(without_records_it_is_empty, end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
