// SPDX-License-Identifier: GPL-2.0
/* Rows of stays: what is merged where there are too many, and what is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "timeline/rows.h"

#define START 1000

static void add(struct rows *rows, enum stay_kind kind, u32 thread, u32 cpu, u64 begin, u64 end)
{
	const struct stay stay = {
		.kind = kind,
		.reason = kind == STAY_WAITED ? GAPP_WAIT_LOCK : 0,
		.thread = thread,
		.cpu = cpu,
		.begin = START + begin,
		.end = START + end,
	};

	assert_int_equal(rows_add(rows, &stay, 3), 0);
}

static void few_stays_are_kept_as_they_are(void **state)
{
	struct rows rows;

	rows_init(&rows, START, 10, 100);
	add(&rows, STAY_RAN, 1, 2, 0, 5);
	add(&rows, STAY_RAN, 1, 2, 5, 7);
	add(&rows, STAY_WAITED, 1, STAY_NO_CPU, 7, 9);
	add(&rows, STAY_READY, 1, 2, 9, 9);
	/* beyond the threads that have rows */
	add(&rows, STAY_RAN, 10, 2, 9, 12);
	assert_int_equal(rows.count, 4);
	assert_int_equal(rows.cpus[2].count, 2);
	assert_int_equal(rows.cpus[2].stays[0].end, 7);
	assert_int_equal(rows.cpus[2].stays[0].who, 1);
	assert_int_equal(rows.threads[1].count, 2);
	assert_int_equal(rows.threads[1].stays[0].who, 2);
	assert_int_equal(rows.threads[1].stays[1].who, GAPP_WAIT_LOCK);
	assert_int_equal(rows.narrow_ns, 0);
	assert_int_equal(rows_merged(&rows), 0);
	rows_free(&rows);
}

/* Narrow stays become one, which says whether it was mostly on a CPU; wide ones stay as they are.
 */
static void narrow_stays_are_merged(void **state)
{
	struct rows rows;
	u64 at = 0;

	rows_init(&rows, START, 10, 1000);
	add(&rows, STAY_RAN, 1, 0, 0, 10000);
	for (at = 10000; at < 10400; at += 20) {
		add(&rows, STAY_WAITED, 1, STAY_NO_CPU, at, at + 5);
		add(&rows, STAY_RAN, 1, 0, at + 5, at + 20);
	}
	add(&rows, STAY_WAITED, 1, STAY_NO_CPU, at, at + 10000);
	rows_shrink(&rows, 20);
	assert_true(rows.count <= 20);
	assert_true(rows.narrow_ns > 0);
	assert_int_equal(rows_merged(&rows) + rows.count, 20 + 1 + 42);
	assert_int_equal(rows.threads[1].stays[0].kind, STAY_RAN);
	assert_int_equal(rows.threads[1].stays[0].end, 10000);
	assert_int_equal(rows.threads[1].stays[1].kind, ROW_MOSTLY_ON);
	assert_int_equal(rows.threads[1].stays[1].who, ROW_NONE);
	assert_int_equal(rows.threads[1].stays[rows.threads[1].count - 1].kind, STAY_WAITED);
	/* on a CPU it is the same thread all the time, but there are gaps */
	assert_int_equal(rows.cpus[0].stays[1].kind, ROW_MOSTLY_ON);
	rows_free(&rows);
}

/* Of a million stays as many are kept as may be; their times cover all that there were. */
static void memory_is_bounded(void **state)
{
	const u64 length = 1000000;
	struct rows rows;
	u64 on = 0;

	rows_init(&rows, START, 10, 1000);
	for (u64 at = 0; at < length; at += 10) {
		add(&rows, STAY_RAN, at / 10 % 2, 0, at, at + 4);
		assert_true(rows.count <= 1000);
	}
	for (u32 i = 0; i < rows.cpus[0].count; i++) {
		const struct row_stay *stay = &rows.cpus[0].stays[i];

		assert_true(stay->end > stay->begin);
		assert_true(!i || stay->begin >= rows.cpus[0].stays[i - 1].end);
		on += stay->on_ns;
	}
	assert_int_equal(on, length / 10 * 4);
	assert_int_equal(rows.cpus[0].stays[rows.cpus[0].count - 1].end, length - 6);
	/* at most one is left in each row, whatever is asked for */
	rows_shrink(&rows, 0);
	assert_int_equal(rows.count, 3);
	rows_free(&rows);
}

/* What would overlap the stay before it is left out. */
static void stays_of_a_row_do_not_overlap(void **state)
{
	struct rows rows;

	rows_init(&rows, START, 10, 1000);
	add(&rows, STAY_RAN, 1, 0, 0, 10);
	add(&rows, STAY_RAN, 2, 0, 5, 20);
	assert_int_equal(rows.cpus[0].count, 1);
	rows_free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_stays_are_kept_as_they_are),
		cmocka_unit_test(narrow_stays_are_merged),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(stays_of_a_row_do_not_overlap),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
