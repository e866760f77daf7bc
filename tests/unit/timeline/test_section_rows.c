// SPDX-License-Identifier: GPL-2.0
/* Sections over time, from marks and slices that are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <gapp.h>

#include "made_mark.h"
#include "timeline/section_rows.h"

#define START 1000
#define PID 10

static struct section_rows rows;
static u32 image;

static int begin(void **state)
{
	section_rows_init(&rows, START, 100);
	image = 3;
	return 0;
}

static int end(void **state)
{
	section_rows_free(&rows);
	return 0;
}

static void mark_of(s32 tid, s32 tgid, u64 at, u32 kind, const char *name)
{
	struct made_mark one = make_mark(tid, tgid, START + at, kind, name);

	one.mark.image = image;
	assert_int_equal(section_rows_record(&rows, &one.mark.head), 0);
}

#define BEGIN(tid, at, name) mark_of(tid, PID, at, GAPP_MARK_BEGIN, name)
#define END(tid, at, name) mark_of(tid, PID, at, GAPP_MARK_END, name)

static void slice(s32 tid, u64 from, u64 to, u32 then)
{
	const struct gapp_record_slice one = {
		.head = { .type = GAPP_RECORD_SLICE, .size = sizeof(one), .time_ns = START + to },
		.tid = tid,
		.tgid = PID,
		.begin_ns = START + from,
		.image = image,
		.then = then,
	};

	assert_int_equal(section_rows_record(&rows, &one.head), 0);
}

static const struct section_row *row_of(s32 tid, u32 depth)
{
	const struct section_thread_id key = { tid, PID };
	u32 id = keyed_find(&rows.threads, &key);

	assert_int_not_equal(id, HASH_NONE);
	return &rows.threads.rows[id].depths[depth];
}

static void is_section(s32 tid, u32 depth, u32 number, u64 from, u64 to, const char *name)
{
	const struct section_row *row = row_of(tid, depth);
	const struct section_stay *stay = &row->stays[number];

	assert_true(number < row->count);
	assert_int_equal(stay->begin, from);
	assert_int_equal(stay->end, to);
	assert_int_equal(stay->sections, 1);
	assert_int_equal(stay->ns, to - from);
	assert_string_equal(rows.names.rows[stay->name].key.text, name);
}

static void sections_of_a_thread_nest(void **state)
{
	BEGIN(11, 10, "outer");
	BEGIN(11, 20, "inner");
	END(11, 30, "");
	BEGIN(12, 35, "inner");
	BEGIN(11, 40, "inner");
	/* what began within it ends with it */
	END(11, 50, "outer");
	END(12, 60, "inner");
	END(11, 70, "inner");
	mark_of(11, PID, 80, GAPP_MARK_POINT, "point");
	assert_int_equal(section_rows_end(&rows, START + 100), 0);
	is_section(11, 0, 0, 10, 50, "outer");
	is_section(11, 1, 0, 20, 30, "inner");
	is_section(11, 1, 1, 40, 50, "inner");
	is_section(12, 0, 0, 35, 60, "inner");
	assert_int_equal(rows.count, 4);
	assert_int_equal(rows.names.index.count, 2);
	assert_int_equal(rows.names.rows[0].ns, 40);
	assert_int_equal(rows.names.rows[1].ns, 10 + 10 + 25);
	assert_int_equal(section_rows_merged(&rows), 0);
}

/* Without a mark a section ends with its thread, an exec, or the recording. */
static void sections_end_without_a_mark(void **state)
{
	BEGIN(11, 10, "a");
	BEGIN(12, 15, "b");
	slice(11, 5, 20, GAPP_THEN_PREEMPTED);
	slice(11, 22, 30, GAPP_THEN_EXITED);
	BEGIN(12, 32, "c");
	image = 4;
	/* the exec */
	slice(12, 40, 45, GAPP_THEN_PREEMPTED);
	BEGIN(10, 50, "d");
	image = 3;
	/* of the former address space: too late */
	END(10, 55, "d");
	slice(10, 56, 57, GAPP_THEN_EXITED);
	assert_int_equal(section_rows_end(&rows, START + 100), 0);
	is_section(11, 0, 0, 10, 30, "a");
	is_section(12, 0, 0, 15, 40, "b");
	is_section(12, 1, 0, 32, 40, "c");
	is_section(10, 0, 0, 50, 100, "d");
}

/* Of merged recordings: a section that is open at the end of its own has ended there. */
static void sections_end_with_their_span(void **state)
{
	struct stays_span spans[] = {
		{ .target = 0, .begin = START, .end = START + 50 },
		{ .target = 0, .begin = START + 70, .end = START + 90 },
	};
	struct stays stays = { .spans = spans, .span_count = ARRAY_SIZE(spans) };

	section_rows_set_spans(&rows, &stays);
	BEGIN(11, 10, "a");
	BEGIN(11, 20, "b");
	BEGIN(12, 75, "c");
	END(11, 80, "b");
	assert_int_equal(section_rows_end(&rows, START + 100), 0);
	is_section(11, 0, 0, 10, 50, "a");
	is_section(11, 1, 0, 20, 50, "b");
	is_section(12, 0, 0, 75, 90, "c");
}

/* An end is of the innermost section of its thread, and that may be one without room. */
static void ends_beyond_the_bound(void **state)
{
	const u32 most = 4096;

	(void)state;
	BEGIN(11, 10, "outer");
	for (u32 i = 1; i < most; i++)
		BEGIN(12, 10, "filler");
	BEGIN(11, 20, "outer");
	BEGIN(13, 20, "gone");
	assert_int_equal(rows.without_room, 2);
	END(11, 30, "outer");
	assert_int_equal(rows.count, 0);
	END(11, 40, "outer");
	is_section(11, 0, 0, 10, 40, "outer");
	/* a thread that exits has none open, with room or without */
	slice(12, 40, 50, GAPP_THEN_EXITED);
	slice(13, 40, 60, GAPP_THEN_EXITED);
	BEGIN(13, 70, "again");
	END(13, 80, "again");
	is_section(13, 0, 0, 70, 80, "again");
}

/* What finds no room is counted. */
static void bounds(void **state)
{
	char name[32];

	for (u32 i = 0; i < 2 * SECTION_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "name %u", i);
		BEGIN(11, 10 * i, name);
		END(11, 10 * i + 9, name);
	}
	assert_int_equal(rows.names.index.count, SECTION_NAMES_MAX);
	assert_int_equal(rows.names.rows[SECTION_NAMES_MAX - 1].ns, 9 * (SECTION_NAMES_MAX + 1));
	assert_true(rows.count <= 100);
	assert_int_equal(rows.without_room, 0);
	for (u32 i = 0; i < SECTION_DEPTHS + 3; i++)
		BEGIN(12, 50000, "deep");
	assert_int_equal(section_rows_end(&rows, START + 60000), 0);
	assert_int_equal(rows.without_room, 3);
	for (s32 tgid = 100; tgid < 5000; tgid++)
		mark_of(1, tgid, 60000, GAPP_MARK_BEGIN, "many");
	assert_int_equal(rows.without_room, 3 + 4900 - 4095);
}

static void narrow_sections_are_merged(void **state)
{
	u64 sections = 0, ns = 0;

	BEGIN(11, 0, "whole");
	for (u64 i = 0; i < 1000; i++) {
		BEGIN(11, 100 * i, i % 2 ? "odd" : "even");
		BEGIN(11, 100 * i + 10, "same");
		END(11, 100 * i + 50, "same");
		END(11, 100 * i + 90, "");
		assert_true(rows.count <= 100);
	}
	assert_int_equal(section_rows_end(&rows, START + 200000), 0);
	is_section(11, 0, 0, 0, 200000, "whole");
	for (u32 depth = 1; depth <= 2; depth++) {
		const struct section_row *row = row_of(11, depth);

		for (u32 i = 0; i < row->count; i++) {
			assert_true(!i || row->stays[i].begin >= row->stays[i - 1].end);
			assert_true(row->stays[i].ns <= row->stays[i].end - row->stays[i].begin);
			sections += row->stays[i].sections;
			ns += row->stays[i].ns;
		}
		assert_int_equal(row->stays[row->count - 1].end, depth == 1 ? 99990 : 99950);
	}
	assert_int_equal(sections, 2000);
	/* not what lies between them */
	assert_int_equal(ns, 1000 * (90 + 40));
	assert_int_equal(section_rows_merged(&rows), 2001 - rows.count);
	assert_int_equal(row_of(11, 1)->stays[0].name, SECTION_SEVERAL);
	assert_string_equal(rows.names.rows[row_of(11, 2)->stays[0].name].key.text, "same");
	/* each row keeps two: one that is merged hides no other */
	section_rows_shrink(&rows, 0);
	assert_int_equal(rows.used, 3);
	assert_in_range(rows.count, 3, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sections_of_a_thread_nest, begin, end),
		cmocka_unit_test_setup_teardown(sections_end_without_a_mark, begin, end),
		cmocka_unit_test_setup_teardown(sections_end_with_their_span, begin, end),
		cmocka_unit_test_setup_teardown(bounds, begin, end),
		cmocka_unit_test_setup_teardown(narrow_sections_are_merged, begin, end),
		cmocka_unit_test_setup_teardown(ends_beyond_the_bound, begin, end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
