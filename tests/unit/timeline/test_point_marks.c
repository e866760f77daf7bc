// SPDX-License-Identifier: GPL-2.0
/* Marks over time, from records that are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "made_mark.h"
#include "timeline/point_marks.h"

#define START 1000
#define PID 10

static struct point_marks points;

static int begin(void **state)
{
	point_marks_init(&points, START, 100);
	return 0;
}

static int end(void **state)
{
	point_marks_free(&points);
	return 0;
}

static void mark(s32 tid, u64 time, u32 kind, const char *text)
{
	const struct made_mark one = make_mark(tid, PID, time, kind, text);

	assert_int_equal(point_marks_record(&points, &one.mark.head), 0);
}

static void is_mark(u32 number, u64 at, s32 tid, const char *text)
{
	const struct point_mark *point = &points.marks[number];

	assert_true(number < points.count);
	assert_int_equal(point->at, at);
	assert_int_equal(point->tid, tid);
	assert_int_equal(point->tgid, PID);
	assert_string_equal(points.texts.rows[point->text].key.text, text);
}

static void only_those_of_no_section(void **state)
{
	const struct gapp_record_slice slice = { .head = { .type = GAPP_RECORD_SLICE,
							   .size = sizeof(slice) } };

	mark(11, START - 5, GAPP_MARK_POINT, "before the begin");
	mark(11, START + 10, GAPP_MARK_BEGIN, "section");
	mark(12, START + 20, GAPP_MARK_POINT, "step");
	mark(11, START + 30, GAPP_MARK_END, "section");
	mark(11, START + 40, GAPP_MARK_POINT, "step");
	mark(11, START + 50, GAPP_MARK_POINT, "");
	assert_int_equal(point_marks_record(&points, &slice.head), 0);
	assert_int_equal(points.count, 4);
	is_mark(0, 0, 11, "before the begin");
	is_mark(1, 20, 12, "step");
	is_mark(2, 40, 11, "step");
	is_mark(3, 50, 11, "");
	assert_int_equal(points.texts.index.count, 3);
	assert_int_equal(points.texts.rows[1].marks, 2);
}

/* Those that are kept are as far apart as they can be, and all are counted. */
static void each_second_is_kept(void **state)
{
	for (u64 i = 0; i < 1000; i++) {
		mark(11, START + i, GAPP_MARK_POINT, i % 2 ? "odd" : "even");
		assert_in_range(points.count, 1, 100);
	}
	assert_int_equal(points.all, 1000);
	assert_int_equal(points.each, 16);
	assert_int_equal(points.count, 63);
	for (u32 i = 0; i < points.count; i++)
		is_mark(i, 16 * i, 11, "even");
	assert_int_equal(points.texts.rows[0].marks, 500);
	assert_int_equal(points.texts.rows[1].marks, 500);
	point_marks_shrink(&points, 10);
	assert_int_equal(points.count, 8);
	point_marks_shrink(&points, 0);
	assert_int_equal(points.count, 1);
	mark(11, START + 2000, GAPP_MARK_POINT, "even");
	assert_int_equal(points.all, 1001);
}

static void texts_beyond_the_bound_are_one(void **state)
{
	char text[32];

	for (u32 i = 0; i < 2 * POINT_TEXTS_MAX; i++) {
		snprintf(text, sizeof(text), "text %u", i);
		mark(11, START + i, GAPP_MARK_POINT, text);
	}
	assert_int_equal(points.texts.index.count, POINT_TEXTS_MAX);
	assert_string_equal(points.texts.rows[POINT_TEXTS_MAX - 1].key.text, "(other marks)");
	assert_int_equal(points.texts.rows[POINT_TEXTS_MAX - 1].marks, POINT_TEXTS_MAX + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_those_of_no_section, begin, end),
		cmocka_unit_test_setup_teardown(each_second_is_kept, begin, end),
		cmocka_unit_test_setup_teardown(texts_beyond_the_bound_are_one, begin, end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
