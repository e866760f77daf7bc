// SPDX-License-Identifier: GPL-2.0
/*
 * Rules of an unwind table from call frame information, in two ways. cfi_usual_rows() takes the
 * instructions that compilers use for nearly all code, and finds all rules of a function in one
 * pass. cfi_rule() translates what libdw says of any code, but libdw begins at the function's first
 * instruction again for each rule.
 */
#include "cfi.h"

#include <dwarf.h>
#include <gapp_record.h>

/* DWARF's numbers of registers of x86-64. */
enum { FP = 6, SP = 7, RA = 16 };

#define UNIT_MAX 256
#define REMEMBERED_MAX 8

/**
 * struct run - a pass over the instructions of one function, or of a CIE
 * @usual: the CIE
 * @at: next instruction
 * @end: behind the last instruction
 * @advance: bytes of code that the last instruction has advanced the address by
 * @rule: the rule after the last instruction
 * @remembered: rules that DW_CFA_remember_state has pushed
 */
struct run {
	const struct cfi_usual *usual;
	const u8 *at;
	const u8 *end;
	u64 advance;
	struct gapp_rule rule;
	struct gapp_rule remembered[REMEMBERED_MAX];
	unsigned int count;
};

/* What one CFA instruction did; an unusual one ends the pass. */
enum step { STEP_DONE, STEP_ADVANCE, STEP_UNUSUAL };

static bool fits(s64 value)
{
	return value >= INT32_MIN && value <= INT32_MAX;
}

/* A rule can say of other registers nothing, and of the caller's sp only that it is the CFA. */
static enum step set_saved(struct run *run, u64 number, enum gapp_fp fp, s32 fp_offset,
			   s32 ra_offset)
{
	if (number == FP) {
		run->rule.fp = fp;
		run->rule.fp_offset = fp_offset;
	} else if (number == RA) {
		run->rule.ra_offset = ra_offset;
	}
	return number == SP ? STEP_UNUSUAL : STEP_DONE;
}

static enum step save(struct run *run, u64 number, u64 units)
{
	s64 offset = (s64)(u32)units * run->usual->data_unit;

	if (units > UINT32_MAX || !fits(offset))
		return STEP_UNUSUAL;
	return set_saved(run, number, GAPP_FP_CFA, offset, offset);
}

static enum step set_cfa_to(struct run *run, u64 number, u64 offset)
{
	if ((number != FP && number != SP) || offset > INT32_MAX)
		return STEP_UNUSUAL;
	run->rule.cfa = number == FP ? GAPP_CFA_FP : GAPP_CFA_SP;
	run->rule.cfa_offset = offset;
	return STEP_DONE;
}

/* Carries out the next instruction. */
static enum step take(struct run *run)
{
	const struct gapp_rule *initial = &run->usual->initial;
	struct gapp_rule *rule = &run->rule;
	struct cfi_instruction next;

	if (!cfi_read_instruction(&run->at, run->end, DW_EH_PE_absptr, &next))
		return STEP_UNUSUAL;
	switch (next.opcode) {
	case DW_CFA_nop:
	case DW_CFA_GNU_args_size:
		return STEP_DONE;
	case DW_CFA_advance_loc:
	case DW_CFA_advance_loc1:
	case DW_CFA_advance_loc2:
	case DW_CFA_advance_loc4:
		run->advance = next.operands[0] * run->usual->code_unit;
		return STEP_ADVANCE;
	case DW_CFA_offset:
		return save(run, next.operands[0], next.operands[1]);
	case DW_CFA_restore:
		return set_saved(run, next.operands[0], initial->fp, initial->fp_offset,
				 initial->ra_offset);
	case DW_CFA_remember_state:
		if (run->count == REMEMBERED_MAX)
			return STEP_UNUSUAL;
		run->remembered[run->count++] = *rule;
		return STEP_DONE;
	case DW_CFA_restore_state:
		if (!run->count)
			return STEP_UNUSUAL;
		*rule = run->remembered[--run->count];
		return STEP_DONE;
	case DW_CFA_def_cfa:
		return set_cfa_to(run, next.operands[0], next.operands[1]);
	case DW_CFA_def_cfa_register:
		if (rule->cfa == GAPP_CFA_GAP)
			return STEP_UNUSUAL;
		return set_cfa_to(run, next.operands[0], rule->cfa_offset);
	case DW_CFA_def_cfa_offset:
		if (rule->cfa == GAPP_CFA_GAP)
			return STEP_UNUSUAL;
		return set_cfa_to(run, rule->cfa == GAPP_CFA_FP ? FP : SP, next.operands[0]);
	default:
		return STEP_UNUSUAL;
	}
}

/* Carries out instructions until the address changes, or to the end. */
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
	/* ra_offset 0: the CIE does not say where the return address is */
	if (take_some(&run) != STEP_DONE || run.count || !run.rule.ra_offset)
		return;
	usual->initial = run.rule;
	usual->is_usual = true;
}

int cfi_usual_rows(const struct cfi_usual *usual, const u8 *program, const u8 *program_end,
		   u64 *begin, u64 end, struct cfi_rows *rows)
{
	struct run run = { .usual = usual, .at = program, .end = program_end };

	if (!usual->is_usual)
		return 0;
	run.rule = usual->initial;
	while (*begin < end) {
		enum step step = take_some(&run);
		u64 until = end;

		if (step == STEP_UNUSUAL || run.rule.cfa == GAPP_CFA_GAP)
			break;
		if (step == STEP_ADVANCE && run.advance < end - *begin)
			until = *begin + run.advance;
		if (until > *begin && cfi_rows_add(rows, *begin, until, &run.rule))
			return -1;
		*begin = until;
	}
	return 0;
}

/* Operations that dwarf_frame_register() needs room for. */
#define SPACE 3
/* x86-64: distance from the stack pointer in a signal frame to where rsp is saved. */
#define SIGNAL_SP 160

/* DWARF's numbers of a machine's registers; a rule may name those below @general. */
struct registers {
	u8 fp, sp, ra;
	u8 general;
};

static const struct registers x86_64 = { .fp = FP, .sp = SP, .ra = RA, .general = 16 };
static const struct registers aarch64 = { .fp = 29, .sp = 31, .ra = 30, .general = 31 };

/**
 * struct location - where the caller's value of a register is
 * @kind: see each value
 * @number: LOCATION_REGISTER, LOCATION_BY_REGISTER: a register
 * @offset: LOCATION_BY_CFA, LOCATION_BY_REGISTER: bytes
 */
struct location {
	enum {
		LOCATION_OTHER, /* no rule can say it */
		LOCATION_UNDEFINED,
		LOCATION_SAME, /* the function has not changed the register */
		LOCATION_REGISTER, /* in another register */
		LOCATION_BY_CFA, /* in memory, at the CFA plus @offset */
		LOCATION_BY_REGISTER, /* in memory, at register @number plus @offset */
	} kind;
	int number;
	s64 offset;
};

/* Whether the operation is register @number plus @offset; sets both. */
static bool is_sum(const Dwarf_Op *op, int *number, s64 *offset)
{
	bool has_number = op->atom == DW_OP_bregx && op->number <= INT32_MAX;

	if (!has_number && (op->atom < DW_OP_breg0 || op->atom > DW_OP_breg31))
		return false;
	*number = has_number ? (int)op->number : op->atom - DW_OP_breg0;
	*offset = has_number ? op->number2 : op->number;
	return fits(*offset);
}

/*
 * In libdw's operations for a register in memory the CFA comes first; where the file uses an
 * expression, the operations of the expression follow.
 */
static struct location find_location(Dwarf_Frame *frame, int number)
{
	struct location location = { .kind = LOCATION_OTHER };
	Dwarf_Op space[SPACE], *ops;
	size_t count;

	if (dwarf_frame_register(frame, number, space, &ops, &count))
		return location;
	if (!count) {
		/* libdw says "undefined" by a pointer to the room for operations */
		if (!ops || ops == space)
			location.kind = ops ? LOCATION_UNDEFINED : LOCATION_SAME;
	} else if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		location.kind = LOCATION_REGISTER;
		location.number = ops[0].atom - DW_OP_reg0;
	} else if (count == 1 && ops[0].atom == DW_OP_regx && ops[0].number <= INT32_MAX) {
		location.kind = LOCATION_REGISTER;
		location.number = ops[0].number;
	} else if (ops[0].atom == DW_OP_call_frame_cfa && count <= 2) {
		if (count == 2 && is_sum(&ops[1], &location.number, &location.offset)) {
			location.kind = LOCATION_BY_REGISTER;
		} else if (count == 1 || ops[1].atom == DW_OP_plus_uconst) {
			location.kind = LOCATION_BY_CFA;
			location.offset = count == 1 ? 0 : (s64)ops[1].number;
		}
	}
	return location;
}

/*
 * Whether the operations are the CFA that linkers write for linkage tables:
 * sp + 8 + (((ip & 15) >= @k) << 3), with @k from 0 to 15; sets @k.
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

/* Whether the operations are *(register @number + @pre) + @post; sets all three. */
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

	if (count == 1 && is_sum(ops, &number, &offset)) {
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
	rule->cfa = GAPP_CFA_PLT;
	return machine == &x86_64 && is_plt(ops, count, &rule->cfa_offset);
}

/*
 * Whether the register is saved at a fixed distance from the CFA; sets the distance. That is so,
 * too, if it is saved relative to the register that the CFA is relative to.
 */
static bool is_beside_cfa(const struct gapp_rule *rule, const struct registers *machine,
			  const struct location *location, s32 *distance)
{
	int base = rule->cfa == GAPP_CFA_SP ? machine->sp :
		   rule->cfa == GAPP_CFA_FP ? machine->fp :
					      -1;
	s64 offset = location->offset;

	if (location->kind == LOCATION_BY_REGISTER && location->number == base)
		offset -= rule->cfa_offset;
	else if (location->kind != LOCATION_BY_CFA)
		return false;
	if (!fits(offset))
		return false;
	*distance = offset;
	return true;
}

static void set_fp(struct gapp_rule *rule, const struct registers *machine, Dwarf_Frame *frame)
{
	struct location location = find_location(frame, machine->fp);

	if (location.kind == LOCATION_SAME) {
		rule->fp = GAPP_FP_SAME;
	} else if (location.kind == LOCATION_BY_REGISTER && location.number == machine->fp) {
		rule->fp = GAPP_FP_DEREF_FP;
		rule->fp_offset = location.offset;
	} else if (is_beside_cfa(rule, machine, &location, &rule->fp_offset)) {
		rule->fp = GAPP_FP_CFA;
	} else {
		rule->fp = GAPP_FP_LOST;
	}
}

static bool set_ra(struct gapp_rule *rule, const struct registers *machine,
		   const struct location *location)
{
	int number = location->number;

	rule->ra = GAPP_RA_CFA;
	if (is_beside_cfa(rule, machine, location, &rule->ra_offset))
		return true;
	if (location->kind == LOCATION_SAME && machine == &aarch64)
		number = machine->ra;
	else if (location->kind != LOCATION_REGISTER)
		return false;
	if (number >= machine->general || number == machine->sp ||
	    (rule->cfa == GAPP_CFA_REGISTER && rule->number != number))
		return false;
	rule->ra = GAPP_RA_REGISTER;
	rule->number = number;
	return true;
}

/*
 * Whether a function marked as a signal frame returns from a signal. x86-64: if the CFA is the rsp
 * that the kernel saved, as in libc's restorer. (Functions that nothing returns to may be marked,
 * too, and have usual rules.) aarch64: always, because only the kernel's own code is marked.
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

struct gapp_rule cfi_rule(Dwarf_Frame *frame, enum gapp_arch arch)
{
	const struct registers *machine = arch == GAPP_ARCH_X86_64 ? &x86_64 : &aarch64;
	const struct gapp_rule none = { .cfa = GAPP_CFA_NONE };
	struct gapp_rule rule = { 0 };
	bool is_signal = false;
	struct location ra;
	size_t count;
	Dwarf_Op *ops;

	if (dwarf_frame_info(frame, NULL, NULL, &is_signal) != machine->ra)
		return none;
	ra = find_location(frame, machine->ra);
	if (ra.kind == LOCATION_UNDEFINED)
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
