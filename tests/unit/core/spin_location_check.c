// SPDX-License-Identifier: GPL-2.0
#include "spin_location_check.h"

#include <stdint.h>

#include "random.h"

static bool is_register(u8 number)
{
	return number < GAPP_REGISTERS || number == 255;
}

static bool term_is_good(const struct gapp_spin_term *term)
{
	if (!is_register(term->base) || !is_register(term->index) || term->reserved)
		return false;
	switch (term->scale) {
	case 0:
		return term->index == 255;
	case 1:
	case 2:
	case 4:
	case 8:
		return term->index != 255;
	default:
		return false;
	}
}

bool spin_location_is_good(const struct gapp_spin_location *location)
{
	/* only the terms, and what is compared if it is known, may have values */
	struct gapp_spin_location must = { .terms = location->terms, .bytes = location->bytes };
	u32 i;

	if (location->terms < 1 || location->terms > 4)
		return false;
	if (location->bytes != 0 && location->bytes != 1 && location->bytes != 2 &&
	    location->bytes != 4 && location->bytes != 8)
		return false;
	if (location->bytes && location->goes_on >= GAPP_SPIN_WHILE_EQUAL &&
	    location->goes_on <= GAPP_SPIN_WHILE_GREATER) {
		must.goes_on = location->goes_on;
		/* with a register or with a number */
		if (!location->with)
			must.number = location->number;
		else if (location->with - 1 < GAPP_REGISTERS)
			must.with = location->with;
	}
	for (i = 0; i < location->terms; i++) {
		must.term[i] = location->term[i];
		if (!term_is_good(&must.term[i]))
			return false;
	}
	return !memcmp(location, &must, sizeof(must));
}

/* compare_TYPE(): compares the first bytes of both: 0: the word is less, 1: equal, 2: more. */
#define COMPARE_AS(type)                                           \
	static u32 compare_##type(u64 word, s64 number)            \
	{                                                          \
		type value, other;                                 \
		memcpy(&value, &word, sizeof(value));              \
		memcpy(&other, &number, sizeof(other));            \
		return value == other ? 1 : value > other ? 2 : 0; \
	}

COMPARE_AS(uint8_t)
COMPARE_AS(uint16_t)
COMPARE_AS(uint32_t)
COMPARE_AS(uint64_t)
COMPARE_AS(int8_t)
COMPARE_AS(int16_t)
COMPARE_AS(int32_t)
COMPARE_AS(int64_t)

static u32 compare(u32 bytes, bool is_signed, u64 word, s64 number)
{
	switch (bytes) {
	case 1:
		return is_signed ? compare_int8_t(word, number) : compare_uint8_t(word, number);
	case 2:
		return is_signed ? compare_int16_t(word, number) : compare_uint16_t(word, number);
	case 4:
		return is_signed ? compare_int32_t(word, number) : compare_uint32_t(word, number);
	default:
		return is_signed ? compare_int64_t(word, number) : compare_uint64_t(word, number);
	}
}

/**
 * struct comparison - a way to compare
 * @how: enum gapp_spin_while, or a number that is none
 * @is_signed: as numbers with a sign
 * @goes_on: whether a loop goes on if the word is less, equal, more
 */
struct comparison {
	u32 how;
	bool is_signed;
	bool goes_on[3];
};

#define NO_COMPARISON (~0U)

/* All that there are; then some that are none, NO_COMPARISON last. */
static const struct comparison comparisons[] = {
	{ GAPP_SPIN_WHILE_UNKNOWN },
	{ GAPP_SPIN_WHILE_EQUAL, false, { 0, 1, 0 } },
	{ GAPP_SPIN_WHILE_EQUAL, true, { 0, 1, 0 } },
	{ GAPP_SPIN_WHILE_NOT_EQUAL, false, { 1, 0, 1 } },
	{ GAPP_SPIN_WHILE_NOT_EQUAL, true, { 1, 0, 1 } },
	{ GAPP_SPIN_WHILE_BELOW, false, { 1, 0, 0 } },
	{ GAPP_SPIN_WHILE_NOT_BELOW, false, { 0, 1, 1 } },
	{ GAPP_SPIN_WHILE_NOT_ABOVE, false, { 1, 1, 0 } },
	{ GAPP_SPIN_WHILE_ABOVE, false, { 0, 0, 1 } },
	{ GAPP_SPIN_WHILE_LESS, true, { 1, 0, 0 } },
	{ GAPP_SPIN_WHILE_NOT_LESS, true, { 0, 1, 1 } },
	{ GAPP_SPIN_WHILE_NOT_GREATER, true, { 1, 1, 0 } },
	{ GAPP_SPIN_WHILE_GREATER, true, { 0, 0, 1 } },
	{ GAPP_SPIN_WHILES },
	{ 128 + GAPP_SPIN_WHILE_EQUAL },
	{ 256 + GAPP_SPIN_WHILE_NOT_EQUAL },
	{ NO_COMPARISON },
};

const char *spin_goes_on_check(u32 bytes, s64 number, u64 word)
{
	const struct comparison *comparison = comparisons;
	bool is;

	do {
		is = gapp_spin_goes_on(comparison->how, bytes, number, word);
		if (is != comparison->goes_on[compare(bytes, comparison->is_signed, word, number)])
			return is ? "a loop goes on that ends" : "a loop ends that goes on";
	} while (comparison++->how != NO_COMPARISON);
	return NULL;
}

/* Compares words around @number, behind which other bytes are, and any word. */
static const char *number_check(u32 bytes, s64 number, u64 seed)
{
	u64 random = seed, behind, near;
	const char *wrong;

	if (!bytes)
		return NULL;
	for (near = 0; near < 3; near++) {
		behind = bytes == 8 ? 0 : random_next(&random) << 8 * bytes;
		wrong = spin_goes_on_check(bytes, number, (u64)number + near - 1 + behind);
		if (wrong)
			return wrong;
	}
	return spin_goes_on_check(bytes, number, random_next(&random));
}

/**
 * struct thread - a thread that may be in a loop
 * @regs: its registers
 * @bias: bias of the file that has the loop
 * @seed: the words of the thread's memory are made of this number
 * @reads: number of reads so far
 * @at: addresses of the first reads
 */
struct thread {
	struct gapp_regs regs;
	u64 bias;
	u64 seed;
	u32 reads;
	u64 at[GAPP_SPIN_TERMS];
};

static void make_thread(struct thread *thread, u64 seed)
{
	u64 random = seed, value;
	u32 i;

	*thread = (struct thread){ .bias = random_next(&random), .seed = seed };
	for (i = 0; i < GAPP_REGISTERS; i++) {
		/* some values are small, as indexes are */
		value = random_next(&random);
		thread->regs.value[i] = value >> random_below(&random, 64);
		if (random_below(&random, 16))
			thread->regs.valid |= 1ULL << i;
	}
}

/* Makes the word at @address. Returns false if it cannot be read. */
static bool word_at(u64 seed, u64 address, u64 *word)
{
	u64 random = seed ^ address;

	*word = random_next(&random);
	return random_below(&random, 16);
}

/* A gapp_spin_read. */
static bool read_word(void *context, u64 address, u64 *word)
{
	struct thread *thread = context;

	if (thread->reads < GAPP_SPIN_TERMS)
		thread->at[thread->reads] = address;
	thread->reads++;
	return word_at(thread->seed, address, word);
}

/* Adds a register @times times to @sum. Returns false if its value is not known. */
static bool add_slowly(const struct thread *thread, u8 number, u8 times, u64 *sum)
{
	if (number == 255)
		return true;
	for (; times; times--)
		*sum += thread->regs.value[number];
	return thread->regs.valid >> number & 1;
}

/* Sets @address to that after the first @terms terms, 1 or more. Returns false if not known. */
static bool locate_slowly(const struct gapp_spin_location *location, u32 terms,
			  const struct thread *thread, u64 *address)
{
	const struct gapp_spin_term *term = &location->term[terms - 1];
	const s64 offset = term->offset;
	u64 before;

	*address = 0;
	if (terms > 1) {
		if (!locate_slowly(location, terms - 1, thread, &before) ||
		    !word_at(thread->seed, before, address))
			return false;
	} else if (term->base == 255) {
		*address = thread->bias;
	}
	if (offset < 0)
		*address -= -offset;
	else
		*address += offset;
	return add_slowly(thread, term->base, 1, address) &&
	       add_slowly(thread, term->index, term->scale, address);
}

/* What a location compares its word with. Words compare with it as they must. */
static const char *with_check(const struct gapp_spin_location *location,
			      const struct thread *thread, u64 seed)
{
	u64 must = location->number;
	bool must_be_known = location->goes_on, known;
	s64 is = 0;

	if (location->with) {
		must = 0;
		must_be_known &= add_slowly(thread, location->with - 1, 1, &must);
	}
	known = gapp_spin_compares_with(location, &thread->regs, &is);
	if (known != must_be_known)
		return known ? "a number that is not known is found" : "a number is not found";
	if (known && (u64)is != must)
		return "another number";
	return number_check(location->bytes, must, seed);
}

const char *spin_location_check(const struct gapp_spin_location *location, u64 seed)
{
	struct thread thread;
	u64 is = 0, must;
	bool known;
	u32 i;

	make_thread(&thread, seed);
	known = gapp_spin_locate(location, &thread.regs, thread.bias, read_word, &thread, &is);
	if (known != locate_slowly(location, location->terms, &thread, &must))
		return known ? "a location that is not known is found" : "a location is not found";
	if (known && is != must)
		return "a location at another address";
	if (thread.reads > location->terms - 1U || (known && thread.reads != location->terms - 1U))
		return "another number of reads";
	for (i = 0; i < thread.reads; i++)
		if (!locate_slowly(location, i + 1, &thread, &must) || thread.at[i] != must)
			return "a read at another address";
	return with_check(location, &thread, seed);
}

/* What is compared, with a number or a register; only of how many bytes; or nothing. */
static void make_comparison(struct gapp_spin_location *location, u64 *random)
{
	if (!random_below(random, 4))
		return;
	location->bytes = 1 << random_below(random, 4);
	location->goes_on = random_below(random, GAPP_SPIN_WHILES);
	if (!location->goes_on)
		return;
	if (random_below(random, 2))
		location->with = 1 + random_below(random, GAPP_REGISTERS);
	else
		location->number = (s32)random_next(random) >> random_below(random, 32);
}

static u8 any_register(u64 *random)
{
	return random_below(random, 3) ? random_below(random, GAPP_REGISTERS) :
					 GAPP_SPIN_NO_REGISTER;
}

void spin_location_make(struct gapp_spin_location *location, u64 *random)
{
	struct gapp_spin_term *term = location->term;
	s32 offset;
	u32 i;

	*location = (struct gapp_spin_location){ .terms = 1 + random_below(random, 4) };
	for (i = 0; i < location->terms; i++, term++) {
		term->base = any_register(random);
		term->index = any_register(random);
		if (term->index != GAPP_SPIN_NO_REGISTER)
			term->scale = 1 << random_below(random, 4);
		offset = (s32)random_next(random);
		term->offset = offset >> random_below(random, 32);
	}
	make_comparison(location, random);
}
