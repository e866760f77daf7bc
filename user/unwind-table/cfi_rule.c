// SPDX-License-Identifier: GPL-2.0
#include "cfi_rule.h"

#include <dwarf.h>
#include <gapp_record.h>

/* libdw needs room for three operations at most. */
#define SPACE 3
/* x86-64, from a signal frame's stack pointer to where rsp is saved. */
#define SIGNAL_SP 160

/* Registers as DWARF numbers them. */
struct registers {
	u8 fp, sp, ra;
	u8 count; /* of those that walks know */
	u8 general; /* of those that rules may name */
};

static const struct registers x86_64 = { .fp = 6, .sp = 7, .ra = 16, .count = 17, .general = 16 };
static const struct registers aarch64 = { .fp = 29,
					  .sp = 31,
					  .ra = 30,
					  .count = 33,
					  .general = 31 };

/* A register's, as dwarf_frame_register() has it. */
struct place {
	Dwarf_Op space[SPACE];
	Dwarf_Op *ops;
	size_t count;
	bool known;
};

static void find_place(struct place *place, Dwarf_Frame *frame, int number)
{
	place->known =
		!dwarf_frame_register(frame, number, place->space, &place->ops, &place->count);
}

/* How libdw says it: no operations, but room for them. */
static bool is_undefined(const struct place *place)
{
	return place->known && !place->count && place->ops == place->space;
}

static bool is_same(const struct place *place)
{
	return place->known && !place->count && !place->ops;
}

static bool fits(s64 value)
{
	return value >= INT32_MIN && value <= INT32_MAX;
}

/* Register plus offset; which is told by @number. */
static bool is_sum(const Dwarf_Op *op, int *number, s64 *offset)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		*number = op->atom - DW_OP_breg0;
		*offset = op->number;
		return true;
	}
	if (op->atom == DW_OP_bregx && op->number <= INT32_MAX) {
		*number = op->number;
		*offset = op->number2;
		return true;
	}
	return false;
}

static bool is_register(const struct place *place, int *number)
{
	if (!place->known || place->count != 1)
		return false;
	if (place->ops->atom >= DW_OP_reg0 && place->ops->atom <= DW_OP_reg31) {
		*number = place->ops->atom - DW_OP_reg0;
		return true;
	}
	if (place->ops->atom == DW_OP_regx && place->ops->number <= INT32_MAX) {
		*number = place->ops->number;
		return true;
	}
	return false;
}

/*
 * Saved at the CFA plus an offset: this is how libdw has it where the file does not use an
 * expression; where it does, the CFA comes first, too, and then what the expression says.
 */
static bool is_saved_by_cfa(const struct place *place, s64 *offset)
{
	if (!place->known || !place->count || place->ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	*offset = 0;
	if (place->count == 1)
		return true;
	*offset = place->ops[1].number;
	return place->count == 2 && place->ops[1].atom == DW_OP_plus_uconst;
}

/* Saved at a register plus an offset, which an expression says. */
static bool is_saved_by_register(const struct place *place, int *number, s64 *offset)
{
	return place->known && place->count == 2 && place->ops[0].atom == DW_OP_call_frame_cfa &&
	       is_sum(&place->ops[1], number, offset);
}

/* The first four operations of nine are sp + 8 and the ip's lower bits; K is how far into a slot.
 */
static bool is_plt(const Dwarf_Op *ops, size_t count, s32 *k)
{
	static const u8 atoms[] = { DW_OP_breg7, DW_OP_breg16, DW_OP_lit15, DW_OP_and, 0,
				    DW_OP_ge,	 DW_OP_lit3,   DW_OP_shl,   DW_OP_plus };

	if (count != ARRAY_SIZE(atoms))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (atoms[i] && ops[i].atom != atoms[i])
			return false;
	}
	if (ops[0].number != 8 || ops[1].number || ops[4].atom < DW_OP_lit0 ||
	    ops[4].atom > DW_OP_lit15)
		return false;
	*k = ops[4].atom - DW_OP_lit0;
	return true;
}

/* What is at a register plus an offset, plus an offset. */
static bool is_deref(const Dwarf_Op *ops, size_t count, int *number, s64 *pre, s64 *post)
{
	*post = 0;
	if (count < 2 || count > 3 || !is_sum(ops, number, pre) || ops[1].atom != DW_OP_deref)
		return false;
	if (count == 2)
		return true;
	*post = ops[2].number;
	return ops[2].atom == DW_OP_plus_uconst;
}

static bool set_deref(struct gapp_rule *rule, const struct registers *machine, int number, s64 pre,
		      s64 post)
{
	if (number != machine->fp && number != machine->sp)
		return false;
	if (pre < INT16_MIN || pre > INT16_MAX || post < INT16_MIN || post > INT16_MAX)
		return false;
	rule->cfa = number == machine->fp ? GAPP_CFA_DEREF_FP : GAPP_CFA_DEREF_SP;
	rule->cfa_offset = gapp_rule_offsets(pre, post);
	return true;
}

static bool set_cfa(struct gapp_rule *rule, const struct registers *machine, const Dwarf_Op *ops,
		    size_t count)
{
	s64 offset, post;
	int number;

	if (count == 1 && is_sum(ops, &number, &offset) && fits(offset)) {
		rule->cfa_offset = offset;
		rule->cfa = GAPP_CFA_REGISTER;
		if (number == machine->fp)
			rule->cfa = GAPP_CFA_FP;
		else if (number == machine->sp)
			rule->cfa = GAPP_CFA_SP;
		else if (number < machine->general)
			rule->number = number;
		else
			return false;
		return true;
	}
	if (is_deref(ops, count, &number, &offset, &post))
		return set_deref(rule, machine, number, offset, post);
	if (machine == &x86_64 && is_plt(ops, count, &rule->cfa_offset)) {
		rule->cfa = GAPP_CFA_PLT;
		return true;
	}
	return false;
}

/* A register saved beside one that the CFA is found by is saved beside the CFA. */
static bool is_beside_cfa(const struct gapp_rule *rule, const struct registers *machine,
			  const struct place *place, s64 *offset)
{
	int number;

	if (is_saved_by_cfa(place, offset))
		return fits(*offset);
	if (!is_saved_by_register(place, &number, offset))
		return false;
	if (!(rule->cfa == GAPP_CFA_SP && number == machine->sp) &&
	    !(rule->cfa == GAPP_CFA_FP && number == machine->fp))
		return false;
	return fits(*offset) && fits(*offset -= rule->cfa_offset);
}

static void set_fp(struct gapp_rule *rule, const struct registers *machine, Dwarf_Frame *frame)
{
	struct place place;
	s64 offset;
	int number;

	find_place(&place, frame, machine->fp);
	if (is_same(&place)) {
		rule->fp = GAPP_FP_SAME;
	} else if (is_saved_by_register(&place, &number, &offset) && number == machine->fp &&
		   fits(offset)) {
		rule->fp = GAPP_FP_DEREF_FP;
		rule->fp_offset = offset;
	} else if (is_beside_cfa(rule, machine, &place, &offset)) {
		rule->fp = GAPP_FP_CFA;
		rule->fp_offset = offset;
	} else {
		rule->fp = GAPP_FP_LOST;
	}
}

static bool set_ra(struct gapp_rule *rule, const struct registers *machine,
		   const struct place *place)
{
	s64 offset;
	int number;

	if (is_beside_cfa(rule, machine, place, &offset)) {
		rule->ra = GAPP_RA_CFA;
		rule->ra_offset = offset;
		return true;
	}
	if (is_same(place) && machine == &aarch64)
		number = machine->ra;
	else if (!is_register(place, &number))
		return false;
	if (number >= machine->general ||
	    (rule->cfa == GAPP_CFA_REGISTER && rule->number != number))
		return false;
	rule->ra = GAPP_RA_REGISTER;
	rule->number = number;
	return true;
}

/*
 * x86-64: all is below what the kernel pushed, as in libc's restorer. A function that is only
 * marked as a signal's frame, for it is never returned to, has a rule as any other. aarch64: the
 * kernel's own code is marked, and says less than all.
 */
static bool is_signal_frame(const struct registers *machine, const Dwarf_Op *ops, size_t count)
{
	s64 pre, post;
	int number;

	if (machine == &aarch64)
		return true;
	return is_deref(ops, count, &number, &pre, &post) && number == machine->sp &&
	       pre == SIGNAL_SP && !post;
}

static const struct gapp_rule none = { .cfa = GAPP_CFA_NONE };

struct gapp_rule cfi_rule(Dwarf_Frame *frame, enum gapp_arch arch)
{
	const struct registers *machine = arch == GAPP_ARCH_X86_64 ? &x86_64 : &aarch64;
	struct gapp_rule rule = { 0 };
	bool is_signal = false;
	struct place ra;
	size_t count;
	Dwarf_Op *ops;

	if (dwarf_frame_info(frame, NULL, NULL, &is_signal) != machine->ra)
		return none;
	find_place(&ra, frame, machine->ra);
	if (is_undefined(&ra))
		return (struct gapp_rule){ .cfa = GAPP_CFA_END };
	if (dwarf_frame_cfa(frame, &ops, &count) || !count)
		return none;
	if (is_signal && is_signal_frame(machine, ops, count))
		return (struct gapp_rule){ .cfa = GAPP_CFA_SIGNAL };
	if (!set_cfa(&rule, machine, ops, count))
		return none;
	set_fp(&rule, machine, frame);
	return set_ra(&rule, machine, &ra) ? rule : none;
}
