/* SPDX-License-Identifier: GPL-2.0 */
/* The address of the word that a thread in a busy-wait loop waits for. */
#ifndef GAPP_CORE_SPIN_LOCATION_H
#define GAPP_CORE_SPIN_LOCATION_H

#include <gapp_table.h>

#include "port.h"
#include "unwind.h"

/* Reads the word at @address of the thread's memory. Returns false if it cannot. */
typedef bool gapp_spin_read(void *context, u64 address, u64 *word);

bool gapp_spin_location_is_valid(const struct gapp_spin_location *location);
bool gapp_spin_locate(const struct gapp_spin_location *location, const struct gapp_regs *regs,
		      u64 bias, gapp_spin_read *read, void *context, u64 *address);

#endif /* GAPP_CORE_SPIN_LOCATION_H */
