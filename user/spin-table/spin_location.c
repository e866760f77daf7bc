// SPDX-License-Identifier: GPL-2.0
#include "spin_location.h"

#include "core/spin_location.h"
#include "spin/insn.h"

/* How the word compares while the loop goes on, in the module's words; others are not told. */
static const u8 goes_on[] = {
	[CONDITION_EQUAL] = GAPP_SPIN_WHILE_EQUAL,
	[CONDITION_NOT_EQUAL] = GAPP_SPIN_WHILE_NOT_EQUAL,
	[CONDITION_BELOW] = GAPP_SPIN_WHILE_BELOW,
	[CONDITION_NOT_BELOW] = GAPP_SPIN_WHILE_NOT_BELOW,
	[CONDITION_NOT_ABOVE] = GAPP_SPIN_WHILE_NOT_ABOVE,
	[CONDITION_ABOVE] = GAPP_SPIN_WHILE_ABOVE,
	[CONDITION_LESS] = GAPP_SPIN_WHILE_LESS,
	[CONDITION_NOT_LESS] = GAPP_SPIN_WHILE_NOT_LESS,
	[CONDITION_NOT_GREATER] = GAPP_SPIN_WHILE_NOT_GREATER,
	[CONDITION_GREATER] = GAPP_SPIN_WHILE_GREATER,
};

bool spin_register_put(u8 *number, u8 reg, const u8 *dwarf_numbers)
{
	*number = reg == REGISTER_NONE ? GAPP_SPIN_NO_REGISTER : dwarf_numbers[reg];
	return reg == REGISTER_NONE || *number != GAPP_SPIN_NO_REGISTER;
}

static bool put_term(struct gapp_spin_term *to, const struct spin_term *from,
		     const u8 *dwarf_numbers)
{
	to->scale = from->index == REGISTER_NONE ? 0 : from->scale;
	to->offset = (s32)from->offset;
	return to->offset == from->offset &&
	       spin_register_put(&to->base, from->base, dwarf_numbers) &&
	       spin_register_put(&to->index, from->index, dwarf_numbers);
}

/* Words of the thread's own stack are nobody's to wait for but the callee's that was given them. */
static bool make(struct gapp_spin_location *location, const struct spin_value *value,
		 const u8 *dwarf_numbers)
{
	const struct spin_address *address = &value->address;

	*location = (struct gapp_spin_location){ .terms = address->count };
	if (value->kind != SPIN_VALUE_MEMORY || value->is_local || address->moves ||
	    address->rough || !address->count || address->count > GAPP_SPIN_TERMS)
		return false;
	for (u8 i = 0; i < address->count; i++)
		if (!put_term(&location->term[i], &address->terms[i], dwarf_numbers))
			return false;
	return true;
}

/*
 * Whether a word that is extended for a wider comparison compares as the word does: it may be equal
 * to a number that both extensions leave as it is.
 */
static bool is_as_wide(const struct spin_wait *wait, s64 number)
{
	const u8 bytes = wait->location.bytes;

	if (wait->while_is != CONDITION_EQUAL && wait->while_is != CONDITION_NOT_EQUAL)
		return false;
	return number >= 0 && number < 1LL << (bytes * 8 - 1);
}

/* Of the word with a number or a register; bits alone, and other values, are left out. */
static void put_comparison(struct gapp_spin_location *location, const struct spin_wait *wait,
			   const u8 *dwarf_numbers)
{
	const struct spin_value *value = &wait->value;
	u8 bytes = wait->location.bytes, with = 0;

	if (wait->bytes && wait->bytes < bytes)
		bytes = wait->bytes;
	if (!gapp_spin_bytes_are_valid(bytes))
		return;
	location->bytes = bytes;
	if (wait->location.mask || wait->while_is >= ARRAY_SIZE(goes_on) ||
	    (wait->bytes > bytes && !is_as_wide(wait, value->number)))
		return;
	if (value->kind == SPIN_VALUE_REGISTER)
		with = dwarf_numbers[value->reg] + 1;
	else if (value->kind != SPIN_VALUE_NUMBER || (s32)value->number != value->number)
		return;
	/* a register that the module does not know has the highest number */
	if (with > GAPP_REGISTERS || (value->kind == SPIN_VALUE_REGISTER && !with))
		return;
	location->goes_on = goes_on[wait->while_is];
	if (!location->goes_on)
		return;
	location->with = with;
	location->number = with ? 0 : (s32)value->number;
}

/* Whether an exit waits for another word than @location, or with another comparison. */
static bool differs(const struct gapp_spin_location *location, const struct spin_wait *wait,
		    const u8 *dwarf_numbers)
{
	struct gapp_spin_location other;

	if (!make(&other, &wait->location, dwarf_numbers))
		return true;
	put_comparison(&other, wait, dwarf_numbers);
	return memcmp(location, &other, sizeof(other));
}

bool spin_location_make(struct gapp_spin_location *location, const struct spin *spin,
			const u8 *dwarf_numbers)
{
	u8 first = 0;

	while (first < spin->wait_count &&
	       !make(location, &spin->waits[first].location, dwarf_numbers))
		first++;
	if (first == spin->wait_count)
		return false;
	put_comparison(location, &spin->waits[first], dwarf_numbers);
	/* the loop may end for another reason: then no value says that this word ended it */
	for (u8 i = 0; i < spin->wait_count; i++) {
		if (i != first && differs(location, &spin->waits[i], dwarf_numbers)) {
			location->goes_on = GAPP_SPIN_WHILE_UNKNOWN;
			location->with = 0;
			location->number = 0;
		}
	}
	return true;
}
