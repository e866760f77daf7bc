/* SPDX-License-Identifier: GPL-2.0 */
/* What a loop waits for, as a spin table has it. */
#ifndef GAPP_READ_SPIN_LOCATION_H
#define GAPP_READ_SPIN_LOCATION_H

#include <gapp_table.h>

#include "spin/spins.h"

/* The module's number of a finder's register, or of none. False: the module knows no such one. */
bool spin_register_put(u8 *number, u8 reg, const u8 *dwarf_numbers);

/*
 * Makes the location of the first of the loop's exits that has one which the module can find.
 * @dwarf_numbers: of registers, by the finder's. False: none has.
 */
bool spin_location_make(struct gapp_spin_location *location, const struct spin *spin,
			const u8 *dwarf_numbers);

#endif /* GAPP_READ_SPIN_LOCATION_H */
