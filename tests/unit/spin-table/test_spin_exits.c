// SPDX-License-Identifier: GPL-2.0
/* The exits of spin tables, of loops that are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/spin_table.h"
#include "spin-table/spin_table.h"
#include "util/util.h"

#define LOOPS_MAX 4
#define PIECES_MAX 2
#define EXITS_MAX 3

/**
 * struct loop - a loop of the finder
 * @tier: enum spin_tier
 * @ranges: its code; a range of no bytes ends it
 * @exits: its exits; one without an address ends them
 */
struct loop {
	u8 tier;
	struct spin_range ranges[PIECES_MAX];
	struct spin_exit exits[EXITS_MAX];
};

static void make(struct spin_table *table, const struct loop *loops, size_t count)
{
	struct spin found[LOOPS_MAX] = { 0 };
	struct spins spins = { .spins = found, .count = count };

	for (size_t i = 0; i < count; i++) {
		found[i].tier = loops[i].tier;
		found[i].ranges = (struct spin_range *)loops[i].ranges;
		found[i].exits = (struct spin_exit *)loops[i].exits;
		while (found[i].range_count < PIECES_MAX &&
		       loops[i].ranges[found[i].range_count].end)
			found[i].range_count++;
		while (found[i].exit_count < EXITS_MAX &&
		       loops[i].exits[found[i].exit_count].address)
			found[i].exit_count++;
	}
	assert_int_equal(spin_table_make(table, &spins, GAPP_ARCH_X86_64), 0);
}

/*
 * The table has these exits, and is one that the module takes. Numbers of loops need only be the
 * same where those of @wanted are.
 */
static void check(const struct loop *loops, size_t count, const struct gapp_spin_exit *wanted,
		  size_t wanted_count)
{
	_cleanup_spin_table_ struct spin_table table = { 0 };
	struct gapp_spin_table parts;

	make(&table, loops, count);
	assert_true(gapp_spin_table_open(&parts, table.data, table.bytes));
	assert_int_equal(parts.exit_count, wanted_count);
	for (size_t i = 0; i < wanted_count; i++) {
		const struct gapp_spin_exit *is = &parts.exits[i];

		assert_int_equal(is->address, wanted[i].address);
		assert_int_equal(is->condition, wanted[i].condition);
		assert_int_equal(is->stays, wanted[i].stays);
		if (i)
			assert_int_equal(is->loop == is[-1].loop,
					 wanted[i].loop == wanted[i - 1].loop);
	}
}

static void who_stays_is_told_by_the_ranges(void **state)
{
	const struct loop loops[] = {
		{ SPIN_HIGH,
		  { { 0x1000, 0x1010 }, { 0x1020, 0x1030 } },
		  /* back to the begin; on, to the other piece; out by both, as a jump in it does */
		  { { 0x100e, 0x1000, 0x1010, 4 },
		    { 0x1024, 0x1040, 0x1026, 5 },
		    { 0x1008, 0x1020, 0x100a, 6 } } },
	};
	const struct gapp_spin_exit wanted[] = {
		{ 0x1008, 0, 6, GAPP_SPIN_STAYS | GAPP_SPIN_STAYS_JUMPING, 0 },
		{ 0x100e, 0, 4, GAPP_SPIN_STAYS_JUMPING, 0 },
		{ 0x1024, 0, 5, GAPP_SPIN_STAYS, 0 },
	};

	(void)state;
	check(loops, 1, wanted, 3);
}

static void loops_apart_have_numbers_of_their_own(void **state)
{
	const struct loop loops[] = {
		{ SPIN_HIGH, { { 0x2000, 0x2010 } }, { { 0x200e, 0x2000, 0x2010, 4 } } },
		/* a byte is between them */
		{ SPIN_HIGH, { { 0x2011, 0x2020 } }, { { 0x201e, 0x2011, 0x2020, 4 } } },
		{ SPIN_LOW, { { 0x3000, 0x3010 } }, { { 0x300e, 0x3000, 0x3010, 4 } } },
	};
	const struct gapp_spin_exit wanted[] = {
		{ 0x200e, 0, 4, GAPP_SPIN_STAYS_JUMPING, 0 },
		{ 0x201e, 1, 4, GAPP_SPIN_STAYS_JUMPING, 0 },
	};

	(void)state;
	check(loops, 3, wanted, 2);
}

/*
 * The table makes one range of them. From anywhere in it the module finds all exits, also that by
 * which a thread leaves the second loop that has come there from the first.
 */
static void loops_behind_one_another_are_one(void **state)
{
	const struct loop loops[] = {
		{ SPIN_HIGH, { { 0x2000, 0x2010 } }, { { 0x200e, 0x2000, 0x2010, 4 } } },
		{ SPIN_HIGH, { { 0x2010, 0x2020 } }, { { 0x201e, 0x2010, 0x2020, 4 } } },
	};
	const struct gapp_spin_exit wanted[] = {
		{ 0x200e, 0, 4, GAPP_SPIN_STAYS | GAPP_SPIN_STAYS_JUMPING, 0 },
		{ 0x201e, 0, 4, GAPP_SPIN_STAYS_JUMPING, 0 },
	};
	_cleanup_spin_table_ struct spin_table table = { 0 };
	struct gapp_spin_table parts;
	u32 count;

	(void)state;
	check(loops, 2, wanted, 2);
	make(&table, loops, 2);
	assert_true(gapp_spin_table_open(&parts, table.data, table.bytes));
	assert_int_equal(parts.count, 1);
	for (u64 address = 0x2000; address < 0x2020; address++) {
		assert_int_equal(gapp_spin_table_exits(&parts, address, &count), 0);
		assert_int_equal(count, 2);
	}
}

/* One loop by the first with the second, and the second with the third, in any order. */
static void loops_that_share_code_are_one(void **state)
{
	struct loop loops[] = {
		{ SPIN_HIGH,
		  { { 0x1000, 0x1010 } },
		  { { 0x1004, 0x1000, 0x1006, 4 }, { 0x100c, 0x1040, 0x100e, 5 } } },
		{ SPIN_HIGH,
		  { { 0x1008, 0x1020 } },
		  { { 0x100c, 0x1040, 0x100e, 5 }, { 0x101e, 0x1008, 0x1020, 4 } } },
		{ SPIN_HIGH,
		  { { 0x101c, 0x1030 }, { 0x5000, 0x5010 } },
		  { { 0x500e, 0x101c, 0x5010, 4 } } },
		{ SPIN_HIGH, { { 0x4000, 0x4010 } }, { { 0x400e, 0x4000, 0x4010, 4 } } },
	};
	struct gapp_spin_exit wanted[] = {
		{ 0x1004, 0, 4, GAPP_SPIN_STAYS | GAPP_SPIN_STAYS_JUMPING, 0 },
		{ 0x100c, 0, 5, GAPP_SPIN_STAYS, 0 },
		{ 0x101e, 0, 4, GAPP_SPIN_STAYS | GAPP_SPIN_STAYS_JUMPING, 0 },
		{ 0x500e, 0, 4, GAPP_SPIN_STAYS_JUMPING, 0 },
		{ 0x400e, 1, 4, GAPP_SPIN_STAYS_JUMPING, 0 },
	};
	struct loop last = loops[2];

	(void)state;
	check(loops, 4, wanted, 5);
	loops[2] = loops[0];
	loops[0] = last;
	check(loops, 4, wanted, 5);
}

/*
 * A way into another loop leaves this one, whether the exits of the other are known or not: it may
 * have no breakpoints, or be passed at once, and then nothing would end the stay.
 */
static void a_way_into_another_loop_leaves(void **state)
{
	struct loop loops[] = {
		{ SPIN_HIGH,
		  { { 0x1000, 0x1010 } },
		  { { 0x1006, 0x2000, 0x1008, 5 }, { 0x100e, 0x1000, 0x1010, 4 } } },
		/* between them is code that does something; the second leads back to the first */
		{ SPIN_HIGH,
		  { { 0x2000, 0x2010 }, { 0x3000, 0x3010 } },
		  { { 0x200e, 0x3000, 0x2010, 4 }, { 0x300e, 0x1004, 0x3010, 5 } } },
	};
	const struct gapp_spin_exit wanted[] = {
		{ 0x1006, 0, 5, GAPP_SPIN_STAYS, 0 },
		{ 0x100e, 0, 4, GAPP_SPIN_STAYS_JUMPING, 0 },
	};

	(void)state;
	/* an exit of which no way stays: the second has none */
	check(loops, 2, wanted, 2);
	loops[1].exits[1] = (struct spin_exit){ 0x300e, 0x2000, 0x3010, 5 };
	check(loops, 2,
	      (const struct gapp_spin_exit[]){
		      wanted[0],
		      wanted[1],
		      { 0x200e, 1, 4, GAPP_SPIN_STAYS_JUMPING, 0 },
		      { 0x300e, 1, 5, GAPP_SPIN_STAYS_JUMPING, 0 },
	      },
	      4);
	/* its exits are not known */
	loops[1].exits[0].address = 0;
	check(loops, 2, wanted, 2);
}

/* Of a loop of which an exit is not known, and of those that share its code, there is none. */
static void all_exits_or_none(void **state)
{
	struct loop loops[] = {
		{ SPIN_HIGH, { { 0x1000, 0x1010 } }, { { 0x100e, 0x1000, 0x1010, 4 } } },
		{ SPIN_HIGH, { { 0x1008, 0x1020 } }, { { 0 } } },
		{ SPIN_HIGH, { { 0x2000, 0x2010 } }, { { 0x200e, 0x2000, 0x2010, 4 } } },
	};
	const struct gapp_spin_exit wanted[] = { { 0x200e, 0, 4, GAPP_SPIN_STAYS_JUMPING, 0 } };

	(void)state;
	check(loops, 3, wanted, 1);
	/* a loop that is not sure takes no part */
	loops[1].tier = SPIN_LOW;
	check(loops, 3,
	      (const struct gapp_spin_exit[]){ { 0x100e, 0, 4, 2, 0 }, { 0x200e, 1, 4, 2, 0 } }, 2);
}

/* A loop of which only a part is in the table, since that has no room, has no exits, either. */
static void loops_of_which_ranges_are_left_out_have_none(void **state)
{
	const u32 many = GAPP_SPIN_MAX_RANGES;
	struct spin_range *const ranges = calloc(many, sizeof(*ranges));
	_cleanup_spin_table_ struct spin_table table = { 0 };
	struct spin_exit exits[] = { { 0x1004, 0x1000, 0x2000000, 4 },
				     { 0x1000004, 0x1000, 0x2000000, 4 } };
	struct spin_exit first = { 0x104, 0x100, 0x106, 4 };
	struct spin_range small = { 0x100, 0x110 };
	struct spin found[] = {
		{ .tier = SPIN_HIGH,
		  .ranges = &small,
		  .range_count = 1,
		  .exits = &first,
		  .exit_count = 1 },
		{ .tier = SPIN_HIGH,
		  .ranges = ranges,
		  .range_count = many,
		  .exits = exits,
		  .exit_count = 2 },
	};
	struct spins spins = { .spins = found, .count = ARRAY_SIZE(found) };
	struct gapp_spin_table parts;

	(void)state;
	assert_non_null(ranges);
	for (u32 i = 0; i < many; i++)
		ranges[i] = (struct spin_range){ 0x1000 + 16 * i, 0x1000 + 16 * i + 8 };
	ranges[many - 1] = (struct spin_range){ 0x1000000, 0x1000008 };
	assert_int_equal(spin_table_make(&table, &spins, GAPP_ARCH_X86_64), 0);
	assert_true(gapp_spin_table_open(&parts, table.data, table.bytes));
	assert_int_equal(parts.count, GAPP_SPIN_MAX_RANGES);
	assert_int_equal(parts.exit_count, 1);
	assert_int_equal(parts.exits[0].address, 0x104);
	free(ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_stays_is_told_by_the_ranges),
		cmocka_unit_test(loops_apart_have_numbers_of_their_own),
		cmocka_unit_test(loops_behind_one_another_are_one),
		cmocka_unit_test(loops_that_share_code_are_one),
		cmocka_unit_test(a_way_into_another_loop_leaves),
		cmocka_unit_test(all_exits_or_none),
		cmocka_unit_test(loops_of_which_ranges_are_left_out_have_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("spin_exits", tests, NULL, NULL);
}
