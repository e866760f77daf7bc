// SPDX-License-Identifier: GPL-2.0
#include "store_point.h"

#include <errno.h>

#include "core/spin_location.h"
#include "spin/code_file.h"
#include "spin_location.h"

/* Of larger files the code is not read while a recording goes on: that would take too long. */
#define FILE_BYTES_MAX (32U << 20)

static const u8 hows[] = {
	[ARITHMETIC_OTHER] = 0,
	[ARITHMETIC_ADD] = GAPP_STORE_ADDS,
	[ARITHMETIC_SUBTRACT] = GAPP_STORE_SUBTRACTS,
	[ARITHMETIC_AND] = GAPP_STORE_ANDS,
	[ARITHMETIC_XOR] = GAPP_STORE_XORS,
};

/* What the instruction makes of the word; 0: it may leave it as it is, or it is not known. */
static u8 how_of(const struct insn *insn)
{
	switch (insn->kind) {
	case INSN_MOVE:
	case INSN_SWAP:
		return GAPP_STORE_SETS;
	case INSN_OTHER:
		return hows[insn->arithmetic];
	default:
		return 0;
	}
}

static bool put_operand(struct gapp_store_point *point, const struct operand *operand,
			const u8 *dwarf_numbers)
{
	u8 number;

	if (operand->kind == OPERAND_NUMBER) {
		point->number = operand->number;
		return true;
	}
	if (operand->kind != OPERAND_REGISTER || operand->bytes != point->bytes ||
	    operand->reg == REGISTER_NONE || operand->is_second_byte ||
	    !spin_register_put(&number, operand->reg, dwarf_numbers))
		return false;
	point->with = number + 1;
	return true;
}

static bool make(struct found_store *found, const struct insn *insn, const u8 *dwarf_numbers)
{
	const struct operand *word = &insn->operands[0];
	struct gapp_store_point *point = &found->point;

	*point = (struct gapp_store_point){ .bytes = word->bytes, .how = how_of(insn) };
	if (!point->how || insn->operand_count != 2 || word->kind != OPERAND_MEMORY ||
	    !gapp_spin_bytes_are_valid(word->bytes) || word->memory.thread)
		return false;
	found->begin = insn->address;
	found->is_relative = word->memory.relative;
	point->offset = word->memory.offset;
	point->scale = word->memory.index == REGISTER_NONE ? 0 : word->memory.scale;
	return spin_register_put(&point->base, word->memory.base, dwarf_numbers) &&
	       spin_register_put(&point->index, word->memory.index, dwarf_numbers) &&
	       put_operand(point, &insn->operands[1], dwarf_numbers);
}

/* Decodes the function from its begin: only so it is known where instructions begin. */
static bool find_in(struct found_store *found, const struct code_file *code, void *decoder,
		    u64 address)
{
	const u32 number = code_file_find(code, address);
	const struct machine *machine = code->machine;
	struct step step;
	struct insn insn;
	const u8 *bytes;
	size_t size;
	u64 at, end;

	if (number == HASH_NONE)
		return false;
	end = code->ranges[number].end;
	for (at = code->ranges[number].begin; at <= address; at += step.bytes) {
		bytes = code_file_bytes(code, at, end, &size);
		if (!bytes || !machine->step(decoder, bytes, size, at, &step) || !step.bytes)
			return false;
		if (at + step.bytes > address)
			return machine->decode(decoder, bytes, size, at, &insn) &&
			       make(found, &insn, machine->dwarf_numbers);
	}
	return false;
}

/* False: nothing is loaded from there. */
static bool address_of(const struct code_file *code, u64 offset, u64 *address)
{
	for (u32 i = 0; i < code->load_count; i++) {
		const struct code_load *load = &code->loads[i];

		if (offset - load->offset >= load->size)
			continue;
		*address = load->address + (offset - load->offset);
		return true;
	}
	return false;
}

int store_point_find(struct found_store *found, int fd, u64 offset)
{
	_cleanup_code_file_ struct code_file code = { .fd = -1 };
	bool is_found;
	void *decoder;

	*found = (struct found_store){ 0 };
	if (code_file_read(&code, fd))
		return -1;
	errno = ENOENT;
	if (code.file_bytes > FILE_BYTES_MAX || !address_of(&code, offset, &found->looked_at))
		return -1;
	errno = ENOTSUP;
	decoder = code.machine->open(false);
	if (!decoder)
		return -1;
	is_found = find_in(found, &code, decoder, found->looked_at);
	code.machine->close(decoder);
	errno = ENOENT;
	return is_found ? 0 : -1;
}

void store_point_place(struct gapp_store_point *point, const struct found_store *found, u64 address)
{
	const u64 bias = address - found->looked_at;

	*point = found->point;
	point->address = found->begin + bias;
	if (found->is_relative)
		point->offset += bias;
}
