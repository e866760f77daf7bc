/* SPDX-License-Identifier: GPL-2.0 */
/* Compilation units by address. */
#ifndef GAPP_READ_UNIT_H
#define GAPP_READ_UNIT_H

#include "symbol_file.h"

/**
 * struct unit - the compilation unit of an address
 * @die: its DIE
 * @address: the address as the unit has it
 */
struct unit {
	Dwarf_Die die;
	u64 address;
};

/* Reads debug information when first asked. False: there is none for @address. */
bool unit_find(struct symbol_file *file, u64 address, struct unit *unit);

#endif /* GAPP_READ_UNIT_H */
