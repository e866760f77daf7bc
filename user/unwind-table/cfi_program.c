// SPDX-License-Identifier: GPL-2.0
#include "cfi_program.h"

#include <dwarf.h>

/* What compilers and people write stays far below all of these. */
#define PROGRAM_MAX 0x100000
#define REGISTERS_MAX 1024
#define REMEMBERED_MAX 64
#define EXPRESSION_MAX 4096

/* The two upper bits of an instruction that has an operand in the others. */
#define PRIMARY 0xc0

/* What follows an instruction's first byte. */
enum operands {
	UNKNOWN = 0,
	NOTHING,
	REGISTER,
	NUMBER,
	SIGNED_NUMBER,
	REGISTER_NUMBER,
	REGISTER_SIGNED,
	REGISTER_REGISTER,
	REGISTER_BLOCK,
	BLOCK,
	BYTES_1,
	BYTES_2,
	BYTES_4,
	BYTES_8,
	ADDRESS,
};

static const u8 operands_of[] = {
	[DW_CFA_nop] = NOTHING,
	[DW_CFA_set_loc] = ADDRESS,
	[DW_CFA_advance_loc1] = BYTES_1,
	[DW_CFA_advance_loc2] = BYTES_2,
	[DW_CFA_advance_loc4] = BYTES_4,
	[DW_CFA_offset_extended] = REGISTER_NUMBER,
	[DW_CFA_restore_extended] = REGISTER,
	[DW_CFA_undefined] = REGISTER,
	[DW_CFA_same_value] = REGISTER,
	[DW_CFA_register] = REGISTER_REGISTER,
	[DW_CFA_remember_state] = NOTHING,
	[DW_CFA_restore_state] = NOTHING,
	[DW_CFA_def_cfa] = REGISTER_NUMBER,
	[DW_CFA_def_cfa_register] = REGISTER,
	[DW_CFA_def_cfa_offset] = NUMBER,
	[DW_CFA_def_cfa_expression] = BLOCK,
	[DW_CFA_expression] = REGISTER_BLOCK,
	[DW_CFA_offset_extended_sf] = REGISTER_SIGNED,
	[DW_CFA_def_cfa_sf] = REGISTER_SIGNED,
	[DW_CFA_def_cfa_offset_sf] = SIGNED_NUMBER,
	[DW_CFA_val_offset] = REGISTER_NUMBER,
	[DW_CFA_val_offset_sf] = REGISTER_SIGNED,
	[DW_CFA_val_expression] = REGISTER_BLOCK,
	[DW_CFA_MIPS_advance_loc8] = BYTES_8,
	/* of aarch64: DW_CFA_AARCH64_negate_ra_state */
	[DW_CFA_GNU_window_save] = NOTHING,
	[DW_CFA_GNU_args_size] = NUMBER,
	[DW_CFA_GNU_negative_offset_extended] = REGISTER_NUMBER,
};

bool cfi_read_unsigned(const u8 **at, const u8 *end, u64 *value)
{
	unsigned int shift = 0;

	for (*value = 0; *at < end; shift += 7) {
		u8 byte = *(*at)++;

		if (shift < 64)
			*value |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

bool cfi_skip_signed(const u8 **at, const u8 *end)
{
	u64 value;

	return cfi_read_unsigned(at, end, &value);
}

size_t cfi_encoded_size(u8 encoding)
{
	switch (encoding & 0x07) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
		return 8;
	case DW_EH_PE_udata2:
		return 2;
	case DW_EH_PE_udata4:
		return 4;
	}
	return 0;
}

static bool skip(const u8 **at, const u8 *end, u64 bytes)
{
	if (bytes > (u64)(end - *at))
		return false;
	*at += bytes;
	return true;
}

static bool skip_register(const u8 **at, const u8 *end)
{
	u64 number;

	return cfi_read_unsigned(at, end, &number) && number < REGISTERS_MAX;
}

static bool skip_block(const u8 **at, const u8 *end)
{
	u64 bytes;

	return cfi_read_unsigned(at, end, &bytes) && bytes <= EXPRESSION_MAX &&
	       skip(at, end, bytes);
}

static bool skip_operands(const u8 **at, const u8 *end, enum operands operands, u8 encoding)
{
	u64 number;

	switch (operands) {
	case NOTHING:
		return true;
	case REGISTER:
		return skip_register(at, end);
	case NUMBER:
		return cfi_read_unsigned(at, end, &number);
	case SIGNED_NUMBER:
		return cfi_skip_signed(at, end);
	case REGISTER_NUMBER:
		return skip_register(at, end) && cfi_read_unsigned(at, end, &number);
	case REGISTER_SIGNED:
		return skip_register(at, end) && cfi_skip_signed(at, end);
	case REGISTER_REGISTER:
		return skip_register(at, end) && skip_register(at, end);
	case REGISTER_BLOCK:
		return skip_register(at, end) && skip_block(at, end);
	case BLOCK:
		return skip_block(at, end);
	case BYTES_1:
		return skip(at, end, 1);
	case BYTES_2:
		return skip(at, end, 2);
	case BYTES_4:
		return skip(at, end, 4);
	case BYTES_8:
		return skip(at, end, 8);
	case ADDRESS:
		return cfi_encoded_size(encoding) && skip(at, end, cfi_encoded_size(encoding));
	case UNKNOWN:
		break;
	}
	return false;
}

bool cfi_program_is_harmless(const u8 *begin, const u8 *end, u8 address_encoding)
{
	unsigned int remembered = 0;

	if (end < begin || end - begin > PROGRAM_MAX)
		return false;
	for (const u8 *at = begin; at < end;) {
		enum operands operands = UNKNOWN;
		u8 opcode = *at++;

		if (opcode & PRIMARY)
			operands = (opcode & PRIMARY) == DW_CFA_offset ? NUMBER : NOTHING;
		else if (opcode < sizeof(operands_of))
			operands = operands_of[opcode];
		if (!skip_operands(&at, end, operands, address_encoding))
			return false;
		if (opcode == DW_CFA_remember_state && ++remembered > REMEMBERED_MAX)
			return false;
		if (opcode == DW_CFA_restore_state && remembered)
			remembered--;
	}
	return true;
}
