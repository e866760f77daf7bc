/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of an ELF file by its symbol tables, sorted. */
#ifndef GAPP_READ_SYMTAB_H
#define GAPP_READ_SYMTAB_H

#include <elfutils/libdwfl.h>

#include "util/util.h"

/**
 * struct function - a symbol that is code
 * @begin: first address
 * @end: behind its last
 * @reach: the highest @end up to here in the table
 * @name: as the linker has it; belongs to libelf
 * @sized: the symbol told its end; else it is the begin of the next
 * @weight: of several symbols of one address the best is the one with the least
 */
struct function {
	u64 begin;
	u64 end;
	u64 reach;
	const char *name;
	bool sized;
	u8 weight;
};

/**
 * struct symtab - functions by address
 * @functions: the table, one for each address
 * @count: how many
 */
struct symtab {
	struct function *functions;
	size_t count;
};

/* From .symtab, of the separate debug file if need be, else .dynsym. Returns 0; -1: no memory. */
int symtab_read(struct symtab *symtab, Dwfl_Module *module);
void symtab_free(struct symtab *symtab);

/*
 * The function that covers @address, or NULL. The cold part of one is that function, where the
 * name tells which.
 */
const struct function *symtab_find(const struct symtab *symtab, u64 address);

/* A function by its name as the linker has it, or NULL. Looks at all of them. */
const struct function *symtab_named(const struct symtab *symtab, const char *name);

#endif /* GAPP_READ_SYMTAB_H */
