/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Locations of spin tables, the addresses of the words that loops wait for, what those words are
 * compared with, and values of them with which loops go on.
 */
#ifndef GAPP_VEC_SPIN_LOCATIONS_H
#define GAPP_VEC_SPIN_LOCATIONS_H

#include "same.h"
#include "spin_location.h"

#define VEC_SPIN_READS (GAPP_SPIN_TERMS - 1)
#define VEC_SPIN_BIAS 0x555500000000ULL
#define VEC_SPIN_POINTER 0x7f0000001000ULL

/* Registers of the thread, by DWARF number. */
enum {
	SPIN_POINTER = 0, /* VEC_SPIN_POINTER */
	SPIN_FIVE = 3,
	SPIN_MINUS_3 = 5,
	SPIN_ZERO = 6,
	SPIN_TOP_BIT = 8,
	SPIN_UNKNOWN = 9,
	SPIN_LAST = GAPP_REGISTERS - 1, /* 0x31000 */
};

static const struct gapp_regs vec_spin_regs = {
	.valid = ~(1ULL << SPIN_UNKNOWN),
	.value = { [SPIN_POINTER] = VEC_SPIN_POINTER,
		   [SPIN_FIVE] = 5,
		   [SPIN_MINUS_3] = -3ULL,
		   [SPIN_TOP_BIT] = 1ULL << 63,
		   [SPIN_UNKNOWN] = 0x9000,
		   [SPIN_UNKNOWN + 1] = 0xa000,
		   [SPIN_LAST] = 0x31000 },
};

/**
 * struct vec_spin_location - a location and the address that it gives
 * @name: what the vector shows
 * @location: the location
 * @unknown: the address is not known
 * @address: the address, if known
 * @reads: number of words that are read; if a register is not known, this many or fewer
 * @at: addresses of those words, in the order in which they are read
 * @word: the words
 * @failing: number of the read that fails, the first one being 1; 0: no read fails
 */
struct vec_spin_location {
	const char *name;
	struct gapp_spin_location location;
	bool unknown;
	u64 address;
	u32 reads;
	u64 at[VEC_SPIN_READS];
	u64 word[VEC_SPIN_READS];
	u32 failing;
};

#define NONE GAPP_SPIN_NO_REGISTER
/* OF(): a location of so many terms. */
#define OF(count, ...)                                    \
	{                                                 \
		.terms = (count), .term = { __VA_ARGS__ } \
	}
/* COMPARED(): the same, and what the word is compared with: .number or .with of a location. */
#define COMPARED(how, size, what, count, ...)                                              \
	{                                                                                  \
		.goes_on = GAPP_SPIN_WHILE_##how, .bytes = (size), what, .terms = (count), \
		.term = {                                                                  \
			__VA_ARGS__                                                        \
		}                                                                          \
	}
#define TERM(base, index, scale, offset)      \
	{                                     \
		base, index, scale, 0, offset \
	}
#define PLUS(offset) TERM(NONE, NONE, 0, offset)

/* clang-format off */
static const struct vec_spin_location vec_spin_locations[] = {
	/* one term */
	{ "a static variable: the bias is added", OF(1, PLUS(0x4010)),
	  .address = VEC_SPIN_BIAS + 0x4010 },
	{ "address 0 of the file", OF(1, PLUS(0)), .address = VEC_SPIN_BIAS },
	{ "a static variable before address 0 of the file", OF(1, PLUS(-0x10)),
	  .address = VEC_SPIN_BIAS - 0x10 },
	{ "an element of a static array: the bias is added",
	  OF(1, TERM(NONE, SPIN_FIVE, 8, 0x4000)), .address = VEC_SPIN_BIAS + 0x4000 + 5 * 8 },
	{ "a register: no bias", OF(1, TERM(SPIN_POINTER, NONE, 0, 0)),
	  .address = VEC_SPIN_POINTER },
	{ "a register of value 0: no bias", OF(1, TERM(SPIN_ZERO, NONE, 0, 0)), .address = 0 },
	{ "a register and an offset", OF(1, TERM(SPIN_POINTER, NONE, 0, 0x18)),
	  .address = VEC_SPIN_POINTER + 0x18 },
	{ "a register and a negative offset", OF(1, TERM(SPIN_POINTER, NONE, 0, -8)),
	  .address = VEC_SPIN_POINTER - 8 },
	{ "the highest offset", OF(1, TERM(SPIN_POINTER, NONE, 0, 0x7fffffff)),
	  .address = VEC_SPIN_POINTER + 0x7fffffff },
	{ "the lowest offset", OF(1, TERM(SPIN_POINTER, NONE, 0, -0x7fffffff - 1)),
	  .address = VEC_SPIN_POINTER - 0x80000000ULL },
	{ "an index of scale 1", OF(1, TERM(SPIN_POINTER, SPIN_FIVE, 1, 0)),
	  .address = VEC_SPIN_POINTER + 5 },
	{ "an index of scale 2", OF(1, TERM(SPIN_POINTER, SPIN_FIVE, 2, 0)),
	  .address = VEC_SPIN_POINTER + 10 },
	{ "an index of scale 4 and an offset", OF(1, TERM(SPIN_POINTER, SPIN_FIVE, 4, 0x100)),
	  .address = VEC_SPIN_POINTER + 20 + 0x100 },
	{ "an index of scale 8 and a negative offset",
	  OF(1, TERM(SPIN_POINTER, SPIN_FIVE, 8, -0x100)),
	  .address = VEC_SPIN_POINTER + 40 - 0x100 },
	{ "a negative index", OF(1, TERM(SPIN_POINTER, SPIN_MINUS_3, 4, 0)),
	  .address = VEC_SPIN_POINTER - 12 },
	{ "one register as base and index", OF(1, TERM(SPIN_FIVE, SPIN_FIVE, 8, 0)),
	  .address = 45 },
	{ "the last register and an offset", OF(1, TERM(SPIN_LAST, NONE, 0, 4)),
	  .address = 0x31004 },
	{ "the last register times a scale", OF(1, TERM(SPIN_ZERO, SPIN_LAST, 2, 0)),
	  .address = 0x62000 },

	/* what the word is compared with does not change its address */
	{ "a byte that is compared",
	  COMPARED(EQUAL, 1, .number = 0, 1, TERM(SPIN_POINTER, NONE, 0, 3)),
	  .address = VEC_SPIN_POINTER + 3 },
	{ "a static variable that is compared with -1",
	  COMPARED(NOT_LESS, 4, .number = -1, 1, PLUS(0x4010)),
	  .address = VEC_SPIN_BIAS + 0x4010 },
	{ "a member behind a pointer that is compared with the highest number",
	  COMPARED(GREATER, 8, .number = 0x7fffffff, 2, TERM(SPIN_POINTER, NONE, 0, 8),
		   PLUS(0x20)),
	  .address = 0x61020,
	  .reads = 1, .at = { VEC_SPIN_POINTER + 8 }, .word = { 0x61000 } },
	{ "two bytes, compared with what is not known",
	  COMPARED(UNKNOWN, 2, .number = 0, 1, TERM(SPIN_POINTER, NONE, 0, 2)),
	  .address = VEC_SPIN_POINTER + 2 },
	{ "two bytes that are compared with a register",
	  COMPARED(NOT_EQUAL, 2, .with = 1 + SPIN_FIVE, 1, TERM(SPIN_POINTER, NONE, 0, 2)),
	  .address = VEC_SPIN_POINTER + 2 },
	{ "a member behind a pointer that is compared with the last register",
	  COMPARED(BELOW, 8, .with = 1 + SPIN_LAST, 2, TERM(SPIN_POINTER, NONE, 0, 8), PLUS(0x20)),
	  .address = 0x61020,
	  .reads = 1, .at = { VEC_SPIN_POINTER + 8 }, .word = { 0x61000 } },
	{ "a word that is compared with a register that is not known",
	  COMPARED(EQUAL, 4, .with = 1 + SPIN_UNKNOWN, 1, TERM(SPIN_POINTER, NONE, 0, 0)),
	  .address = VEC_SPIN_POINTER },

	/* addresses have 64 bits */
	{ "an offset below address 0", OF(1, TERM(SPIN_ZERO, NONE, 0, -1)), .address = ~0ULL },
	{ "an offset beyond the last address", OF(1, TERM(SPIN_MINUS_3, NONE, 0, 7)),
	  .address = 4 },
	{ "an index whose product wraps around", OF(1, TERM(SPIN_FIVE, SPIN_TOP_BIT, 2, 0)),
	  .address = 5 },
	{ "two registers whose sum wraps around", OF(1, TERM(SPIN_TOP_BIT, SPIN_TOP_BIT, 1, 2)),
	  .address = 2 },
	{ "a bias and an index whose sum wraps around",
	  OF(1, TERM(NONE, SPIN_MINUS_3, 1, -0x7fffffff)),
	  .address = VEC_SPIN_BIAS - 3 - 0x7fffffff },

	/* two terms: the word is read first, and then the second term is added */
	{ "a pointer", OF(2, TERM(SPIN_POINTER, NONE, 0, 8), PLUS(0)), .address = 0x61000,
	  .reads = 1, .at = { VEC_SPIN_POINTER + 8 }, .word = { 0x61000 } },
	{ "a member behind a pointer", OF(2, TERM(SPIN_POINTER, NONE, 0, 8), PLUS(0x20)),
	  .address = 0x61020,
	  .reads = 1, .at = { VEC_SPIN_POINTER + 8 }, .word = { 0x61000 } },
	{ "a member before a pointer", OF(2, TERM(SPIN_POINTER, NONE, 0, -8), PLUS(-0x20)),
	  .address = 0x60fe0,
	  .reads = 1, .at = { VEC_SPIN_POINTER - 8 }, .word = { 0x61000 } },
	{ "a static pointer: the bias is added once", OF(2, PLUS(0x4010), PLUS(4)),
	  .address = 0x61004,
	  .reads = 1, .at = { VEC_SPIN_BIAS + 0x4010 }, .word = { 0x61000 } },
	{ "an element behind a pointer",
	  OF(2, TERM(SPIN_POINTER, NONE, 0, 0), TERM(NONE, SPIN_FIVE, 4, 0x10)),
	  .address = 0x61024,
	  .reads = 1, .at = { VEC_SPIN_POINTER }, .word = { 0x61000 } },
	{ "a register behind a pointer",
	  OF(2, TERM(SPIN_POINTER, NONE, 0, 0), TERM(SPIN_LAST, NONE, 0, 0x10)),
	  .address = 0x92010,
	  .reads = 1, .at = { VEC_SPIN_POINTER }, .word = { 0x61000 } },
	{ "base, index and offset in both terms",
	  OF(2, TERM(SPIN_POINTER, SPIN_FIVE, 8, -4), TERM(SPIN_LAST, SPIN_MINUS_3, 2, 0x10)),
	  .address = 0x9200a,
	  .reads = 1, .at = { VEC_SPIN_POINTER + 36 }, .word = { 0x61000 } },
	{ "a null pointer is a word, too", OF(2, TERM(SPIN_POINTER, NONE, 0, 0), PLUS(0x10)),
	  .address = 0x10, .reads = 1, .at = { VEC_SPIN_POINTER }, .word = { 0 } },
	{ "a pointer at address 0", OF(2, TERM(SPIN_ZERO, NONE, 0, 0), PLUS(0)),
	  .address = 0x61000, .reads = 1, .at = { 0 }, .word = { 0x61000 } },
	{ "a pointer at an address that wrapped around",
	  OF(2, TERM(SPIN_MINUS_3, NONE, 0, 11), PLUS(0)),
	  .address = 0x61000, .reads = 1, .at = { 8 }, .word = { 0x61000 } },
	{ "a word whose sum wraps around", OF(2, TERM(SPIN_POINTER, NONE, 0, 0), PLUS(0x11)),
	  .address = 1, .reads = 1, .at = { VEC_SPIN_POINTER }, .word = { -0x10ULL } },

	/* three and four terms */
	{ "two pointers", OF(3, TERM(SPIN_POINTER, NONE, 0, 8), PLUS(0x20), PLUS(-4)),
	  .address = 0x71ffc, .reads = 2, .at = { VEC_SPIN_POINTER + 8, 0x61020 },
	  .word = { 0x61000, 0x72000 } },
	{ "two static pointers",
	  OF(3, PLUS(0x4010), TERM(NONE, SPIN_FIVE, 8, 0), TERM(NONE, SPIN_FIVE, 2, 1)),
	  .address = 0x7200b, .reads = 2, .at = { VEC_SPIN_BIAS + 0x4010, 0x61028 },
	  .word = { 0x61000, 0x72000 } },
	{ "three pointers",
	  OF(4, TERM(SPIN_POINTER, NONE, 0, 8), PLUS(0x20), TERM(SPIN_FIVE, NONE, 0, 3),
	     TERM(NONE, SPIN_FIVE, 4, 0x40)),
	  .address = 0x83054, .reads = 3, .at = { VEC_SPIN_POINTER + 8, 0x61020, 0x72008 },
	  .word = { 0x61000, 0x72000, 0x83000 } },
	{ "three pointers of the same offset", OF(4, PLUS(8), PLUS(8), PLUS(8), PLUS(8)),
	  .address = 0x83008, .reads = 3, .at = { VEC_SPIN_BIAS + 8, 0x61008, 0x72008 },
	  .word = { 0x61000, 0x72000, 0x83000 } },
	{ "a list whose element points to itself", OF(4, PLUS(0), PLUS(0), PLUS(0), PLUS(0)),
	  .address = 0x61000, .reads = 3, .at = { VEC_SPIN_BIAS, 0x61000, 0x61000 },
	  .word = { 0x61000, 0x61000, 0x61000 } },

	/* registers that are not known */
	{ "a base that is not known", OF(1, TERM(SPIN_UNKNOWN, NONE, 0, 0)), .unknown = true },
	{ "an index that is not known", OF(1, TERM(SPIN_POINTER, SPIN_UNKNOWN, 8, 0)),
	  .unknown = true },
	{ "an index of a static array that is not known", OF(1, TERM(NONE, SPIN_UNKNOWN, 1, 0)),
	  .unknown = true },
	{ "a base of a pointer that is not known",
	  OF(2, TERM(SPIN_UNKNOWN, NONE, 0, 0), PLUS(8)), .unknown = true },
	{ "a base behind a pointer that is not known",
	  OF(2, TERM(SPIN_POINTER, NONE, 0, 0), TERM(SPIN_UNKNOWN, NONE, 0, 0)), .unknown = true,
	  .reads = 1, .at = { VEC_SPIN_POINTER }, .word = { 0x61000 } },
	{ "an index in the last of four terms that is not known",
	  OF(4, PLUS(8), PLUS(8), PLUS(8), TERM(NONE, SPIN_UNKNOWN, 1, 8)), .unknown = true,
	  .reads = 3, .at = { VEC_SPIN_BIAS + 8, 0x61008, 0x72008 },
	  .word = { 0x61000, 0x72000, 0x83000 } },

	/* words that cannot be read: nothing is read behind them */
	{ "the only word cannot be read", OF(2, PLUS(8), PLUS(8)), .unknown = true,
	  .reads = 1, .at = { VEC_SPIN_BIAS + 8 }, .failing = 1 },
	{ "the first of three words cannot be read", OF(4, PLUS(8), PLUS(8), PLUS(8), PLUS(8)),
	  .unknown = true, .reads = 1, .at = { VEC_SPIN_BIAS + 8 }, .failing = 1 },
	{ "the second of three words cannot be read", OF(4, PLUS(8), PLUS(8), PLUS(8), PLUS(8)),
	  .unknown = true, .reads = 2, .at = { VEC_SPIN_BIAS + 8, 0x61008 }, .word = { 0x61000 },
	  .failing = 2 },
	{ "the last of three words cannot be read", OF(4, PLUS(8), PLUS(8), PLUS(8), PLUS(8)),
	  .unknown = true, .reads = 3, .at = { VEC_SPIN_BIAS + 8, 0x61008, 0x72008 },
	  .word = { 0x61000, 0x72000 }, .failing = 3 },
};

/* clang-format on */

#undef NONE
#undef OF
#undef COMPARED
#undef TERM
#undef PLUS

/**
 * struct vec_spin_memory - the memory of a vector
 * @place: for messages
 * @vec: the vector
 * @reads: number of reads so far
 */
struct vec_spin_memory {
	struct vec_place place;
	const struct vec_spin_location *vec;
	u32 reads;
};

/* A gapp_spin_read. */
static inline bool vec_spin_read(void *context, u64 address, u64 *word)
{
	struct vec_spin_memory *memory = context;
	const struct vec_spin_location *vec = memory->vec;
	const u32 read = memory->reads++;

	if (read >= vec->reads)
		return false;
	memory->place.index = read;
	vec_same(&memory->place, "address", address, vec->at[read]);
	if (read + 1 == vec->failing)
		return false;
	*word = vec->word[read];
	return true;
}

static inline void vec_spin_location_run(void *rig, const struct vec_spin_location *vec)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "location" };
	struct vec_spin_memory memory = {
		.place = { .rig = rig, .name = vec->name, .part = "read" },
		.vec = vec,
	};
	u64 address = 0;
	bool known;

	vec_same(&p, "valid", gapp_spin_location_is_valid(&vec->location), true);
	known = gapp_spin_locate(&vec->location, &vec_spin_regs, VEC_SPIN_BIAS, vec_spin_read,
				 &memory, &address);
	vec_same(&p, "known", known, !vec->unknown);
	if (known)
		vec_same(&p, "address", address, vec->address);
	if (vec->unknown && !vec->failing)
		vec_same(&p, "a read too many", memory.reads > vec->reads, false);
	else
		vec_same(&p, "reads", memory.reads, vec->reads);
}

/**
 * struct vec_spin_with - what a location compares its word with
 * @name: what the vector shows
 * @goes_on: enum gapp_spin_while
 * @with: as in the location
 * @number: as in the location
 * @unknown: what the word is compared with is not known
 * @must: what the word is compared with, if known
 */
struct vec_spin_with {
	const char *name;
	u8 goes_on;
	u8 with;
	s32 number;
	bool unknown;
	s64 must;
};

/* clang-format off */
static const struct vec_spin_with vec_spin_withs[] = {
	{ "a comparison with 0", GAPP_SPIN_WHILE_EQUAL, .must = 0 },
	{ "a comparison with 1", GAPP_SPIN_WHILE_NOT_EQUAL, .number = 1, .must = 1 },
	{ "a comparison with -1", GAPP_SPIN_WHILE_LESS, .number = -1, .must = -1 },
	{ "an unsigned comparison with -1", GAPP_SPIN_WHILE_BELOW, .number = -1, .must = -1 },
	{ "a comparison with the highest number", GAPP_SPIN_WHILE_NOT_ABOVE,
	  .number = 0x7fffffff, .must = 0x7fffffff },
	{ "a comparison with the lowest number", GAPP_SPIN_WHILE_GREATER,
	  .number = -0x7fffffff - 1, .must = -0x80000000LL },
	{ "with register 0", GAPP_SPIN_WHILE_EQUAL, 1 + SPIN_POINTER, .must = VEC_SPIN_POINTER },
	{ "with a register in the middle", GAPP_SPIN_WHILE_NOT_EQUAL, 1 + SPIN_FIVE, .must = 5 },
	{ "with a register of value 0", GAPP_SPIN_WHILE_NOT_LESS, 1 + SPIN_ZERO, .must = 0 },
	{ "with a register of a negative value", GAPP_SPIN_WHILE_NOT_GREATER, 1 + SPIN_MINUS_3,
	  .must = -3 },
	{ "with a register of the lowest value", GAPP_SPIN_WHILE_ABOVE, 1 + SPIN_TOP_BIT,
	  .must = -0x7fffffffffffffffLL - 1 },
	{ "with the register behind the one that is not known", GAPP_SPIN_WHILE_EQUAL,
	  2 + SPIN_UNKNOWN, .must = 0xa000 },
	{ "with the last register", GAPP_SPIN_WHILE_GREATER, 1 + SPIN_LAST, .must = 0x31000 },
	{ "with a register that is not known", GAPP_SPIN_WHILE_EQUAL, 1 + SPIN_UNKNOWN,
	  .unknown = true },
	{ "with what is not known", GAPP_SPIN_WHILE_UNKNOWN, .unknown = true },
};

/* clang-format on */

static inline void vec_spin_with_run(void *rig, const struct vec_spin_with *vec)
{
	const struct vec_place p = { .rig = rig, .name = vec->name, .part = "comparison" };
	const struct gapp_spin_location location = {
		.terms = 1,
		.goes_on = vec->goes_on,
		.bytes = 8,
		.with = vec->with,
		.number = vec->number,
		.term = { { SPIN_POINTER, GAPP_SPIN_NO_REGISTER, 0, 0, 0 } },
	};
	s64 number = 0;
	bool known;

	vec_same(&p, "valid", gapp_spin_location_is_valid(&location), true);
	known = gapp_spin_compares_with(&location, &vec_spin_regs, &number);
	vec_same(&p, "known", known, !vec->unknown);
	if (known)
		vec_same(&p, "number", number, vec->must);
}

/**
 * struct vec_spin_while - a value of a word, and with which comparisons a loop then goes on
 * @name: what the vector shows
 * @bytes: bytes of the word that are compared
 * @number: what the word is compared with
 * @word: the value
 * @goes_on: those comparisons, a bit for each of enum gapp_spin_while
 */
struct vec_spin_while {
	const char *name;
	u32 bytes;
	s64 number;
	u64 word;
	u32 goes_on;
};

#define WHILE(how) (1U << GAPP_SPIN_WHILE_##how)
/* The word is the number; without a sign it is below or above; with one it is less or greater. */
#define SAME \
	(WHILE(EQUAL) | WHILE(NOT_BELOW) | WHILE(NOT_ABOVE) | WHILE(NOT_LESS) | WHILE(NOT_GREATER))
#define UNDER (WHILE(NOT_EQUAL) | WHILE(BELOW) | WHILE(NOT_ABOVE))
#define OVER (WHILE(NOT_EQUAL) | WHILE(ABOVE) | WHILE(NOT_BELOW))
#define SMALLER (WHILE(LESS) | WHILE(NOT_GREATER))
#define LARGER (WHILE(GREATER) | WHILE(NOT_LESS))
#define LOWEST (-0x7fffffffffffffffLL - 1)
#define LOWEST_32 (-0x7fffffffLL - 1)

/* clang-format off */
static const struct vec_spin_while vec_spin_whiles[] = {
	/* what programs wait for */
	{ "a lock that is held", 4, 0, 1, OVER | LARGER },
	{ "a lock that is free", 4, 0, 0, SAME },
	{ "a lock of a byte whose neighbours are not 0", 1, 0, 0x6d6c6b00, SAME },
	{ "a ticket before one's own", 2, 7, 6, UNDER | SMALLER },
	{ "a ticket behind one's own", 2, 7, 8, OVER | LARGER },
	{ "a counter that is down to -1", 4, 0, 0xffffffff, OVER | SMALLER },
	{ "a pointer that is not null", 8, 0, 0x7f0000001000, OVER | LARGER },
	{ "a pointer whose low half is 0", 8, 0, 0x7f0000000000, OVER | LARGER },

	/* one byte */
	{ "byte 0 and 1", 1, 1, 0, UNDER | SMALLER },
	{ "byte 1 and 0", 1, 0, 1, OVER | LARGER },
	{ "byte 0xff and 0", 1, 0, 0xff, OVER | SMALLER },
	{ "byte 0 and -1", 1, -1, 0, UNDER | LARGER },
	{ "byte 0xff and -1", 1, -1, 0xff, SAME },
	{ "byte 0xff and 255", 1, 255, 0xff, SAME },
	{ "byte 0xfe and -1", 1, -1, 0xfe, UNDER | SMALLER },
	{ "byte 0xff and -2", 1, -2, 0xff, OVER | LARGER },
	{ "byte 0x80 and 0", 1, 0, 0x80, OVER | SMALLER },
	{ "byte 0x80 and -128", 1, -128, 0x80, SAME },
	{ "byte 0x80 and 128", 1, 128, 0x80, SAME },
	{ "byte 0x80 and 127", 1, 127, 0x80, OVER | SMALLER },
	{ "byte 0x7f and -128", 1, -128, 0x7f, UNDER | LARGER },
	{ "byte 0x7f and 128", 1, 128, 0x7f, UNDER | LARGER },
	{ "byte 0x7f and 127", 1, 127, 0x7f, SAME },
	{ "byte 0x7f and 126", 1, 126, 0x7f, OVER | LARGER },
	{ "byte 0x81 and -128", 1, -128, 0x81, OVER | LARGER },

	/* bytes behind those that are compared do not count, nor do those of the number */
	{ "byte 0 before a 1", 1, 0, 0x100, SAME },
	{ "byte 0 before all others set", 1, 0, 0xffffffffffffff00, SAME },
	{ "byte 1 before all others set", 1, 0, 0xffffffffffffff01, OVER | LARGER },
	{ "byte 0x7f before all others set", 1, 127, 0xffffffffffffff7f, SAME },
	{ "byte 5 before others, and 4", 1, 4, 0x123456789abcde05, OVER | LARGER },
	{ "byte 5 before others, and 6", 1, 6, 0x123456789abcde05, UNDER | SMALLER },
	{ "byte 0, and a number whose first byte is 0", 1, 0x100, 0, SAME },
	{ "byte 5, and a negative number whose first byte is 5", 1, -251, 5, SAME },
	{ "byte 4, and a negative number whose first byte is 5", 1, -251, 4, UNDER | SMALLER },
	{ "byte 6, and the highest number whose first byte is 5", 1, 0x7fffffffffffff05, 6,
	  OVER | LARGER },
	{ "two bytes of 0 before all others set", 2, 0, 0xffffffffffff0000, SAME },
	{ "two bytes of 1 before all others set, and 2", 2, 2, 0xffffffffffff0001,
	  UNDER | SMALLER },
	{ "two bytes of 0, and a number whose first two are 0", 2, 0x10000, 0, SAME },
	{ "two bytes whose second one is 1", 2, 0, 0x100, OVER | LARGER },
	{ "four bytes of 0 before all others set", 4, 0, 0xffffffff00000000, SAME },
	{ "four bytes of 1 before all others set, and 0", 4, 0, 0xffffffff00000001,
	  OVER | LARGER },
	{ "four bytes of 0, and a number whose first four are 0", 4, 1LL << 32, 0, SAME },
	{ "four bytes whose last one is 1", 4, 0, 0x1000000, OVER | LARGER },
	{ "eight bytes whose fifth one is 1", 8, 0, 1ULL << 32, OVER | LARGER },
	{ "eight bytes of 0, and a number whose fifth one is 1", 8, 1LL << 32, 0,
	  UNDER | SMALLER },

	/* two bytes: the sign is that of the second one */
	{ "0x80 of two bytes and 0x7f", 2, 0x7f, 0x80, OVER | LARGER },
	{ "0xff of two bytes and 0", 2, 0, 0xff, OVER | LARGER },
	{ "0xff of two bytes and -1", 2, -1, 0xff, UNDER | LARGER },
	{ "0xffff and -1", 2, -1, 0xffff, SAME },
	{ "0xffff and 0", 2, 0, 0xffff, OVER | SMALLER },
	{ "0x8000 and 0x7fff", 2, 0x7fff, 0x8000, OVER | SMALLER },
	{ "0x8000 and -0x8000", 2, -0x8000, 0x8000, SAME },
	{ "0x7fff and 0x8000", 2, 0x8000, 0x7fff, UNDER | LARGER },
	{ "0x7fff and 0x7ffe", 2, 0x7ffe, 0x7fff, OVER | LARGER },

	/* four bytes */
	{ "0x8000 of four bytes and 0x7fff", 4, 0x7fff, 0x8000, OVER | LARGER },
	{ "0xffffffff and -1", 4, -1, 0xffffffff, SAME },
	{ "0xffffffff and its own value", 4, 0xffffffff, 0xffffffff, SAME },
	{ "0xfffffffe and -1", 4, -1, 0xfffffffe, UNDER | SMALLER },
	{ "0x80000000 and the lowest number", 4, LOWEST_32, 0x80000000, SAME },
	{ "0x80000000 and the highest number", 4, 0x7fffffff, 0x80000000, OVER | SMALLER },
	{ "0x80000000 and 0", 4, 0, 0x80000000, OVER | SMALLER },
	{ "0x7fffffff and the lowest number", 4, LOWEST_32, 0x7fffffff, UNDER | LARGER },
	{ "0x7fffffff and the highest number", 4, 0x7fffffff, 0x7fffffff, SAME },
	{ "0x80000000 before all others set, and the lowest number", 4, LOWEST_32,
	  0xffffffff80000000, SAME },

	/* eight bytes */
	{ "0xffffffff of eight bytes and -1", 8, -1, 0xffffffff, UNDER | LARGER },
	{ "0x80000000 of eight bytes and the lowest number of four", 8, LOWEST_32, 0x80000000,
	  UNDER | LARGER },
	{ "0x80000000 of eight bytes and the highest number of four", 8, 0x7fffffff, 0x80000000,
	  OVER | LARGER },
	{ "the lowest number of four bytes in eight", 8, LOWEST_32, 0xffffffff80000000, SAME },
	{ "eight bytes of 0", 8, 0, 0, SAME },
	{ "all bits and -1", 8, -1, ~0ULL, SAME },
	{ "all bits and 0", 8, 0, ~0ULL, OVER | SMALLER },
	{ "all bits and 1", 8, 1, ~0ULL, OVER | SMALLER },
	{ "0 and all bits", 8, -1, 0, UNDER | LARGER },
	{ "the top bit and the lowest number", 8, LOWEST, 1ULL << 63, SAME },
	{ "the top bit and the number above", 8, LOWEST + 1, 1ULL << 63, UNDER | SMALLER },
	{ "the top bit and 0", 8, 0, 1ULL << 63, OVER | SMALLER },
	{ "the top bit and the highest number", 8, 0x7fffffffffffffff, 1ULL << 63,
	  OVER | SMALLER },
	{ "the highest number and the lowest", 8, LOWEST, 0x7fffffffffffffff, UNDER | LARGER },
	{ "the highest number and -1", 8, -1, 0x7fffffffffffffff, UNDER | LARGER },
};

/* clang-format on */

#undef WHILE
#undef SAME
#undef UNDER
#undef OVER
#undef SMALLER
#undef LARGER
#undef LOWEST
#undef LOWEST_32

/* In each way to compare, and in those that nobody knows: with these no loop goes on. */
static inline void vec_spin_while_run(void *rig, const struct vec_spin_while *vec)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "comparison" };
	u32 how;

	for (how = 0; how < 32; how++) {
		p.index = how;
		vec_same(&p, "goes on", gapp_spin_goes_on(how, vec->bytes, vec->number, vec->word),
			 vec->goes_on >> how & 1);
	}
	for (how = 32; how; how <<= 1) {
		p.index = how | GAPP_SPIN_WHILE_NOT_EQUAL;
		vec_same(&p, "goes on",
			 gapp_spin_goes_on(p.index, vec->bytes, vec->number, vec->word), false);
		p.index = how | GAPP_SPIN_WHILE_EQUAL;
		vec_same(&p, "goes on",
			 gapp_spin_goes_on(p.index, vec->bytes, vec->number, vec->word), false);
	}
}

#endif /* GAPP_VEC_SPIN_LOCATIONS_H */
