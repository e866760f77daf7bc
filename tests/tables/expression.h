/* SPDX-License-Identifier: GPL-2.0 */
/* DWARF expressions of call frame information, on made-up registers and memory. */
#ifndef GAPP_TESTS_TABLES_EXPRESSION_H
#define GAPP_TESTS_TABLES_EXPRESSION_H

#include "values.h"

/**
 * struct expression - an evaluation
 * @world: registers
 * @cfa: for those that ask for it
 * @result: what is on top of the stack in the end
 * @in_memory: @result is where it is, not what it is
 */
struct expression {
	const struct world *world;
	u64 cfa;
	u64 result;
	bool in_memory;
};

/* False: there is an operation in it that is not known here. */
bool expression_evaluate(struct expression *expression, const Dwarf_Op *ops, size_t count);

#endif /* GAPP_TESTS_TABLES_EXPRESSION_H */
