/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which table on disk is a file's, by what the file system says of it: a file
 * that is as it was when its table was looked for need not be read again.
 */
#ifndef GAPP_READ_TABLE_INDEX_H
#define GAPP_READ_TABLE_INDEX_H

#include "table_cache.h"

#define TABLE_INDEX_NAME (sizeof("file-") + 2 * CFI_DIGEST_BYTES)

/**
 * struct table_stamp - a file as it is now
 * @name: of what is kept of it
 * @digest: of where it is, how long, and when it was changed
 */
struct table_stamp {
	char name[TABLE_INDEX_NAME];
	u8 digest[CFI_DIGEST_BYTES];
};

/*
 * False: it cannot be told from itself changed. So it is of one that was changed a moment ago, for
 * the next change may have the same time, and of one on no device, whose number may be another's
 * tomorrow.
 */
bool table_stamp_set(struct table_stamp *stamp, int fd);

/* False: it is not there. */
bool table_index_get(const struct table_stamp *stamp, struct table_key *key);
void table_index_put(const struct table_stamp *stamp, const struct table_key *key);

#endif /* GAPP_READ_TABLE_INDEX_H */
