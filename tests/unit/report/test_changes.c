// SPDX-License-Identifier: GPL-2.0
/* Rows of two rankings in pairs. */
#include <math.h>

#include "made_up.h"
#include "report/changes.h"

#define TOLERANCE 0.000000001

#define FRAME(name)                                       \
	{                                                 \
		.function = (name), .module = "/opt/prog" \
	}

static struct frame put[] = { FRAME("put"), FRAME("work"), FRAME("main") };
static struct frame put_again[] = { FRAME("put"), FRAME("work"), FRAME("main") };
static struct frame put_elsewhere[] = { FRAME("put"), FRAME("load"), FRAME("main") };
static struct frame get[] = { FRAME("get"), FRAME("main") };
static struct frame nameless[] = { { .module = "/lib/libodd.so.6", .offset = 1 } };
static struct frame nameless_moved[] = { { .module = "/usr/lib/libodd.so.7", .offset = 2 } };
static struct frame line_8[] = { { .function = "put", .file = "/a/x.c", .line = 8 } };
static struct frame line_9[] = { { .function = "put", .file = "/b/x.c", .line = 9 } };

#define ROW(frames_, ms)                                                                       \
	{                                                                                      \
		.critical_ns = MS(ms), .frames = (frames_), .frame_count = ARRAY_SIZE(frames_) \
	}

struct side {
	struct ranked rows[4];
	size_t count;
	u64 wall_ns;
};

static struct results results_of(struct side *side)
{
	return (struct results){ .ranked = true,
				 .model = { .status = { .wall_ns = side->wall_ns } },
				 .places = { side->rows, side->count },
				 .lines = { side->rows, side->count },
				 .by_thread = { side->rows, side->count } };
}

static struct changes find(struct side *before, struct side *after, enum by by)
{
	struct results then = results_of(before), now = results_of(after);
	const struct two two = { &then, &now };
	struct changes changes;

	assert_int_equal(changes_find(&changes, &two, by), 0);
	return changes;
}

static void is(const struct change *change, double before, double after)
{
	assert_true(fabs(change->before_percent - before) < TOLERANCE);
	assert_true(fabs(change->after_percent - after) < TOLERANCE);
	assert_int_equal(!!change->before, before > 0);
	assert_int_equal(!!change->after, after > 0);
}

static void the_largest_change_comes_first(void **state)
{
	struct side before = { { ROW(put, 300), ROW(get, 100) }, 2, MS(1000) };
	struct side after = { { ROW(get, 300), ROW(put_again, 200) }, 2, MS(2000) };
	struct changes changes = find(&before, &after, BY_PLACE);

	assert_int_equal(changes.count, 2);
	is(&changes.rows[0], 30, 10);
	assert_string_equal(change_row(&changes.rows[0])->frames->function, "put");
	is(&changes.rows[1], 10, 15);
	changes_free(&changes);
}

static void rows_of_one_recording_have_no_pair(void **state)
{
	_cleanup_changes_ struct changes changes = { 0 };
	struct side before = { { ROW(put, 300) }, 1, MS(1000) };
	struct side after = { { ROW(get, 100) }, 1, MS(1000) };

	changes = find(&before, &after, BY_PLACE);
	assert_int_equal(changes.count, 2);
	is(&changes.rows[0], 30, 0);
	is(&changes.rows[1], 0, 10);
}

static void the_same_path_comes_before_the_same_function(void **state)
{
	_cleanup_changes_ struct changes changes = { 0 };
	struct side before = { { ROW(put_elsewhere, 400), ROW(put, 300) }, 2, MS(1000) };
	struct side after = { { ROW(put_again, 310), ROW(put_elsewhere, 10) }, 2, MS(1000) };

	changes = find(&before, &after, BY_PLACE);
	assert_int_equal(changes.count, 2);
	is(&changes.rows[0], 40, 1);
	is(&changes.rows[1], 30, 31);
}

static void a_function_that_is_called_elsewhere_is_the_same(void **state)
{
	_cleanup_changes_ struct changes changes = { 0 };
	struct side before = { { ROW(put, 300) }, 1, MS(1000) };
	struct side after = { { ROW(put_elsewhere, 100) }, 1, MS(1000) };

	changes = find(&before, &after, BY_PLACE);
	assert_int_equal(changes.count, 1);
	is(&changes.rows[0], 30, 10);
}

static void code_without_a_name_is_known_by_its_object(void **state)
{
	_cleanup_changes_ struct changes changes = { 0 };
	struct side before = { { ROW(nameless, 300) }, 1, MS(1000) };
	struct side after = { { ROW(nameless_moved, 100) }, 1, MS(1000) };

	changes = find(&before, &after, BY_PLACE);
	assert_int_equal(changes.count, 1);
}

static void what_waited_is_not_what_ran(void **state)
{
	struct side before = { { ROW(put, 300) }, 1, MS(1000) };
	struct side after = { { ROW(put, 100) }, 1, MS(1000) };

	after.rows[0].kind = PATH_WAITED;
	_cleanup_changes_ struct changes changes = find(&before, &after, BY_PLACE);

	assert_int_equal(changes.count, 2);
}

static void a_line_that_moved_is_the_same(void **state)
{
	_cleanup_changes_ struct changes changes = { 0 };
	struct side before = { { ROW(line_8, 300), ROW(line_9, 200) }, 2, MS(1000) };
	struct side after = { { ROW(line_9, 300) }, 1, MS(1000) };

	changes = find(&before, &after, BY_LINE);
	assert_int_equal(changes.count, 2);
	is(&changes.rows[0], 30, 0);
	is(&changes.rows[1], 20, 30);
	changes_free(&changes);
	before.count = 1;
	changes = find(&before, &after, BY_LINE);
	assert_int_equal(changes.count, 1);
}

static void threads_are_known_by_their_names(void **state)
{
	_cleanup_changes_ struct changes changes = { 0 };
	struct side before = { { { .tid = 4, .comm = "io", .critical_ns = MS(100) },
				 { .tid = 5, .comm = "pool", .critical_ns = MS(90) } },
			       2,
			       MS(1000) };
	struct side after = { { { .tid = 9, .comm = "pool", .critical_ns = MS(400) } },
			      1,
			      MS(1000) };

	changes = find(&before, &after, BY_THREAD);
	assert_int_equal(changes.count, 2);
	is(&changes.rows[0], 9, 40);
	is(&changes.rows[1], 10, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_change_comes_first),
		cmocka_unit_test(rows_of_one_recording_have_no_pair),
		cmocka_unit_test(the_same_path_comes_before_the_same_function),
		cmocka_unit_test(a_function_that_is_called_elsewhere_is_the_same),
		cmocka_unit_test(code_without_a_name_is_known_by_its_object),
		cmocka_unit_test(what_waited_is_not_what_ran),
		cmocka_unit_test(a_line_that_moved_is_the_same),
		cmocka_unit_test(threads_are_known_by_their_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
