// SPDX-License-Identifier: GPL-2.0
/*
 * Goes back from the branch that ends a loop to the comparison before it, and from there to the
 * load whose value is compared. Where several ways lead to an instruction it does not go on.
 */
#include "wait_location.h"

/* Instructions that are gone back for one value, and values that one is made of. */
#define BACK_MAX 64
#define DEPTH_MAX 12
#define ADDRESS_BYTES 8

static u64 writes_of(const struct loop_code *loop, u32 at)
{
	const struct machine *machine = loop->flow->code->machine;
	const struct insn *insn = loop->insns[at].insn;

	switch (insn->kind) {
	case INSN_CALL:
		return machine->lost | REGISTER_BIT(machine->result);
	case INSN_SYSCALL:
		return machine->syscall_lost | REGISTER_BIT(machine->result);
	default:
		return insn->writes;
	}
}

/* The instruction that has written a register when instruction @at runs, or HASH_NONE. */
static u32 find_writer(const struct loop_code *loop, u32 at, u8 reg)
{
	u32 i = at;

	for (unsigned int steps = 0; steps < BACK_MAX; steps++) {
		i = loop_before(loop, i);
		if (i == HASH_NONE || writes_of(loop, i) & REGISTER_BIT(reg))
			return i;
		if (i == at)
			break;
	}
	return HASH_NONE;
}

/* The move that has written a word of the stack when instruction @at runs, or HASH_NONE. */
static u32 find_word_writer(const struct loop_code *loop, u32 at, const struct stack_word *word)
{
	u32 i = at;

	for (unsigned int steps = 0; steps < BACK_MAX; steps++) {
		const struct operand *to;
		struct stack_word other;

		i = loop_before(loop, i);
		if (i == HASH_NONE || i == at)
			return HASH_NONE;
		to = &loop->insns[i].insn->operands[0];
		if (to->kind != OPERAND_MEMORY || !to->is_written ||
		    !loop_stack_word(loop, i, &to->memory, &other) || other.base != word->base ||
		    other.offset != word->offset)
			continue;
		return loop->insns[i].insn->kind == INSN_MOVE ? i : HASH_NONE;
	}
	return HASH_NONE;
}

static bool is_written(const struct loop_code *loop, u8 reg)
{
	return reg != REGISTER_NONE && loop->written & REGISTER_BIT(reg);
}

static bool adds_number(const struct insn *insn)
{
	return insn->kind == INSN_OTHER && insn->operand_count == 2 &&
	       (insn->arithmetic == ARITHMETIC_ADD || insn->arithmetic == ARITHMETIC_SUBTRACT) &&
	       insn->operands[1].kind == OPERAND_NUMBER;
}

static void append(struct spin_address *address, const struct spin_term *term)
{
	if (address->count < SPIN_TERMS_MAX)
		address->terms[address->count++] = *term;
	else
		address->moves = true;
}

static s64 sum(s64 one, s64 other)
{
	return (s64)((u64)one + (u64)other);
}

static void set_address(const struct loop_code *loop, u32 at, const struct insn_memory *memory,
			struct spin_address *address, unsigned int depth)
{
	struct spin_term term = {
		.base = memory->base,
		.index = memory->index,
		.scale = memory->scale,
		.offset = memory->offset,
	};
	bool relative = memory->relative;

	while (is_written(loop, term.base) && depth++ < DEPTH_MAX) {
		const struct operand *from;
		const struct insn *insn;
		u32 writer = find_writer(loop, at, term.base);

		if (writer == HASH_NONE)
			break;
		insn = loop->insns[writer].insn;
		from = &insn->operands[1];
		address->rough |= insn->operands[0].bytes != ADDRESS_BYTES ||
				  (insn->kind == INSN_MOVE && from->bytes != ADDRESS_BYTES);
		if (insn->kind == INSN_MOVE && from->kind == OPERAND_MEMORY &&
		    !from->memory.thread && insn->operands[0].kind == OPERAND_REGISTER) {
			set_address(loop, writer, &from->memory, address, depth);
			term.base = REGISTER_NONE;
			break;
		}
		if (insn->kind == INSN_MOVE && from->kind == OPERAND_REGISTER) {
			term.base = from->reg;
		} else if (insn->kind == INSN_ADDRESS && term.index == REGISTER_NONE) {
			term.base = from->memory.base;
			term.index = from->memory.index;
			term.scale = from->memory.scale;
			term.offset = sum(term.offset, from->memory.offset);
			relative = from->memory.relative;
		} else if (adds_number(insn) && writer != at) {
			s64 number = from->number;

			if (insn->arithmetic == ARITHMETIC_SUBTRACT)
				number = (s64)(0 - (u64)number);
			term.offset = sum(term.offset, number);
		} else {
			break;
		}
		at = writer;
	}
	address->moves |= is_written(loop, term.base) || is_written(loop, term.index);
	address->rough |= !address->count && term.base == REGISTER_NONE && !relative;
	append(address, &term);
}

static void resolve_register(const struct loop_code *loop, u32 at, u8 reg, struct spin_value *value,
			     unsigned int depth);

static void resolve_memory(const struct loop_code *loop, u32 at, const struct operand *operand,
			   struct spin_value *value, unsigned int depth)
{
	struct stack_word word;
	bool is_word = loop_stack_word(loop, at, &operand->memory, &word);
	u32 writer;

	if (is_word && loop_word_variable(loop, &word) != VARIABLE_NONE && depth < DEPTH_MAX) {
		writer = find_word_writer(loop, at, &word);
		if (writer != HASH_NONE) {
			const struct operand *from = &loop->insns[writer].insn->operands[1];

			if (from->kind == OPERAND_REGISTER) {
				resolve_register(loop, writer, from->reg, value, depth + 1);
				return;
			}
			if (from->kind == OPERAND_NUMBER) {
				value->kind = SPIN_VALUE_NUMBER;
				value->number = from->number;
				return;
			}
		}
	}
	if (operand->memory.thread)
		return;
	value->kind = SPIN_VALUE_MEMORY;
	value->is_local = is_word;
	value->bytes = operand->bytes;
	value->at = loop->insns[at].insn->address;
	set_address(loop, at, &operand->memory, &value->address, depth);
}

static void resolve(const struct loop_code *loop, u32 at, const struct operand *operand,
		    struct spin_value *value, unsigned int depth)
{
	switch (operand->kind) {
	case OPERAND_NUMBER:
		value->kind = SPIN_VALUE_NUMBER;
		value->number = operand->number;
		break;
	case OPERAND_REGISTER:
		resolve_register(loop, at, operand->reg, value, depth);
		break;
	case OPERAND_MEMORY:
		resolve_memory(loop, at, operand, value, depth);
		break;
	default:
		break;
	}
}

/* A register's value when instruction @at runs. */
static void resolve_register(const struct loop_code *loop, u32 at, u8 reg, struct spin_value *value,
			     unsigned int depth)
{
	const struct insn *insn;
	u32 writer;

	if (reg == REGISTER_NONE || depth > DEPTH_MAX)
		return;
	if (!is_written(loop, reg)) {
		value->kind = SPIN_VALUE_REGISTER;
		value->reg = reg;
		return;
	}
	writer = find_writer(loop, at, reg);
	if (writer == HASH_NONE)
		return;
	insn = loop->insns[writer].insn;
	switch (insn->kind) {
	case INSN_MOVE:
		resolve(loop, writer, &insn->operands[1], value, depth + 1);
		break;
	case INSN_ZERO:
		value->kind = SPIN_VALUE_NUMBER;
		value->number = 0;
		break;
	case INSN_SWAP:
	case INSN_COMPARE_SWAP:
		resolve(loop, writer, &insn->operands[0], value, depth + 1);
		break;
	case INSN_CALL:
		if (loop->insns[writer].role != ROLE_HELPER_CALL)
			break;
		value->kind = SPIN_VALUE_CALLEE;
		value->at = insn->address;
		break;
	case INSN_OTHER:
		if (insn->arithmetic != ARITHMETIC_AND || insn->operand_count != 2 ||
		    insn->operands[1].kind != OPERAND_NUMBER)
			break;
		resolve(loop, writer, &insn->operands[0], value, depth + 1);
		value->mask = insn->operands[1].number;
		break;
	default:
		break;
	}
}

/**
 * struct question - what a branch asks for, while it is followed to the comparison
 * @at: instruction before which the flags are looked for
 * @condition: under which the loop goes on
 */
struct question {
	u32 at;
	enum branch_condition condition;
};

/*
 * Compilers keep the answer of a comparison as 0 or 1 in a register and compare that again. Follows
 * a register, tested for 0 by instruction @at, to the instruction that made such an answer. False:
 * none did.
 */
static bool follow_answer(const struct loop_code *loop, u32 at, u8 reg, struct question *question)
{
	enum branch_condition condition = question->condition;

	for (unsigned int depth = 0; depth < DEPTH_MAX; depth++) {
		u32 writer = find_writer(loop, at, reg);
		const struct insn *insn;
		struct stack_word word;

		if (writer == HASH_NONE)
			return false;
		insn = loop->insns[writer].insn;
		if (insn->kind == INSN_MOVE && insn->operands[1].kind == OPERAND_MEMORY &&
		    loop_stack_word(loop, writer, &insn->operands[1].memory, &word)) {
			writer = find_word_writer(loop, writer, &word);
			if (writer == HASH_NONE)
				return false;
			insn = loop->insns[writer].insn;
		}
		at = writer;
		if (insn->kind == INSN_MOVE && insn->operands[1].kind == OPERAND_REGISTER) {
			reg = insn->operands[1].reg;
			continue;
		}
		if (insn->kind != INSN_OTHER)
			return false;
		if (insn->condition != CONDITION_NONE) {
			question->at = writer;
			question->condition = condition == CONDITION_NOT_EQUAL ?
						      insn->condition :
						      condition_opposite(insn->condition);
			return true;
		}
		if (insn->operand_count != 2 || insn->operands[1].kind != OPERAND_NUMBER ||
		    (insn->operands[1].number & 0xff) == 0)
			return false;
		if (insn->arithmetic == ARITHMETIC_XOR)
			condition = condition_opposite(condition);
		else if (insn->arithmetic != ARITHMETIC_AND)
			return false;
	}
	return false;
}

static bool is_for_zero(enum branch_condition condition)
{
	return condition == CONDITION_EQUAL || condition == CONDITION_NOT_EQUAL;
}

/* The condition after a comparison with 0 that the sign was asked for after. */
static enum branch_condition with_zero(enum branch_condition condition)
{
	switch (condition) {
	case CONDITION_NEGATIVE:
		return CONDITION_LESS;
	case CONDITION_NOT_NEGATIVE:
		return CONDITION_NOT_LESS;
	default:
		return condition;
	}
}

static void set_bit_mask(struct spin_value *location, const struct operand *number)
{
	if (number->kind == OPERAND_NUMBER)
		location->mask = 1ULL << (number->number & 63);
}

/* Describes what was compared by instruction @at. False: @question is now another one. */
static bool describe(const struct loop_code *loop, u32 at, struct question *question,
		     struct spin_wait *wait)
{
	const struct insn *insn = loop->insns[at].insn;
	const struct operand *operands = insn->operands;

	wait->while_is = question->condition;
	wait->bytes = operands[0].bytes;
	switch (insn->kind) {
	case INSN_TEST:
	case INSN_OTHER:
		if (insn->kind == INSN_OTHER && insn->arithmetic == ARITHMETIC_SUBTRACT) {
			resolve(loop, at, &operands[0], &wait->location, 0);
			resolve(loop, at, &operands[1], &wait->value, 0);
			break;
		}
		if (insn->kind == INSN_OTHER && insn->arithmetic != ARITHMETIC_AND)
			return true;
		if (operands[0].kind == OPERAND_REGISTER && is_for_zero(question->condition) &&
		    follow_answer(loop, at, operands[0].reg, question))
			return false;
		resolve(loop, at, &operands[0], &wait->location, 0);
		wait->value.kind = SPIN_VALUE_NUMBER;
		wait->while_is = with_zero(question->condition);
		if (operands[1].kind == OPERAND_NUMBER)
			wait->location.mask = operands[1].number;
		else if (operands[0].kind != operands[1].kind || operands[0].reg != operands[1].reg)
			wait->value.kind = SPIN_VALUE_UNKNOWN;
		break;
	case INSN_COMPARE:
		if (operands[0].kind == OPERAND_REGISTER && operands[1].kind == OPERAND_NUMBER &&
		    !operands[1].number && is_for_zero(question->condition) &&
		    follow_answer(loop, at, operands[0].reg, question))
			return false;
		resolve(loop, at, &operands[0], &wait->location, 0);
		resolve(loop, at, &operands[1], &wait->value, 0);
		if (wait->value.kind == SPIN_VALUE_NUMBER && !wait->value.number)
			wait->while_is = with_zero(question->condition);
		break;
	case INSN_TEST_BIT:
	case INSN_SET_BIT:
		resolve(loop, at, &operands[0], &wait->location, 0);
		set_bit_mask(&wait->location, &operands[1]);
		wait->value.kind = SPIN_VALUE_NUMBER;
		wait->while_is = question->condition == CONDITION_BELOW ? CONDITION_NOT_EQUAL :
									  CONDITION_EQUAL;
		break;
	case INSN_COMPARE_SWAP:
		resolve(loop, at, &operands[0], &wait->location, 0);
		resolve_register(loop, at, insn->accumulator, &wait->value, 0);
		break;
	default:
		break;
	}
	return true;
}

/* The first load that a branch's condition is made of, or HASH_NONE. */
static u32 find_load(const struct loop_values *values, u32 branch)
{
	for_each_atom(atom, &values->flags[branch]) {
		u32 node = atom_is_changed(atom) ? atom - ATOM_CHANGED : atom;

		if (atom_is_load(atom))
			return atom - ATOM_LOAD;
		if (node >= ATOM_LOAD)
			continue;
		for (u32 i = 0; i < values->loop->count; i++)
			if (values->reach[node][(ATOM_LOAD + i) / 64] >> ((ATOM_LOAD + i) % 64) & 1)
				return i;
	}
	return HASH_NONE;
}

/* Names at least one location that the branch depends on. */
static void describe_load(const struct loop_values *values, u32 branch, struct spin_wait *wait)
{
	u32 load = find_load(values, branch);
	const struct insn *insn;

	if (load == HASH_NONE)
		return;
	insn = values->loop->insns[load].insn;
	for (u8 i = 0; i < insn->operand_count; i++) {
		struct stack_word word;

		if (insn->operands[i].kind != OPERAND_MEMORY || !insn->operands[i].is_read ||
		    loop_stack_word(values->loop, load, &insn->operands[i].memory, &word))
			continue;
		wait->location = (struct spin_value){ 0 };
		resolve(values->loop, load, &insn->operands[i], &wait->location, 0);
		return;
	}
}

/* How likely a value is what another thread changes. */
static int likeness(const struct spin_value *value)
{
	if (value->kind != SPIN_VALUE_MEMORY && value->kind != SPIN_VALUE_CALLEE)
		return 0;
	return value->is_local ? 1 : 2;
}

static void put_location_first(struct spin_wait *wait)
{
	struct spin_value location = wait->location;

	if (likeness(&wait->value) <= likeness(&location))
		return;
	wait->location = wait->value;
	wait->value = location;
	wait->while_is = condition_mirrored(wait->while_is);
}

bool wait_describe(const struct loop_values *values, u32 branch, struct spin_wait *wait)
{
	const struct loop_code *loop = values->loop;
	const struct insn *insn = loop->insns[branch].insn;
	u32 number = loop->body->blocks[loop->insns[branch].block];
	const struct block *block = &loop->flow->blocks[number];
	u32 taken = loop->flow->successors[block->next + block->next_count - 1];
	struct question question = { .at = branch, .condition = insn->condition };
	u32 writer = HASH_NONE;

	*wait = (struct spin_wait){ .branch = insn->address };
	if (taken == BLOCK_OUTSIDE || loop_block(loop, taken) == HASH_NONE)
		question.condition = condition_opposite(question.condition);
	for (unsigned int i = 0; i < DEPTH_MAX; i++) {
		writer = find_writer(loop, question.at, loop->flow->code->machine->flags);
		if (writer == HASH_NONE || describe(loop, writer, &question, wait))
			break;
	}
	if (writer != HASH_NONE && loop->insns[writer].insn->kind == INSN_COMPARE_SWAP &&
	    wait->while_is == CONDITION_EQUAL)
		return false;
	put_location_first(wait);
	if (wait->location.kind == SPIN_VALUE_MEMORY || wait->location.kind == SPIN_VALUE_CALLEE)
		return true;
	describe_load(values, branch, wait);
	wait->value = (struct spin_value){ 0 };
	wait->while_is = CONDITION_NONE;
	wait->bytes = 0;
	return true;
}
