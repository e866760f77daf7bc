// SPDX-License-Identifier: GPL-2.0
/* The bytes of spin tables, of loops that are made up. */
#include "spin-table/spin_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/spin_table.h"

#define LOOPS_MAX 8
#define TOO_MANY (GAPP_SPIN_MAX_RANGES + 10)

/**
 * struct loop - a loop of the finder
 * @tier: enum spin_tier
 * @does: enum spin_does
 * @ranges: its code; a range of no bytes ends it
 */
struct loop {
	u8 tier;
	u32 does;
	struct spin_range ranges[4];
};

static void make(struct spin_table *table, const struct loop *loops, size_t count)
{
	struct spin found[LOOPS_MAX] = { 0 };
	struct spins spins = { .spins = found, .count = count };

	for (size_t i = 0; i < count; i++) {
		found[i].tier = loops[i].tier;
		found[i].does = loops[i].does;
		found[i].ranges = (struct spin_range *)loops[i].ranges;
		while (found[i].range_count < 4 && loops[i].ranges[found[i].range_count].end)
			found[i].range_count++;
	}
	assert_int_equal(spin_table_make(table, &spins, GAPP_ARCH_X86_64), 0);
}

/* The table has these ranges, and is one that the module takes. */
static void check(const struct loop *loops, size_t count, const struct gapp_spin_range *wanted,
		  size_t wanted_count)
{
	_cleanup_spin_table_ struct spin_table table = { 0 };
	struct gapp_spin_table parts;

	make(&table, loops, count);
	if (!wanted_count) {
		assert_null(table.data);
		return;
	}
	assert_true(gapp_spin_table_open(&parts, table.data, table.bytes));
	assert_int_equal(table.data->arch, GAPP_ARCH_X86_64);
	assert_int_equal(parts.count, wanted_count);
	assert_memory_equal(parts.ranges, wanted, wanted_count * sizeof(*wanted));
}

static void ranges_are_in_order(void **state)
{
	const struct loop loops[] = {
		{ SPIN_HIGH, SPIN_PAUSES, { { 0x3000, 0x3010 }, { 0x1000, 0x1004 } } },
		{ SPIN_HIGH, 0, { { 0x2000, 0x2001 } } },
	};
	const struct gapp_spin_range wanted[] = {
		{ 0x1000, 4, 0 },
		{ 0x2000, 1, 0 },
		{ 0x3000, 16, 0 },
	};

	(void)state;
	check(loops, 2, wanted, 3);
}

static void only_sure_loops(void **state)
{
	const struct loop loops[] = {
		{ SPIN_LOW, SPIN_PAUSES, { { 0x1000, 0x1010 } } },
		{ SPIN_HIGH, SPIN_PAUSES, { { 0x2000, 0x2010 } } },
		{ SPIN_LOW, SPIN_YIELDS, { { 0x2008, 0x2020 } } },
	};
	const struct gapp_spin_range wanted[] = { { 0x2000, 16, 0 } };

	(void)state;
	check(loops, 3, wanted, 1);
	check(loops, 1, NULL, 0);
	check(NULL, 0, NULL, 0);
}

static void what_a_loop_does_is_told(void **state)
{
	const struct loop loops[] = {
		{ SPIN_HIGH, SPIN_YIELDS, { { 0x1000, 0x1010 } } },
		{ SPIN_HIGH, SPIN_SLEEPS | SPIN_PAUSES, { { 0x2000, 0x2010 } } },
		{ SPIN_HIGH, ~(u32)(SPIN_YIELDS | SPIN_SLEEPS), { { 0x3000, 0x3010 } } },
	};
	const struct gapp_spin_range wanted[] = {
		{ 0x1000, 16, GAPP_SPIN_CALLS },
		{ 0x2000, 16, GAPP_SPIN_CALLS },
		{ 0x3000, 16, 0 },
	};

	(void)state;
	check(loops, 3, wanted, 3);
}

static void code_of_two_loops_is_one_range(void **state)
{
	const struct loop loops[] = {
		/* one behind the other, one in another, and two that share some bytes */
		{ SPIN_HIGH, 0, { { 0x1010, 0x1020 } } },
		{ SPIN_HIGH, 0, { { 0x1000, 0x1010 } } },
		{ SPIN_HIGH, 0, { { 0x2000, 0x2040 } } },
		{ SPIN_HIGH, 0, { { 0x2010, 0x2020 } } },
		{ SPIN_HIGH, 0, { { 0x3000, 0x3020 } } },
		{ SPIN_HIGH, 0, { { 0x3010, 0x3030 } } },
		/* the same */
		{ SPIN_HIGH, 0, { { 0x3010, 0x3030 } } },
	};
	const struct gapp_spin_range wanted[] = {
		{ 0x1000, 0x20, 0 },
		{ 0x2000, 0x40, 0 },
		{ 0x3000, 0x30, 0 },
	};

	(void)state;
	check(loops, 7, wanted, 3);
}

/* Where any loop calls, a thread may be in its call. */
static void code_of_different_loops_is_cut(void **state)
{
	const struct loop loops[] = {
		{ SPIN_HIGH, 0, { { 0x1000, 0x1040 } } },
		{ SPIN_HIGH, SPIN_YIELDS, { { 0x1010, 0x1020 } } },
		/* one behind the other */
		{ SPIN_HIGH, 0, { { 0x2000, 0x2010 } } },
		{ SPIN_HIGH, SPIN_YIELDS, { { 0x2010, 0x2020 } } },
	};
	const struct gapp_spin_range wanted[] = {
		{ 0x1000, 0x10, 0 }, { 0x1010, 0x10, GAPP_SPIN_CALLS }, { 0x1020, 0x20, 0 },
		{ 0x2000, 0x10, 0 }, { 0x2010, 0x10, GAPP_SPIN_CALLS },
	};

	(void)state;
	check(loops, 4, wanted, 5);
}

static void what_no_table_can_say_is_left_out(void **state)
{
	const struct loop loops[] = {
		{ SPIN_HIGH, 0, { { 0x1000, 0x1000 }, { 0x3000, 0x2000 } } },
		/* more bytes than a range has room for */
		{ SPIN_HIGH, 0, { { 0x10000, 0x200000000 } } },
		{ SPIN_HIGH, 0, { { UINT64_MAX - 4, UINT64_MAX } } },
	};
	const struct gapp_spin_range wanted[] = { { UINT64_MAX - 4, 4, 0 } };

	(void)state;
	check(loops, 2, NULL, 0);
	check(loops, 3, wanted, 1);
}

static void no_more_than_the_module_takes(void **state)
{
	_cleanup_free_ struct spin_range *ranges = calloc(TOO_MANY, sizeof(*ranges));
	_cleanup_spin_table_ struct spin_table table = { 0 };
	struct spin spin = { .tier = SPIN_HIGH, .ranges = ranges, .range_count = TOO_MANY };
	struct spins spins = { .spins = &spin, .count = 1 };
	struct gapp_spin_table parts;

	(void)state;
	assert_non_null(ranges);
	for (u32 i = 0; i < TOO_MANY; i++)
		ranges[i] = (struct spin_range){ 0x1000 + 16 * i, 0x1000 + 16 * i + 8 };
	assert_int_equal(spin_table_make(&table, &spins, GAPP_ARCH_X86_64), 0);
	assert_true(gapp_spin_table_open(&parts, table.data, table.bytes));
	assert_int_equal(parts.count, GAPP_SPIN_MAX_RANGES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_in_order),
		cmocka_unit_test(only_sure_loops),
		cmocka_unit_test(what_a_loop_does_is_told),
		cmocka_unit_test(code_of_two_loops_is_one_range),
		cmocka_unit_test(code_of_different_loops_is_cut),
		cmocka_unit_test(what_no_table_can_say_is_left_out),
		cmocka_unit_test(no_more_than_the_module_takes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("spin_ranges", tests, NULL, NULL);
}
