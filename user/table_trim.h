/* SPDX-License-Identifier: GPL-2.0 */
/* Keeps the folder of tables from growing without end. */
#ifndef GAPP_READ_TABLE_TRIM_H
#define GAPP_READ_TABLE_TRIM_H

#include "util.h"

/* How names of files begin that are being written. */
#define TABLE_UNFINISHED ".new-"

/* Removes what was not used for longest until all together have at most @limit bytes. */
void table_trim(int folder, u64 limit);

#endif /* GAPP_READ_TABLE_TRIM_H */
