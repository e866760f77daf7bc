// SPDX-License-Identifier: GPL-2.0
#include "loop_code.h"

/* Instructions between where the address of a word of the stack is taken and where it is used. */
#define NEAR 16

bool callee_is_beside(const char *name)
{
	static const char *const names[] = {
		"pthread_mutex_lock", "pthread_mutex_unlock", "pthread_mutex_trylock",
		"pthread_spin_lock",  "pthread_spin_unlock",  "__stack_chk_fail",
	};

	for (size_t i = 0; name && i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

u64 insn_slot(const struct insn *insn)
{
	const struct operand *operand = &insn->operands[0];

	if (insn->flow != FLOW_CALL_INDIRECT || operand->kind != OPERAND_MEMORY ||
	    operand->memory.thread || operand->memory.base != REGISTER_NONE ||
	    operand->memory.index != REGISTER_NONE)
		return 0;
	return operand->memory.offset;
}

u32 loop_block(const struct loop_code *loop, u32 block)
{
	const struct body *body = loop->body;
	u32 low = 0, high = body->count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (body->blocks[middle] < block)
			low = middle + 1;
		else
			high = middle;
	}
	return low < body->count && body->blocks[low] == block ? low : HASH_NONE;
}

static bool read_insns(struct loop_code *loop)
{
	for (u32 i = 0; i < loop->body->count; i++) {
		const struct block *block = &loop->flow->blocks[loop->body->blocks[i]];

		loop->first[i] = loop->count;
		for (u32 step = block->first; step <= block->last; step++) {
			const struct insn *insn = flow_insn(loop->flow, step);

			if (!insn)
				return false;
			loop->insns[loop->count++] = (struct loop_insn){
				.insn = insn,
				.step = step,
				.block = i,
			};
		}
	}
	loop->first[loop->body->count] = loop->count;
	return true;
}

u32 loop_before(const struct loop_code *loop, u32 at)
{
	const struct flow *flow = loop->flow;
	u32 block = loop->insns[at].block, found = HASH_NONE;
	const struct block *of = &flow->blocks[loop->body->blocks[block]];

	if (at > loop->first[block])
		return at - 1;
	for (u32 i = 0; i < of->previous_count; i++) {
		u32 from = loop_block(loop, flow->predecessors[of->previous + i]);

		if (from == HASH_NONE)
			continue;
		if (found != HASH_NONE && found != from)
			return HASH_NONE;
		found = from;
	}
	return found == HASH_NONE ? HASH_NONE : loop->first[found + 1] - 1;
}

static bool is_frame(const struct loop_code *loop, const struct insn_memory *memory)
{
	const struct machine *machine = loop->flow->code->machine;

	return memory->index == REGISTER_NONE && !memory->thread &&
	       (memory->base == machine->stack_pointer ||
		(memory->base == machine->frame_pointer && loop->has_frame_pointer));
}

bool loop_stack_word(const struct loop_code *loop, u32 at, const struct insn_memory *memory,
		     struct stack_word *word)
{
	if (is_frame(loop, memory)) {
		*word = (struct stack_word){ .base = memory->base, .offset = memory->offset };
		return true;
	}
	if (memory->index != REGISTER_NONE || memory->thread || memory->base == REGISTER_NONE)
		return false;
	/* code that is not optimized takes the address of a variable, and uses it soon */
	for (u32 i = loop_before(loop, at), n = 0; i != HASH_NONE && n < NEAR; n++) {
		const struct insn *insn = loop->insns[i].insn;

		i = loop_before(loop, i);
		if (!(insn->writes & REGISTER_BIT(memory->base)))
			continue;
		if (insn->kind != INSN_ADDRESS || !is_frame(loop, &insn->operands[1].memory))
			return false;
		*word = (struct stack_word){
			.base = insn->operands[1].memory.base,
			.offset = (s64)((u64)insn->operands[1].memory.offset + (u64)memory->offset),
		};
		return true;
	}
	return false;
}

static u32 find_word(const struct loop_code *loop, const struct stack_word *word)
{
	for (u32 i = 0; i < loop->word_count; i++)
		if (loop->words[i].base == word->base && loop->words[i].offset == word->offset)
			return i;
	return HASH_NONE;
}

u32 loop_word_variable(const struct loop_code *loop, const struct stack_word *word)
{
	u32 found = find_word(loop, word);

	return found == HASH_NONE ? VARIABLE_NONE : loop->word_variable + found;
}

/* The number of the system call at instruction @at, if it is set in the same block; else -1. */
static s64 syscall_number(const struct loop_code *loop, u32 at)
{
	u8 reg = loop->flow->code->machine->syscall_number;

	for (u32 i = at; i-- > loop->first[loop->insns[at].block];) {
		const struct insn *insn = loop->insns[i].insn;

		if (!(insn->writes & REGISTER_BIT(reg)))
			continue;
		return insn->kind == INSN_MOVE && insn->operands[1].kind == OPERAND_NUMBER ?
			       insn->operands[1].number :
			       -1;
	}
	return -1;
}

static int does_syscall(const struct loop_code *loop, u32 at)
{
	s64 number = syscall_number(loop, at);

	switch (number < 0 ? SYSCALL_OTHER : loop->flow->code->machine->syscall(number)) {
	case SYSCALL_YIELD:
		return CALLEE_YIELDS;
	case SYSCALL_SLEEP:
		return CALLEE_SLEEPS;
	case SYSCALL_CLOCK:
		return CALLEE_READS_CLOCK;
	default:
		return CALLEE_BLOCKS;
	}
}

/* Sets the role of a call. Returns 1: it is an effect; 0; -1: no memory. */
static int look_at_call(struct loop_code *loop, u32 at)
{
	struct loop_insn *call = &loop->insns[at];
	u64 slot = insn_slot(call->insn);
	int does = callee_does(loop->callees, call->insn->target, slot);

	if (does < 0)
		return -1;
	call->does = does;
	loop->does |= does;
	call->role = does & CALLEE_NAMED ? ROLE_NAMED_CALL : ROLE_HELPER_CALL;
	if (does)
		return 0;
	call->role = ROLE_OTHER_CALL;
	if (loop->mode == MODE_CALLING) {
		const char *name = code_file_callee(loop->flow->code, call->insn->target, slot);
		const bool progress = callee_progresses(name);

		if (callee_is_beside(name))
			return 0;
		/* more than one function that may do anything does work */
		if (loop->other_call != HASH_NONE)
			return !(loop->progress && progress);
		loop->other_call = at;
		loop->progress = progress;
		return 0;
	}
	return 1;
}

/* Whether the instruction writes to memory that is no word of the stack, and not by a plain move.
 */
static bool changes_memory(const struct loop_code *loop, u32 at)
{
	const struct insn *insn = loop->insns[at].insn;
	struct stack_word word;

	if (insn->kind == INSN_NOP || insn->kind == INSN_ADDRESS)
		return false;
	for (u8 i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind == OPERAND_MEMORY && operand->is_written &&
		    insn->kind != INSN_MOVE && !loop_stack_word(loop, at, &operand->memory, &word))
			return true;
	}
	return false;
}

/* Returns 1: the instruction is an effect; 0; -1: no memory. */
static int look_at(struct loop_code *loop, u32 at)
{
	const struct insn *insn = loop->insns[at].insn;

	switch (insn->kind) {
	case INSN_PAUSE:
		loop->does |= CALLEE_PAUSES;
		return 0;
	case INSN_CLOCK:
		loop->does |= CALLEE_READS_CLOCK;
		return 0;
	case INSN_SYSCALL:
		loop->does |= does_syscall(loop, at);
		return 0;
	case INSN_CALL:
		return look_at_call(loop, at);
	case INSN_EFFECT:
		return 1;
	case INSN_SWAP:
	case INSN_COMPARE_SWAP:
	case INSN_SET_BIT:
		return 0;
	default:
		return changes_memory(loop, at);
	}
}

static int find_effects(struct loop_code *loop)
{
	for (u32 i = 0; i < loop->count; i++)
		loop->pauses |= loop->insns[i].insn->kind == INSN_PAUSE;
	for (u32 i = 0; i < loop->count; i++) {
		int effect = look_at(loop, i);

		if (effect < 0)
			return -1;
		if (!effect)
			continue;
		if (loop->pauses) {
			loop->trusted = true;
			if (loop->insns[i].insn->kind == INSN_CALL)
				loop->insns[i].role = ROLE_TRUSTED_CALL;
			continue;
		}
		loop->effects[loop->insns[i].block] = true;
		loop->any_effect = true;
	}
	return 0;
}

static void note_registers(struct loop_code *loop)
{
	const struct machine *machine = loop->flow->code->machine;

	for (u32 i = 0; i < loop->count; i++) {
		const struct insn *insn = loop->insns[i].insn;

		loop->written |= insn->writes;
		if (insn->kind == INSN_CALL)
			loop->written |= machine->lost | REGISTER_BIT(machine->result);
		if (insn->kind == INSN_SYSCALL)
			loop->written |= machine->syscall_lost | REGISTER_BIT(machine->result);
	}
	loop->has_frame_pointer = loop->flow->has_frame_pointer &&
				  !(loop->written & REGISTER_BIT(machine->frame_pointer));
	/* pushes, pops and calls of an iteration leave it as it was */
	loop->written &= ~REGISTER_BIT(machine->stack_pointer);
}

/* Returns 1 if the loop writes too many words of the stack. */
static int note_words(struct loop_code *loop)
{
	for (u32 i = 0; i < loop->count; i++) {
		const struct insn *insn = loop->insns[i].insn;

		for (u8 j = 0; j < insn->operand_count; j++) {
			const struct operand *operand = &insn->operands[j];
			struct stack_word word;

			if (operand->kind != OPERAND_MEMORY || !operand->is_written ||
			    !loop_stack_word(loop, i, &operand->memory, &word) ||
			    find_word(loop, &word) != HASH_NONE)
				continue;
			if (loop->word_count == WORDS_MAX)
				return 1;
			loop->words[loop->word_count++] = word;
		}
	}
	return 0;
}

static int number_variables(struct loop_code *loop)
{
	memset(loop->of_register, VARIABLE_NONE, sizeof(loop->of_register));
	for (u32 i = 0; i < REGISTERS_MAX; i++)
		if (loop->written & REGISTER_BIT(i))
			loop->of_register[i] = loop->variables++;
	loop->word_variable = loop->variables;
	if (note_words(loop) || loop->variables + loop->word_count > VARIABLES_MAX)
		return 1;
	loop->variables += loop->word_count;
	return 0;
}

int loop_code_read(struct loop_code *loop, struct flow *flow, struct callees *callees,
		   const struct body *body, enum loop_mode mode)
{
	*loop = (struct loop_code){
		.flow = flow,
		.callees = callees,
		.body = body,
		.mode = mode,
		.other_call = HASH_NONE,
	};
	if (!read_insns(loop))
		return 1;
	note_registers(loop);
	if (number_variables(loop))
		return 1;
	return find_effects(loop);
}
