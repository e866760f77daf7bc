/* SPDX-License-Identifier: GPL-2.0 */
/* Functions: which ranges of code belong to one, which may have loops, and which come back. */
#ifndef GAPP_READ_FUNCTIONS_H
#define GAPP_READ_FUNCTIONS_H

#include "code_file.h"

/*
 * Goes over all code once, and sets what struct code_range says of ranges: compilers put the parts
 * of a function that seldom run elsewhere, and jumps between them tell which they are. Sets
 * @pauses to how many instructions tell the CPU that the code waits. Returns the number of all
 * instructions, or -1 with errno set: ENOMEM; ECANCELED: another thread has set @cancel.
 */
s64 functions_scan(struct code_file *code, void *decoder, u64 *pauses, const volatile bool *cancel);

/* Whether a function of that name never comes back. @name may be NULL. */
bool function_never_returns(const char *name);

/* Whether the call that a step makes never comes back. @slot: as of code_file_callee(). */
bool call_never_returns(const struct code_file *code, u64 target, u64 slot);

#endif /* GAPP_READ_FUNCTIONS_H */
