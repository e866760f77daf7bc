/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libelf maps files. If a file's owner truncates the file meanwhile, an access raises SIGBUS, which
 * would kill the reader. Between these two calls missing pages read as zeros instead, and libdw
 * fails or returns nonsense. Calls nest; any thread may make them.
 */
#ifndef GAPP_READ_BUS_GUARD_H
#define GAPP_READ_BUS_GUARD_H

void bus_guard_begin(void);
void bus_guard_end(void);

#endif /* GAPP_READ_BUS_GUARD_H */
