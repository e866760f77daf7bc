/* SPDX-License-Identifier: GPL-2.0 */
/* Names of the kernel's variables. */
#ifndef GAPP_READ_KERNEL_DATA_H
#define GAPP_READ_KERNEL_DATA_H

#include <stdbool.h>

#include "util/util.h"

#define KERNEL_DATA_NAME 160

/* Whether an address is where the kernel and its modules lie, and not in allocated memory. */
static inline bool kernel_data_may_be(u64 address)
{
	return address >= 0xffffffff80000000ULL;
}

/*
 * Names the variable of the kernel, or of a module of it, at an address by a file in the format of
 * /proc/kallsyms, which it reads: "event_mutex", "table+0x40". @name: of KERNEL_DATA_NAME bytes.
 * False: no variable is there, as in memory that was allocated, or the file hides addresses.
 */
bool kernel_data_name(const char *path, u64 address, char *name);

#endif /* GAPP_READ_KERNEL_DATA_H */
