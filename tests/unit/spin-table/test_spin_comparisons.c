// SPDX-License-Identifier: GPL-2.0
/* How a loop compares the word that it waits for, in code of some instructions each. */
#include "made_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/spin_location.h"
#include "core/spin_table.h"
#include "spin-table/spin_location.h"
#include "spin-table/spin_table.h"

#define CODE(text) .code = text, .size = sizeof(text) - 1

/**
 * struct row - a function with a loop, and how its location says that the loop goes on
 * @function: the function
 * @goes_on: enum gapp_spin_while
 * @bytes: of the word
 * @number: what it is compared with
 * @with: the number, plus 1, of a register that it is compared with instead
 */
struct row {
	struct made_function function;
	u8 goes_on;
	u8 bytes;
	s32 number;
	u8 with;
};

/* Registers of x86-64 by their DWARF numbers. */
enum { RAX = 0, RSI = 4 };

/* clang-format off */

static const struct row rows[] = {
	/* again: cmpl $0,(%rdi); je again; ret */
	{ { "equal", CODE("\x83\x3f\x00\x74\xfb\xc3") }, GAPP_SPIN_WHILE_EQUAL, 4, .number = 0 },
	/* again: cmpl $7,(%rdi); jne again; ret */
	{ { "not equal", CODE("\x83\x3f\x07\x75\xfb\xc3") },
	  GAPP_SPIN_WHILE_NOT_EQUAL, 4, .number = 7 },
	/* again: cmpl $5,(%rdi); jb again; ret */
	{ { "below", CODE("\x83\x3f\x05\x72\xfb\xc3") }, GAPP_SPIN_WHILE_BELOW, 4, .number = 5 },
	/* again: cmpl $5,(%rdi); jae again; ret */
	{ { "not below", CODE("\x83\x3f\x05\x73\xfb\xc3") },
	  GAPP_SPIN_WHILE_NOT_BELOW, 4, .number = 5 },
	/* again: cmpl $5,(%rdi); jbe again; ret */
	{ { "not above", CODE("\x83\x3f\x05\x76\xfb\xc3") },
	  GAPP_SPIN_WHILE_NOT_ABOVE, 4, .number = 5 },
	/* again: cmpl $5,(%rdi); ja again; ret */
	{ { "above", CODE("\x83\x3f\x05\x77\xfb\xc3") }, GAPP_SPIN_WHILE_ABOVE, 4, .number = 5 },
	/* again: cmpl $5,(%rdi); jl again; ret */
	{ { "less", CODE("\x83\x3f\x05\x7c\xfb\xc3") }, GAPP_SPIN_WHILE_LESS, 4, .number = 5 },
	/* again: cmpl $5,(%rdi); jge again; ret */
	{ { "not less", CODE("\x83\x3f\x05\x7d\xfb\xc3") },
	  GAPP_SPIN_WHILE_NOT_LESS, 4, .number = 5 },
	/* again: cmpl $5,(%rdi); jle again; ret */
	{ { "not greater", CODE("\x83\x3f\x05\x7e\xfb\xc3") },
	  GAPP_SPIN_WHILE_NOT_GREATER, 4, .number = 5 },
	/* again: cmpl $5,(%rdi); jg again; ret */
	{ { "greater", CODE("\x83\x3f\x05\x7f\xfb\xc3") },
	  GAPP_SPIN_WHILE_GREATER, 4, .number = 5 },
	/* again: mov (%rdi),%eax; test %eax,%eax; js again; ret */
	{ { "negative", CODE("\x8b\x07\x85\xc0\x78\xfa\xc3") },
	  GAPP_SPIN_WHILE_LESS, 4, .number = 0 },
	/* again: cmpl $0,(%rdi); jns again; ret */
	{ { "not negative", CODE("\x83\x3f\x00\x79\xfb\xc3") },
	  GAPP_SPIN_WHILE_NOT_LESS, 4, .number = 0 },
	/* again: cmpl $5,(%rdi); jne end; jmp again; end: ret */
	{ { "the other way", CODE("\x83\x3f\x05\x75\x02\xeb\xf9\xc3") },
	  GAPP_SPIN_WHILE_EQUAL, 4, .number = 5 },
	/* again: mov $5,%eax; cmp (%rdi),%eax; ja again; ret */
	{ { "mirrored", CODE("\xb8\x05\x00\x00\x00\x3b\x07\x77\xf7\xc3") },
	  GAPP_SPIN_WHILE_BELOW, 4, .number = 5 },
	/* again: mov $1,%eax; xchg %eax,(%rdi); test %eax,%eax; jne again; ret */
	{ { "test and set", CODE("\xb8\x01\x00\x00\x00\x87\x07\x85\xc0\x75\xf5\xc3") },
	  GAPP_SPIN_WHILE_NOT_EQUAL, 4, .number = 0 },
	/* again: xor %eax,%eax; lock cmpxchg %edx,(%rdi); jne again; ret */
	{ { "lock by cmpxchg", CODE("\x31\xc0\xf0\x0f\xb1\x17\x75\xf8\xc3") },
	  GAPP_SPIN_WHILE_NOT_EQUAL, 4, .number = 0 },
	/* again: cmpb $3,(%rdi); je again; ret */
	{ { "one byte", CODE("\x80\x3f\x03\x74\xfb\xc3") }, GAPP_SPIN_WHILE_EQUAL, 1, .number = 3 },
	/* again: cmpw $3,(%rdi); je again; ret */
	{ { "two bytes", CODE("\x66\x83\x3f\x03\x74\xfa\xc3") },
	  GAPP_SPIN_WHILE_EQUAL, 2, .number = 3 },
	/* again: cmpq $-3,(%rdi); je again; ret */
	{ { "eight bytes", CODE("\x48\x83\x3f\xfd\x74\xfa\xc3") },
	  GAPP_SPIN_WHILE_EQUAL, 8, .number = -3 },
	/* again: cmpq $0x7fffffff,(%rdi); je again; ret */
	{ { "largest", CODE("\x48\x81\x3f\xff\xff\xff\x7f\x74\xf7\xc3") },
	  GAPP_SPIN_WHILE_EQUAL, 8, .number = INT32_MAX },
	/* again: cmpq $-0x80000000,(%rdi); je again; ret */
	{ { "smallest", CODE("\x48\x81\x3f\x00\x00\x00\x80\x74\xf7\xc3") },
	  GAPP_SPIN_WHILE_EQUAL, 8, .number = INT32_MIN },
	/* again: mov $0x80000000,%eax; cmp %rax,(%rdi); je again; ret */
	{ { "too large", CODE("\xb8\x00\x00\x00\x80\x48\x39\x07\x74\xf6\xc3") }, .bytes = 8 },
	/* again: movabs $-0x80000001,%rax; cmp %rax,(%rdi); je again; ret */
	{ { "too small", CODE("\x48\xb8\xff\xff\xff\x7f\xff\xff\xff\xff\x48\x39\x07\x74\xf1\xc3") },
	  .bytes = 8 },
	/* again: movabs $0x100000005,%rax; cmp %rax,(%rdi); je again; ret */
	{ { "small, if it is cut",
	    CODE("\x48\xb8\x05\x00\x00\x00\x01\x00\x00\x00\x48\x39\x07\x74\xf1\xc3") },
	  .bytes = 8 },
	/* again: cmp %esi,(%rdi); je again; ret */
	{ { "register", CODE("\x39\x37\x74\xfc\xc3") }, GAPP_SPIN_WHILE_EQUAL, 4, .with = RSI + 1 },
	/* again: cmp (%rdi),%rax; ja again; ret */
	{ { "mirrored register", CODE("\x48\x3b\x07\x77\xfb\xc3") },
	  GAPP_SPIN_WHILE_BELOW, 8, .with = RAX + 1 },
	/* again: cmp %si,0x2(%rdi); jne again; ret */
	{ { "ticket", CODE("\x66\x39\x77\x02\x75\xfa\xc3") },
	  GAPP_SPIN_WHILE_NOT_EQUAL, 2, .with = RSI + 1 },
	/* again: mov (%rdi),%rax; cmp $3,%eax; je again; ret */
	{ { "half of it", CODE("\x48\x8b\x07\x83\xf8\x03\x74\xf8\xc3") },
	  GAPP_SPIN_WHILE_EQUAL, 4, .number = 3 },
	/* again: movzbl (%rdi),%eax; cmp $127,%eax; je again; ret */
	{ { "extended", CODE("\x0f\xb6\x07\x83\xf8\x7f\x74\xf8\xc3") },
	  GAPP_SPIN_WHILE_EQUAL, 1, .number = 127 },
	/* again: movsbl (%rdi),%eax; cmp $0,%eax; jne again; ret */
	{ { "extended by its sign", CODE("\x0f\xbe\x07\x83\xf8\x00\x75\xf8\xc3") },
	  GAPP_SPIN_WHILE_NOT_EQUAL, 1, .number = 0 },
	/* again: movzbl (%rdi),%eax; cmp $128,%eax; je again; ret */
	{ { "extended, with a large number", CODE("\x0f\xb6\x07\x3d\x80\x00\x00\x00\x74\xf6\xc3") },
	  .bytes = 1 },
	/* again: movzbl (%rdi),%eax; cmp $-1,%eax; jne again; ret */
	{ { "extended, with a negative number", CODE("\x0f\xb6\x07\x83\xf8\xff\x75\xf8\xc3") },
	  .bytes = 1 },
	/* again: movzbl (%rdi),%eax; cmp $5,%eax; jl again; ret */
	{ { "extended, and less", CODE("\x0f\xb6\x07\x83\xf8\x05\x7c\xf8\xc3") }, .bytes = 1 },
	/* again: movzbl (%rdi),%eax; cmp $200,%eax; jg again; ret */
	{ { "extended, and greater", CODE("\x0f\xb6\x07\x3d\xc8\x00\x00\x00\x7f\xf6\xc3") },
	  .bytes = 1 },
	/* again: cmpl $1,(%rdi); je end; cmpl $2,(%rdi); jne again; end: ret */
	{ { "one of two numbers", CODE("\x83\x3f\x01\x74\x05\x83\x3f\x02\x75\xf6\xc3") },
	  .bytes = 4 },
	/* again: cmpl $1,(%rdi); je end; cmpl $1,(%rsi); jne again; end: ret */
	{ { "one of two words", CODE("\x83\x3f\x01\x74\x05\x83\x3e\x01\x75\xf6\xc3") },
	  .bytes = 4 },
	/* mov $100,%ecx; again: cmpl $7,(%rdi); jne end; dec %ecx; jne again; end: ret */
	{ { "budget", CODE("\xb9\x64\x00\x00\x00\x83\x3f\x07\x75\x04\xff\xc9\x75\xf7\xc3") },
	  GAPP_SPIN_WHILE_EQUAL, 4, .number = 7 },
	/* again: testb $4,3(%rdi); je again; ret */
	{ { "bit", CODE("\xf6\x47\x03\x04\x74\xfa\xc3") }, .bytes = 1 },
	/* again: lock btsl $5,(%rdi); jb again; ret */
	{ { "lock of one bit", CODE("\xf0\x0f\xba\x2f\x05\x72\xf9\xc3") }, .bytes = 4 },
	/* again: mov (%rdi),%eax; and $3,%eax; cmp $2,%eax; je again; ret */
	{ { "some bits", CODE("\x8b\x07\x83\xe0\x03\x83\xf8\x02\x74\xf6\xc3") }, .bytes = 4 },
	/* again: mov (%rdi),%eax; and %esi,%eax; cmp $4,%eax; je again; ret */
	{ { "bits of a register", CODE("\x8b\x07\x21\xf0\x83\xf8\x04\x74\xf7\xc3") }, .bytes = 4 },
	/* again: cmpl $5,(%rdi); jo again; ret */
	{ { "overflow", CODE("\x83\x3f\x05\x70\xfb\xc3") }, .bytes = 4 },
	/* again: movdqa (%rdi),%xmm0; ptest %xmm0,%xmm0; je again; ret */
	{ { "sixteen bytes", CODE("\x66\x0f\x6f\x07\x66\x0f\x38\x17\xc0\x74\xf5\xc3") },
	  .bytes = 0 },
};

/* clang-format on */

/* Makes the table of functions that lie one behind the other. */
static void make_table(struct spin_table *table, const struct made_function *functions,
		       size_t count)
{
	_cleanup_close_ int fd = made_code(functions, count);
	struct spins spins;

	assert_int_equal(spins_find(&spins, fd), 0);
	assert_int_equal(spin_table_make(table, &spins, GAPP_ARCH_X86_64), 0);
	spins_free(&spins);
}

/* The location of the first loop in @bytes of code from @address on. */
static const struct gapp_spin_location *location_in(const struct gapp_spin_table *parts,
						    u64 address, u64 bytes)
{
	for (u32 i = 0; i < parts->count; i++)
		if (parts->ranges[i].begin >= address && parts->ranges[i].begin < address + bytes)
			return gapp_spin_table_location(parts, &parts->ranges[i]);
	return NULL;
}

static void each_location_has_its_comparison(void **state)
{
	struct made_function functions[ARRAY_SIZE(rows)];
	struct gapp_spin_table parts;
	struct spin_table table;
	u64 address = MADE_ADDRESS;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		functions[i] = rows[i].function;
	make_table(&table, functions, ARRAY_SIZE(rows));
	assert_true(gapp_spin_table_open(&parts, table.data, table.bytes));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct gapp_spin_location *location =
			location_in(&parts, address, rows[i].function.size);

		print_message("# %s\n", rows[i].function.name);
		assert_non_null(location);
		assert_int_equal(location->goes_on, rows[i].goes_on);
		assert_int_equal(location->bytes, rows[i].bytes);
		assert_int_equal(location->number, rows[i].number);
		assert_int_equal(location->with, rows[i].with);
		address += rows[i].function.size;
	}
	spin_table_free(&table);
}

/* Register 0 and 1 are such that the module knows, 1 as the last one; 2 and 3 are not. */
static const u8 dwarf_numbers[REGISTERS_MAX] = { 5, GAPP_REGISTERS - 1, GAPP_REGISTERS,
						 REGISTER_NONE };

/* A word of four bytes that is compared with a number while the loop goes on. */
static struct spin_wait wait_for(s64 offset, enum branch_condition condition, s64 number)
{
	return (struct spin_wait){
		.while_is = condition,
		.bytes = 4,
		.location = { .kind = SPIN_VALUE_MEMORY,
			      .bytes = 4,
			      .address = { .count = 1,
					   .terms = { { 0, REGISTER_NONE, 1, offset } } } },
		.value = { .kind = SPIN_VALUE_NUMBER, .number = number },
	};
}

/* Makes the location of a loop with some exits, and checks what it says. */
static void check(const struct spin *spin, s32 offset, u8 how, s32 number, u8 with)
{
	struct gapp_spin_location location;

	assert_true(spin_location_make(&location, spin, dwarf_numbers));
	assert_true(gapp_spin_location_is_valid(&location));
	assert_int_equal(location.term[0].offset, offset);
	assert_int_equal(location.goes_on, how);
	assert_int_equal(location.bytes, 4);
	assert_int_equal(location.number, number);
	assert_int_equal(location.with, with);
}

/* A thread may leave the loop though the word has a value with which it would go on. */
static void exits_that_differ_leave_the_comparison_open(void **state)
{
	struct spin spin = { .wait_count = 1, .waits = { wait_for(8, CONDITION_EQUAL, 1) } };
	struct gapp_spin_location location;

	(void)state;
	check(&spin, 8, GAPP_SPIN_WHILE_EQUAL, 1, 0);
	/* the same once more */
	spin.wait_count = 2;
	spin.waits[1] = spin.waits[0];
	check(&spin, 8, GAPP_SPIN_WHILE_EQUAL, 1, 0);
	/* another number, another comparison, another word, and something else */
	spin.waits[1] = wait_for(8, CONDITION_EQUAL, 2);
	check(&spin, 8, 0, 0, 0);
	spin.waits[1] = wait_for(8, CONDITION_ABOVE, 1);
	check(&spin, 8, 0, 0, 0);
	spin.waits[1] = wait_for(16, CONDITION_EQUAL, 1);
	check(&spin, 8, 0, 0, 0);
	spin.waits[1].location.kind = SPIN_VALUE_CALLEE;
	check(&spin, 8, 0, 0, 0);
	/* the other one first, which has no location */
	spin.waits[0] = spin.waits[1];
	spin.waits[0].location.bytes = 2;
	spin.waits[1] = wait_for(24, CONDITION_EQUAL, 1);
	check(&spin, 24, 0, 0, 0);
	/* none has */
	spin.waits[1].location.is_local = true;
	assert_false(spin_location_make(&location, &spin, dwarf_numbers));
	/* with a register */
	spin.waits[0] = wait_for(8, CONDITION_EQUAL, 0);
	spin.waits[0].value = (struct spin_value){ .kind = SPIN_VALUE_REGISTER };
	spin.waits[1] = wait_for(8, CONDITION_EQUAL, 0);
	check(&spin, 8, 0, 0, 0);
}

static void registers_that_the_module_knows(void **state)
{
	struct spin spin = { .wait_count = 1, .waits = { wait_for(8, CONDITION_EQUAL, 0) } };
	struct spin_value *value = &spin.waits[0].value;

	(void)state;
	*value = (struct spin_value){ .kind = SPIN_VALUE_REGISTER, .reg = 0 };
	check(&spin, 8, GAPP_SPIN_WHILE_EQUAL, 0, 6);
	value->reg = 1;
	check(&spin, 8, GAPP_SPIN_WHILE_EQUAL, 0, GAPP_REGISTERS);
	value->reg = 2;
	check(&spin, 8, 0, 0, 0);
	value->reg = 3;
	check(&spin, 8, 0, 0, 0);
	/* nor other values */
	value->kind = SPIN_VALUE_MEMORY;
	value->reg = 0;
	check(&spin, 8, 0, 0, 0);
}

/* With what is no condition, or none that the module knows, the bytes are told all the same. */
static void conditions_that_are_not_known(void **state)
{
	static const u8 conditions[] = { CONDITION_NONE, CONDITION_OTHER, 255 };
	static const u8 sizes[] = { 0, 3, 5, 16 };
	struct spin spin = { .wait_count = 1 };
	struct gapp_spin_location location;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(conditions); i++) {
		spin.waits[0] = wait_for(8, conditions[i], 9);
		check(&spin, 8, 0, 0, 0);
		spin.waits[0].value = (struct spin_value){ .kind = SPIN_VALUE_REGISTER };
		check(&spin, 8, 0, 0, 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		spin.waits[0] = wait_for(8, CONDITION_EQUAL, 9);
		spin.waits[0].location.bytes = sizes[i];
		spin.waits[0].bytes = sizes[i];
		assert_true(spin_location_make(&location, &spin, dwarf_numbers));
		assert_true(gapp_spin_location_is_valid(&location));
		assert_int_equal(location.goes_on, GAPP_SPIN_WHILE_UNKNOWN);
		assert_int_equal(location.bytes, 0);
		assert_int_equal(location.number, 0);
	}
}

/* Two loops for one word, one behind the other, of which each has its own end. */
static void each_loop_has_its_own_comparison(void **state)
{
	/* cmpl $0,(%rdi); je; ret */
	static const char code[] = "\x83\x3f\x00\x74\xfb\xc3";
	/* cmpl $1,(%rdi); je; ret */
	static const char other[] = "\x83\x3f\x01\x74\xfb\xc3";
	const struct made_function functions[] = { { "one", CODE(code) },
						   { "other", CODE(other) },
						   { "one again", CODE(code) } };
	struct gapp_spin_table parts;
	struct spin_table table;

	(void)state;
	make_table(&table, functions, ARRAY_SIZE(functions));
	assert_int_equal(table.data->version, GAPP_SPIN_VERSION);
	assert_true(gapp_spin_table_open(&parts, table.data, table.bytes));
	assert_int_equal(parts.count, 3);
	assert_int_equal(parts.location_count, 2);
	assert_int_equal(location_in(&parts, MADE_ADDRESS, 6)->number, 0);
	assert_int_equal(location_in(&parts, MADE_ADDRESS + 6, 6)->number, 1);
	assert_ptr_equal(location_in(&parts, MADE_ADDRESS + 12, 6),
			 location_in(&parts, MADE_ADDRESS, 6));
	spin_table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_location_has_its_comparison),
		cmocka_unit_test(exits_that_differ_leave_the_comparison_open),
		cmocka_unit_test(registers_that_the_module_knows),
		cmocka_unit_test(conditions_that_are_not_known),
		cmocka_unit_test(each_loop_has_its_own_comparison),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("spin_comparisons", tests, NULL, NULL);
}
