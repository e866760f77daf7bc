/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A walk up a user stack by tables, and by frame pointers where there is none.
 * Stack, tables and mappings are hostile: a walk takes bounded time and reads
 * nothing but them.
 */
#ifndef GAPP_CORE_UNWIND_H
#define GAPP_CORE_UNWIND_H

#include <gapp_record.h>

#include "table.h"
#include "window.h"

/**
 * struct gapp_unwind_mapping - executable memory of a process
 * @begin: first address
 * @end: behind its last
 * @bias: what its addresses are above those of its table
 * @table: NULL: it has none, and is walked by frame pointers
 */
struct gapp_unwind_mapping {
	u64 begin;
	u64 end;
	u64 bias;
	const struct gapp_table *table;
};

/**
 * struct gapp_regs - registers, as DWARF numbers them
 * @valid: a bit for each one that is known
 * @value: what is in it
 */
struct gapp_regs {
	u64 valid;
	u64 value[GAPP_REGISTERS];
};

#define GAPP_KNOWN_RULES 2048U
/* Sets of two places where a rule may be: so many that few addresses miss theirs. */
#define GAPP_PLACE_SET_BITS 11
#define GAPP_PLACE_SETS 2048
#define GAPP_MAPPING_ID_BITS 48

/**
 * struct gapp_known_rule - a rule that was looked up
 * @address: where
 * @code_id: in which code; 0: nothing was
 * @above: where its caller's was found the last time: a guess
 * @plain: the rule is one of those that nearly all are, and all its offsets are of whole words
 * @rule: the rule, not the table's but a copy: the table may be gone. Where the caller's frame
 *	pointer is this frame's, fp_offset is ra_offset: then both may be read
 */
struct gapp_known_rule {
	u64 address;
	u64 code_id : GAPP_MAPPING_ID_BITS;
	u64 above : 15;
	u64 plain : 1;
	struct gapp_rule rule;
};

_Static_assert(sizeof(struct gapp_known_rule) == 32, "gapp_known_rule");
_Static_assert(GAPP_KNOWN_RULES <= 1U << 15, "gapp_known_rule above");
_Static_assert(GAPP_PLACE_SETS == 1 << GAPP_PLACE_SET_BITS, "sets of places");

/**
 * struct gapp_unwind - a walk
 * @window: its @copy, @context and @limit are set by the caller
 * @arch: enum gapp_arch
 * @code: executable memory, by address
 * @code_count: how many
 * @code_id: a number that no other @code ever has, in all walks with the same @known; 0, or more
 *	than GAPP_MAPPING_ID_BITS: nothing is remembered
 * @known: GAPP_KNOWN_RULES of them, zero at first, kept from walk to walk, best aligned to a
 *	cache line; or NULL
 * @places: GAPP_PLACE_SETS of them: where in @known a rule may be, by its address; zero at first,
 *	kept likewise; not looked at without @known
 * @learned: how many there ever were in @known; kept likewise
 * @regs: on the way in those of the innermost frame, all that are known; on return those of the
 *	last frame found, from which the walk could go on
 * @by_fp: on return: a frame pointer was followed
 * @by_more: on return: the walk depends on more than its first instruction pointer, stack pointer,
 *	frame pointer and what it has read
 * @unmapped: on return with GAPP_UNWIND_UNMAPPED: the address that is in no @code; for a caller it
 *	is that of the call's last byte
 * @saved: the walk's own: the registers in a signal's frame
 */
struct gapp_unwind {
	struct gapp_window window;
	u32 arch;
	const struct gapp_unwind_mapping *code;
	u32 code_count;
	u64 code_id;
	struct gapp_known_rule *known;
	u16 (*places)[2];
	u32 learned;
	struct gapp_regs regs;
	bool by_fp;
	bool by_more;
	u64 unmapped;
	u64 saved[GAPP_REGISTERS];
};

/* Numbers of the registers that a walk follows. */
#define GAPP_X86_64_FP 6
#define GAPP_X86_64_SP 7
#define GAPP_X86_64_IP 16
#define GAPP_AARCH64_FP 29
#define GAPP_AARCH64_LR 30
#define GAPP_AARCH64_SP 31
#define GAPP_AARCH64_IP 32

u16 gapp_unwind(struct gapp_unwind *walk, u64 *frames, u16 max, enum gapp_unwind_end *end);

#endif /* GAPP_CORE_UNWIND_H */
