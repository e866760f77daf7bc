/* SPDX-License-Identifier: GPL-2.0 */
/* The address of the word that a thread in a busy-wait loop waits for. */
#ifndef GAPP_CORE_SPIN_LOCATION_H
#define GAPP_CORE_SPIN_LOCATION_H

#include <gapp_table.h>

#include "port.h"
#include "unwind.h"

/* Reads the word at @address of the thread's memory. Returns false if it cannot. */
typedef bool gapp_spin_read(void *context, u64 address, u64 *word);

/* Whether so many bytes can be compared, and watched. */
static inline bool gapp_spin_bytes_are_valid(u32 bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

bool gapp_spin_location_is_valid(const struct gapp_spin_location *location);
bool gapp_spin_locate(const struct gapp_spin_location *location, const struct gapp_regs *regs,
		      u64 bias, gapp_spin_read *read, void *context, u64 *address);

bool gapp_spin_compares_with(const struct gapp_spin_location *location,
			     const struct gapp_regs *regs, s64 *number);
bool gapp_spin_goes_on(u32 how, u32 bytes, s64 number, u64 word);

#endif /* GAPP_CORE_SPIN_LOCATION_H */
