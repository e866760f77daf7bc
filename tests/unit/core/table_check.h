/* SPDX-License-Identifier: GPL-2.0 */
/* Any bytes as a table: what core/table finds in it against what a look at every row finds. */
#ifndef GAPP_TABLE_CHECK_H
#define GAPP_TABLE_CHECK_H

#include "table.h"

/*
 * Checks all edges of a table of @bytes, aligned to 8. @valid: it must be. Returns what is wrong,
 * or NULL.
 */
const char *table_check(const void *data, u64 bytes, bool valid);
/* Makes a valid table of up to @max_rows rows and returns its size. */
u64 table_make(void *data, u64 *random, u32 max_rows);

#endif /* GAPP_TABLE_CHECK_H */
