// SPDX-License-Identifier: GPL-2.0
/*
 * Follows the values of variables from the header through the blocks of a loop, until nothing new
 * comes to any of them.
 */
#include "loop_values.h"

/* Rounds over a block, on average, before it gives up. */
#define ROUNDS_PER_BLOCK 60
#define ROUNDS_LEAST 200

static struct atoms *state_of(const struct loop_values *values, u32 block)
{
	return values->at_entry + (size_t)block * values->loop->variables;
}

static struct atoms register_atoms(const struct loop_values *values, const struct atoms *state,
				   u8 reg)
{
	u8 variable = reg < REGISTERS_MAX ? values->loop->of_register[reg] : VARIABLE_NONE;

	return variable == VARIABLE_NONE ? (struct atoms){ { 0 } } : state[variable];
}

static void set_register(const struct loop_values *values, struct atoms *state, u8 reg,
			 const struct atoms *atoms)
{
	u8 variable = reg < REGISTERS_MAX ? values->loop->of_register[reg] : VARIABLE_NONE;

	if (variable != VARIABLE_NONE)
		state[variable] = *atoms;
}

static void set_registers(const struct loop_values *values, struct atoms *state, u64 registers,
			  const struct atoms *atoms)
{
	for (; registers; registers &= registers - 1)
		set_register(values, state, __builtin_ctzll(registers), atoms);
}

static struct atoms address_atoms(const struct loop_values *values, const struct atoms *state,
				  const struct insn_memory *memory)
{
	struct atoms atoms = register_atoms(values, state, memory->base), index;

	if (memory->index == REGISTER_NONE)
		return atoms;
	atoms = atoms_changed(&atoms);
	index = register_atoms(values, state, memory->index);
	atoms_unite(&atoms, &index);
	return atoms;
}

static struct atoms one_atom(u32 atom)
{
	struct atoms atoms = { { 0 } };

	atoms_add(&atoms, atom);
	return atoms;
}

static struct atoms memory_atoms(struct loop_values *values, const struct atoms *state, u32 at,
				 const struct insn_memory *memory)
{
	struct stack_word word;
	struct atoms address;
	u32 variable;

	if (loop_stack_word(values->loop, at, memory, &word)) {
		variable = loop_word_variable(values->loop, &word);
		return variable == VARIABLE_NONE ? one_atom(ATOM_STACK) : state[variable];
	}
	if (memory->thread)
		return one_atom(ATOM_RESULT + at);
	address = address_atoms(values, state, memory);
	atoms_unite(&values->address[at], &address);
	return one_atom(ATOM_LOAD + at);
}

static struct atoms operand_atoms(struct loop_values *values, const struct atoms *state, u32 at,
				  unsigned int number)
{
	const struct operand *operand = &values->loop->insns[at].insn->operands[number];

	switch (operand->kind) {
	case OPERAND_REGISTER:
		return register_atoms(values, state, operand->reg);
	case OPERAND_MEMORY:
		return memory_atoms(values, state, at, &operand->memory);
	default:
		return (struct atoms){ { 0 } };
	}
}

/* All that the instruction reads: registers, and operands in memory. */
static struct atoms read_atoms(struct loop_values *values, const struct atoms *state, u32 at)
{
	const struct insn *insn = values->loop->insns[at].insn;
	struct atoms atoms = { { 0 } };

	for (u64 reads = insn->reads; reads; reads &= reads - 1) {
		struct atoms one = register_atoms(values, state, __builtin_ctzll(reads));

		atoms_unite(&atoms, &one);
	}
	for (u8 i = 0; i < insn->operand_count; i++) {
		struct atoms one;

		if (insn->operands[i].kind != OPERAND_MEMORY || !insn->operands[i].is_read)
			continue;
		one = operand_atoms(values, state, at, i);
		atoms_unite(&atoms, &one);
	}
	return atoms;
}

static void write_words(struct loop_values *values, struct atoms *state, u32 at,
			const struct atoms *atoms)
{
	const struct insn *insn = values->loop->insns[at].insn;

	for (u8 i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operands[i];
		struct stack_word word;
		u32 variable;

		if (operand->kind != OPERAND_MEMORY || !operand->is_written ||
		    !loop_stack_word(values->loop, at, &operand->memory, &word))
			continue;
		variable = loop_word_variable(values->loop, &word);
		if (variable != VARIABLE_NONE)
			state[variable] = *atoms;
	}
}

/* Returns 1 if there are too many stores. */
static int note_move_out(struct loop_values *values, const struct atoms *state, u32 at,
			 const struct atoms *stored)
{
	const struct operand *to = &values->loop->insns[at].insn->operands[0];
	struct atoms address = address_atoms(values, state, &to->memory);
	struct move_out *move;
	u32 i = 0;

	while (i < values->move_count && values->moves[i].insn != at)
		i++;
	if (i == MOVES_MAX)
		return 1;
	move = &values->moves[i];
	if (i == values->move_count) {
		*move = (struct move_out){ .insn = at };
		values->move_count++;
	}
	atoms_unite(&move->address, &address);
	atoms_unite(&move->value, stored);
	return 0;
}

static struct swap *note_swap(struct loop_values *values, u32 at)
{
	u32 i = 0;

	while (i < values->swap_count && values->swaps[i].insn != at)
		i++;
	if (i == SWAPS_MAX)
		return NULL;
	if (i == values->swap_count)
		values->swaps[values->swap_count++] = (struct swap){ .insn = at };
	return &values->swaps[i];
}

static int pass_move(struct loop_values *values, struct atoms *state, u32 at)
{
	const struct insn *insn = values->loop->insns[at].insn;
	struct atoms atoms = operand_atoms(values, state, at, 1);
	struct stack_word word;

	if (insn->operands[0].kind == OPERAND_REGISTER) {
		set_register(values, state, insn->operands[0].reg, &atoms);
		return 0;
	}
	if (insn->operands[0].kind != OPERAND_MEMORY)
		return 0;
	if (!loop_stack_word(values->loop, at, &insn->operands[0].memory, &word))
		return note_move_out(values, state, at, &atoms);
	write_words(values, state, at, &atoms);
	return 0;
}

static int pass_compare_swap(struct loop_values *values, struct atoms *state, u32 at)
{
	const struct insn *insn = values->loop->insns[at].insn;
	struct atoms expected = register_atoms(values, state, insn->accumulator);
	struct atoms stored = operand_atoms(values, state, at, 1);
	struct atoms loaded = operand_atoms(values, state, at, 0), flags = atoms_changed(&expected);
	struct swap *swap = note_swap(values, at);

	if (!swap)
		return 1;
	atoms_unite(&swap->expected, &expected);
	atoms_unite(&swap->stored, &stored);
	atoms_unite(&flags, &loaded);
	set_register(values, state, values->loop->flow->code->machine->flags, &flags);
	/* it stays what was expected, or becomes what is there */
	for (u32 i = 0; i < ATOM_LOAD / 64; i++)
		expected.words[i] = 0;
	atoms_unite(&loaded, &expected);
	set_register(values, state, insn->accumulator, &loaded);
	return 0;
}

static int pass_swap(struct loop_values *values, struct atoms *state, u32 at)
{
	const struct insn *insn = values->loop->insns[at].insn;
	struct atoms stored = operand_atoms(values, state, at, 1);
	struct atoms loaded = operand_atoms(values, state, at, 0);
	struct swap *swap = note_swap(values, at);

	if (!swap)
		return 1;
	atoms_unite(&swap->stored, &stored);
	if (insn->kind == INSN_SET_BIT)
		set_register(values, state, values->loop->flow->code->machine->flags, &loaded);
	else if (insn->operands[1].kind == OPERAND_REGISTER)
		set_register(values, state, insn->operands[1].reg, &loaded);
	return 0;
}

static void pass_call(struct loop_values *values, struct atoms *state, u32 at)
{
	const struct machine *machine = values->loop->flow->code->machine;
	const struct loop_insn *call = &values->loop->insns[at];
	struct atoms none = { { 0 } }, result = one_atom(ATOM_RESULT + at);

	if (call->role == ROLE_HELPER_CALL || call->role == ROLE_OTHER_CALL ||
	    call->role == ROLE_TRUSTED_CALL) {
		for (u64 left = machine->arguments; left; left &= left - 1) {
			struct atoms one = register_atoms(values, state, __builtin_ctzll(left));

			one = atoms_changed(&one);
			atoms_unite(&values->address[at], &one);
		}
	}
	set_registers(values, state, machine->lost, &none);
	set_register(values, state, machine->result, &result);
}

static void pass_syscall(struct loop_values *values, struct atoms *state, u32 at)
{
	const struct machine *machine = values->loop->flow->code->machine;
	struct atoms none = { { 0 } }, result = one_atom(ATOM_RESULT + at);

	set_registers(values, state, machine->syscall_lost, &none);
	set_register(values, state, machine->result, &result);
}

static void pass_comparison(struct loop_values *values, struct atoms *state, u32 at)
{
	struct atoms atoms = { { 0 } };

	for (u8 i = 0; i < values->loop->insns[at].insn->operand_count; i++) {
		struct atoms one = operand_atoms(values, state, at, i);

		atoms_unite(&atoms, &one);
	}
	atoms = atoms_changed(&atoms);
	set_register(values, state, values->loop->flow->code->machine->flags, &atoms);
}

static void pass_other(struct loop_values *values, struct atoms *state, u32 at)
{
	const struct insn *insn = values->loop->insns[at].insn;
	u64 stack = REGISTER_BIT(values->loop->flow->code->machine->stack_pointer);
	struct atoms atoms = read_atoms(values, state, at), old;

	if (insn->kind == INSN_SELECT) {
		/* one of the two, unchanged; which one depends on the flags */
		u8 flags = values->loop->flow->code->machine->flags;
		struct atoms by = register_atoms(values, state, flags);

		by = atoms_changed(&by);
		atoms = operand_atoms(values, state, at, 0);
		old = operand_atoms(values, state, at, 1);
		atoms_unite(&atoms, &old);
		atoms_unite(&atoms, &by);
	} else {
		atoms = atoms_changed(&atoms);
	}
	set_registers(values, state, insn->writes & ~stack, &atoms);
	write_words(values, state, at, &atoms);
}

static void pass_branch(struct loop_values *values, struct atoms *state, u32 at)
{
	const struct insn *insn = values->loop->insns[at].insn;
	struct atoms atoms = read_atoms(values, state, at);

	atoms_unite(&values->flags[at], &atoms);
	if (insn->writes)
		pass_other(values, state, at);
}

/* Passes an instruction: @state becomes what it is behind it. Returns 1: too complicated. */
static int pass(struct loop_values *values, struct atoms *state, u32 at)
{
	const struct insn *insn = values->loop->insns[at].insn;
	struct atoms atoms = { { 0 } };

	switch (insn->kind) {
	case INSN_NOP:
	case INSN_JUMP:
		return 0;
	case INSN_PAUSE:
		/* tpause says in the flags why it ended */
		set_registers(values, state, insn->writes, &atoms);
		return 0;
	case INSN_MOVE:
		return pass_move(values, state, at);
	case INSN_ADDRESS:
		atoms = address_atoms(values, state, &insn->operands[1].memory);
		if (insn->operands[1].memory.offset ||
		    insn->operands[1].memory.index != REGISTER_NONE)
			atoms = atoms_changed(&atoms);
		set_register(values, state, insn->operands[0].reg, &atoms);
		return 0;
	case INSN_ZERO:
		set_registers(values, state, insn->writes, &atoms);
		return 0;
	case INSN_COMPARE:
	case INSN_TEST:
	case INSN_TEST_BIT:
		pass_comparison(values, state, at);
		return 0;
	case INSN_BRANCH:
		pass_branch(values, state, at);
		return 0;
	case INSN_CALL:
		pass_call(values, state, at);
		return 0;
	case INSN_SYSCALL:
		pass_syscall(values, state, at);
		return 0;
	case INSN_CLOCK:
		atoms = one_atom(ATOM_CLOCK);
		set_registers(values, state, insn->writes, &atoms);
		return 0;
	case INSN_COMPARE_SWAP:
		return pass_compare_swap(values, state, at);
	case INSN_SWAP:
	case INSN_SET_BIT:
		return pass_swap(values, state, at);
	default:
		pass_other(values, state, at);
		return 0;
	}
}

/* Adds what is true at a block's end to a successor. True: something is new there. */
static bool lead(struct loop_values *values, const struct atoms *state, u32 to)
{
	bool added = !values->reached[to];

	values->reached[to] = true;
	for (u32 i = 0; i < values->loop->variables; i++)
		added |= atoms_unite(&state_of(values, to)[i], &state[i]);
	return added;
}

static int pass_block(struct loop_values *values, struct atoms *state, u32 block, bool *again)
{
	const struct loop_code *loop = values->loop;
	const struct flow *flow = loop->flow;
	const struct block *of = &flow->blocks[loop->body->blocks[block]];

	if (loop->variables)
		memcpy(state, state_of(values, block), loop->variables * sizeof(*state));
	for (u32 i = loop->first[block]; i < loop->first[block + 1]; i++)
		if (pass(values, state, i))
			return 1;
	for (u32 i = 0; i < of->next_count; i++) {
		u32 next = flow->successors[of->next + i];
		u32 to = next == BLOCK_OUTSIDE ? HASH_NONE : loop_block(loop, next);

		if (to == HASH_NONE)
			continue;
		if (next != loop->body->header) {
			again[to] |= lead(values, state, to);
			continue;
		}
		for (u32 j = 0; j < loop->variables; j++)
			atoms_unite(&values->kept[j], &state[j]);
	}
	return 0;
}

static int pass_all(struct loop_values *values, struct atoms *state)
{
	const struct loop_code *loop = values->loop;
	u32 most = ROUNDS_PER_BLOCK * loop->body->count + ROUNDS_LEAST;
	u32 header = loop_block(loop, loop->body->header);
	bool again[LOOP_INSNS_MAX] = { false }, any = true;

	if (header == HASH_NONE)
		return 1;
	for (u32 i = 0; i < loop->variables; i++)
		atoms_add(&state_of(values, header)[i], ATOM_SAME + i);
	values->reached[header] = true;
	again[header] = true;
	while (any) {
		any = false;
		for (u32 i = 0; i < loop->body->count; i++) {
			if (!again[i])
				continue;
			again[i] = false;
			any = true;
			if (++values->rounds > most || pass_block(values, state, i, again))
				return 1;
		}
	}
	return 0;
}

int loop_values_find(struct loop_values *values, struct loop_code *loop)
{
	_cleanup_free_ struct atoms *entries = NULL, *state = NULL;
	int result;

	*values = (struct loop_values){
		.loop = loop,
		.is_partial = !loop->body->is_whole || loop->mode == MODE_CALLING,
	};
	entries = calloc((size_t)loop->body->count * loop->variables + 1, sizeof(*entries));
	state = calloc(loop->variables + 1, sizeof(*state));
	if (!entries || !state)
		return -1;
	values->at_entry = entries;
	result = pass_all(values, state);
	values->at_entry = NULL;
	if (!result)
		loop_values_relate(values);
	return result;
}
