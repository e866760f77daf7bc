// SPDX-License-Identifier: GPL-2.0
#include "spin_location.h"

/* False: the module knows no such register. */
static bool put_register(u8 *number, u8 reg, const u8 *dwarf_numbers)
{
	*number = reg == REGISTER_NONE ? GAPP_SPIN_NO_REGISTER : dwarf_numbers[reg];
	return reg == REGISTER_NONE || *number != GAPP_SPIN_NO_REGISTER;
}

static bool put_term(struct gapp_spin_term *to, const struct spin_term *from,
		     const u8 *dwarf_numbers)
{
	to->scale = from->index == REGISTER_NONE ? 0 : from->scale;
	to->offset = (s32)from->offset;
	return to->offset == from->offset && put_register(&to->base, from->base, dwarf_numbers) &&
	       put_register(&to->index, from->index, dwarf_numbers);
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

bool spin_location_make(struct gapp_spin_location *location, const struct spin *spin,
			const u8 *dwarf_numbers)
{
	for (u8 i = 0; i < spin->wait_count; i++)
		if (make(location, &spin->waits[i].location, dwarf_numbers))
			return true;
	return false;
}
