// SPDX-License-Identifier: GPL-2.0
/*
 * A loop waits if an iteration leaves everything as it was but for counters, clocks and words of
 * its own stack, and one of its exits depends on memory at an address that stays.
 */
#include "loop_rules.h"

/* What the loop does with values that the next iteration depends on is work. */
#define VALUE_MOVES (VALUE_VARIANT | VALUE_COUNTER)

static bool leaves(const struct loop_values *values, u32 insn)
{
	const struct loop_code *loop = values->loop;
	u32 block = loop->body->blocks[loop->insns[insn].block];
	const struct block *of = &loop->flow->blocks[block];

	for (u32 i = 0; i < of->next_count; i++) {
		u32 next = loop->flow->successors[of->next + i];

		if (next == BLOCK_OUTSIDE || loop_block(loop, next) == HASH_NONE)
			return true;
	}
	return false;
}

/* The kinds of what a helper returns: what it has loaded counts as loaded here. */
static unsigned int helped_kinds(const struct loop_values *values, u32 call)
{
	const unsigned int of_arguments = atoms_kinds(values, &values->address[call]);

	return of_arguments & VALUE_MOVES ? VALUE_VARIANT : VALUE_MEMORY;
}

/* In a loop with a pause any function may say whether what was loaded is what is waited for. */
static unsigned int asked_kinds(const struct loop_values *values, u32 call)
{
	const unsigned int of_arguments = atoms_kinds(values, &values->address[call]);

	return of_arguments & VALUE_MOVES ? 0 : of_arguments & VALUE_MEMORY;
}

/* The kinds of a branch's condition. */
static unsigned int branch_kinds(const struct loop_values *values, u32 insn, bool *helper)
{
	unsigned int kinds = 0;

	for_each_atom(atom, &values->flags[insn]) {
		const u32 number = atom - ATOM_RESULT;
		const struct loop_insn *call = atom_is_result(atom) ? &values->loop->insns[number] :
								      NULL;

		if (call && call->role == ROLE_HELPER_CALL && call->does & CALLEE_LOADS) {
			*helper = true;
			kinds |= helped_kinds(values, number);
			continue;
		}
		kinds |= atom_kinds(values, atom);
		if (call && call->role == ROLE_TRUSTED_CALL)
			kinds |= asked_kinds(values, number);
	}
	return kinds;
}

/* Whether a function that the loop calls may change the word of the stack that it waits for. */
static bool callee_may_set(const struct loop_values *values, unsigned int kinds)
{
	return kinds == VALUE_STACK && values->loop->mode == MODE_CALLING &&
	       values->loop->other_call != HASH_NONE;
}

/* Finds the exits that wait. False: a condition follows memory from location to location. */
static bool find_exits(const struct loop_values *values, struct judgement *judgement)
{
	for (u32 i = 0; i < values->loop->count; i++) {
		bool helper = false, is_exit;
		unsigned int kinds;

		if (values->loop->insns[i].insn->kind != INSN_BRANCH ||
		    !values->reached[values->loop->insns[i].block])
			continue;
		kinds = branch_kinds(values, i, &helper);
		is_exit = leaves(values, i);
		if (kinds & VALUE_VARIANT && (is_exit || !values->loop->pauses))
			return false;
		if (!is_exit)
			continue;
		if (kinds & (VALUE_COUNTER | VALUE_CLOCK))
			judgement->is_bounded = true;
		if (!(kinds & VALUE_MEMORY && !(kinds & VALUE_MOVES)) &&
		    !callee_may_set(values, kinds))
			continue;
		judgement->helper |= helper;
		if (judgement->exit_count < EXITS_MAX)
			judgement->exits[judgement->exit_count++] = i;
	}
	return judgement->exit_count;
}

static bool has_variant(const struct loop_values *values)
{
	for (u32 i = 0; i < values->loop->variables; i++)
		if (values->recurrent[i] == VALUE_VARIANT)
			return true;
	return false;
}

static bool has_atoms(const struct atoms *atoms, u32 first, u32 end)
{
	return atoms_next(atoms, first) < end;
}

/* Whether an exit waits for what is at the address that a move writes to. */
static bool is_waited_for(const struct loop_values *values, const struct judgement *judgement,
			  const struct move_out *move)
{
	const struct loop_insn *insns = values->loop->insns;
	const struct insn_memory *to = &insns[move->insn].insn->operands[0].memory;

	for (u32 i = 0; i < judgement->exit_count; i++) {
		for_each_atom(atom, &values->flags[judgement->exits[i]]) {
			const struct insn *load;

			if (!atom_is_load(atom))
				continue;
			load = insns[atom - ATOM_LOAD].insn;
			for (u8 j = 0; j < load->operand_count; j++)
				if (load->operands[j].kind == OPERAND_MEMORY &&
				    load->operands[j].memory.base == to->base &&
				    load->operands[j].memory.index == to->index &&
				    load->operands[j].memory.offset == to->offset)
					return true;
		}
	}
	return false;
}

/*
 * A store of a value that stays to an address that stays changes nothing after the first one. One
 * of what was loaded, or in a loop with inner loops, may be work.
 */
static void judge_moves(const struct loop_values *values, bool has_inner,
			struct judgement *judgement)
{
	for (u32 i = 0; i < values->move_count; i++) {
		const struct move_out *move = &values->moves[i];
		struct atoms both = move->address;
		unsigned int kinds;

		atoms_unite(&both, &move->value);
		kinds = atoms_kinds(values, &both);
		if (has_inner || has_atoms(&move->value, ATOM_LOAD, NODES) ||
		    has_atoms(&both, ATOM_RESULT, ATOM_CLOCK))
			kinds |= VALUE_VARIANT;
		if (kinds & (VALUE_MOVES | VALUE_CLOCK)) {
			judgement->works[values->loop->insns[move->insn].block] = true;
			judgement->verdict = LOOP_HAS_WORK;
			return;
		}
		if (is_waited_for(values, judgement, move))
			judgement->verdict = LOOP_WORKS;
	}
}

/* Work varies from call to call; what a loop does that waits is the same each time. */
static bool calls_with_same(const struct loop_values *values)
{
	const struct loop_code *loop = values->loop;

	for (u32 i = 0; i < loop->count; i++)
		if (loop->insns[i].role == ROLE_OTHER_CALL &&
		    atoms_kinds(values, &values->address[i]) & VALUE_MOVES)
			return false;
	return true;
}

/* Whether the expected value comes from memory: then it is tried again with what is there now. */
static bool expects_what_is_there(const struct loop_values *values, const struct swap *swap)
{
	for_each_atom(atom, &swap->expected) {
		if (atom_is_load(atom) || atom_is_result(atom) ||
		    atom_kinds(values, atom) & VALUE_MEMORY)
			return true;
	}
	return false;
}

/* Judges the atomic instructions: they wait for a lock, or change what is there until that works.
 */
static void judge_swaps(const struct loop_values *values, struct judgement *judgement)
{
	const struct loop_code *loop = values->loop;

	for (u32 i = 0; i < values->swap_count; i++) {
		const struct swap *swap = &values->swaps[i];
		unsigned int stored = atoms_kinds(values, &swap->stored);

		if (loop->insns[swap->insn].insn->kind != INSN_COMPARE_SWAP) {
			if (stored & (VALUE_MOVES | VALUE_CLOCK))
				judgement->verdict = LOOP_WORKS;
			continue;
		}
		if (!expects_what_is_there(values, swap) && !(stored & VALUE_MOVES))
			continue;
		judgement->verdict = LOOP_HAS_WORK;
		for (u32 j = 0; j < loop->count; j++)
			if (loop->insns[j].insn->kind == INSN_COMPARE_SWAP)
				judgement->works[loop->insns[j].block] = true;
		return;
	}
	judgement->takes = values->swap_count;
}

/* Whether the one function that a loop calls may be what lets it end. */
static bool judge_callee(const struct loop_values *values, const struct judgement *judgement)
{
	const struct loop_code *loop = values->loop;
	const struct insn *call;

	if (loop->other_call == HASH_NONE ||
	    loop->count > (loop->progress ? PROGRESS_INSNS_MAX : CALLING_INSNS_MAX))
		return false;
	call = loop->insns[loop->other_call].insn;
	if (callee_iterates(code_file_callee(loop->flow->code, call->target, insn_slot(call))))
		return false;
	for (u32 i = 0; i < judgement->exit_count; i++)
		if (has_atoms(&values->flags[judgement->exits[i]], ATOM_RESULT, ATOM_CLOCK))
			return false;
	/* what lies in registers for arguments says nothing of an engine, which has none or few */
	return loop->progress || calls_with_same(values);
}

int loop_judge(const struct loop_values *values, struct judgement *judgement)
{
	const struct loop_code *loop = values->loop;
	int inner;

	*judgement = (struct judgement){ .verdict = LOOP_WORKS };
	if (loop->any_effect) {
		judgement->verdict = LOOP_HAS_WORK;
		memcpy(judgement->works, loop->effects, sizeof(judgement->works));
		return 0;
	}
	if (!find_exits(values, judgement) || (has_variant(values) && !loop->pauses))
		return 0;
	if (loop->mode == MODE_CALLING && !judge_callee(values, judgement))
		return 0;
	judgement->verdict = LOOP_WAITS;
	inner = loop->pauses ? 0 : body_has_inner(loop->flow, loop->body);
	if (inner < 0)
		return -1;
	if (!loop->pauses)
		judge_moves(values, inner, judgement);
	if (judgement->verdict == LOOP_WAITS)
		judge_swaps(values, judgement);
	return 0;
}
