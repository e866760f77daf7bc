/* SPDX-License-Identifier: GPL-2.0 */
/* What each value in a loop is made of, and how it depends on the iteration before. */
#ifndef GAPP_READ_LOOP_VALUES_H
#define GAPP_READ_LOOP_VALUES_H

#include "loop_code.h"

/* What a value is, from one iteration to the next. */
enum value_kind {
	VALUE_MEMORY = 1, /* it comes from memory whose address stays */
	VALUE_VARIANT = 2, /* it comes from memory whose address changes, or is a sum of such */
	VALUE_COUNTER = 4, /* it is counted */
	VALUE_RESULT = 8, /* a function or system call returned it, or only this thread sees it */
	VALUE_CLOCK = 16, /* a clock said it */
	VALUE_STACK = 32, /* it is a word of the stack that the loop does not write */
};

/**
 * struct move_out - a store to memory that is no word of the stack, by a plain move
 * @insn: the instruction's number
 * @address: what the address is made of
 * @value: what the stored value is made of
 */
struct move_out {
	u32 insn;
	struct atoms address;
	struct atoms value;
};

/**
 * struct swap - an atomic instruction that may take a lock
 * @insn: the instruction's number
 * @expected: of INSN_COMPARE_SWAP: what the expected value is made of
 * @stored: what the value is made of that it stores
 */
struct swap {
	u32 insn;
	struct atoms expected;
	struct atoms stored;
};

#define MOVES_MAX 32
#define SWAPS_MAX 16

/**
 * struct loop_values - what values of a loop are made of
 * @loop: the loop
 * @at_entry: for each block, and in it for each variable, what it is made of when the block begins
 * @rounds: times that a block was passed
 * @reached: whether the header leads to a block
 * @kept: for each variable, what an iteration leaves in it
 * @address: for each instruction that loads or calls, what the address or the arguments are made of
 * @flags: for each branch, what its condition is made of
 * @moves: stores
 * @swaps: atomic instructions
 * @reach: for each node, all nodes that it depends on
 * @heavy: for each node, those that it depends on other than by being the same value
 * @recurrent: for each variable, whether it depends on itself: VALUE_COUNTER, VALUE_VARIANT or 0
 * @is_partial: the loop is not all that can be repeated, or calls what may do anything, so its
 *	addresses must stay as they are
 */
struct loop_values {
	struct loop_code *loop;
	struct atoms *at_entry;
	u32 rounds;
	bool reached[LOOP_INSNS_MAX];
	struct atoms kept[VARIABLES_MAX];
	struct atoms address[LOOP_INSNS_MAX];
	struct atoms flags[LOOP_INSNS_MAX];
	struct move_out moves[MOVES_MAX];
	u32 move_count;
	struct swap swaps[SWAPS_MAX];
	u32 swap_count;
	u64 reach[NODES][NODE_WORDS];
	u64 heavy[NODES][NODE_WORDS];
	u8 recurrent[VARIABLES_MAX];
	bool is_partial;
};

/* Finds all that. Returns 0; 1: the loop is too complicated; -1: no memory. */
int loop_values_find(struct loop_values *values, struct loop_code *loop);

/* Sets how nodes depend on each other, and which variables are recurrent. */
void loop_values_relate(struct loop_values *values);

/* enum value_kind of an atom, and of all of @atoms. */
unsigned int atom_kinds(const struct loop_values *values, u32 atom);
unsigned int atoms_kinds(const struct loop_values *values, const struct atoms *atoms);

#endif /* GAPP_READ_LOOP_VALUES_H */
