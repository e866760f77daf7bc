// SPDX-License-Identifier: GPL-2.0
#include "flow.h"

#include "functions.h"

/* Instructions at a function's begin in which it sets its frame pointer. */
#define PROLOGUE 12

static int add_steps(struct flow *flow, const struct code_range *range)
{
	const struct code_file *code = flow->code;
	const u8 *bytes;
	size_t size;

	for (u64 at = range->begin; at < range->end;) {
		struct step step;

		bytes = code_file_bytes(code, at, range->end, &size);
		if (!bytes || !code->machine->step(flow->decoder, bytes, size, at, &step))
			return 0;
		if (flow->step_count == FLOW_STEPS_MAX)
			return 1;
		if (array_grow(&flow->steps, &flow->step_room, flow->step_count, sizeof(step)))
			return -1;
		flow->steps[flow->step_count++] = step;
		at += step.bytes;
	}
	return 0;
}

/* Decodes all parts in the order of their addresses. */
static int add_parts(struct flow *flow)
{
	const struct code_range *ranges = flow->code->ranges;
	u32 part = ranges[flow->function].next_part;
	bool whole_added = false;
	int result = 0;

	while (!result && (part != HASH_NONE || !whole_added)) {
		if (!whole_added && (part == HASH_NONE || part > flow->function)) {
			whole_added = true;
			result = add_steps(flow, &ranges[flow->function]);
			continue;
		}
		result = add_steps(flow, &ranges[part]);
		part = ranges[part].next_part;
	}
	return result;
}

u32 flow_find_step(const struct flow *flow, u64 address)
{
	size_t count = count_up_to(flow->steps, flow->step_count, sizeof(*flow->steps), address);
	const struct step *step = count ? &flow->steps[count - 1] : NULL;

	/* a jump over a prefix, such as "lock", leads into the instruction */
	return step && address - step->address < step->bytes ? count - 1 : HASH_NONE;
}

const struct insn *flow_insn(struct flow *flow, u32 step)
{
	const struct code_file *code = flow->code;
	u64 address = flow->steps[step].address;
	struct insn *insn = flow->insns[step];
	const u8 *bytes;
	size_t size;

	if (insn)
		return insn;
	bytes = code_file_bytes(code, address, address + flow->steps[step].bytes, &size);
	insn = bytes ? malloc(sizeof(*insn)) : NULL;
	if (!insn)
		return NULL;
	if (!code->machine->decode(flow->decoder, bytes, size, address, insn)) {
		free(insn);
		return NULL;
	}
	flow->insns[step] = insn;
	return insn;
}

/* The address of the pointer that an indirect call takes, if it is fixed; else 0. */
static u64 fixed_slot(struct flow *flow, u32 step)
{
	const struct insn *insn = flow_insn(flow, step);
	const struct operand *operand = insn ? &insn->operands[0] : NULL;

	if (!operand || operand->kind != OPERAND_MEMORY || operand->memory.thread ||
	    operand->memory.base != REGISTER_NONE || operand->memory.index != REGISTER_NONE)
		return 0;
	return operand->memory.offset;
}

static bool comes_back(struct flow *flow, u32 number)
{
	const struct step *step = &flow->steps[number];

	switch (step->flow) {
	case FLOW_CALL:
		return !call_never_returns(flow->code, step->target, 0);
	case FLOW_CALL_INDIRECT:
		return !call_never_returns(flow->code, 0, fixed_slot(flow, number));
	default:
		return true;
	}
}

static void mark(struct flow *flow, u64 target)
{
	u32 step = flow_find_step(flow, target);

	if (step != HASH_NONE)
		flow->leaders[step] = true;
}

/* Marks the steps that begin blocks. A call that never comes back becomes FLOW_STOP. */
static int mark_leaders(struct flow *flow)
{
	for (u32 i = 0; i < flow->step_count; i++) {
		struct step *step = &flow->steps[i];

		if (!i || step->address != step[-1].address + step[-1].bytes)
			flow->leaders[i] = true;
		if (!comes_back(flow, i))
			step->flow = FLOW_STOP;
		if (step->flow == FLOW_NEXT || step->flow == FLOW_CALL ||
		    step->flow == FLOW_CALL_INDIRECT)
			continue;
		if (i + 1 < flow->step_count)
			flow->leaders[i + 1] = true;
		if (step->flow == FLOW_BRANCH || step->flow == FLOW_JUMP)
			mark(flow, step->target);
		if (step->flow == FLOW_JUMP_INDIRECT && jump_table_read(flow, i))
			return -1;
	}
	for (u32 i = 0; i < flow->jump_count; i++)
		mark(flow, flow->jumps[i].target);
	return 0;
}

static int make_blocks(struct flow *flow)
{
	for (u32 i = 0; i < flow->step_count; i++) {
		if (flow->leaders[i]) {
			if (array_grow(&flow->blocks, &flow->block_room, flow->block_count,
				       sizeof(*flow->blocks)))
				return -1;
			flow->blocks[flow->block_count++] = (struct block){ .first = i };
		}
		flow->blocks[flow->block_count - 1].last = i;
	}
	return 0;
}

/* The block that begins at a step that is a leader. */
static u32 block_of(const struct flow *flow, u32 step)
{
	u32 low = 0, high = flow->block_count;

	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;

		if (flow->blocks[middle].first <= step)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int add_successor(struct flow *flow, struct block *block, u64 target)
{
	u32 step = flow_find_step(flow, target);

	if (array_grow(&flow->successors, &flow->successor_room, flow->successor_count,
		       sizeof(*flow->successors)))
		return -1;
	flow->successors[flow->successor_count++] = step == HASH_NONE ? BLOCK_OUTSIDE :
									block_of(flow, step);
	block->next_count++;
	return 0;
}

static int add_table_successors(struct flow *flow, struct block *block)
{
	for (u32 i = 0; i < flow->jump_count; i++)
		if (flow->jumps[i].step == block->last &&
		    add_successor(flow, block, flow->jumps[i].target))
			return -1;
	return block->next_count ? 0 : add_successor(flow, block, 0);
}

static int add_successors(struct flow *flow, struct block *block)
{
	const struct step *step = &flow->steps[block->last];
	u64 behind = step->address + step->bytes;

	block->next = flow->successor_count;
	switch (step->flow) {
	case FLOW_BRANCH:
		return add_successor(flow, block, behind) ||
				       add_successor(flow, block, step->target) ?
			       -1 :
			       0;
	case FLOW_JUMP:
		return add_successor(flow, block, step->target);
	case FLOW_JUMP_INDIRECT:
		return add_table_successors(flow, block);
	case FLOW_RETURN:
	case FLOW_STOP:
		return add_successor(flow, block, 0);
	default:
		return add_successor(flow, block, behind);
	}
}

/* Nothing leads to a block that fills space, but it would lead to the next one. */
static void find_padding(struct flow *flow)
{
	for (u32 i = 0; i < flow->block_count; i++) {
		struct block *block = &flow->blocks[i];

		block->is_padding = !block->previous_count && i != flow->entry;
		for (u32 step = block->first; block->is_padding && step <= block->last; step++) {
			const struct insn *insn = flow_insn(flow, step);

			block->is_padding = insn && insn->kind == INSN_NOP;
		}
	}
}

static int add_predecessors(struct flow *flow)
{
	u32 place = 0;

	flow->predecessors = calloc(flow->successor_count + 1, sizeof(*flow->predecessors));
	if (!flow->predecessors)
		return -1;
	for (u32 i = 0; i < flow->successor_count; i++)
		if (flow->successors[i] != BLOCK_OUTSIDE)
			flow->blocks[flow->successors[i]].previous_count++;
	find_padding(flow);
	for (u32 i = 0; i < flow->block_count; i++) {
		flow->blocks[i].previous = place;
		place += flow->blocks[i].previous_count;
		flow->blocks[i].previous_count = 0;
	}
	for (u32 i = 0; i < flow->block_count; i++) {
		const struct block *block = &flow->blocks[i];

		for (u32 j = 0; !block->is_padding && j < block->next_count; j++) {
			u32 next = flow->successors[block->next + j];

			if (next != BLOCK_OUTSIDE) {
				struct block *to = &flow->blocks[next];

				flow->predecessors[to->previous + to->previous_count++] = i;
			}
		}
	}
	return 0;
}

/* Whether the function begins with "mov %rsp, %rbp", so that what is at the latter is its frame. */
static bool sets_frame_pointer(struct flow *flow)
{
	const struct machine *machine = flow->code->machine;
	u64 begin = flow->code->ranges[flow->function].begin;
	u32 first = flow_find_step(flow, begin);

	for (u32 i = first; i < flow->step_count && i - first < PROLOGUE; i++) {
		const struct insn *insn = flow_insn(flow, i);

		if (insn && insn->kind == INSN_MOVE && insn->operands[0].kind == OPERAND_REGISTER &&
		    insn->operands[1].kind == OPERAND_REGISTER &&
		    insn->operands[0].reg == machine->frame_pointer &&
		    insn->operands[1].reg == machine->stack_pointer)
			return true;
	}
	return false;
}

static int make(struct flow *flow)
{
	int result = add_parts(flow);

	if (result || !flow->step_count)
		return result;
	flow->insns = calloc(flow->step_count, sizeof(struct insn *));
	flow->leaders = calloc(flow->step_count, sizeof(*flow->leaders));
	if (!flow->insns || !flow->leaders || mark_leaders(flow) || make_blocks(flow))
		return -1;
	for (u32 i = 0; i < flow->block_count; i++)
		if (add_successors(flow, &flow->blocks[i]))
			return -1;
	flow->entry =
		block_of(flow, flow_find_step(flow, flow->code->ranges[flow->function].begin));
	if (add_predecessors(flow))
		return -1;
	flow->has_frame_pointer = sets_frame_pointer(flow);
	return 0;
}

int flow_make(struct flow *flow, const struct code_file *code, void *decoder, u32 function)
{
	int result;

	*flow = (struct flow){ .code = code, .decoder = decoder, .function = function };
	result = make(flow);
	if (result)
		flow_free(flow);
	return result;
}

void flow_free(struct flow *flow)
{
	for (u32 i = 0; flow->insns && i < flow->step_count; i++)
		free(flow->insns[i]);
	free(flow->steps);
	free(flow->insns);
	free(flow->blocks);
	free(flow->successors);
	free(flow->predecessors);
	free(flow->jumps);
	free(flow->leaders);
	*flow = (struct flow){ 0 };
}
