/* SPDX-License-Identifier: GPL-2.0 */
/* The C library's code that begins programs and threads: no caller of it is missed. */
#ifndef GAPP_READ_START_CODE_H
#define GAPP_READ_START_CODE_H

#include "symbol_file.h"

/*
 * It is the name of such a function; @symbol as the linker has it. A program may have functions of
 * the same names, so most of them count only in the C library itself.
 */
bool start_code_is_name(const struct symbol_file *file, const char *symbol);

/*
 * Distributions strip the names of those functions from the C library, all but that of
 * __libc_start_main() and pthread_create(). Whether the function at @address, which has no name,
 * is one that these two call or start.
 */
bool start_code_is_at(struct symbol_file *file, u64 address);

#endif /* GAPP_READ_START_CODE_H */
