/* SPDX-License-Identifier: GPL-2.0 */
/* The code of one loop: its instructions, what it writes, and what it does besides waiting. */
#ifndef GAPP_READ_LOOP_CODE_H
#define GAPP_READ_LOOP_CODE_H

#include "atoms.h"
#include "callees.h"

/* Instructions of a loop that may call a function that is not known. */
#define CALLING_INSNS_MAX 16
/* Those of one that calls progress engines only. */
#define PROGRESS_INSNS_MAX 40

/* What an instruction is for the rules. */
enum role {
	ROLE_PLAIN,
	ROLE_NAMED_CALL, /* of a function that is known by its name */
	ROLE_HELPER_CALL, /* of a function that changes nothing */
	ROLE_OTHER_CALL, /* of the one function that may do anything, or of a progress engine */
	ROLE_TRUSTED_CALL, /* of any function, in a loop that has an INSN_PAUSE */
};

/**
 * struct loop_insn - an instruction of the loop
 * @insn: the instruction
 * @step: its number in the flow
 * @block: number of its block in the body
 * @role: enum role
 * @does: of a call: enum callee_does
 */
struct loop_insn {
	const struct insn *insn;
	u32 step;
	u16 block;
	u8 role;
	int does;
};

/* A word of the stack, by the register and the distance of its address. */
struct stack_word {
	u8 base;
	s64 offset;
};

/* How the loop is looked at. */
enum loop_mode {
	MODE_PLAIN,
	MODE_CALLING, /* it may call one function that may do anything, or progress engines */
};

#define VARIABLE_NONE 0xff
#define WORDS_MAX 64

/**
 * struct loop_code - the code of a loop
 * @flow: what it is in
 * @callees: what functions do
 * @body: its blocks
 * @mode: enum loop_mode
 * @insns: its instructions, block by block
 * @count: instructions
 * @first: number of each block's first instruction, and behind the last one @count
 * @written: registers that it writes, REGISTER_BIT() of each
 * @has_frame_pointer: the frame pointer is the frame's address in all of the loop
 * @variables: registers and words of the stack that it writes
 * @of_register: variable by register, or VARIABLE_NONE
 * @words: words of the stack that it writes
 * @word_count: words of the stack
 * @word_variable: variable of the first of @words
 * @does: enum callee_does of the loop with what it calls
 * @pauses: it has an INSN_PAUSE itself, so that what else it does is trusted to belong to waiting
 * @trusted: and it does something else
 * @other_call: first instruction of ROLE_OTHER_CALL, or HASH_NONE
 * @progress: all of ROLE_OTHER_CALL are of progress engines
 * @effects: whether a block does something that a loop that only waits does not do
 * @any_effect: whether a block does
 */
struct loop_code {
	struct flow *flow;
	struct callees *callees;
	const struct body *body;
	enum loop_mode mode;
	struct loop_insn insns[LOOP_INSNS_MAX];
	u32 count;
	u32 first[LOOP_INSNS_MAX + 1];
	u64 written;
	bool has_frame_pointer;
	u32 variables;
	u8 of_register[REGISTERS_MAX];
	struct stack_word words[WORDS_MAX];
	u32 word_count;
	u32 word_variable;
	int does;
	bool pauses;
	bool trusted;
	u32 other_call;
	bool progress;
	bool effects[LOOP_INSNS_MAX];
	bool any_effect;
};

/*
 * Reads a loop's code, and finds its effects. Returns 0; 1: it has an instruction that cannot be
 * decoded, or too many variables; -1: no memory.
 */
int loop_code_read(struct loop_code *loop, struct flow *flow, struct callees *callees,
		   const struct body *body, enum loop_mode mode);

/*
 * Sets @word if an operand of instruction @at is a word of the stack whose address does not change
 * in the loop.
 */
bool loop_stack_word(const struct loop_code *loop, u32 at, const struct insn_memory *memory,
		     struct stack_word *word);
/* The variable of a word of the stack, or VARIABLE_NONE: the loop does not write it. */
u32 loop_word_variable(const struct loop_code *loop, const struct stack_word *word);

/* The instruction that runs before instruction @at in the loop, or HASH_NONE: one of several. */
u32 loop_before(const struct loop_code *loop, u32 at);

/* The number of a block of the flow in the body, or HASH_NONE. */
u32 loop_block(const struct loop_code *loop, u32 block);

/* The address of the pointer that a call or jump takes, if it is fixed; else 0. */
u64 insn_slot(const struct insn *insn);

/* Calls of these are no work: they are left out when calls of a loop are counted. */
bool callee_is_beside(const char *name);

#endif /* GAPP_READ_LOOP_CODE_H */
