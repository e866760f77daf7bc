/* SPDX-License-Identifier: GPL-2.0 */
/* Source lines, and which functions were inlined where, by the debug information. */
#ifndef GAPP_READ_INLINES_H
#define GAPP_READ_INLINES_H

#include "symbol_file.h"

/* More are cut: the innermost. */
#define INLINES_MAX 64

/**
 * struct source - a function, inlined or not, at a place of it
 * @symbol: its name as the linker has it, or as the source has it; NULL: of the function itself,
 *	whose name is in the symbol table, or not known
 * @file: source file, or NULL
 * @line: 0: not known
 *
 * Texts belong to libdw.
 */
struct source {
	const char *symbol;
	const char *file;
	u32 line;
};

/*
 * What @address is in, innermost first; the last is the function itself. Returns how many there
 * are, at most INLINES_MAX; 0: there is no debug information for it.
 */
size_t inlines_find(struct symbol_file *file, u64 address, struct source *sources);

#endif /* GAPP_READ_INLINES_H */
