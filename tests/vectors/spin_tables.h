/* SPDX-License-Identifier: GPL-2.0 */
/* Spin tables that are valid, tables that are not valid, and what tables say of addresses. */
#ifndef GAPP_VEC_SPIN_TABLES_H
#define GAPP_VEC_SPIN_TABLES_H

#include <gapp.h>

#include "edits.h"
#include "same.h"
#include "spin_table.h"

/**
 * struct vec_spin_table - a table that may be valid
 * @name: what it shows
 * @edits: to struct vec_plain_spins
 * @bytes: by which its size is given wrongly
 * @valid: it is valid
 */
struct vec_spin_table {
	const char *name;
	struct vec_edit edits[VEC_EDITS];
	s32 bytes;
	bool valid;
};

/*
 * Two ranges without a gap between them, one further on, and one that ends where addresses do.
 * Locations of one, two and all terms; two of the ranges have one. What the word is compared with
 * is known of all but the first.
 */
struct vec_plain_spins {
	struct gapp_spin_head head;
	struct gapp_spin_range ranges[4];
	struct gapp_spin_location locations[3];
	u32 behind[16];
};

#define VEC_SPINS_BYTES ((u32)offsetof(struct vec_plain_spins, behind))
#define VEC_SPINS_LAST 0xffffffffffffff00ULL
#define NONE GAPP_SPIN_NO_REGISTER

static const struct vec_plain_spins vec_plain_spins = {
	.head = { .magic = GAPP_SPIN_MAGIC,
		  .version = GAPP_SPIN_VERSION,
		  .arch = GAPP_ARCH_X86_64,
		  .ranges = 4,
		  .locations = 3 },
	.ranges = { { 0x1000, 0x10, 0, 1 },
		    { 0x1010, 1, GAPP_SPIN_CALLS },
		    { 0x2000, 0x20, 0, 3 },
		    { VEC_SPINS_LAST, 0xff, GAPP_SPIN_CALLS } },
	.locations = { { .terms = 1, .term = { { NONE, NONE, 0, 0, 0x4010 } } },
		       { .terms = 2,
			 .goes_on = GAPP_SPIN_WHILE_NOT_EQUAL,
			 .bytes = 4,
			 .number = 1,
			 .term = { { 7, 2, 8, 0, -0x18 }, { NONE, NONE, 0, 0, 0x40 } } },
		       { .terms = 4,
			 .goes_on = GAPP_SPIN_WHILE_GREATER,
			 .bytes = 8,
			 .number = -0x7fffffff - 1,
			 .term = { { 3, NONE, 0, 0, 8 },
				   { NONE, GAPP_REGISTERS - 1, 1, 0, 0 },
				   { 0, NONE, 0, 0, -1 },
				   { NONE, 0, 4, 0, 0x7fffffff } } } },
};

#define SPIN_AT(member) ((u32)offsetof(struct vec_plain_spins, member))
/* SPIN_SET_TO(): one member becomes another value. */
#define SPIN_SET_TO(member, value)                                                           \
	{                                                                                    \
		SPIN_AT(member), sizeof(((struct vec_plain_spins *)0)->member), (u64)(value) \
	}
/* SPIN_UNKNOWN(): one location does not say what is compared. */
#define SPIN_UNKNOWN(index)                                                                \
	{                                                                                  \
		SPIN_AT(locations[index].goes_on),                                         \
			SPIN_AT(locations[index].term) - SPIN_AT(locations[index].goes_on) \
	}
#define RANGE ((s32)sizeof(struct gapp_spin_range))
#define LOCATION ((s32)sizeof(struct gapp_spin_location))

/* SPIN_EXIT_AT(): where the exit behind the locations is. SPIN_EXIT_IS(): the rest of it. */
#define SPIN_EXIT_AT(address)               \
	{                                   \
		SPIN_AT(behind), 8, address \
	}
#define SPIN_EXIT_IS(condition, stays, more)                                     \
	{                                                                        \
		SPIN_AT(behind[3]), 4, (condition) | (stays) << 8 | (more) << 16 \
	}
#define EXIT ((s32)sizeof(struct gapp_spin_exit))

/* clang-format off */
static const struct vec_spin_table vec_spin_tables[] = {
	{ "a spin table", .valid = true },
	{ "spins of the other machine", { SPIN_SET_TO(head.arch, GAPP_ARCH_AARCH64) },
	  .valid = true },
	{ "one range", { SPIN_SET_TO(head.ranges, 1), SPIN_SET_TO(head.locations, 0),
			 SPIN_SET_TO(ranges[0].location, 0) },
	  .bytes = -3 * RANGE - 3 * LOCATION, .valid = true },
	{ "no locations", { SPIN_SET_TO(head.locations, 0), SPIN_SET_TO(ranges[0].location, 0),
			    SPIN_SET_TO(ranges[2].location, 0) },
	  .bytes = -3 * LOCATION, .valid = true },

	{ "a byte less than it has", .bytes = -1 },
	{ "a range less than it has", .bytes = -RANGE },
	{ "a location less than it has", .bytes = -LOCATION },
	{ "a byte more than it has", .bytes = 1 },
	{ "a range more than it has", .bytes = RANGE },
	{ "a location more than it has", .bytes = LOCATION },
	{ "ranges without locations", .bytes = -3 * LOCATION },
	{ "a head without ranges", .bytes = -4 * RANGE - 3 * LOCATION },
	{ "half a spin table's head", .bytes = 32 - (s32)VEC_SPINS_BYTES },
	{ "no byte of a spin table", .bytes = -(s32)VEC_SPINS_BYTES },

	/* the head */
	{ "no magic number of spins", { SPIN_SET_TO(head.magic, 0) } },
	{ "that of an unwind table", { SPIN_SET_TO(head.magic, GAPP_TABLE_MAGIC) } },
	{ "the next version of spins", { SPIN_SET_TO(head.version, GAPP_SPIN_VERSION + 1) } },
	{ "the highest version of spins", { SPIN_SET_TO(head.version, 0xffff) } },
	{ "version 3 of spins", { SPIN_SET_TO(head.version, 3) }, .valid = true },
	{ "version 3 of spins, no location of which says what is compared",
	  { SPIN_UNKNOWN(1), SPIN_UNKNOWN(2) }, .valid = true },
	{ "version 2 of spins",
	  { SPIN_SET_TO(head.version, 2), SPIN_UNKNOWN(1), SPIN_UNKNOWN(2) }, .valid = true },
	{ "version 2 of spins without locations",
	  { SPIN_SET_TO(head.version, 2), SPIN_SET_TO(head.locations, 0),
	    SPIN_SET_TO(ranges[0].location, 0), SPIN_SET_TO(ranges[2].location, 0) },
	  .bytes = -3 * LOCATION, .valid = true },
	{ "version 1 of spins",
	  { SPIN_SET_TO(head.version, 1), SPIN_SET_TO(head.locations, 0),
	    SPIN_SET_TO(ranges[0].location, 0), SPIN_SET_TO(ranges[2].location, 0) },
	  .bytes = -3 * LOCATION, .valid = true },
	{ "version 1 of spins with locations",
	  { SPIN_SET_TO(head.version, 1), SPIN_UNKNOWN(1), SPIN_UNKNOWN(2) } },
	{ "version 1 of spins with a location that it has not",
	  { SPIN_SET_TO(head.version, 1), SPIN_SET_TO(head.locations, 0),
	    SPIN_SET_TO(ranges[0].location, 0) },
	  .bytes = -3 * LOCATION },
	{ "no version of spins", { SPIN_SET_TO(head.version, 0) } },
	{ "spins of no machine", { SPIN_SET_TO(head.arch, 0) } },
	{ "spins of an unknown machine", { SPIN_SET_TO(head.arch, 3) } },
	{ "no ranges", { SPIN_SET_TO(head.ranges, 0) }, .bytes = -4 * RANGE },
	{ "more ranges than can be", { SPIN_SET_TO(head.ranges, GAPP_SPIN_MAX_RANGES + 1) } },
	{ "ranges without end", { SPIN_SET_TO(head.ranges, ~0U) } },
	{ "ranges whose size wraps", { SPIN_SET_TO(head.ranges, 0x10000004) } },
	{ "a range fewer, not its bytes", { SPIN_SET_TO(head.ranges, 3) } },
	{ "more locations than can be",
	  { SPIN_SET_TO(head.locations, GAPP_SPIN_MAX_LOCATIONS + 1) } },
	{ "locations without end", { SPIN_SET_TO(head.locations, ~0U) } },
	{ "locations whose size wraps", { SPIN_SET_TO(head.locations, 0x20000003) } },
	{ "a location fewer, not its bytes", { SPIN_SET_TO(head.locations, 2) } },
	{ "a location more, not its bytes", { SPIN_SET_TO(head.locations, 4) } },
	{ "five ranges more, two locations fewer",
	  { SPIN_SET_TO(head.ranges, 9), SPIN_SET_TO(head.locations, 1) } },
	{ "the first that is reserved", { SPIN_SET_TO(head.reserved[0], 1) } },
	{ "one in the middle", { SPIN_SET_TO(head.reserved[3], 1) } },
	{ "the last reserved of spins", { SPIN_SET_TO(head.reserved[4], 1ULL << 63) } },

	{ "the word that is zero", { SPIN_SET_TO(head.zero, 1) } },

	/* exits */
	{ "an exit", { SPIN_SET_TO(head.exits, 1), SPIN_EXIT_AT(0x1000), SPIN_EXIT_IS(15, 3, 0) },
	  .bytes = EXIT, .valid = true },
	{ "an exit in the last byte of a range",
	  { SPIN_SET_TO(head.exits, 1), SPIN_EXIT_AT(0x201f), SPIN_EXIT_IS(0, 1, 0) },
	  .bytes = EXIT, .valid = true },
	{ "an exit behind a range",
	  { SPIN_SET_TO(head.exits, 1), SPIN_EXIT_AT(0x2020), SPIN_EXIT_IS(0, 1, 0) },
	  .bytes = EXIT },
	{ "an exit before all ranges",
	  { SPIN_SET_TO(head.exits, 1), SPIN_EXIT_AT(0xfff), SPIN_EXIT_IS(0, 1, 0) },
	  .bytes = EXIT },
	{ "a condition that no jump has",
	  { SPIN_SET_TO(head.exits, 1), SPIN_EXIT_AT(0x1000), SPIN_EXIT_IS(16, 1, 0) },
	  .bytes = EXIT },
	{ "an exit of which no way stays",
	  { SPIN_SET_TO(head.exits, 1), SPIN_EXIT_AT(0x1000), SPIN_EXIT_IS(4, 0, 0) },
	  .bytes = EXIT },
	{ "a third way of an exit",
	  { SPIN_SET_TO(head.exits, 1), SPIN_EXIT_AT(0x1000), SPIN_EXIT_IS(4, 4, 0) },
	  .bytes = EXIT },
	{ "what is reserved in an exit",
	  { SPIN_SET_TO(head.exits, 1), SPIN_EXIT_AT(0x1000), SPIN_EXIT_IS(4, 1, 1) },
	  .bytes = EXIT },
	{ "an exit more than it has", { SPIN_SET_TO(head.exits, 1) } },
	{ "more exits than can be", { SPIN_SET_TO(head.exits, GAPP_SPIN_MAX_EXITS + 1) } },
	{ "exits whose size wraps", { SPIN_SET_TO(head.exits, 0x10000000) } },
	{ "an exit of version 3",
	  { SPIN_SET_TO(head.version, 3), SPIN_SET_TO(head.exits, 1),
	    SPIN_EXIT_AT(0x1000), SPIN_EXIT_IS(4, 1, 0) },
	  .bytes = EXIT },

	/* ranges */
	{ "a range of no bytes", { SPIN_SET_TO(ranges[1].bytes, 0) } },
	{ "the first one of no bytes", { SPIN_SET_TO(ranges[0].bytes, 0) } },
	{ "the last one of no bytes", { SPIN_SET_TO(ranges[3].bytes, 0) } },
	{ "an unknown flag", { SPIN_SET_TO(ranges[2].flags, 4) } },
	{ "an unknown flag beside a known one", { SPIN_SET_TO(ranges[3].flags, 5) } },
	{ "an unknown flag beside all known ones", { SPIN_SET_TO(ranges[3].flags, 7) } },
	{ "what is called from deep below, without calls", { SPIN_SET_TO(ranges[2].flags, 2) } },
	{ "a range with calls from deep below", { SPIN_SET_TO(ranges[3].flags, 3) },
	  .valid = true },
	{ "the highest flag", { SPIN_SET_TO(ranges[0].flags, 1U << 15) } },
	{ "all calls", { SPIN_SET_TO(ranges[0].flags, 1), SPIN_SET_TO(ranges[2].flags, 1) },
	  .valid = true },
	{ "a range over the next one's first byte", { SPIN_SET_TO(ranges[0].bytes, 0x11) } },
	{ "one up to the next", { SPIN_SET_TO(ranges[1].bytes, 0xff0) }, .valid = true },
	{ "one byte too many", { SPIN_SET_TO(ranges[1].bytes, 0xff1) } },
	{ "a range twice", { SPIN_SET_TO(ranges[1].begin, 0x1000),
			     SPIN_SET_TO(ranges[1].bytes, 0x10) } },
	{ "a range in another one", { SPIN_SET_TO(ranges[1].begin, 0x1004) } },
	{ "ranges not in order", { SPIN_SET_TO(ranges[2].begin, 0x500) } },
	{ "the first behind the others", { SPIN_SET_TO(ranges[0].begin, 0x3000) } },
	{ "a range at 0", { SPIN_SET_TO(ranges[0].begin, 0) }, .valid = true },
	{ "a range as long as can be", { SPIN_SET_TO(ranges[2].bytes, ~0U) }, .valid = true },

	{ "no range with a location", { SPIN_SET_TO(ranges[0].location, 0),
					SPIN_SET_TO(ranges[2].location, 0) }, .valid = true },
	{ "the last location of several ranges", { SPIN_SET_TO(ranges[0].location, 3),
						   SPIN_SET_TO(ranges[1].location, 3),
						   SPIN_SET_TO(ranges[3].location, 3) },
	  .valid = true },
	{ "a range of a location behind the last", { SPIN_SET_TO(ranges[1].location, 4) } },
	{ "the last range of a location behind the last", { SPIN_SET_TO(ranges[3].location, 4) } },
	{ "a range of the highest location", { SPIN_SET_TO(ranges[0].location, 0xffff) } },
	{ "the last location removed, and a range still has it", { SPIN_SET_TO(head.locations, 2) },
	  .bytes = -LOCATION },
	{ "the last location removed, and no range has it",
	  { SPIN_SET_TO(head.locations, 2), SPIN_SET_TO(ranges[2].location, 2) },
	  .bytes = -LOCATION, .valid = true },

	/* locations */
	{ "a location of no terms", { SPIN_SET_TO(locations[0].terms, 0) } },
	{ "a location of zeros", { SPIN_SET_TO(locations[0].terms, 0),
				   SPIN_SET_TO(locations[0].term[0], 0) } },
	{ "a location of five terms", { SPIN_SET_TO(locations[2].terms, 5) } },
	{ "a location of 255 terms", { SPIN_SET_TO(locations[2].terms, 255) } },
	{ "a location with a term more than it says", { SPIN_SET_TO(locations[1].terms, 1) } },
	{ "a location of four terms that says three", { SPIN_SET_TO(locations[2].terms, 3) } },
	{ "a location with a term less than it says", { SPIN_SET_TO(locations[0].terms, 2) } },
	{ "the reserved byte of a term", { SPIN_SET_TO(locations[0].term[0].reserved, 1) } },
	{ "the reserved byte of the last term", { SPIN_SET_TO(locations[2].term[3].reserved, 1) } },
	{ "the last register as base",
	  { SPIN_SET_TO(locations[0].term[0].base, GAPP_REGISTERS - 1) },
	  .valid = true },
	{ "a base behind the last register",
	  { SPIN_SET_TO(locations[0].term[0].base, GAPP_REGISTERS) } },
	{ "base 254", { SPIN_SET_TO(locations[2].term[2].base, 254) } },
	{ "the last register as index",
	  { SPIN_SET_TO(locations[1].term[0].index, GAPP_REGISTERS - 1) },
	  .valid = true },
	{ "an index behind the last register",
	  { SPIN_SET_TO(locations[1].term[0].index, GAPP_REGISTERS) } },
	{ "index 254", { SPIN_SET_TO(locations[2].term[3].index, 254) } },
	{ "scale 1", { SPIN_SET_TO(locations[1].term[0].scale, 1) }, .valid = true },
	{ "scale 2", { SPIN_SET_TO(locations[1].term[0].scale, 2) }, .valid = true },
	{ "scale 3", { SPIN_SET_TO(locations[1].term[0].scale, 3) } },
	{ "scale 4", { SPIN_SET_TO(locations[1].term[0].scale, 4) }, .valid = true },
	{ "scale 16", { SPIN_SET_TO(locations[1].term[0].scale, 16) } },
	{ "an index without a scale", { SPIN_SET_TO(locations[1].term[0].scale, 0) } },
	{ "a scale without an index", { SPIN_SET_TO(locations[1].term[1].scale, 1) } },
	{ "a scale whose index is removed",
	  { SPIN_SET_TO(locations[2].term[3].index, NONE) } },
	{ "any offsets of a location", { SPIN_SET_TO(locations[0].term[0].offset, 0x80000000),
					 SPIN_SET_TO(locations[1].term[1].offset, ~0U),
					 SPIN_SET_TO(locations[2].term[3].offset, 1) },
	  .valid = true },
	{ "a base in an unused term", { SPIN_SET_TO(locations[0].term[1].base, 1) } },
	{ "no base in an unused term", { SPIN_SET_TO(locations[0].term[1].base, NONE) } },
	{ "an index in an unused term", { SPIN_SET_TO(locations[1].term[2].index, 1) } },
	{ "a scale in an unused term", { SPIN_SET_TO(locations[1].term[2].scale, 1) } },
	{ "a reserved byte in an unused term", { SPIN_SET_TO(locations[1].term[3].reserved, 1) } },
	{ "an offset in an unused term", { SPIN_SET_TO(locations[0].term[3].offset, 1) } },
	{ "an unused term that could be used", { SPIN_SET_TO(locations[1].term[2].index, 2),
						 SPIN_SET_TO(locations[1].term[2].scale, 2) } },

	/* what the words of locations are compared with */
	{ "the first comparison", { SPIN_SET_TO(locations[1].goes_on, 1) }, .valid = true },
	{ "a comparison in the middle",
	  { SPIN_SET_TO(locations[1].goes_on, GAPP_SPIN_WHILE_NOT_ABOVE) }, .valid = true },
	{ "the last comparison", { SPIN_SET_TO(locations[1].goes_on, GAPP_SPIN_WHILE_GREATER) },
	  .valid = true },
	{ "a comparison behind the last", { SPIN_SET_TO(locations[1].goes_on, 11) } },
	{ "comparison 128", { SPIN_SET_TO(locations[1].goes_on, 128) } },
	{ "comparison 255", { SPIN_SET_TO(locations[2].goes_on, 255) } },
	{ "a comparison of one byte", { SPIN_SET_TO(locations[1].bytes, 1) }, .valid = true },
	{ "a comparison of two bytes", { SPIN_SET_TO(locations[1].bytes, 2) }, .valid = true },
	{ "a comparison of three bytes", { SPIN_SET_TO(locations[1].bytes, 3) } },
	{ "a comparison of five bytes", { SPIN_SET_TO(locations[1].bytes, 5) } },
	{ "a comparison of six bytes", { SPIN_SET_TO(locations[1].bytes, 6) } },
	{ "a comparison of seven bytes", { SPIN_SET_TO(locations[1].bytes, 7) } },
	{ "a comparison of eight bytes", { SPIN_SET_TO(locations[1].bytes, 8) }, .valid = true },
	{ "a comparison of nine bytes", { SPIN_SET_TO(locations[2].bytes, 9) } },
	{ "a comparison of 16 bytes", { SPIN_SET_TO(locations[2].bytes, 16) } },
	{ "a comparison of 255 bytes", { SPIN_SET_TO(locations[2].bytes, 255) } },
	{ "a comparison of bytes that are not known", { SPIN_SET_TO(locations[1].bytes, 0) } },
	{ "all of a comparison but how",
	  { SPIN_SET_TO(locations[1].goes_on, GAPP_SPIN_WHILE_UNKNOWN) } },
	{ "bytes that are compared with what is not known",
	  { SPIN_SET_TO(locations[0].bytes, 1), SPIN_SET_TO(locations[1].goes_on, 0),
	    SPIN_SET_TO(locations[1].number, 0) }, .valid = true },
	{ "three bytes that are compared with what is not known",
	  { SPIN_SET_TO(locations[0].bytes, 3) } },
	{ "a number alone", { SPIN_SET_TO(locations[0].number, 1) } },
	{ "the highest byte of a number alone", { SPIN_SET_TO(locations[0].number, 1U << 31) } },
	{ "a number and bytes, but not how", { SPIN_SET_TO(locations[0].bytes, 4),
					       SPIN_SET_TO(locations[0].number, 0x100) } },
	{ "any numbers", { SPIN_SET_TO(locations[1].number, 0x7fffffff),
			   SPIN_SET_TO(locations[2].number, -1) }, .valid = true },
	{ "number 0", { SPIN_SET_TO(locations[1].number, 0) }, .valid = true },
	{ "a number of more bytes than are compared", { SPIN_SET_TO(locations[1].bytes, 1),
							SPIN_SET_TO(locations[1].number, 0x1234) },
	  .valid = true },
	{ "a comparison with register 0", { SPIN_SET_TO(locations[1].with, 1),
					    SPIN_SET_TO(locations[1].number, 0) },
	  .valid = true },
	{ "a comparison with the last register", { SPIN_SET_TO(locations[2].with, GAPP_REGISTERS),
						   SPIN_SET_TO(locations[2].number, 0) },
	  .valid = true },
	{ "a comparison with the register behind the last",
	  { SPIN_SET_TO(locations[2].with, GAPP_REGISTERS + 1),
	    SPIN_SET_TO(locations[2].number, 0) } },
	{ "a comparison with register 254", { SPIN_SET_TO(locations[1].with, 255),
					      SPIN_SET_TO(locations[1].number, 0) } },
	{ "a comparison with no register and number 0", { SPIN_SET_TO(locations[2].with, 0),
							  SPIN_SET_TO(locations[2].number, 0) },
	  .valid = true },
	{ "a comparison with a register and a number", { SPIN_SET_TO(locations[1].with, 1) } },
	{ "a comparison with the last register and the lowest number",
	  { SPIN_SET_TO(locations[2].with, GAPP_REGISTERS) } },
	{ "a register alone", { SPIN_SET_TO(locations[0].with, 1) } },
	{ "a register and bytes, but not how", { SPIN_SET_TO(locations[0].bytes, 8),
						 SPIN_SET_TO(locations[0].with, GAPP_REGISTERS) } },

	/* the end of addresses: the last one is in no range */
	{ "the last address there is", { SPIN_SET_TO(ranges[3].bytes, 0x100) } },
	{ "a range around the end of addresses", { SPIN_SET_TO(ranges[3].bytes, 0x1100) } },
	{ "around it, as long as can be", { SPIN_SET_TO(ranges[3].bytes, ~0U) } },
	{ "a begin at the last address", { SPIN_SET_TO(ranges[3].begin, ~0ULL),
					   SPIN_SET_TO(ranges[3].bytes, 1) } },
	{ "a begin at the last but one", { SPIN_SET_TO(ranges[3].begin, ~0ULL - 1),
					   SPIN_SET_TO(ranges[3].bytes, 1) }, .valid = true },
	{ "one that ends around the end of addresses, before others",
	  { SPIN_SET_TO(ranges[0].begin, 0xfffffffffffff000ULL),
	    SPIN_SET_TO(ranges[0].bytes, 0x1800) } },
};

#define NO_RANGE 4

/**
 * struct vec_spin_find - an address in struct vec_plain_spins
 * @name: what it shows
 * @address: the address
 * @range: index of its range; NO_RANGE: it is in none
 * @location: number of the range's location, the first one being 1; 0: not known
 */
struct vec_spin_find {
	const char *name;
	u64 address;
	u32 range;
	u32 location;
};

static const struct vec_spin_find vec_spin_finds[] = {
	{ "address 0 spins not", 0, NO_RANGE },
	{ "just before the first range", 0xfff, NO_RANGE },
	{ "the first byte of all", 0x1000, 0, 1 },
	{ "within a range", 0x1007, 0, 1 },
	{ "the last byte before another range", 0x100f, 0, 1 },
	{ "the only byte of a range", 0x1010, 1 },
	{ "the first byte of a gap", 0x1011, NO_RANGE },
	{ "the last byte of a gap", 0x1fff, NO_RANGE },
	{ "the first byte behind a gap", 0x2000, 2, 3 },
	{ "the last byte of a range", 0x201f, 2, 3 },
	{ "behind a range", 0x2020, NO_RANGE },
	{ "further by all that a size can hold", 0x2000 + (1ULL << 32), NO_RANGE },
	{ "before the last range", VEC_SPINS_LAST - 1, NO_RANGE },
	{ "the first byte of the last range", VEC_SPINS_LAST, 3 },
	{ "the last byte of the last range", ~0ULL - 1, 3 },
	{ "behind the last range", ~0ULL, NO_RANGE },
};

/* clang-format on */

#undef SPIN_AT
#undef SPIN_SET_TO
#undef SPIN_UNKNOWN
#undef RANGE
#undef LOCATION
#undef NONE

static inline void vec_spin_table_run(void *rig, const struct vec_spin_table *vec,
				      struct vec_plain_spins *room)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "spin table" };
	const u64 bytes = VEC_SPINS_BYTES + vec->bytes;
	struct gapp_spin_table table = { 0 };

	*room = vec_plain_spins;
	vec_edit(room, vec->edits);
	vec_same(&p, "valid", gapp_spin_table_open(&table, room, bytes), vec->valid);
	if (!vec->valid)
		return;
	vec_same(&p, "bytes", gapp_spin_table_bytes(&room->head), bytes);
	vec_same(&p, "count", table.count, room->head.ranges);
	vec_same(&p, "ranges", table.ranges == room->ranges, true);
	vec_same(&p, "number of locations", table.location_count, room->head.locations);
	vec_same(&p, "rows", gapp_spin_table_rows(&table),
		 table.count + table.location_count + table.exit_count);
	vec_same(&p, "locations", table.locations == (const void *)&room->ranges[room->head.ranges],
		 true);
}

static inline void vec_spin_find_run(void *rig, const struct vec_spin_find *vec,
				     struct vec_plain_spins *room)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "address" };
	const struct gapp_spin_location *location;
	const struct gapp_spin_range *range;
	struct gapp_spin_table table;

	*room = vec_plain_spins;
	if (!gapp_spin_table_open(&table, room, VEC_SPINS_BYTES)) {
		VEC_FAIL(rig, "%s: the table is refused", vec->name);
		return;
	}
	range = gapp_spin_table_find(&table, vec->address);
	vec_same(&p, "range", range ? range - room->ranges : NO_RANGE, vec->range);
	if (!range)
		return;
	location = gapp_spin_table_location(&table, range);
	vec_same(&p, "location", location ? location - room->locations + 1 : 0, vec->location);
}

#endif /* GAPP_VEC_SPIN_TABLES_H */
