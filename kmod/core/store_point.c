// SPDX-License-Identifier: GPL-2.0
/* Instructions that store, as the reader has decoded them: it chooses every bit. */
#include "store_point.h"

#include "registers.h"
#include "spin_location.h"

static bool scale_is_valid(const struct gapp_store_point *point)
{
	if (point->index == GAPP_SPIN_NO_REGISTER)
		return !point->scale;
	return point->scale == 1 || point->scale == 2 || point->scale == 4 || point->scale == 8;
}

/**
 * gapp_store_point_is_valid() - check what the reader asks for
 * @point: the instruction
 *
 * Return: false if a member is not as struct gapp_store_point has it, with a process.
 */
bool gapp_store_point_is_valid(const struct gapp_store_point *point)
{
	return point->pid > 0 && !point->reserved && point->passes &&
	       point->passes <= GAPP_STORE_POINT_MAX_PASSES &&
	       gapp_register_is_valid(point->base) && gapp_register_is_valid(point->index) &&
	       scale_is_valid(point) && gapp_spin_bytes_are_valid(point->bytes) && point->how &&
	       point->how < GAPP_STORE_HOWS && point->with <= GAPP_REGISTERS &&
	       (!point->with || !point->number);
}

/**
 * gapp_store_point_locate() - find the word into which an instruction stores
 * @point: a valid one
 * @regs: the thread's registers in front of it
 * @address: where the word is
 *
 * Return: false if a register is not known.
 */
bool gapp_store_point_locate(const struct gapp_store_point *point, const struct gapp_regs *regs,
			     u64 *address)
{
	*address = point->offset;
	return gapp_register_add(regs, point->base, 1, address) &&
	       gapp_register_add(regs, point->index, point->scale, address);
}

/**
 * gapp_store_point_value() - find what an instruction stores
 * @point: a valid one
 * @regs: the thread's registers in front of it
 * @word: the word in front of it; of no matter with GAPP_STORE_SETS
 * @value: the word behind it
 *
 * Return: false if a register is not known.
 */
bool gapp_store_point_value(const struct gapp_store_point *point, const struct gapp_regs *regs,
			    u64 word, u64 *value)
{
	u64 operand = (u64)point->number;

	if (point->with) {
		if (!(regs->valid & 1ULL << (point->with - 1)))
			return false;
		operand = regs->value[point->with - 1];
	}
	switch (point->how) {
	case GAPP_STORE_ADDS:
		operand = word + operand;
		break;
	case GAPP_STORE_SUBTRACTS:
		operand = word - operand;
		break;
	case GAPP_STORE_ANDS:
		operand &= word;
		break;
	case GAPP_STORE_ORS:
		operand |= word;
		break;
	case GAPP_STORE_XORS:
		operand ^= word;
		break;
	default:
		break;
	}
	*value = point->bytes == 8 ? operand : operand & ((1ULL << point->bytes * 8) - 1);
	return true;
}
