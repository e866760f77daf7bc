/* SPDX-License-Identifier: GPL-2.0 */
/* Makes a table wrong where only a look at its own rows shows it. */
#ifndef GAPP_TESTS_TABLES_SPOIL_H
#define GAPP_TESTS_TABLES_SPOIL_H

#include "unwind-table/unwind_table.h"

/*
 * A short row too many, of another rule, in the middle of the longest one that is in one page. The
 * table is as valid as before. False: it has no such row.
 */
bool spoil_table(struct unwind_table *table);

#endif /* GAPP_TESTS_TABLES_SPOIL_H */
