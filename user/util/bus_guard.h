/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libelf maps files. If a file's owner truncates the file meanwhile, an access raises SIGBUS, which
 * would kill the reader. Between these two calls missing pages read as zeros instead, and libdw
 * fails or returns nonsense. Calls nest; any thread may make them.
 */
#ifndef GAPP_READ_BUS_GUARD_H
#define GAPP_READ_BUS_GUARD_H

#include "util.h"

void bus_guard_begin(void);
void bus_guard_end(void);

static inline void bus_guard_leave(_unused_ char *block)
{
	bus_guard_end();
}

/* Guards from here to the end of the block. */
#define bus_guard_block() _cleanup_(bus_guard_leave) char block = (bus_guard_begin(), 0)

#endif /* GAPP_READ_BUS_GUARD_H */
