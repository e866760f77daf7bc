/* SPDX-License-Identifier: GPL-2.0 */
/* Keeps the folder of tables from growing without end. */
#ifndef GAPP_READ_TABLE_TRIM_H
#define GAPP_READ_TABLE_TRIM_H

#include "util/util.h"

/* How names of files begin that are being written. */
#define TABLE_UNFINISHED ".new-"

/* A file takes at least so much of a disk. */
#define TABLE_FILE_LEAST 4096

/**
 * struct table_room - what a folder may have
 * @bytes: all files together
 * @every: how much this process writes between two looks at how much there is
 * @written: bytes that it has written
 */
struct table_room {
	u64 bytes;
	u64 every;
	u64 written;
};

/* Removes what was not used for longest until all together have at most @limit bytes. */
void table_trim(int folder, u64 limit);
/* A file of @bytes was written there: now and then what is too much goes. */
void table_trim_written(int folder, struct table_room *room, u64 bytes);

#endif /* GAPP_READ_TABLE_TRIM_H */
