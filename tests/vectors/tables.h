/* SPDX-License-Identifier: GPL-2.0 */
/* Unwind tables that are valid and such that are not, and what they say of addresses. */
#ifndef GAPP_VEC_TABLES_H
#define GAPP_VEC_TABLES_H

#include "edits.h"
#include "same.h"
#include "table.h"

/**
 * struct vec_table - a table that may be valid
 * @name: what it shows
 * @edits: to struct vec_plain_table
 * @bytes: by which its size is given wrongly
 * @valid: it is valid
 */
struct vec_table {
	const char *name;
	struct vec_edit edits[VEC_EDITS];
	s32 bytes;
	bool valid;
};

/* Two pages, of four rows and of one. */
struct vec_plain_table {
	struct gapp_table_head head;
	struct gapp_rule rules[4];
	u32 first[3];
	struct gapp_row rows[5];
	u32 behind[32];
};

#define VEC_PLAIN_BYTES ((u32)offsetof(struct vec_plain_table, behind))
#define VEC_PLAIN_BEGIN 0x30000

static const struct vec_plain_table vec_plain_table = {
	.head = { .magic = GAPP_TABLE_MAGIC,
		  .version = GAPP_TABLE_VERSION,
		  .arch = GAPP_ARCH_X86_64,
		  .rules = 4,
		  .pages = 2,
		  .rows = 5,
		  .begin = VEC_PLAIN_BEGIN },
	.rules = { { .cfa = GAPP_CFA_GAP },
		   { .cfa = GAPP_CFA_SP, .cfa_offset = 8, .ra_offset = -8 },
		   { .cfa = GAPP_CFA_SP,
		     .cfa_offset = 16,
		     .fp_offset = -16,
		     .ra_offset = -8,
		     .fp = GAPP_FP_CFA },
		   { .cfa = GAPP_CFA_REGISTER, .ra_offset = -8, .number = 10 } },
	.first = { 0, 4, 5 },
	.rows = { { 0, 0 }, { 0x1000, 1 }, { 0x1001, 2 }, { 0xffff, 3 }, { 0, 1 } },
};

#define IN(member) ((u32)offsetof(struct vec_plain_table, member))
/* SET_TO(): one member becomes another value. */
#define SET_TO(member, value)                                                           \
	{                                                                               \
		IN(member), sizeof(((struct vec_plain_table *)0)->member), (u64)(value) \
	}

/* clang-format off */
static const struct vec_table vec_tables[] = {
	{ "a table", .valid = true },
	{ "of the other machine", { SET_TO(head.arch, GAPP_ARCH_AARCH64) }, .valid = true },

	{ "a byte less than it has", .bytes = -1 },
	{ "a row less than it has", .bytes = -4 },
	{ "a byte more than it has", .bytes = 1 },
	{ "a row more than it has", .bytes = 4 },
	{ "the head alone", .bytes = 64 - (s32)VEC_PLAIN_BYTES },
	{ "half a head", .bytes = 32 - (s32)VEC_PLAIN_BYTES },
	{ "nothing", .bytes = -(s32)VEC_PLAIN_BYTES },

	/* the head */
	{ "no magic number", { SET_TO(head.magic, 0) } },
	{ "another version", { SET_TO(head.version, 2) } },
	{ "no machine", { SET_TO(head.arch, 0) } },
	{ "an unknown machine", { SET_TO(head.arch, 3) } },
	{ "no rules", { SET_TO(head.rules, 0) } },
	{ "more rules than can be", { SET_TO(head.rules, GAPP_TABLE_MAX_RULES + 1) } },
	{ "rules without end", { SET_TO(head.rules, ~0U) } },
	{ "no pages", { SET_TO(head.pages, 0) } },
	{ "more pages than can be", { SET_TO(head.pages, GAPP_TABLE_MAX_PAGES + 1) } },
	{ "pages without end", { SET_TO(head.pages, ~0U) } },
	{ "fewer rows than pages", { SET_TO(head.rows, 1) } },
	{ "more rows than can be", { SET_TO(head.rows, GAPP_TABLE_MAX_ROWS + 1) } },
	{ "rows without end", { SET_TO(head.rows, ~0U) } },
	{ "a rule more, a row less", { SET_TO(head.rules, 3), SET_TO(head.rows, 9) } },
	{ "something reserved", { SET_TO(head.reserved0, 1) } },
	{ "something else reserved", { SET_TO(head.reserved[0], 1) } },
	{ "the last that is reserved", { SET_TO(head.reserved[3], 1ULL << 63) } },
	{ "a begin within a page", { SET_TO(head.begin, 0x30001) } },
	{ "a begin at 0", { SET_TO(head.begin, 0) }, .valid = true },
	{ "the highest begin", { SET_TO(head.begin, 0xfffffffffffc0000ULL) }, .valid = true },
	{ "an end behind all addresses", { SET_TO(head.begin, 0xfffffffffffe0000ULL) } },
	{ "half behind all addresses", { SET_TO(head.begin, 0xffffffffffff0000ULL) } },

	/* rules */
	{ "an unknown CFA", { SET_TO(rules[1].cfa, GAPP_CFA_KINDS) } },
	{ "the last unknown CFA", { SET_TO(rules[1].cfa, 255) } },
	{ "the last CFA", { SET_TO(rules[1].cfa, GAPP_CFA_KINDS - 1) }, .valid = true },
	{ "an unknown fp", { SET_TO(rules[1].fp, GAPP_FP_KINDS) } },
	{ "the last fp", { SET_TO(rules[1].fp, GAPP_FP_KINDS - 1) }, .valid = true },
	{ "an unknown return address", { SET_TO(rules[1].ra, GAPP_RA_KINDS) } },
	{ "the last rule is wrong", { SET_TO(rules[3].ra, GAPP_RA_KINDS) } },
	{ "a return address in a register",
	  { SET_TO(rules[1].ra, GAPP_RA_REGISTER), SET_TO(rules[1].number, 5) }, .valid = true },
	{ "a return address in the stack pointer",
	  { SET_TO(rules[1].ra, GAPP_RA_REGISTER), SET_TO(rules[1].number, 7) } },
	{ "a CFA from the stack pointer", { SET_TO(rules[3].number, 7) }, .valid = true },
	{ "a return address in that of the other machine",
	  { SET_TO(rules[1].ra, GAPP_RA_REGISTER), SET_TO(rules[1].number, 31) }, .valid = true },
	{ "the other machine's, there",
	  { SET_TO(rules[1].ra, GAPP_RA_REGISTER), SET_TO(rules[1].number, 31),
	    SET_TO(head.arch, GAPP_ARCH_AARCH64) } },
	{ "a register that nobody names", { SET_TO(rules[1].number, 5) } },
	{ "the last register", { SET_TO(rules[3].number, 32) }, .valid = true },
	{ "a register behind the last", { SET_TO(rules[3].number, 33) } },
	{ "a gap with a CFA's offset", { SET_TO(rules[0].cfa_offset, 8) } },
	{ "a gap with an fp's offset", { SET_TO(rules[0].fp_offset, 8) } },
	{ "a gap with a return address's offset", { SET_TO(rules[0].ra_offset, 8) } },
	{ "a gap with an fp", { SET_TO(rules[0].fp, GAPP_FP_LOST) } },
	{ "a gap with a return address", { SET_TO(rules[0].ra, GAPP_RA_REGISTER) } },
	{ "a gap with a register", { SET_TO(rules[0].number, 1) } },
	{ "a signal", { SET_TO(rules[0].cfa, GAPP_CFA_SIGNAL) }, .valid = true },
	{ "a signal with an offset",
	  { SET_TO(rules[0].cfa, GAPP_CFA_SIGNAL), SET_TO(rules[0].cfa_offset, 8) } },
	{ "an end", { SET_TO(rules[0].cfa, GAPP_CFA_END) }, .valid = true },
	{ "no rule", { SET_TO(rules[0].cfa, GAPP_CFA_NONE) }, .valid = true },
	{ "any offsets", { SET_TO(rules[1].cfa_offset, 0x80000000), SET_TO(rules[1].ra_offset, 1),
			   SET_TO(rules[2].fp_offset, 0x7fffffff) }, .valid = true },

	/* pages */
	{ "the first page begins late", { SET_TO(first[0], 1) } },
	{ "the last page ends early", { SET_TO(first[2], 4) } },
	{ "the last page ends late", { SET_TO(first[2], 6) } },
	{ "an empty first page", { SET_TO(first[1], 0) } },
	{ "an empty page before a good one", { SET_TO(first[1], 0), SET_TO(rows[3].low, 0x2000),
					       SET_TO(rows[4].low, 0x3000) } },
	{ "an empty last page", { SET_TO(first[1], 5) } },
	{ "a page that ends behind all rows", { SET_TO(first[1], 6) } },
	{ "a page that ends far behind", { SET_TO(first[1], ~0U) } },

	/* rows */
	{ "a page's first row is not at 0", { SET_TO(rows[0].low, 1) } },
	{ "nor that of another page", { SET_TO(rows[4].low, 1) } },
	{ "two rows in one place", { SET_TO(rows[2].low, 0x1000) } },
	{ "a row before the one before it", { SET_TO(rows[2].low, 0xfff) } },
	{ "two rows at 0", { SET_TO(rows[1].low, 0) } },
	{ "a row of a rule behind the last", { SET_TO(rows[3].rule, 4) } },
	{ "a first row of a rule behind the last", { SET_TO(rows[4].rule, 4) } },
	{ "a row of a rule far behind", { SET_TO(rows[0].rule, 0xffff) } },
};

/**
 * struct vec_find - an address in struct vec_plain_table
 * @name: what it shows
 * @address: the address
 * @rule: the rule there; 4: a gap that is not the table's
 */
static const struct vec_find {
	const char *name;
	u64 address;
	u32 rule;
} vec_finds[] = {
	{ "address 0", 0, 4 },
	{ "just before the first page", VEC_PLAIN_BEGIN - 1, 4 },
	{ "the first address", VEC_PLAIN_BEGIN, 0 },
	{ "within the first row", VEC_PLAIN_BEGIN + 0x800, 0 },
	{ "the last of the first row", VEC_PLAIN_BEGIN + 0xfff, 0 },
	{ "a row of one address", VEC_PLAIN_BEGIN + 0x1000, 1 },
	{ "the one behind it", VEC_PLAIN_BEGIN + 0x1001, 2 },
	{ "the last but one of the page", VEC_PLAIN_BEGIN + 0xfffe, 2 },
	{ "the last of the page", VEC_PLAIN_BEGIN + 0xffff, 3 },
	{ "the first of the next page", VEC_PLAIN_BEGIN + 0x10000, 1 },
	{ "the last of all", VEC_PLAIN_BEGIN + 0x1ffff, 1 },
	{ "just behind the last page", VEC_PLAIN_BEGIN + 0x20000, 4 },
	{ "far behind", VEC_PLAIN_BEGIN + (1ULL << 48), 4 },
	{ "the last address there is", ~0ULL, 4 },
};

/* clang-format on */

#undef IN
#undef SET_TO

static inline void vec_table_run(void *rig, const struct vec_table *vec,
				 struct vec_plain_table *room)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "table" };
	struct gapp_table table;

	*room = vec_plain_table;
	vec_edit(room, vec->edits);
	vec_same(&p, "valid", gapp_table_open(&table, room, VEC_PLAIN_BYTES + vec->bytes),
		 vec->valid);
}

static inline void vec_find_run(void *rig, const struct vec_find *vec, struct vec_plain_table *room)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "address" };
	const struct gapp_rule *rule;
	struct gapp_table table;

	*room = vec_plain_table;
	if (!gapp_table_open(&table, room, VEC_PLAIN_BYTES)) {
		VEC_FAIL(rig, "%s: the table is refused", vec->name);
		return;
	}
	vec_same(&p, "begin", table.begin, VEC_PLAIN_BEGIN);
	vec_same(&p, "pages", table.pages, 2);
	vec_same(&p, "arch", table.arch, GAPP_ARCH_X86_64);
	rule = gapp_table_find(&table, vec->address);
	if (vec->rule < 4) {
		vec_same(&p, "rule", rule - room->rules, vec->rule);
		return;
	}
	vec_same(&p, "rule of the table", rule >= room->rules && rule < room->rules + 4, 0);
	vec_same(&p, "cfa", rule->cfa, GAPP_CFA_GAP);
}

#endif /* GAPP_VEC_TABLES_H */
