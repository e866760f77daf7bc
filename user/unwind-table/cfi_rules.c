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

/* The two bits that are the opcode of an instruction with its operand in the other six. */
#define PRIMARY 0xc0
#define UNIT_MAX 256
#define REMEMBERED_MAX 8

/**
 * struct run - a pass over the instructions of one function, or of a CIE
 * @usual: the CIE
 * @at: next instruction
 * @end: behind the last instruction
 * @advance: bytes of code that the last instruction has advanced the address by
 * @state: state after the last instruction
 * @remembered: states that DW_CFA_remember_state has pushed
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

/* What one CFA instruction did; an unusual one ends the pass. */
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
	/* a rule can say only that the caller's stack pointer is the CFA */
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

/* The CFA that linkers write for linkage tables: sp + 8 + (((ip & 15) >= K) << 3), K from 0 to 15.
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

/* Carries out an instruction whose first operand is a register. */
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

/* Carries out the next instruction. */
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

/* Where the caller's value of a register is, as dwarf_frame_register() says it. */
struct location {
	Dwarf_Op space[SPACE];
	Dwarf_Op *ops;
	size_t count;
	bool known;
};

static void find_location(struct location *location, Dwarf_Frame *frame, int number)
{
	location->known = !dwarf_frame_register(frame, number, location->space, &location->ops,
						&location->count);
}

/* libdw says "undefined" by no operations and a pointer to the room for them. */
static bool is_undefined(const struct location *location)
{
	return location->known && !location->count && location->ops == location->space;
}

static bool is_same(const struct location *location)
{
	return location->known && !location->count && !location->ops;
}

static bool fits(s64 value)
{
	return value >= INT32_MIN && value <= INT32_MAX;
}

/* Whether the operation is register @number plus @offset; sets both. */
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

static bool is_register(const struct location *location, int *number)
{
	if (!location->known || location->count != 1)
		return false;
	if (location->ops->atom >= DW_OP_reg0 && location->ops->atom <= DW_OP_reg31) {
		*number = location->ops->atom - DW_OP_reg0;
		return true;
	}
	if (location->ops->atom == DW_OP_regx && location->ops->number <= INT32_MAX) {
		*number = location->ops->number;
		return true;
	}
	return false;
}

/*
 * Whether the register is saved at the CFA plus an offset. In libdw's operations the CFA comes
 * first; where the file uses an expression, the operations of the expression follow.
 */
static bool is_saved_by_cfa(const struct location *location, s64 *offset)
{
	if (!location->known || !location->count || location->ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	*offset = 0;
	if (location->count == 1)
		return true;
	*offset = location->ops[1].number;
	return location->count == 2 && location->ops[1].atom == DW_OP_plus_uconst;
}

/* Whether an expression says that the register is saved at a register plus an offset. */
static bool is_saved_by_register(const struct location *location, int *number, s64 *offset)
{
	return location->known && location->count == 2 &&
	       location->ops[0].atom == DW_OP_call_frame_cfa &&
	       is_sum(&location->ops[1], number, offset);
}

/* Whether the operations are the CFA of linkage tables (see set_cfa_expression()); sets @k. */
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

/*
 * Whether the register is saved at a fixed distance from the CFA; sets the distance. That is so,
 * too, if it is saved relative to the register that the CFA is relative to.
 */
static bool is_beside_cfa(const struct gapp_rule *rule, const struct registers *machine,
			  const struct location *location, s64 *offset)
{
	int number;

	if (is_saved_by_cfa(location, offset))
		return fits(*offset);
	if (!is_saved_by_register(location, &number, offset))
		return false;
	if (!(rule->cfa == GAPP_CFA_SP && number == machine->sp) &&
	    !(rule->cfa == GAPP_CFA_FP && number == machine->fp))
		return false;
	return fits(*offset) && fits(*offset -= rule->cfa_offset);
}

static void set_fp(struct gapp_rule *rule, const struct registers *machine, Dwarf_Frame *frame)
{
	struct location location;
	s64 offset;
	int number;

	find_location(&location, frame, machine->fp);
	if (is_same(&location)) {
		rule->fp = GAPP_FP_SAME;
	} else if (is_saved_by_register(&location, &number, &offset) && number == machine->fp &&
		   fits(offset)) {
		rule->fp = GAPP_FP_DEREF_FP;
		rule->fp_offset = offset;
	} else if (is_beside_cfa(rule, machine, &location, &offset)) {
		rule->fp = GAPP_FP_CFA;
		rule->fp_offset = offset;
	} else {
		rule->fp = GAPP_FP_LOST;
	}
}

static bool set_ra(struct gapp_rule *rule, const struct registers *machine,
		   const struct location *location)
{
	s64 offset;
	int number;

	if (is_beside_cfa(rule, machine, location, &offset)) {
		rule->ra = GAPP_RA_CFA;
		rule->ra_offset = offset;
		return true;
	}
	if (is_same(location) && machine == &aarch64)
		number = machine->ra;
	else if (!is_register(location, &number))
		return false;
	if (number >= machine->general ||
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
	find_location(&ra, frame, machine->ra);
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
