/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gapp: unwind tables, and the mappings that use them. A reader compiles the
 * call frame information of an ELF file to a table and loads it
 * (GAPP_IOC_LOAD_TABLE). The module then finds the caller of a frame by a binary
 * search in the table.
 *
 * A table consists of these parts, without gaps:
 *
 *	struct gapp_table_head
 *	struct gapp_rule rules[]
 *	__u32 first[pages + 1]		rows of page i are first[i] to first[i + 1] - 1
 *	struct gapp_row rows[]
 *
 * Addresses are those of the ELF file. Page i begins at address begin +
 * i * GAPP_TABLE_PAGE. Each page has at least one row. The rows of a page are
 * sorted by their offset, and the first one has offset 0. The rule of a row holds
 * from its offset up to that of the next row.
 */
#ifndef _UAPI_GAPP_TABLE_H
#define _UAPI_GAPP_TABLE_H

#include <linux/types.h>

#define GAPP_TABLE_MAGIC 0x31545547U /* "GUT1" */
#define GAPP_TABLE_VERSION 1
#define GAPP_TABLE_PAGE 65536U

#define GAPP_TABLE_MAX_PAGES 65536U
#define GAPP_TABLE_MAX_RULES 4096U
#define GAPP_TABLE_MAX_ROWS (1U << 24)

/* Machines that have unwind tables. */
enum gapp_arch {
	GAPP_ARCH_X86_64 = 1,
	GAPP_ARCH_AARCH64 = 2,
};

/**
 * struct gapp_table_head - how a table begins
 * @magic: GAPP_TABLE_MAGIC
 * @version: GAPP_TABLE_VERSION
 * @arch: enum gapp_arch
 * @rules: number of rules, 1 to GAPP_TABLE_MAX_RULES
 * @pages: number of pages, 1 to GAPP_TABLE_MAX_PAGES
 * @rows: number of rows of all pages, @pages to GAPP_TABLE_MAX_ROWS
 * @reserved0: zero
 * @begin: address of the first page, a multiple of GAPP_TABLE_PAGE
 * @reserved: zero
 */
struct gapp_table_head {
	__u32 magic;
	__u16 version;
	__u16 arch;
	__u32 rules;
	__u32 pages;
	__u32 rows;
	__u32 reserved0;
	__u64 begin;
	__u64 reserved[4];
};

/**
 * struct gapp_row - the rule from an address on
 * @low: offset of the address in its page, in bytes
 * @rule: index in rules[]
 */
struct gapp_row {
	__u16 low;
	__u16 rule;
};

/*
 * How the module finds the CFA, DWARF's canonical frame address: the caller's stack pointer after
 * the call has returned. "fp" is rbp or x29, "sp" is rsp or sp; register numbers are DWARF's.
 */
enum gapp_cfa {
	GAPP_CFA_GAP = 0, /* the ELF file says nothing here: use the frame pointer */
	GAPP_CFA_NONE = 1, /* the ELF file says what a rule cannot express: stop here */
	GAPP_CFA_END = 2, /* there is no caller */
	GAPP_CFA_SIGNAL = 3, /* the frame of a signal handler: all registers are on the stack */
	GAPP_CFA_SP = 4, /* sp + cfa_offset */
	GAPP_CFA_FP = 5, /* fp + cfa_offset */
	GAPP_CFA_PLT = 6, /* sp + 8 + ((ip & 15) >= cfa_offset ? 8 : 0) */
	GAPP_CFA_DEREF_SP = 7, /* *(sp + gapp_rule_pre()) + gapp_rule_post() */
	GAPP_CFA_DEREF_FP = 8, /* *(fp + gapp_rule_pre()) + gapp_rule_post() */
	GAPP_CFA_REGISTER = 9, /* register @number + cfa_offset; innermost frames only */
	GAPP_CFA_KINDS = 10,
};

/* How the module finds the caller's fp. */
enum gapp_fp {
	GAPP_FP_SAME = 0, /* the frame has not changed fp */
	GAPP_FP_CFA = 1, /* *(CFA + fp_offset) */
	GAPP_FP_DEREF_FP = 2, /* *(fp + fp_offset) */
	GAPP_FP_LOST = 3, /* it cannot be found */
	GAPP_FP_KINDS = 4,
};

/* How the module finds the return address. */
enum gapp_ra {
	GAPP_RA_CFA = 0, /* *(CFA + ra_offset) */
	GAPP_RA_REGISTER = 1, /* register @number, not sp; innermost frames only */
	GAPP_RA_KINDS = 2,
};

/**
 * struct gapp_rule - how the module finds the caller of a frame
 * @cfa_offset: bytes to add for @cfa, see enum gapp_cfa
 * @fp_offset: bytes to add for @fp, see enum gapp_fp
 * @ra_offset: bytes to add for @ra, see enum gapp_ra
 * @cfa: enum gapp_cfa; up to GAPP_CFA_SIGNAL all other members are zero
 * @fp: enum gapp_fp
 * @ra: enum gapp_ra
 * @number: DWARF number of the register that @cfa or @ra uses; 0 if neither uses one
 */
struct gapp_rule {
	__s32 cfa_offset;
	__s32 fp_offset;
	__s32 ra_offset;
	__u8 cfa;
	__u8 fp;
	__u8 ra;
	__u8 number;
};

/* GAPP_CFA_DEREF_* has two offsets in cfa_offset, in bytes, 16 bits each. */
static inline __s32 gapp_rule_offsets(__s16 pre, __s16 post)
{
	return (__s32)((__u32)(__u16)pre << 16 | (__u16)post);
}

static inline __s16 gapp_rule_pre(const struct gapp_rule *rule)
{
	return (__s16)((__u32)rule->cfa_offset >> 16);
}

static inline __s16 gapp_rule_post(const struct gapp_rule *rule)
{
	return (__s16)((__u32)rule->cfa_offset & 0xffff);
}

/*
 * A spin table has the code of a file's busy-wait loops (GAPP_CONFIG_SPINS): struct gapp_spin_head
 * and behind it struct gapp_spin_range ranges[], sorted by address, without overlap, struct
 * gapp_spin_location locations[], and struct gapp_spin_exit exits[], sorted by loop and address.
 */
#define GAPP_SPIN_MAGIC 0x31505347U /* "GSP1" */
#define GAPP_SPIN_VERSION 4
#define GAPP_SPIN_MAX_RANGES 65536U
#define GAPP_SPIN_MAX_LOCATIONS 65535U
#define GAPP_SPIN_MAX_EXITS 65535U

/**
 * struct gapp_spin_head - how a spin table begins
 * @magic: GAPP_SPIN_MAGIC
 * @version: GAPP_SPIN_VERSION; or an earlier one: 3, without exits; 2, of ABI 1.12, which compared
 *	nothing, either; 1: without locations, either
 * @arch: enum gapp_arch
 * @ranges: number of ranges, 1 to GAPP_SPIN_MAX_RANGES
 * @locations: number of locations, at most GAPP_SPIN_MAX_LOCATIONS
 * @exits: number of exits, at most GAPP_SPIN_MAX_EXITS
 * @zero: zero
 * @reserved: zero
 */
struct gapp_spin_head {
	__u32 magic;
	__u16 version;
	__u16 arch;
	__u32 ranges;
	__u32 locations;
	__u32 exits;
	__u32 zero;
	__u64 reserved[5];
};

/* A thread spins too while it is in a function without a frame that was called from the range. */
#define GAPP_SPIN_CALLS (1U << 0)
/*
 * Since ABI 1.14, with GAPP_SPIN_CALLS: a thread spins too while it is in any function that was
 * called from the range, however deep below.
 */
#define GAPP_SPIN_DEEP (1U << 1)

/**
 * struct gapp_spin_range - code of a busy-wait loop
 * @begin: address of the first byte, in the ELF file
 * @bytes: bytes of code, 1 or more
 * @flags: GAPP_SPIN_* bits
 * @location: number of the location that the loop waits for, the first one being 1; 0: not known
 */
struct gapp_spin_range {
	__u64 begin;
	__u32 bytes;
	__u16 flags;
	__u16 location;
};

/* Instead of the number of a register: none. */
#define GAPP_SPIN_NO_REGISTER 0xffU
#define GAPP_SPIN_TERMS 4

/**
 * struct gapp_spin_term - one step to the address of a location
 * @base: register whose value is added, by its DWARF number, or GAPP_SPIN_NO_REGISTER
 * @index: register whose value times @scale is added, or GAPP_SPIN_NO_REGISTER
 * @scale: 1, 2, 4 or 8; 0 without @index
 * @reserved: zero
 * @offset: bytes that are added
 */
struct gapp_spin_term {
	__u8 base;
	__u8 index;
	__u8 scale;
	__u8 reserved;
	__s32 offset;
};

/* How the word compares while a loop goes on. */
enum gapp_spin_while {
	GAPP_SPIN_WHILE_UNKNOWN = 0, /* not known */
	GAPP_SPIN_WHILE_EQUAL = 1,
	GAPP_SPIN_WHILE_NOT_EQUAL = 2,
	GAPP_SPIN_WHILE_BELOW = 3, /* unsigned */
	GAPP_SPIN_WHILE_NOT_BELOW = 4,
	GAPP_SPIN_WHILE_NOT_ABOVE = 5,
	GAPP_SPIN_WHILE_ABOVE = 6,
	GAPP_SPIN_WHILE_LESS = 7, /* signed */
	GAPP_SPIN_WHILE_NOT_LESS = 8,
	GAPP_SPIN_WHILE_NOT_GREATER = 9,
	GAPP_SPIN_WHILE_GREATER = 10,
	GAPP_SPIN_WHILES = 11,
};

/**
 * struct gapp_spin_location - where the word is that a loop waits for, and until when
 * @terms: number of steps, 1 to GAPP_SPIN_TERMS
 * @goes_on: enum gapp_spin_while
 * @bytes: bytes of the word that are compared: 1, 2, 4 or 8; 0: not known, with
 *	GAPP_SPIN_WHILE_UNKNOWN only
 * @with: DWARF number, plus 1, of the register with whose value the word is compared; 0: with
 *	@number
 * @number: what the word is compared with; else zero
 * @term: the steps; the others are zero
 *
 * The registers have the same values everywhere in the loop. The first step begins at zero; if it
 * has no @base, at the address to which the file's address 0 is mapped. Each other step begins with
 * the word at the address so far.
 */
struct gapp_spin_location {
	__u8 terms;
	__u8 goes_on;
	__u8 bytes;
	__u8 with;
	__s32 number;
	struct gapp_spin_term term[GAPP_SPIN_TERMS];
};

/* A thread is still in the loop after it came to an exit: where it does not jump, and where it
 * does.
 */
#define GAPP_SPIN_STAYS (1U << 0)
#define GAPP_SPIN_STAYS_JUMPING (1U << 1)

/**
 * struct gapp_spin_exit - a conditional jump in a busy-wait loop, one of whose ways leaves it
 * @address: address of the jump, in the ELF file; it is in a range
 * @loop: number of the loop, of those with exits; loops that share code or touch are one
 * @condition: when it jumps, as the machine has it: on x86-64 the low four bits of the opcode
 * @stays: GAPP_SPIN_STAYS bits, at least one
 * @reserved: zero
 */
struct gapp_spin_exit {
	__u64 address;
	__u32 loop;
	__u8 condition;
	__u8 stays;
	__u16 reserved;
};

/**
 * struct gapp_table_load - loads an unwind table or a spin table (GAPP_IOC_LOAD_TABLE)
 * @data: address of the table in the reader's memory
 * @bytes: size of the table in bytes
 * @table: set to 0 by the reader; on return the table's number in this session, 1 or more
 * @flags: zero
 * @reserved: zero
 *
 * Tables of equal content share memory, also between sessions. ENOSPC: the session would hold too
 * many tables or too many bytes, or all sessions together would.
 */
struct gapp_table_load {
	__u64 data;
	__u64 bytes;
	__u32 table;
	__u32 flags;
	__u64 reserved;
};

#define GAPP_MAX_TABLES 65534
/* Bytes of all tables of a session, and of a restricted session. */
#define GAPP_MAX_TABLE_BYTES (256U << 20)
#define GAPP_MAX_TABLE_BYTES_RESTRICTED (16U << 20)

/**
 * struct gapp_table_drop - the reader gives up a table of its session (GAPP_IOC_DROP_TABLE)
 * @table: number of the table; LOAD_TABLE may give it to another table later
 * @reserved: zero
 *
 * Mappings that use the table keep it until SET_MAPPINGS replaces them.
 */
struct gapp_table_drop {
	__u32 table;
	__u32 reserved;
};

/**
 * struct gapp_mapping - one range of executable memory of a process
 * @begin: address of the first byte
 * @end: address after the last byte
 * @bias: address in memory minus address in the table, in bytes
 * @table: number of the unwind table; 0: none, the module follows frame pointers there
 * @spins: number of the spin table, with GAPP_CONFIG_SPINS; 0: none
 */
struct gapp_mapping {
	__u64 begin;
	__u64 end;
	__u64 bias;
	__u32 table;
	__u32 spins;
};

#define GAPP_MAX_MAPPINGS 8192
#define GAPP_MAX_MAPPINGS_RESTRICTED 1024
/* Mappings of all processes of a session, and of a restricted session. */
#define GAPP_MAX_MAPPINGS_HELD (1U << 20)
#define GAPP_MAX_MAPPINGS_HELD_RESTRICTED (1U << 16)
/* Instead of an address space's number, which a process gets at START. */
#define GAPP_IMAGE_LATER 0xffffffffU

/**
 * struct gapp_mappings - gives the module the mappings of a process (GAPP_IOC_SET_MAPPINGS)
 * @pid: id of a process of the target, in the caller's pid namespace
 * @image: number of the address space that the mappings describe, as in records; 0 to ask for the
 *	number only. On return the number, or GAPP_IMAGE_LATER before START
 * @maps: address of struct gapp_mapping[@count], sorted by address, without overlap
 * @count: number of mappings, up to GAPP_MAX_MAPPINGS; 0 if @image is 0
 * @flags: zero
 * @reserved: zero
 *
 * They replace the mappings that the module had for the address space. The reader first asks for
 * the number, then reads the mappings from /proc, then sets them: ESTALE tells it that the process
 * has another address space by now. A child has its parent's mappings until it executes another
 * program. ESRCH: the session follows no such process.
 */
struct gapp_mappings {
	__s32 pid;
	__u32 image;
	__u64 maps;
	__u32 count;
	__u32 flags;
	__u64 reserved;
};

_Static_assert(sizeof(struct gapp_table_head) == 64, "gapp_table_head");
_Static_assert(sizeof(struct gapp_row) == 4, "gapp_row");
_Static_assert(sizeof(struct gapp_rule) == 16, "gapp_rule");
_Static_assert(sizeof(struct gapp_spin_head) == 64, "gapp_spin_head");
_Static_assert(sizeof(struct gapp_spin_range) == 16, "gapp_spin_range");
_Static_assert(sizeof(struct gapp_spin_exit) == 16, "gapp_spin_exit");
_Static_assert(sizeof(struct gapp_table_load) == 32, "gapp_table_load");
_Static_assert(sizeof(struct gapp_table_drop) == 8, "gapp_table_drop");
_Static_assert(sizeof(struct gapp_mapping) == 32, "gapp_mapping");
_Static_assert(sizeof(struct gapp_mappings) == 32, "gapp_mappings");

#endif /* _UAPI_GAPP_TABLE_H */
