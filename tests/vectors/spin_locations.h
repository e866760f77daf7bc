/* SPDX-License-Identifier: GPL-2.0 */
/* Locations of spin tables, and the addresses of the words that loops wait for. */
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

#endif /* GAPP_VEC_SPIN_LOCATIONS_H */
