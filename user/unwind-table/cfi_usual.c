// SPDX-License-Identifier: GPL-2.0
#include "cfi_usual.h"

#include <dwarf.h>

#include "cfi_program.h"

/* Registers of x86-64 as DWARF numbers them. */
enum { FP = 6, SP = 7, RA = 16 };

#define PRIMARY 0xc0
#define UNIT_MAX 256
#define REMEMBERED_MAX 8

/**
 * struct run - over the instructions of one function, or of what many have in common
 * @usual: how it begins
 * @at: next instruction
 * @end: behind the last one
 * @advance: how far the one before has gone
 * @state: now
 * @remembered: before
 * @count: how many of them
 */
struct run {
	const struct cfi_usual *usual;
	const u8 *at;
	const u8 *end;
	u64 advance;
	struct cfi_state state;
	struct cfi_state remembered[REMEMBERED_MAX];
	unsigned int count;
};

enum step { STEP_DONE, STEP_ADVANCE, STEP_UNUSUAL };

static bool read_number(struct run *run, u64 *number)
{
	return cfi_read_unsigned(&run->at, run->end, number);
}

static enum step advance(struct run *run, u64 units)
{
	run->advance = units * run->usual->code_unit;
	return STEP_ADVANCE;
}

static enum step advance_by(struct run *run, size_t bytes)
{
	u32 units = 0;

	if ((size_t)(run->end - run->at) < bytes)
		return STEP_UNUSUAL;
	memcpy(&units, run->at, bytes);
	run->at += bytes;
	return advance(run, units);
}

static struct cfi_register *register_of(struct cfi_state *state, u64 number)
{
	return number == FP ? &state->fp : number == RA ? &state->ra : NULL;
}

static enum step keep(struct run *run, u64 number, enum cfi_kept kept, s32 offset)
{
	struct cfi_register *reg = register_of(&run->state, number);

	if (reg)
		*reg = (struct cfi_register){ .kept = kept, .offset = offset };
	/* where the stack pointer goes is told by the CFA */
	return number == SP ? STEP_UNUSUAL : STEP_DONE;
}

static enum step save(struct run *run, u64 number)
{
	u64 units;
	s64 offset;

	if (!read_number(run, &units) || units > INT32_MAX)
		return STEP_UNUSUAL;
	offset = (s64)units * run->usual->data_unit;
	if (offset < INT32_MIN || offset > INT32_MAX)
		return STEP_UNUSUAL;
	return keep(run, number, CFI_SAVED, offset);
}

static enum step restore(struct run *run, u64 number)
{
	struct cfi_state initial = run->usual->initial;
	const struct cfi_register *reg = register_of(&initial, number);

	return keep(run, number, reg ? reg->kept : CFI_SAME, reg ? reg->offset : 0);
}

static enum step set_cfa_register(struct run *run, u64 number)
{
	if (number != FP && number != SP)
		return STEP_UNUSUAL;
	run->state.cfa = number == FP ? GAPP_CFA_FP : GAPP_CFA_SP;
	return STEP_DONE;
}

/*
 * What linkers write for linkage tables: (sp + 8) + (((ip & 15) >= K) << 3), K a literal from 0 to
 * 15.
 */
static enum step set_cfa_expression(struct run *run)
{
	static const u8 before[] = { DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and };
	static const u8 behind[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	const size_t size = sizeof(before) + 1 + sizeof(behind);
	const u8 *at;
	u64 bytes;

	if (!read_number(run, &bytes) || bytes != size || (size_t)(run->end - run->at) < size)
		return STEP_UNUSUAL;
	at = run->at + sizeof(before);
	if (memcmp(run->at, before, sizeof(before)) || memcmp(at + 1, behind, sizeof(behind)) ||
	    *at < DW_OP_lit0 || *at > DW_OP_lit15)
		return STEP_UNUSUAL;
	run->at += size;
	run->state.cfa = GAPP_CFA_PLT;
	run->state.cfa_offset = *at - DW_OP_lit0;
	return STEP_DONE;
}

static bool has_register(const struct cfi_state *state)
{
	return state->cfa == GAPP_CFA_SP || state->cfa == GAPP_CFA_FP;
}

static enum step set_cfa_offset(struct run *run)
{
	u64 offset;

	if (!read_number(run, &offset) || offset > INT32_MAX)
		return STEP_UNUSUAL;
	run->state.cfa_offset = offset;
	return STEP_DONE;
}

static enum step remember(struct run *run)
{
	if (run->count == REMEMBERED_MAX)
		return STEP_UNUSUAL;
	run->remembered[run->count++] = run->state;
	return STEP_DONE;
}

static enum step recall(struct run *run)
{
	if (!run->count)
		return STEP_UNUSUAL;
	run->state = run->remembered[--run->count];
	return STEP_DONE;
}

/* Those with a register as their first operand. */
static enum step take_with_register(struct run *run, u8 opcode)
{
	u64 number;

	if (!read_number(run, &number))
		return STEP_UNUSUAL;
	switch (opcode) {
	case DW_CFA_offset_extended:
		return save(run, number);
	case DW_CFA_restore_extended:
		return restore(run, number);
	case DW_CFA_undefined:
		return keep(run, number, CFI_LOST, 0);
	case DW_CFA_same_value:
		return number == RA ? STEP_UNUSUAL : keep(run, number, CFI_SAME, 0);
	case DW_CFA_def_cfa:
		if (set_cfa_register(run, number) != STEP_DONE)
			return STEP_UNUSUAL;
		return set_cfa_offset(run);
	case DW_CFA_def_cfa_register:
		return has_register(&run->state) ? set_cfa_register(run, number) : STEP_UNUSUAL;
	default:
		return STEP_UNUSUAL;
	}
}

static enum step take(struct run *run)
{
	u8 opcode = *run->at++, low = opcode & ~PRIMARY;
	u64 ignored;

	switch (opcode & PRIMARY) {
	case DW_CFA_advance_loc:
		return advance(run, low);
	case DW_CFA_offset:
		return save(run, low);
	case DW_CFA_restore:
		return restore(run, low);
	}
	switch (opcode) {
	case DW_CFA_nop:
		return STEP_DONE;
	case DW_CFA_advance_loc1:
		return advance_by(run, 1);
	case DW_CFA_advance_loc2:
		return advance_by(run, 2);
	case DW_CFA_advance_loc4:
		return advance_by(run, 4);
	case DW_CFA_remember_state:
		return remember(run);
	case DW_CFA_restore_state:
		return recall(run);
	case DW_CFA_def_cfa_offset:
		return has_register(&run->state) ? set_cfa_offset(run) : STEP_UNUSUAL;
	case DW_CFA_def_cfa_expression:
		return set_cfa_expression(run);
	case DW_CFA_GNU_args_size:
		return read_number(run, &ignored) ? STEP_DONE : STEP_UNUSUAL;
	default:
		return take_with_register(run, opcode);
	}
}

/* Up to where the address changes, or to the end. */
static enum step take_some(struct run *run)
{
	enum step step = STEP_DONE;

	while (step == STEP_DONE && run->at < run->end)
		step = take(run);
	return step;
}

void cfi_usual_set(struct cfi_usual *usual, u64 code_unit, s64 data_unit, const u8 *program,
		   const u8 *end)
{
	struct run run = { .usual = usual, .at = program, .end = end };

	*usual = (struct cfi_usual){ 0 };
	if (!code_unit || code_unit > UNIT_MAX || data_unit < -UNIT_MAX || data_unit > UNIT_MAX)
		return;
	usual->code_unit = code_unit;
	usual->data_unit = data_unit;
	if (take_some(&run) != STEP_DONE || run.count || run.state.ra.kept == CFI_SAME)
		return;
	usual->initial = run.state;
	usual->is_usual = true;
}

static struct gapp_rule rule_of(const struct cfi_state *state)
{
	struct gapp_rule rule = {
		.cfa = state->cfa,
		.cfa_offset = state->cfa_offset,
		.ra = GAPP_RA_CFA,
		.ra_offset = state->ra.offset,
	};

	if (state->ra.kept == CFI_LOST)
		return (struct gapp_rule){ .cfa = GAPP_CFA_END };
	switch (state->fp.kept) {
	case CFI_SAME:
		rule.fp = GAPP_FP_SAME;
		break;
	case CFI_SAVED:
		rule.fp = GAPP_FP_CFA;
		rule.fp_offset = state->fp.offset;
		break;
	case CFI_LOST:
		rule.fp = GAPP_FP_LOST;
		break;
	}
	return rule;
}

int cfi_usual_rows(const struct cfi_usual *usual, const u8 *program, const u8 *program_end,
		   u64 *begin, u64 end, struct cfi_rows *rows)
{
	struct run run = { .usual = usual, .at = program, .end = program_end };

	if (!usual->is_usual)
		return 0;
	run.state = usual->initial;
	while (*begin < end) {
		enum step step = take_some(&run);
		u64 until = end;
		struct gapp_rule rule;

		if (step == STEP_UNUSUAL || run.state.cfa == GAPP_CFA_GAP)
			break;
		if (step == STEP_ADVANCE && run.advance < end - *begin)
			until = *begin + run.advance;
		rule = rule_of(&run.state);
		if (until > *begin && cfi_rows_add(rows, *begin, until, &rule))
			return -1;
		*begin = until;
	}
	return 0;
}
