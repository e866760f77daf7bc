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

/* Register 2 has none. */
static const u8 dwarf_numbers[REGISTERS_MAX] = { [0] = 7, [1] = 6, [2] = REGISTER_NONE, [3] = 31 };

/* Address in the file of a word that a loop waits for. */
#define WORD(number)                                                               \
	{                                                                          \
		.kind = SPIN_VALUE_MEMORY, .address = {                            \
			.count = 1,                                                \
			.terms = { { REGISTER_NONE, REGISTER_NONE, 1, (number) } } \
		}                                                                  \
	}

/**
 * struct loop - a loop of the finder
 * @tier: enum spin_tier
 * @does: enum spin_does
 * @ranges: its code; a range of no bytes ends it
 * @locations: what its first exits wait for; not SPIN_VALUE_UNKNOWN
 */
struct loop {
	u8 tier;
	u32 does;
	struct spin_range ranges[4];
	struct spin_value locations[2];
};

#define LOOP(is, makes, ...)                                          \
	{                                                             \
		.tier = (is), .does = (makes), .ranges = __VA_ARGS__, \
	}
#define LOOP_FOR(word, ...)                                                     \
	{                                                                       \
		.tier = SPIN_HIGH, .ranges = __VA_ARGS__, .locations = { word } \
	}

static void make(struct spin_table *table, const struct loop *loops, size_t count)
{
	struct spin found[LOOPS_MAX] = { 0 };
	struct spins spins = { .spins = found, .count = count, .dwarf_numbers = dwarf_numbers };

	for (size_t i = 0; i < count; i++) {
		found[i].tier = loops[i].tier;
		found[i].does = loops[i].does;
		found[i].ranges = (struct spin_range *)loops[i].ranges;
		while (found[i].range_count < 4 && loops[i].ranges[found[i].range_count].end)
			found[i].range_count++;
		for (u8 j = 0; j < ARRAY_SIZE(loops[i].locations); j++)
			found[i].waits[j].location = loops[i].locations[j];
		found[i].wait_count = ARRAY_SIZE(loops[i].locations);
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
		LOOP(SPIN_HIGH, SPIN_PAUSES, { { 0x3000, 0x3010 }, { 0x1000, 0x1004 } }),
		LOOP(SPIN_HIGH, 0, { { 0x2000, 0x2001 } }),
	};
	const struct gapp_spin_range wanted[] = {
		{ 0x1000, 4, 0, 0 },
		{ 0x2000, 1, 0, 0 },
		{ 0x3000, 16, 0, 0 },
	};

	(void)state;
	check(loops, 2, wanted, 3);
}

static void only_sure_loops(void **state)
{
	const struct loop loops[] = {
		LOOP(SPIN_LOW, SPIN_PAUSES, { { 0x1000, 0x1010 } }),
		LOOP(SPIN_HIGH, SPIN_PAUSES, { { 0x2000, 0x2010 } }),
		LOOP(SPIN_LOW, SPIN_YIELDS, { { 0x2008, 0x2020 } }),
	};
	const struct gapp_spin_range wanted[] = { { 0x2000, 16, 0, 0 } };

	(void)state;
	check(loops, 3, wanted, 1);
	check(loops, 1, NULL, 0);
	check(NULL, 0, NULL, 0);
}

static void what_a_loop_does_is_told(void **state)
{
	const struct loop loops[] = {
		LOOP(SPIN_HIGH, SPIN_YIELDS, { { 0x1000, 0x1010 } }),
		LOOP(SPIN_HIGH, SPIN_SLEEPS | SPIN_PAUSES, { { 0x2000, 0x2010 } }),
		LOOP(SPIN_HIGH, ~(u32)(SPIN_YIELDS | SPIN_SLEEPS | SPIN_PROGRESS),
		     { { 0x3000, 0x3010 } }),
		LOOP(SPIN_HIGH, SPIN_PROGRESS, { { 0x4000, 0x4010 } }),
	};
	const struct gapp_spin_range wanted[] = {
		{ 0x1000, 16, GAPP_SPIN_CALLS, 0 },
		{ 0x2000, 16, GAPP_SPIN_CALLS, 0 },
		{ 0x3000, 16, 0, 0 },
		{ 0x4000, 16, GAPP_SPIN_CALLS | GAPP_SPIN_DEEP, 0 },
	};

	(void)state;
	check(loops, 4, wanted, 4);
}

/* What a progress engine waits for, and so what its loop compares, it sets itself. */
static void loops_of_engines_have_no_location(void **state)
{
	struct loop loops[] = {
		LOOP_FOR(WORD(0x5000), { { 0x1000, 0x1020 } }),
		LOOP_FOR(WORD(0x6000), { { 0x1010, 0x1030 } }),
	};
	const struct gapp_spin_range wanted[] = {
		{ 0x1000, 0x10, 0, 1 },
		{ 0x1010, 0x10, GAPP_SPIN_CALLS | GAPP_SPIN_DEEP, 1 },
		{ 0x1020, 0x10, GAPP_SPIN_CALLS | GAPP_SPIN_DEEP, 0 },
	};

	(void)state;
	loops[1].does = SPIN_PROGRESS;
	check(loops, 2, wanted, 3);
}

static void code_of_two_loops_is_one_range(void **state)
{
	const struct loop loops[] = {
		/* one behind the other, one in another, and two that share some bytes */
		LOOP(SPIN_HIGH, 0, { { 0x1010, 0x1020 } }),
		LOOP(SPIN_HIGH, 0, { { 0x1000, 0x1010 } }),
		LOOP(SPIN_HIGH, 0, { { 0x2000, 0x2040 } }),
		LOOP(SPIN_HIGH, 0, { { 0x2010, 0x2020 } }),
		LOOP(SPIN_HIGH, 0, { { 0x3000, 0x3020 } }),
		LOOP(SPIN_HIGH, 0, { { 0x3010, 0x3030 } }),
		/* the same */
		LOOP(SPIN_HIGH, 0, { { 0x3010, 0x3030 } }),
	};
	const struct gapp_spin_range wanted[] = {
		{ 0x1000, 0x20, 0, 0 },
		{ 0x2000, 0x40, 0, 0 },
		{ 0x3000, 0x30, 0, 0 },
	};

	(void)state;
	check(loops, 7, wanted, 3);
}

/* Where any loop calls, a thread may be in its call. */
static void code_of_different_loops_is_cut(void **state)
{
	const struct loop loops[] = {
		LOOP(SPIN_HIGH, 0, { { 0x1000, 0x1040 } }),
		LOOP(SPIN_HIGH, SPIN_YIELDS, { { 0x1010, 0x1020 } }),
		/* one behind the other */
		LOOP(SPIN_HIGH, 0, { { 0x2000, 0x2010 } }),
		LOOP(SPIN_HIGH, SPIN_YIELDS, { { 0x2010, 0x2020 } }),
	};
	const struct gapp_spin_range wanted[] = {
		{ 0x1000, 0x10, 0, 0 },
		{ 0x1010, 0x10, GAPP_SPIN_CALLS, 0 },
		{ 0x1020, 0x20, 0, 0 },
		{ 0x2000, 0x10, 0, 0 },
		{ 0x2010, 0x10, GAPP_SPIN_CALLS, 0 },
	};

	(void)state;
	check(loops, 4, wanted, 5);
}

static void what_no_table_can_say_is_left_out(void **state)
{
	const struct loop loops[] = {
		LOOP(SPIN_HIGH, 0, { { 0x1000, 0x1000 }, { 0x3000, 0x2000 } }),
		/* more bytes than a range has room for */
		LOOP(SPIN_HIGH, 0, { { 0x10000, 0x200000000 } }),
		LOOP(SPIN_HIGH, 0, { { UINT64_MAX - 4, UINT64_MAX } }),
	};
	const struct gapp_spin_range wanted[] = { { UINT64_MAX - 4, 4, 0, 0 } };

	(void)state;
	check(loops, 2, NULL, 0);
	check(loops, 3, wanted, 1);
}

/* The table has one loop, and for it this location; NULL: none. */
static void check_location(const struct spin_value *first, const struct spin_value *second,
			   const struct gapp_spin_location *wanted)
{
	_cleanup_spin_table_ struct spin_table table = { 0 };
	struct loop loop = LOOP(SPIN_HIGH, 0, { { 0x1000, 0x1010 } });
	const struct gapp_spin_location *location;
	struct gapp_spin_table parts;

	loop.locations[0] = *first;
	if (second)
		loop.locations[1] = *second;
	make(&table, &loop, 1);
	assert_true(gapp_spin_table_open(&parts, table.data, table.bytes));
	assert_int_equal(parts.count, 1);
	assert_int_equal(parts.location_count, !!wanted);
	location = gapp_spin_table_location(&parts, parts.ranges);
	if (!wanted)
		assert_null(location);
	else
		assert_memory_equal(location, wanted, sizeof(*wanted));
}

static void steps_are_translated(void **state)
{
	const struct spin_value value = {
		.kind = SPIN_VALUE_MEMORY,
		.address = { .count = 4,
			     .terms = { { REGISTER_NONE, REGISTER_NONE, 1, 0x12345 },
					{ 0, 3, 8, -16 },
					{ 1, REGISTER_NONE, 1, 0 },
					{ REGISTER_NONE, 1, 2, INT32_MIN } } },
	};
	const struct gapp_spin_location wanted = {
		.terms = 4,
		.term = { { GAPP_SPIN_NO_REGISTER, GAPP_SPIN_NO_REGISTER, 0, 0, 0x12345 },
			  { 7, 31, 8, 0, -16 },
			  { 6, GAPP_SPIN_NO_REGISTER, 0, 0, 0 },
			  { GAPP_SPIN_NO_REGISTER, 6, 2, 0, INT32_MIN } },
	};

	(void)state;
	check_location(&value, NULL, &wanted);
}

static void what_the_module_cannot_find_has_no_location(void **state)
{
	const struct spin_value good = WORD(0x500);
	const struct gapp_spin_location wanted = {
		.terms = 1,
		.term = { { GAPP_SPIN_NO_REGISTER, GAPP_SPIN_NO_REGISTER, 0, 0, 0x500 } },
	};
	struct spin_value bad[] = { good, good, good, good, good, good, good, good };

	(void)state;
	check_location(&good, NULL, &wanted);
	bad[0].kind = SPIN_VALUE_CALLEE;
	bad[1].is_local = true;
	bad[2].address.moves = true;
	bad[3].address.count = 0;
	bad[4].address.terms[0].base = 2;
	bad[5].address.terms[0].index = 2;
	bad[6].address.terms[0].offset = 1LL << 31;
	bad[7].address.rough = true;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		check_location(&bad[i], NULL, NULL);
		/* then another exit may have one */
		check_location(&bad[i], &good, &wanted);
	}
	check_location(&good, &bad[0], &wanted);
}

/* The ranges of the table, and the number of locations. */
static void check_locations(const struct loop *loops, size_t count,
			    const struct gapp_spin_range *wanted, size_t wanted_count,
			    u32 locations)
{
	_cleanup_spin_table_ struct spin_table table = { 0 };

	check(loops, count, wanted, wanted_count);
	make(&table, loops, count);
	assert_int_equal(table.data->locations, locations);
}

static void code_has_the_location_of_its_loops(void **state)
{
	const struct loop loops[] = {
		LOOP_FOR(WORD(1), { { 0x1000, 0x1010 }, { 0x4000, 0x4010 } }),
		LOOP_FOR(WORD(2), { { 0x2000, 0x2010 } }),
		LOOP_FOR(WORD(1), { { 0x3000, 0x3010 } }),
		LOOP(SPIN_HIGH, 0, { { 0x5000, 0x5010 } }),
		/* right behind others: of the same location, and of another one */
		LOOP_FOR(WORD(1), { { 0x1010, 0x1020 } }),
		LOOP_FOR(WORD(1), { { 0x2010, 0x2020 } }),
	};
	const struct gapp_spin_range wanted[] = {
		{ 0x1000, 32, 0, 1 }, { 0x2000, 16, 0, 2 }, { 0x2010, 16, 0, 1 },
		{ 0x3000, 16, 0, 1 }, { 0x4000, 16, 0, 1 }, { 0x5000, 16, 0, 0 },
	};

	(void)state;
	check_locations(loops, 6, wanted, 6, 2);
}

static void code_of_two_loops_has_what_both_wait_for(void **state)
{
	const struct loop loops[] = {
		/* one in another: for another word, for the same one, and for one that is not known
		 */
		LOOP_FOR(WORD(1), { { 0x1000, 0x1030 } }),
		LOOP_FOR(WORD(2), { { 0x1010, 0x1020 } }),
		LOOP_FOR(WORD(1), { { 0x2000, 0x2030 } }),
		LOOP_FOR(WORD(1), { { 0x2010, 0x2020 } }),
		LOOP(SPIN_HIGH, 0, { { 0x3000, 0x3030 } }),
		LOOP_FOR(WORD(2), { { 0x3010, 0x3020 } }),
		/* two for one word, and a third */
		LOOP_FOR(WORD(2), { { 0x2018, 0x2020 } }),
	};
	const struct gapp_spin_range wanted[] = {
		{ 0x1000, 16, 0, 1 }, { 0x1010, 16, 0, 0 }, { 0x1020, 16, 0, 1 },
		{ 0x2000, 24, 0, 1 }, { 0x2018, 8, 0, 0 },  { 0x2020, 16, 0, 1 },
		{ 0x3000, 16, 0, 0 }, { 0x3010, 16, 0, 2 }, { 0x3020, 16, 0, 0 },
	};

	(void)state;
	check_locations(loops, 7, wanted, 9, 2);
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
		cmocka_unit_test(loops_of_engines_have_no_location),
		cmocka_unit_test(code_of_two_loops_is_one_range),
		cmocka_unit_test(code_of_different_loops_is_cut),
		cmocka_unit_test(what_no_table_can_say_is_left_out),
		cmocka_unit_test(steps_are_translated),
		cmocka_unit_test(what_the_module_cannot_find_has_no_location),
		cmocka_unit_test(code_has_the_location_of_its_loops),
		cmocka_unit_test(code_of_two_loops_has_what_both_wait_for),
		cmocka_unit_test(no_more_than_the_module_takes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("spin_ranges", tests, NULL, NULL);
}
