/* SPDX-License-Identifier: GPL-2.0 */
/* The running kernel's functions, by /proc/kallsyms. */
#ifndef GAPP_READ_KALLSYMS_H
#define GAPP_READ_KALLSYMS_H

#include "util/util.h"

#define KALLSYMS_PATH "/proc/kallsyms"

/**
 * struct kernel_function - where an address of the kernel is
 * @name: of the function
 * @module: "[kernel]", or "[module]" with its name
 * @start: its first address
 */
struct kernel_function {
	const char *name;
	const char *module;
	u64 start;
};

struct kallsyms;

/*
 * Reads a file in the format of /proc/kallsyms. Where it shows no addresses, or is not to be had,
 * nothing will be found. NULL: no memory.
 */
struct kallsyms *kallsyms_read(const char *path);
void kallsyms_free(struct kallsyms *kallsyms);

bool kallsyms_find(const struct kallsyms *kallsyms, u64 address, struct kernel_function *found);

#endif /* GAPP_READ_KALLSYMS_H */
