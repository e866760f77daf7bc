/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables on disk, so that each file is compiled once. Below /var/cache/gapp for
 * root, else below the user's folder for caches; where that cannot be, nothing
 * is kept. What is found there is checked before it is used.
 */
#ifndef GAPP_READ_TABLE_CACHE_H
#define GAPP_READ_TABLE_CACHE_H

#include <gapp_table.h>

#include "cfi_digest.h"
#include "cfi_file.h"
#include "table_trim.h"

/* Raise it when a file's table is made otherwise than before. */
#define TABLE_COMPILER_VERSION 1

/* Name of a file: build-id, a dash, some of the digest, a zero; two digits a byte. */
#define TABLE_NAME_DIGEST 8
#define TABLE_NAME_SIZE (2 * (CFI_BUILD_ID_MAX + TABLE_NAME_DIGEST) + 2)

/* All files together, those of table_index.h too; past it what was not used for longest goes. */
#define TABLE_CACHE_BYTES (256ULL << 20)
/* How much is written between two looks at how much there is. */
#define TABLE_TRIM_EVERY (16ULL << 20)

/* The two; tests have less. */
extern struct table_room table_cache_room;

/**
 * struct table_key - which table
 * @name: its file's
 * @digest: of all that it is made from: two files that say to be the same are the same
 */
struct table_key {
	char name[TABLE_NAME_SIZE];
	u8 digest[CFI_DIGEST_BYTES];
};

void table_key_set(struct table_key *key, const struct cfi_file *file);

/* The table, valid, to be freed; NULL: it is not there. */
struct gapp_table_head *table_cache_get(const struct table_key *key, size_t *bytes);
void table_cache_put(const struct table_key *key, const struct gapp_table_head *table,
		     size_t bytes);

/* The same, in a folder of one's own. */
struct gapp_table_head *table_cache_get_at(int folder, const struct table_key *key, size_t *bytes);
int table_cache_put_at(int folder, const struct table_key *key, const struct gapp_table_head *table,
		       size_t bytes);
/* -1: there is none that others could not write. */
int table_cache_open(void);

#endif /* GAPP_READ_TABLE_CACHE_H */
