// SPDX-License-Identifier: GPL-2.0
/* What the module was told to be executable, and whether it still is that. */
#include "made_up.h"

#include "table-sync/mapping_set.h"

#define PAGE 0x1000
#define DEV 5

static struct sent told;

static void tell(u64 start, u64 pages, u64 offset, u64 inode)
{
	struct proc_mapping line = {
		.start = start,
		.end = start + pages * PAGE,
		.offset = offset,
		.dev = inode ? DEV : 0,
		.inode = inode,
		.executable = true,
		.path = "",
	};

	sent_add(&told, &line);
}

static bool otherwise(u64 start, u64 pages, u64 offset, u64 inode)
{
	struct sideband_event event = {
		.start = start,
		.length = pages * PAGE,
		.offset = offset,
		.dev = DEV,
		.inode = inode,
	};

	return sent_differs(&told, &event);
}

static void what_is_the_same(void **state)
{
	struct sent copy;

	(void)state;
	assert_false(otherwise(0, 1000, 0, 1));
	tell(0x10000, 2, 0x1000, 1);
	tell(0x12000, 2, 0x3000, 1);
	tell(0x20000, 4, 0, 0);
	tell(0x30000, 1, 0x1000, 2);
	assert_int_equal(told.count, 3);

	assert_false(otherwise(0x10000, 4, 0x1000, 1));
	assert_false(otherwise(0x13000, 1, 0x4000, 1));
	assert_false(otherwise(0x21000, 1, 0x21000, 0));
	assert_false(otherwise(0x14000, 12, 0, 7));
	assert_false(otherwise(0x31000, 1, 0, 7));
	assert_false(otherwise(0xf000, 1, 0, 7));

	assert_true(otherwise(0x10000, 4, 0x1000, 3));
	assert_true(otherwise(0x10000, 4, 0x2000, 1));
	assert_true(otherwise(0x13000, 1, 0, 0));
	assert_true(otherwise(0x23000, 1, 0, 1));
	assert_true(otherwise(0xf000, 2, 0x1000, 1));
	/* one of several */
	assert_true(otherwise(0x10000, 0x21, 0x1000, 1));

	sent_copy(&copy, &told);
	sent_free(&told);
	assert_false(otherwise(0x10000, 4, 0x1000, 3));
	told = copy;
	assert_true(otherwise(0x10000, 4, 0x1000, 3));
	assert_false(otherwise(0x10000, 4, 0x1000, 1));
	sent_free(&told);
}

static void too_much_to_remember(void **state)
{
	struct sent copy;

	(void)state;
	for (u64 i = 0; i < 1024; i++)
		tell(0x10000 + i * 2 * PAGE, 1, 0, 1);
	assert_false(otherwise(0x1000, 1, 0, 1));
	tell(0x10000000, 1, 0, 1);
	assert_true(otherwise(0x1000, 1, 0, 1));
	sent_copy(&copy, &told);
	sent_free(&told);
	assert_false(otherwise(0x1000, 1, 0, 1));
	told = copy;
	assert_true(otherwise(0x1000, 1, 0, 1));
	sent_free(&told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_the_same),
		cmocka_unit_test(too_much_to_remember),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("told", tests, NULL, NULL);
}
