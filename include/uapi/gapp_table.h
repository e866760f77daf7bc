/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gapp: unwind tables, and the mappings they are for. A reader compiles the
 * call frame information of an ELF file to a table and loads it
 * (GAPP_IOC_LOAD_TABLE); with it the module finds a frame's caller by a binary
 * search.
 *
 * A table is, one behind the other without gaps:
 *
 *	struct gapp_table_head
 *	struct gapp_rule rules[]
 *	__u32 first[pages + 1]		rows of page i are first[i] to first[i + 1] - 1
 *	struct gapp_row rows[]
 *
 * Page i begins at address @begin + i * GAPP_TABLE_PAGE, as the ELF file gives
 * addresses. Each page has at least one row; its first row begins at 0, the
 * others each behind the one before. A row holds up to the next one.
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

enum gapp_arch {
	GAPP_ARCH_X86_64 = 1,
	GAPP_ARCH_AARCH64 = 2,
};

/**
 * struct gapp_table_head - how a table begins
 * @magic: GAPP_TABLE_MAGIC
 * @version: GAPP_TABLE_VERSION
 * @arch: enum gapp_arch
 * @rules: how many, 1 to GAPP_TABLE_MAX_RULES
 * @pages: how many, 1 to GAPP_TABLE_MAX_PAGES
 * @rows: how many, @pages to GAPP_TABLE_MAX_ROWS
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
 * struct gapp_row - from here on a rule holds
 * @low: offset in the page
 * @rule: index of the rule
 */
struct gapp_row {
	__u16 low;
	__u16 rule;
};

/*
 * How the CFA is found: the stack pointer as it is in the caller when the call has returned. "fp"
 * is rbp or x29, "sp" rsp or sp; a register with a number is as DWARF numbers them.
 */
enum gapp_cfa {
	GAPP_CFA_GAP = 0, /* the file says nothing here: try the frame pointer */
	GAPP_CFA_NONE = 1, /* it says what a rule cannot: the walk ends */
	GAPP_CFA_END = 2, /* there is no caller */
	GAPP_CFA_SIGNAL = 3, /* a signal's frame: all registers are on the stack */
	GAPP_CFA_SP = 4, /* sp + cfa_offset */
	GAPP_CFA_FP = 5, /* fp + cfa_offset */
	GAPP_CFA_PLT = 6, /* sp + 8 + ((ip & 15) >= cfa_offset ? 8 : 0) */
	GAPP_CFA_DEREF_SP = 7, /* *(sp + gapp_rule_pre()) + gapp_rule_post() */
	GAPP_CFA_DEREF_FP = 8, /* *(fp + gapp_rule_pre()) + gapp_rule_post() */
	GAPP_CFA_REGISTER = 9, /* register @number + cfa_offset; innermost frames only */
	GAPP_CFA_KINDS = 10,
};

/* How the caller's fp is found. */
enum gapp_fp {
	GAPP_FP_SAME = 0, /* this frame's */
	GAPP_FP_CFA = 1, /* *(CFA + fp_offset) */
	GAPP_FP_DEREF_FP = 2, /* *(fp + fp_offset) */
	GAPP_FP_LOST = 3, /* not at all */
	GAPP_FP_KINDS = 4,
};

/* How the return address is found. */
enum gapp_ra {
	GAPP_RA_CFA = 0, /* *(CFA + ra_offset) */
	GAPP_RA_REGISTER = 1, /* register @number; innermost frames only */
	GAPP_RA_KINDS = 2,
};

/**
 * struct gapp_rule - how a frame's caller is found
 * @cfa_offset: see enum gapp_cfa
 * @fp_offset: see enum gapp_fp
 * @ra_offset: see enum gapp_ra
 * @cfa: enum gapp_cfa; with GAPP_CFA_SIGNAL and before, all else is zero
 * @fp: enum gapp_fp
 * @ra: enum gapp_ra
 * @number: of the register that @cfa or @ra, or both, name; else 0
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

/* The two offsets of GAPP_CFA_DEREF_*, 16 bits each, in cfa_offset. */
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

/**
 * struct gapp_table_load - loads an unwind table (GAPP_IOC_LOAD_TABLE)
 * @data: its address
 * @bytes: its size
 * @table: on return its number in this session, 1 or more. Must be 0 on the way in
 * @flags: zero
 * @reserved: zero
 *
 * Whoever loads the same bytes again shares their memory, in this session or another.
 * ENOSPC: too many tables, or too large together.
 */
struct gapp_table_load {
	__u64 data;
	__u64 bytes;
	__u32 table;
	__u32 flags;
	__u64 reserved;
};

#define GAPP_MAX_TABLES 65534
/* Bytes of all tables of a session together, and of a restricted one. */
#define GAPP_MAX_TABLE_BYTES (256U << 20)
#define GAPP_MAX_TABLE_BYTES_RESTRICTED (16U << 20)

/**
 * struct gapp_table_drop - the session does not need a table any more (GAPP_IOC_DROP_TABLE)
 * @table: its number, which LOAD_TABLE may give again
 * @reserved: zero
 *
 * Mappings that were set with it keep it until they are set anew.
 */
struct gapp_table_drop {
	__u32 table;
	__u32 reserved;
};

/**
 * struct gapp_mapping - executable memory of a process
 * @begin: first address
 * @end: behind its last
 * @bias: what its addresses are above those of its table
 * @table: number of its table; 0: it has none and is walked by frame pointers
 * @flags: zero
 */
struct gapp_mapping {
	__u64 begin;
	__u64 end;
	__u64 bias;
	__u32 table;
	__u32 flags;
};

#define GAPP_MAX_MAPPINGS 8192
#define GAPP_MAX_MAPPINGS_RESTRICTED 1024
/* Of all processes of a session together. */
#define GAPP_MAX_MAPPINGS_HELD (1U << 20)
#define GAPP_MAX_MAPPINGS_HELD_RESTRICTED (1U << 16)
#define GAPP_IMAGE_LATER 0xffffffffU

/**
 * struct gapp_mappings - tells all executable memory of a process (GAPP_IOC_SET_MAPPINGS)
 * @pid: a process of the target, as the caller's pid namespace has it
 * @image: number of its address space, as in its records: ESTALE if that is another one by now.
 *	0: nothing is set, and @count is 0. On return the number, GAPP_IMAGE_LATER before START
 * @maps: address of struct gapp_mapping[@count], by address, not overlapping
 * @count: how many, up to GAPP_MAX_MAPPINGS
 * @flags: zero
 * @reserved: zero
 *
 * So ask for the image first, then read the mappings, then set them. A child has its parent's
 * until it executes another program. ESRCH: the session follows no such process.
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
_Static_assert(sizeof(struct gapp_table_load) == 32, "gapp_table_load");
_Static_assert(sizeof(struct gapp_table_drop) == 8, "gapp_table_drop");
_Static_assert(sizeof(struct gapp_mapping) == 32, "gapp_mapping");
_Static_assert(sizeof(struct gapp_mappings) == 32, "gapp_mappings");

#endif /* _UAPI_GAPP_TABLE_H */
