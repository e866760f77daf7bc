/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which table on disk is a file's, by what the file system says of it and its
 * build-id: a file that is as it was when its table was looked for need not be
 * read again.
 */
#ifndef GAPP_READ_TABLE_INDEX_H
#define GAPP_READ_TABLE_INDEX_H

#include "cfi_file.h"
#include "table_cache.h"

#define TABLE_INDEX_NAME (sizeof("file-") + 2 * CFI_DIGEST_BYTES)

/**
 * struct table_stamp - a file as it is now
 * @name: of what is kept of it
 * @digest: of where it is, how long, when it was changed, and its build-id
 */
struct table_stamp {
	char name[TABLE_INDEX_NAME];
	u8 digest[CFI_DIGEST_BYTES];
};

/*
 * False: it cannot be told from itself changed. So it is of one that was changed a moment ago, for
 * the next change may have the same time; of one on no device, whose number may be another's
 * tomorrow; and of one without a build-id: images that are only read give all their files the same
 * time, and the same inode to another file when they are made anew, and whoever writes to a file by
 * a mapping of it changes its times later or not at all. @file: of which the head was read.
 */
bool table_stamp_set(struct table_stamp *stamp, int fd, const struct cfi_file *file);

/* False: it is not there. */
bool table_index_get(const struct table_stamp *stamp, struct table_key *key);
void table_index_put(const struct table_stamp *stamp, const struct table_key *key);

#endif /* GAPP_READ_TABLE_INDEX_H */
