/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions as the finder of busy-wait loops looks at them, whatever machine they are for. A
 * decoder fills them (see decoder.h); the rest of the finder knows no machine.
 */
#ifndef GAPP_READ_INSN_H
#define GAPP_READ_INSN_H

#include "util/util.h"

/*
 * Registers have numbers below REGISTERS_MAX, which the decoder gives. All parts of a register have
 * the number of the whole; the flags of a comparison are a register, too.
 */
#define REGISTERS_MAX 64
#define REGISTER_NONE 0xff
#define REGISTER_BIT(number) (1ULL << (number))

#define INSN_OPERANDS 4

/* Where an instruction leads to. */
enum insn_flow {
	FLOW_NEXT, /* to the next one */
	FLOW_BRANCH, /* to the next one or its target */
	FLOW_JUMP, /* to its target */
	FLOW_JUMP_INDIRECT, /* to an address that it computes */
	FLOW_CALL, /* to its target, and back */
	FLOW_CALL_INDIRECT, /* to an address that it computes, and back */
	FLOW_RETURN, /* to the caller */
	FLOW_STOP, /* nowhere: it traps */
};

enum insn_kind {
	INSN_OTHER, /* what it writes is made of all that it reads */
	INSN_NOP, /* changes nothing that a loop could depend on */
	INSN_MOVE, /* operand 0 becomes operand 1 */
	INSN_ADDRESS, /* operand 0 becomes the address of operand 1 */
	INSN_ZERO, /* operand 0 becomes 0 */
	INSN_SELECT, /* operand 0 stays or becomes operand 1, as the flags say */
	INSN_COMPARE, /* sets the flags from operands 0 and 1, by their difference */
	INSN_TEST, /* sets the flags from the bits that operands 0 and 1 share */
	INSN_TEST_BIT, /* sets the carry flag to a bit of operand 0, whose number is operand 1 */
	INSN_BRANCH, /* FLOW_BRANCH */
	INSN_JUMP, /* FLOW_JUMP, FLOW_JUMP_INDIRECT, FLOW_RETURN, FLOW_STOP */
	INSN_CALL, /* FLOW_CALL, FLOW_CALL_INDIRECT */
	INSN_PAUSE, /* tells the CPU that the code waits */
	INSN_SYSCALL,
	INSN_CLOCK, /* reads a clock of the CPU */
	INSN_SWAP, /* exchanges operand 0, memory, and operand 1, atomically */
	INSN_COMPARE_SWAP, /* if operand 0, memory, is the accumulator, makes it operand 1 */
	INSN_SET_BIT, /* sets a bit of operand 0, memory, atomically; carry: it was set */
	INSN_EFFECT, /* changes memory, or a device, in another way */
};

/* When a branch is taken, after a comparison of a and b. */
enum branch_condition {
	CONDITION_NONE,
	CONDITION_EQUAL,
	CONDITION_NOT_EQUAL,
	CONDITION_BELOW, /* unsigned; after INSN_TEST_BIT: the bit is set */
	CONDITION_NOT_BELOW,
	CONDITION_NOT_ABOVE,
	CONDITION_ABOVE,
	CONDITION_LESS, /* signed */
	CONDITION_NOT_LESS,
	CONDITION_NOT_GREATER,
	CONDITION_GREATER,
	CONDITION_NEGATIVE,
	CONDITION_NOT_NEGATIVE,
	CONDITION_OTHER,
};

/* The condition that holds if @condition does not. */
static inline enum branch_condition condition_opposite(enum branch_condition condition)
{
	if (condition == CONDITION_NONE || condition == CONDITION_OTHER)
		return condition;
	return (enum branch_condition)(((condition - 1) ^ 1) + 1);
}

/* The condition that holds for b and a if @condition holds for a and b. */
static inline enum branch_condition condition_mirrored(enum branch_condition condition)
{
	switch (condition) {
	case CONDITION_BELOW:
		return CONDITION_ABOVE;
	case CONDITION_ABOVE:
		return CONDITION_BELOW;
	case CONDITION_NOT_BELOW:
		return CONDITION_NOT_ABOVE;
	case CONDITION_NOT_ABOVE:
		return CONDITION_NOT_BELOW;
	case CONDITION_LESS:
		return CONDITION_GREATER;
	case CONDITION_GREATER:
		return CONDITION_LESS;
	case CONDITION_NOT_LESS:
		return CONDITION_NOT_GREATER;
	case CONDITION_NOT_GREATER:
		return CONDITION_NOT_LESS;
	default:
		return condition;
	}
}

/* What an INSN_OTHER makes of operands 0 and 1, where the finder follows it. */
enum arithmetic {
	ARITHMETIC_OTHER,
	ARITHMETIC_ADD,
	ARITHMETIC_SUBTRACT,
	ARITHMETIC_AND,
	ARITHMETIC_XOR,
};

enum operand_kind {
	OPERAND_NONE,
	OPERAND_REGISTER,
	OPERAND_NUMBER,
	OPERAND_MEMORY,
};

/**
 * struct insn_memory - the address of an operand in memory
 * @base: register, or REGISTER_NONE
 * @index: register, or REGISTER_NONE
 * @scale: factor of @index
 * @relative: the instruction has @offset relative to itself
 * @thread: it counts from the thread's own memory, which no other thread reads or writes
 * @offset: what is added; without @base and @index the address, also with @relative
 */
struct insn_memory {
	u8 base;
	u8 index;
	u8 scale;
	bool relative;
	bool thread;
	s64 offset;
};

/**
 * struct operand - an operand
 * @kind: enum operand_kind
 * @reg: with OPERAND_REGISTER: its number
 * @bytes: size
 * @is_read: the instruction reads it
 * @is_written: the instruction writes it
 * @is_second_byte: with OPERAND_REGISTER: the second byte of it, not the first ones
 * @number: with OPERAND_NUMBER
 * @memory: with OPERAND_MEMORY
 */
struct operand {
	u8 kind;
	u8 reg;
	u8 bytes;
	bool is_read;
	bool is_written;
	bool is_second_byte;
	union {
		s64 number;
		struct insn_memory memory;
	};
};

/**
 * struct insn - an instruction
 * @address: its address
 * @target: where FLOW_BRANCH, FLOW_JUMP and FLOW_CALL lead
 * @reads: REGISTER_BIT() of all registers that it reads, but for those of addresses
 * @writes: REGISTER_BIT() of all registers that it writes
 * @bytes: size
 * @kind: enum insn_kind
 * @flow: enum insn_flow
 * @condition: enum branch_condition: of INSN_BRANCH; or when what is written becomes 1, and else 0
 * @arithmetic: of INSN_OTHER: enum arithmetic
 * @accumulator: of INSN_COMPARE_SWAP: register that holds the expected value, and gets the old one
 * @flags: the register of the flags, if it writes them; else REGISTER_NONE
 * @operand_count: operands
 * @operands: operands; what is written comes first
 */
struct insn {
	u64 address;
	u64 target;
	u64 reads;
	u64 writes;
	u8 bytes;
	u8 kind;
	u8 flow;
	u8 condition;
	u8 arithmetic;
	u8 accumulator;
	u8 flags;
	u8 operand_count;
	struct operand operands[INSN_OPERANDS];
};

/**
 * struct step - an instruction by the way that it leads
 * @address: its address
 * @target: as of struct insn
 * @bytes: size
 * @flow: enum insn_flow
 * @pauses: it is an INSN_PAUSE
 */
struct step {
	u64 address;
	u64 target;
	u8 bytes;
	u8 flow;
	bool pauses;
};

#endif /* GAPP_READ_INSN_H */
