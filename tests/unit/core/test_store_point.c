// SPDX-License-Identifier: GPL-2.0
/* kmod/core/store_point.c: which instructions are taken, where they store, and what. */
#include "rig.h"

#include "store_point.h"

#define NONE GAPP_SPIN_NO_REGISTER

/* movl %ebx, 0x10(%rax, %rdx, 4) */
static const struct gapp_store_point plain = {
	.address = 0x401000,
	.offset = 0x10,
	.pid = 1,
	.passes = 1,
	.base = 0,
	.index = 1,
	.scale = 4,
	.bytes = 4,
	.how = GAPP_STORE_SETS,
	.with = 3 + 1,
};

/* All registers are known, each with a value of its own. */
static struct gapp_regs all_registers(void)
{
	struct gapp_regs regs = { .valid = (1ULL << GAPP_REGISTERS) - 1 };
	u32 i;

	for (i = 0; i < GAPP_REGISTERS; i++)
		regs.value[i] = 0x1000 * (i + 1);
	return regs;
}

static void check_valid(const struct gapp_store_point *point, bool wanted, u32 number)
{
	struct rig rig = { 0 };

	if (gapp_store_point_is_valid(point) != wanted)
		VEC_FAIL(&rig, "number %u is %s", number, wanted ? "refused" : "not refused");
	rig_done(&rig);
}

/* @plain with another @member, of any number up to @last. @good: whether that one is valid. */
#define EACH(member, last, good)                        \
	do {                                            \
		struct gapp_store_point point = plain;  \
		for (u32 i = 0; i <= (last); i++) {     \
			point.member = i;               \
			check_valid(&point, (good), i); \
		}                                       \
	} while (0)

static void test_numbers(void **state)
{
	struct gapp_store_point point = plain;

	(void)state;
	check_valid(&point, true, 0);
	point.passes = 0;
	check_valid(&point, false, 1);
	point.passes = GAPP_STORE_POINT_MAX_PASSES;
	check_valid(&point, true, 2);
	point.passes++;
	check_valid(&point, false, 3);
	point.passes = ~0U;
	check_valid(&point, false, 4);
	point = plain;
	point.pid = 0;
	check_valid(&point, false, 5);
	point.pid = -1;
	check_valid(&point, false, 6);
	point.pid = 0x7fffffff;
	check_valid(&point, true, 7);
	point.reserved = 1;
	check_valid(&point, false, 8);
	point.reserved = 0x8000;
	check_valid(&point, false, 9);
}

static void test_bytes_of_it(void **state)
{
	(void)state;
	EACH(bytes, 255, i == 1 || i == 2 || i == 4 || i == 8);
	EACH(how, 255, i >= GAPP_STORE_SETS && i <= GAPP_STORE_XORS);
	EACH(base, 255, i < GAPP_REGISTERS || i == NONE);
	EACH(index, 255, i < GAPP_REGISTERS);
	EACH(scale, 255, i == 1 || i == 2 || i == 4 || i == 8);
	EACH(with, 255, i <= GAPP_REGISTERS);
}

static void test_without_index(void **state)
{
	struct gapp_store_point point = plain;
	u32 i;

	(void)state;
	point.index = NONE;
	for (i = 0; i < 256; i++) {
		point.scale = i;
		check_valid(&point, !i, i);
	}
}

static void test_operand(void **state)
{
	struct gapp_store_point point = plain;

	(void)state;
	/* a register and a number */
	point.number = 1;
	check_valid(&point, false, 0);
	point.number = 1LL << 32;
	check_valid(&point, false, 1);
	point.with = 0;
	check_valid(&point, true, 2);
	point.number = -1;
	check_valid(&point, true, 3);
	point.number = 0;
	check_valid(&point, true, 4);
}

static void check_address(const struct gapp_store_point *point, u64 wanted)
{
	const struct gapp_regs regs = all_registers();
	struct rig rig = { 0 };
	u64 is = 0;

	if (!gapp_store_point_locate(point, &regs, &is))
		VEC_FAIL(&rig, "it is not known");
	else if (is != wanted)
		VEC_FAIL(&rig, "it is %llx, not %llx", (unsigned long long)is,
			 (unsigned long long)wanted);
	rig_done(&rig);
}

static void test_address(void **state)
{
	struct gapp_store_point point = plain;

	(void)state;
	check_address(&point, 0x1000 + 4 * 0x2000 + 0x10);
	point.offset = -0x10ULL;
	check_address(&point, 0x1000 + 4 * 0x2000 - 0x10);
	point.scale = 1;
	check_address(&point, 0x1000 + 0x2000 - 0x10);
	point.scale = 8;
	point.index = point.base;
	check_address(&point, 9 * 0x1000 - 0x10);
	point.base = NONE;
	check_address(&point, 8 * 0x1000 - 0x10);
	point.index = NONE;
	point.scale = 0;
	point.offset = 0xffffffffff600000;
	check_address(&point, 0xffffffffff600000);
	point.base = GAPP_REGISTERS - 1;
	point.offset = 0;
	check_address(&point, 0x1000 * GAPP_REGISTERS);
	/* around the end */
	point.offset = -0x1000ULL * GAPP_REGISTERS;
	check_address(&point, 0);
}

/* Each register alone is not known, or alone is known. */
static void test_registers_of_address(void **state)
{
	struct gapp_regs regs = all_registers();
	const u64 all = regs.valid;
	struct rig rig = { 0 };
	u64 address;
	u32 i;

	(void)state;
	for (i = 0; i < GAPP_REGISTERS; i++) {
		struct gapp_store_point point = plain;
		const u64 one = 1ULL << i;
		bool is_base, is_index;

		point.index = NONE;
		point.scale = 0;
		point.base = i;
		regs.valid = all & ~one;
		is_base = gapp_store_point_locate(&point, &regs, &address);
		regs.valid = one;
		if (is_base || !gapp_store_point_locate(&point, &regs, &address))
			VEC_FAIL(&rig, "register %u as base", i);
		point.base = NONE;
		point.index = i;
		point.scale = 2;
		regs.valid = all & ~one;
		is_index = gapp_store_point_locate(&point, &regs, &address);
		regs.valid = one;
		if (is_index || !gapp_store_point_locate(&point, &regs, &address))
			VEC_FAIL(&rig, "register %u as index", i);
		/* it needs both */
		point.base = (i + 1) % GAPP_REGISTERS;
		if (gapp_store_point_locate(&point, &regs, &address))
			VEC_FAIL(&rig, "the base besides register %u is not known", i);
	}
	rig_done(&rig);
}

/**
 * struct value - what an instruction makes of a word
 * @name: of the test
 * @how: enum gapp_store_how
 * @bytes: of the word
 * @operand: the number, or the register's value
 * @word: the word before
 * @wanted: behind it
 */
struct value {
	const char *name;
	u8 how;
	u8 bytes;
	u64 operand;
	u64 word;
	u64 wanted;
};

#define WORD 0x1122334455667788
#define MOST 0xffffffffffffffff

/* clang-format off */

static const struct value values[] = {
	{ "sets 1", GAPP_STORE_SETS, 1, 0x1234, WORD, 0x34 },
	{ "sets 2", GAPP_STORE_SETS, 2, 0xabcdef, WORD, 0xcdef },
	{ "sets 4", GAPP_STORE_SETS, 4, 0x8123456789, WORD, 0x23456789 },
	{ "sets 8", GAPP_STORE_SETS, 8, 0xfedcba9876543210, WORD, 0xfedcba9876543210 },
	{ "sets 1 to -1", GAPP_STORE_SETS, 1, MOST, 0, 0xff },
	{ "sets 2 to -1", GAPP_STORE_SETS, 2, MOST, 0, 0xffff },
	{ "sets 4 to -1", GAPP_STORE_SETS, 4, MOST, 0, 0xffffffff },
	{ "sets 8 to -1", GAPP_STORE_SETS, 8, MOST, 0, MOST },
	{ "sets to 0", GAPP_STORE_SETS, 8, 0, MOST, 0 },
	{ "adds", GAPP_STORE_ADDS, 8, 5, WORD, WORD + 5 },
	{ "adds -1", GAPP_STORE_ADDS, 4, MOST, 1, 0 },
	{ "adds, 1 byte around", GAPP_STORE_ADDS, 1, 2, 0xff, 1 },
	{ "adds, 2 bytes around", GAPP_STORE_ADDS, 2, 1, 0xffff, 0 },
	{ "adds, 4 bytes around", GAPP_STORE_ADDS, 4, 1, 0xffffffff, 0 },
	{ "adds, 8 bytes around", GAPP_STORE_ADDS, 8, 3, MOST, 2 },
	{ "adds to a byte of more", GAPP_STORE_ADDS, 1, 1, 0x107f, 0x80 },
	{ "subtracts", GAPP_STORE_SUBTRACTS, 8, 5, WORD, WORD - 5 },
	{ "subtracts, 1 byte around", GAPP_STORE_SUBTRACTS, 1, 1, 0, 0xff },
	{ "subtracts, 2 bytes around", GAPP_STORE_SUBTRACTS, 2, 2, 1, 0xffff },
	{ "subtracts, 4 bytes around", GAPP_STORE_SUBTRACTS, 4, 1, 0, 0xffffffff },
	{ "subtracts, 8 bytes around", GAPP_STORE_SUBTRACTS, 8, 1, 0, MOST },
	{ "subtracts -1", GAPP_STORE_SUBTRACTS, 2, MOST, 0xffff, 0 },
	{ "ands", GAPP_STORE_ANDS, 4, 0xff00ff00, 0x12345678, 0x12005600 },
	{ "ands with -2", GAPP_STORE_ANDS, 8, MOST - 1, 0xf00f, 0xf00e },
	{ "ands a byte", GAPP_STORE_ANDS, 1, 0xfff, 0xabc, 0xbc },
	{ "ors", GAPP_STORE_ORS, 4, 0xff00ff00, 0x12345678, 0xff34ff78 },
	{ "ors with -1", GAPP_STORE_ORS, 2, MOST, 0x1234, 0xffff },
	{ "xors", GAPP_STORE_XORS, 4, 0xff00ff00, 0x12345678, 0xed34a978 },
	{ "xors with -1", GAPP_STORE_XORS, 8, MOST, WORD, ~(u64)WORD },
	{ "xors a byte", GAPP_STORE_XORS, 1, 0x101, 0x201, 0 },
};

/* clang-format on */

static void check_value(struct rig *rig, const struct gapp_store_point *point,
			const struct gapp_regs *regs, const struct value *value)
{
	u64 is = 0;

	if (!gapp_store_point_is_valid(point))
		VEC_FAIL(rig, "the instruction is refused");
	else if (!gapp_store_point_value(point, regs, value->word, &is))
		VEC_FAIL(rig, "it is not known");
	else if (is != value->wanted)
		VEC_FAIL(rig, "it is %llx, not %llx", (unsigned long long)is,
			 (unsigned long long)value->wanted);
}

/* With a number, and with each register. */
static void test_value(void **state)
{
	const struct value *value = *state;
	struct gapp_store_point point = plain;
	struct gapp_regs regs = { 0 };
	struct rig rig = { 0 };
	u32 i;

	point.how = value->how;
	point.bytes = value->bytes;
	point.with = 0;
	point.number = (s64)value->operand;
	check_value(&rig, &point, &regs, value);
	point.number = 0;
	for (i = 0; i < GAPP_REGISTERS; i++) {
		regs = all_registers();
		regs.valid = 1ULL << i;
		regs.value[i] = value->operand;
		point.with = i + 1;
		check_value(&rig, &point, &regs, value);
	}
	rig_done(&rig);
}

static void test_registers_of_operand(void **state)
{
	struct gapp_store_point point = plain;
	struct gapp_regs regs = all_registers();
	const u64 all = regs.valid;
	struct rig rig = { 0 };
	u64 value;
	u32 i;

	(void)state;
	for (i = 0; i < GAPP_REGISTERS; i++) {
		point.with = i + 1;
		regs.valid = all & ~(1ULL << i);
		if (gapp_store_point_value(&point, &regs, 0, &value))
			VEC_FAIL(&rig, "register %u", i);
	}
	rig_done(&rig);
}

int main(void)
{
	static struct rig_group group;
	size_t i;

	rig_add(&group, "passes, process and what is reserved", test_numbers, NULL);
	rig_add(&group, "each byte of it", test_bytes_of_it, NULL);
	rig_add(&group, "no scale without an index", test_without_index, NULL);
	rig_add(&group, "a register or a number", test_operand, NULL);
	rig_add(&group, "the address", test_address, NULL);
	rig_add(&group, "registers of the address, known or not", test_registers_of_address, NULL);
	for (i = 0; i < RIG_COUNT(values); i++)
		rig_add(&group, values[i].name, test_value, &values[i]);
	rig_add(&group, "a register of the operand that is not known", test_registers_of_operand,
		NULL);
	return rig_run("store_point", &group);
}
