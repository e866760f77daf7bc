// SPDX-License-Identifier: GPL-2.0
/* The exits of loops that wait, in code of some instructions each. */
#include "made_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "spin/spins.h"

#define CODE(text) .code = text, .size = sizeof(text) - 1
#define EXITS_MOST 2

/**
 * struct row - a function with a loop that waits, and its exits
 * @function: the function
 * @count: how many
 * @exits: the exits, by their places in the function
 */
struct row {
	struct made_function function;
	u32 count;
	struct spin_exit exits[EXITS_MOST];
};

/* clang-format off */

static const struct row rows[] = {
	/* again: cmpl $0,(%rdi); je again; ret */
	{ { "stays jumping", CODE("\x83\x3f\x00\x74\xfb\xc3") },
	  1, { { .address = 3, .target = 0, .next = 5, .condition = 4 } } },
	/* again: cmpl $0,(%rdi); jne end; pause; jmp again; end: ret */
	{ { "stays without", CODE("\x83\x3f\x00\x75\x04\xf3\x90\xeb\xf7\xc3") },
	  1, { { .address = 3, .target = 9, .next = 5, .condition = 5 } } },
	/* again: pause; cmpl $0,(%rdi); jne end; cmpl $0,(%rsi); je again; end: ret */
	{ { "two", CODE("\xf3\x90\x83\x3f\x00\x75\x05\x83\x3e\x00\x74\xf4\xc3") },
	  2, { { .address = 5, .target = 12, .next = 7, .condition = 5 },
	       { .address = 10, .target = 0, .next = 12, .condition = 4 } } },
	/* again: cmpl $5,(%rdi); jg again, in its long form; ret */
	{ { "far", CODE("\x83\x3f\x05\x0f\x8f\xf7\xff\xff\xff\xc3") },
	  1, { { .address = 3, .target = 0, .next = 9, .condition = 15 } } },
	/* again: cmpl $0,(%rdi); jne over; pause; over: cmpl $0,(%rsi); je again; ret */
	{ { "a branch that is no exit",
	    CODE("\x83\x3f\x00\x75\x02\xf3\x90\x83\x3e\x00\x74\xf4\xc3") },
	  1, { { .address = 10, .target = 0, .next = 12, .condition = 4 } } },
	/* again: cmpl $0,(%rdi); je again, with a prefix; ret */
	{ { "prefix", CODE("\x83\x3f\x00\x3e\x74\xfa\xc3") }, .count = 0 },
	/* again: pause; mov (%rdi),%rcx; jrcxz again; ret */
	{ { "jrcxz", CODE("\xf3\x90\x48\x8b\x0f\xe3\xf9\xc3") }, .count = 0 },
	/* again: pause; cmpl $0,(%rdi); jne end; mov (%rsi),%rcx; jrcxz again; end: ret */
	{ { "one of two is jrcxz",
	    CODE("\xf3\x90\x83\x3f\x00\x75\x05\x48\x8b\x0e\xe3\xf4\xc3") }, .count = 0 },
};

/* clang-format on */

static void find_in(const struct made_function *functions, size_t count, struct spins *spins)
{
	_cleanup_close_ int fd = made_code(functions, count);

	assert_int_equal(spins_find(spins, fd), 0);
}

static void exits_are_the_jumps_that_lead_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_spins_ struct spins spins = { 0 };
		const struct row *row = &rows[i];
		const struct spin *spin;

		print_message("# %s\n", row->function.name);
		find_in(&row->function, 1, &spins);
		assert_int_equal(spins.count, 1);
		spin = &spins.spins[0];
		assert_int_equal(spin->exit_count, row->count);
		for (u32 j = 0; j < row->count; j++) {
			const struct spin_exit *is = &spin->exits[j], *wanted = &row->exits[j];

			assert_int_equal(is->address, MADE_ADDRESS + wanted->address);
			assert_int_equal(is->target, MADE_ADDRESS + wanted->target);
			assert_int_equal(is->next, MADE_ADDRESS + wanted->next);
			assert_int_equal(is->condition, wanted->condition);
		}
	}
}

/* Short and long jumps of all conditions, of which the loop's form does not matter. */
static void conditions_are_those_of_the_machine(void **state)
{
	(void)state;
	for (u32 i = 0; i < 32; i++) {
		/* again: pause; cmpl $0,(%rdi); jCC again; ret */
		char near[] = "\xf3\x90\x83\x3f\x00\x70\xf9\xc3";
		char far[] = "\xf3\x90\x83\x3f\x00\x0f\x80\xf5\xff\xff\xff\xc3";
		struct made_function function = { "near", near, sizeof(near) - 1 };
		_cleanup_spins_ struct spins spins = { 0 };

		near[5] += i % 16;
		far[6] += i % 16;
		if (i >= 16)
			function = (struct made_function){ "far", far, sizeof(far) - 1 };
		find_in(&function, 1, &spins);
		assert_int_equal(spins.count, 1);
		assert_int_equal(spins.spins[0].exit_count, 1);
		assert_int_equal(spins.spins[0].exits[0].condition, i % 16);
	}
}

/* A loop with so many exits, and one more. */
static void too_many_exits_are_none(void **state)
{
	(void)state;
	for (u32 count = SPIN_EXITS_MAX - 1; count <= SPIN_EXITS_MAX + 1; count++) {
		_cleanup_spins_ struct spins spins = { 0 };
		char code[256] = "\xf3\x90";
		struct made_function function = { "many", code, 2 };

		/* again: pause; of each exit: cmpl $0,(%rdi); jne end */
		for (u32 i = 0; i < count; i++) {
			memcpy(code + function.size, "\x83\x3f\x00\x75", 4);
			code[function.size + 4] = 5 * (count - i - 1) + 2;
			function.size += 5;
		}
		/* jmp again; end: ret */
		memcpy(code + function.size, "\xeb", 1);
		code[function.size + 1] = -(s32)(function.size + 2);
		code[function.size + 2] = '\xc3';
		function.size += 3;
		find_in(&function, 1, &spins);
		assert_int_equal(spins.count, 1);
		assert_int_equal(spins.spins[0].exit_count, count <= SPIN_EXITS_MAX ? count : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exits_are_the_jumps_that_lead_out),
		cmocka_unit_test(conditions_are_those_of_the_machine),
		cmocka_unit_test(too_many_exits_are_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("found_exits", tests, NULL, NULL);
}
