/* SPDX-License-Identifier: GPL-2.0 */
/* Control flow of one function: its instructions in blocks, and where each block leads to. */
#ifndef GAPP_READ_FLOW_H
#define GAPP_READ_FLOW_H

#include "code_file.h"

/* Instructions of the largest function that is looked at. */
#define FLOW_STEPS_MAX 200000

/* A successor that is no block: the caller, another function, or unknown. */
#define BLOCK_OUTSIDE UINT32_MAX

/**
 * struct block - instructions of which all run if the first one does
 * @first: number of the first step
 * @last: number of the last step
 * @next: place of the first successor in struct flow's @successors
 * @next_count: successors
 * @previous: place of the first predecessor in @predecessors
 * @previous_count: predecessors
 * @is_padding: it fills the space before another block, and never runs
 */
struct block {
	u32 first;
	u32 last;
	u32 next;
	u32 next_count;
	u32 previous;
	u32 previous_count;
	bool is_padding;
};

/* Where an indirect jump leads to, by its table. */
struct table_jump {
	u32 step;
	u64 target;
};

/**
 * struct flow - the control flow of a function
 * @code: what it is in
 * @decoder: state of the machine's decoder
 * @function: number of the function's range
 * @entry: number of the block that the function begins with
 * @has_frame_pointer: the frame pointer is the address of the function's frame
 * @steps: instructions, by address
 * @insns: those that were decoded whole, by number of step
 * @blocks: blocks, by address
 * @successors: blocks, or BLOCK_OUTSIDE
 * @predecessors: blocks
 * @jumps: targets of indirect jumps, by step
 * @table_count: indirect jumps whose tables were looked for
 * @leaders: while blocks are made: whether a step begins one
 */
struct flow {
	const struct code_file *code;
	void *decoder;
	u32 function;
	u32 entry;
	bool has_frame_pointer;
	struct step *steps;
	struct insn **insns;
	u32 step_count;
	u32 step_room;
	struct block *blocks;
	u32 block_count;
	u32 block_room;
	u32 *successors;
	u32 successor_count;
	u32 successor_room;
	u32 *predecessors;
	struct table_jump *jumps;
	u32 jump_count;
	u32 jump_room;
	u32 table_count;
	bool *leaders;
};

/*
 * Finds the control flow of the function with that range. Returns 0; 1: it is too large; -1: no
 * memory.
 */
int flow_make(struct flow *flow, const struct code_file *code, void *decoder, u32 function);
void flow_free(struct flow *flow);

/* A step's whole instruction, which lives as long as @flow. NULL: no memory, or it is damaged. */
const struct insn *flow_insn(struct flow *flow, u32 step);

/* The number of the step at @address, or of the one that has it inside; HASH_NONE: none does. */
u32 flow_find_step(const struct flow *flow, u64 address);

/*
 * Adds the targets of an indirect jump to @jumps, if it reads them from a table as compilers write
 * them. Returns 0, or -1 without memory.
 */
int jump_table_read(struct flow *flow, u32 step);

static inline u32 block_insns(const struct block *block)
{
	return block->last - block->first + 1;
}

#endif /* GAPP_READ_FLOW_H */
