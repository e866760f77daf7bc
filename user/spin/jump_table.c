// SPDX-License-Identifier: GPL-2.0
/* Finds where an indirect jump of a switch leads to, by the table that it reads. */
#include "flow.h"

/* Steps before the jump in which its table's address and bound are looked for. */
#define LOOK_BACK 24
/* Most entries of one table, and of all tables of a function. */
#define ENTRIES_MAX 1024
#define JUMPS_MAX 8192
/* Indirect jumps of a function whose tables are read. */
#define TABLES_MAX 512

/**
 * struct table - a table of targets
 * @address: its address; 0: not found
 * @entry_bytes: 4: distances from @address; 8: addresses
 * @count: entries at most
 */
struct table {
	u64 address;
	unsigned int entry_bytes;
	u32 count;
};

static bool is_fixed(const struct insn_memory *memory)
{
	return memory->base == REGISTER_NONE && memory->index == REGISTER_NONE && !memory->thread;
}

/* Sets @table by the instruction, if it is "lea table(%rip), reg" or reads "table(, reg, 8)". */
static void note_table(struct table *table, const struct insn *insn)
{
	for (u8 i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind != OPERAND_MEMORY)
			continue;
		if (insn->kind == INSN_ADDRESS && is_fixed(&operand->memory)) {
			table->address = operand->memory.offset;
			table->entry_bytes = sizeof(s32);
		} else if (operand->memory.base == REGISTER_NONE && operand->memory.scale == 8 &&
			   operand->memory.index != REGISTER_NONE && !operand->memory.thread) {
			table->address = operand->memory.offset;
			table->entry_bytes = sizeof(u64);
		}
	}
}

/* Looks back for the table, and for the "cmp $number, reg" before a branch that bounds it. */
static void find_table(struct flow *flow, u32 step, struct table *table)
{
	const struct insn *insn = flow_insn(flow, step);
	bool branch = false;

	if (!insn || (insn->operand_count && insn->operands[0].kind == OPERAND_MEMORY &&
		      is_fixed(&insn->operands[0].memory)))
		return;
	note_table(table, insn);
	for (u32 i = step; i-- && step - i <= LOOK_BACK;) {
		insn = flow_insn(flow, i);
		if (!insn || insn->kind == INSN_CALL || insn->flow == FLOW_RETURN)
			return;
		if (!table->address)
			note_table(table, insn);
		if (insn->kind == INSN_BRANCH && insn->condition == CONDITION_ABOVE)
			branch = true;
		if (branch && insn->kind == INSN_COMPARE && insn->operand_count == 2 &&
		    insn->operands[1].kind == OPERAND_NUMBER && insn->operands[1].number >= 0 &&
		    insn->operands[1].number < ENTRIES_MAX) {
			table->count = insn->operands[1].number + 1;
			if (table->address)
				return;
		}
	}
}

static bool is_known(const struct flow *flow, u32 first, u64 target)
{
	for (u32 i = first; i < flow->jump_count; i++)
		if (flow->jumps[i].target == target)
			return true;
	return false;
}

int jump_table_read(struct flow *flow, u32 step)
{
	_cleanup_free_ u8 *entries = NULL;
	struct table table = { .count = ENTRIES_MAX };
	u32 first = flow->jump_count;
	size_t bytes;

	if (flow->table_count++ >= TABLES_MAX)
		return 0;
	find_table(flow, step, &table);
	if (!table.address)
		return 0;
	entries = malloc((size_t)ENTRIES_MAX * sizeof(u64));
	if (!entries)
		return -1;
	/* the table's end is not known if nothing bounds it, so as much is read as there is */
	for (bytes = table.count * table.entry_bytes; bytes >= table.entry_bytes; bytes /= 2)
		if (code_file_load(flow->code, table.address, entries, bytes))
			break;
	for (u32 i = 0; i < bytes / table.entry_bytes; i++) {
		struct table_jump jump = { .step = step };
		s32 distance;

		if (table.entry_bytes == sizeof(distance)) {
			memcpy(&distance, entries + i * sizeof(distance), sizeof(distance));
			jump.target = table.address + distance;
		} else {
			memcpy(&jump.target, entries + i * sizeof(u64), sizeof(u64));
		}
		if (flow_find_step(flow, jump.target) == HASH_NONE || flow->jump_count == JUMPS_MAX)
			break;
		if (is_known(flow, first, jump.target))
			continue;
		if (array_grow(&flow->jumps, &flow->jump_room, flow->jump_count, sizeof(jump)))
			return -1;
		flow->jumps[flow->jump_count++] = jump;
	}
	return 0;
}
