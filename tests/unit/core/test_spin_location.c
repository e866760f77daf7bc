// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/core/spin_location.c: what a valid location is, the address that it gives, what the word
 * there is compared with, and with which values of it loops go on.
 */
#include "rig.h"

#include "random.h"
#include "spin_location_check.h"
#include "spin_locations.h"

static void test_location(void **state)
{
	struct rig rig = { 0 };

	vec_spin_location_run(&rig, *state);
	rig_done(&rig);
}

static void test_with(void **state)
{
	struct rig rig = { 0 };

	vec_spin_with_run(&rig, *state);
	rig_done(&rig);
}

static void test_while(void **state)
{
	struct rig rig = { 0 };

	vec_spin_while_run(&rig, *state);
	rig_done(&rig);
}

/* A gapp_spin_read for locations without reads. */
static bool no_read(void *context, u64 address, u64 *word)
{
	(void)word;
	VEC_FAIL(context, "a location of one term reads at %llx", (unsigned long long)address);
	return false;
}

/* A location of one term. @valid: registers that are known, a bit each. @must: its address. */
static void check_register(struct rig *rig, u8 base, u8 index, u64 valid, u64 must)
{
	const struct gapp_spin_location location = {
		.terms = 1,
		.term = { { base, index, index == GAPP_SPIN_NO_REGISTER ? 0 : 4, 0, 1 } },
	};
	const u8 number = base == GAPP_SPIN_NO_REGISTER ? index : base;
	const bool known = valid >> number & 1;
	struct gapp_regs regs = { .valid = valid };
	u64 address = 0;
	u32 i;

	for (i = 0; i < GAPP_REGISTERS; i++)
		regs.value[i] = 0x1000 + i;
	if (!gapp_spin_location_is_valid(&location))
		VEC_FAIL(rig, "register %u is refused", number);
	if (gapp_spin_locate(&location, &regs, 0, no_read, rig, &address) != known)
		VEC_FAIL(rig, "register %u of %llx", number, (unsigned long long)valid);
	else if (known && address != must)
		VEC_FAIL(rig, "register %u gives %llx", number, (unsigned long long)address);
}

/* A word that is compared with a register. @valid: registers that are known, a bit each. */
static void check_with(struct rig *rig, u8 number, u64 valid)
{
	const struct gapp_spin_location location = {
		.terms = 1,
		.goes_on = GAPP_SPIN_WHILE_NOT_EQUAL,
		.bytes = 8,
		.with = 1 + number,
		.term = { { GAPP_SPIN_NO_REGISTER, GAPP_SPIN_NO_REGISTER } },
	};
	const bool known = valid >> number & 1;
	struct gapp_regs regs = { .valid = valid };
	s64 is = 0;
	u32 i;

	for (i = 0; i < GAPP_REGISTERS; i++)
		regs.value[i] = -0x1000ULL - i;
	if (!gapp_spin_location_is_valid(&location))
		VEC_FAIL(rig, "a comparison with register %u is refused", number);
	if (gapp_spin_compares_with(&location, &regs, &is) != known)
		VEC_FAIL(rig, "a comparison with register %u of %llx", number,
			 (unsigned long long)valid);
	else if (known && is != -0x1000 - (s64)number)
		VEC_FAIL(rig, "a comparison with register %u: %lld", number, (long long)is);
}

/*
 * Each register as base, as index and in a comparison: only this one is known, all are, or all
 * others are.
 */
static void test_registers(void **state)
{
	const u64 all = ~0ULL;
	struct rig rig = { 0 };
	u64 one;
	u8 i;

	(void)state;
	for (i = 0; i < GAPP_REGISTERS; i++) {
		one = 1ULL << i;
		check_register(&rig, i, GAPP_SPIN_NO_REGISTER, one, 0x1001 + i);
		check_register(&rig, i, GAPP_SPIN_NO_REGISTER, all, 0x1001 + i);
		check_register(&rig, i, GAPP_SPIN_NO_REGISTER, all & ~one, 0);
		check_register(&rig, GAPP_SPIN_NO_REGISTER, i, one, 4 * (0x1000 + i) + 1);
		check_register(&rig, GAPP_SPIN_NO_REGISTER, i, all, 4 * (0x1000 + i) + 1);
		check_register(&rig, GAPP_SPIN_NO_REGISTER, i, all & ~one, 0);
		check_with(&rig, i, one);
		check_with(&rig, i, all);
		check_with(&rig, i, all & ~one);
	}
	rig_done(&rig);
}

/* Whatever locations there are: the address is the one that the slow evaluation finds. */
static void test_any(void **state)
{
	u64 runs = from_environment("PROPERTY_RUNS", 5000) * 10;
	u64 random = from_environment("PROPERTY_SEED", 1) << 32;
	struct gapp_spin_location location;
	const char *wrong = NULL;
	struct rig rig = { 0 };
	u64 i;

	(void)state;
	for (i = 0; i < runs && !wrong; i++) {
		spin_location_make(&location, &random);
		if (!gapp_spin_location_is_valid(&location))
			wrong = "it is refused";
		else
			wrong = spin_location_check(&location, random_next(&random));
	}
	if (wrong)
		VEC_FAIL(&rig, "location %llu: %s", (unsigned long long)i, wrong);
	rig_done(&rig);
}

/* Whatever one byte of a location becomes: it is refused, or has the right address. */
static void test_bytes(void **state)
{
	struct gapp_spin_location location;
	const char *wrong = NULL;
	struct rig rig = { 0 };
	u32 at, value;
	size_t i;
	bool good;

	(void)state;
	for (i = 0; i < RIG_COUNT(vec_spin_locations); i++)
		for (at = 0; at < sizeof(location) && !wrong; at++)
			for (value = 0; value < 256 && !wrong; value++) {
				location = vec_spin_locations[i].location;
				((u8 *)&location)[at] = value;
				good = spin_location_is_good(&location);
				if (gapp_spin_location_is_valid(&location) != good)
					wrong = good ? "it is refused" : "it is not refused";
				else if (good)
					wrong = spin_location_check(&location, at * 256 + value);
			}
	if (wrong)
		VEC_FAIL(&rig, "byte %u is %u: %s", at - 1, value - 1, wrong);
	rig_done(&rig);
}

/* Each byte against each number that a byte can be, with a sign and without. */
static void test_every_byte(void **state)
{
	const char *wrong = NULL;
	struct rig rig = { 0 };
	s64 number;
	u64 word;

	(void)state;
	for (number = -128; number < 256; number++)
		for (word = 0; word < 256; word++) {
			wrong = spin_goes_on_check(1, number, word);
			if (wrong)
				VEC_FAIL(&rig, "byte %llx and %lld: %s", (unsigned long long)word,
					 (long long)number, wrong);
		}
	rig_done(&rig);
}

/* A number near an end of one of C's types, or of any size. */
static u64 any_number(u64 *random)
{
	u64 number = random_next(random) >> random_below(random, 64);

	if (random_below(random, 4))
		number = (1ULL << random_below(random, 64)) + random_below(random, 3) - 1;
	return random_below(random, 2) ? number : -number;
}

/* The second number is at times near the first one, or has the same first bytes. */
static u64 any_other(u64 number, u64 *random)
{
	switch (random_below(random, 3)) {
	case 0:
		return number + random_below(random, 3) - 1;
	case 1:
		return number ^ random_next(random) << 8 * (1 + random_below(random, 7));
	default:
		return any_number(random);
	}
}

/* Whatever a word and a number are: they compare as C's own types do. */
static void test_any_word(void **state)
{
	u64 runs = from_environment("PROPERTY_RUNS", 5000) * 20;
	u64 random = from_environment("PROPERTY_SEED", 1) << 32;
	u64 number, word, i;
	struct rig rig = { 0 };
	const char *wrong;
	u32 bytes;

	(void)state;
	for (i = 0; i < runs; i++) {
		bytes = 1 << random_below(&random, 4);
		number = any_number(&random);
		word = any_other(number, &random);
		wrong = spin_goes_on_check(bytes, number, word);
		if (wrong)
			VEC_FAIL(&rig, "%llx and %llx, %u bytes: %s", (unsigned long long)word,
				 (unsigned long long)number, bytes, wrong);
	}
	rig_done(&rig);
}

int main(void)
{
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(vec_spin_locations); i++)
		rig_add(&group, vec_spin_locations[i].name, test_location, &vec_spin_locations[i]);
	for (i = 0; i < RIG_COUNT(vec_spin_withs); i++)
		rig_add(&group, vec_spin_withs[i].name, test_with, &vec_spin_withs[i]);
	for (i = 0; i < RIG_COUNT(vec_spin_whiles); i++)
		rig_add(&group, vec_spin_whiles[i].name, test_while, &vec_spin_whiles[i]);
	rig_add(&group, "each register, known and not known", test_registers, NULL);
	rig_add(&group, "any location of a spin table", test_any, NULL);
	rig_add(&group, "any byte of a location", test_bytes, NULL);
	rig_add(&group, "each byte and each number of a byte", test_every_byte, NULL);
	rig_add(&group, "any word and any number", test_any_word, NULL);
	return rig_run("spin_location", &group);
}
