/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables on disk, so that each is made once: below /var/cache/gapp for root, else below the user's
 * own folder of caches. Tables are files named by a digest of their input; an index of small files
 * tells which table belongs to an ELF file that has not changed, so that the ELF file need not be
 * read. Nothing read from the cache is believed without a check.
 */
#ifndef GAPP_READ_TABLE_CACHE_H
#define GAPP_READ_TABLE_CACHE_H

#include <sys/uio.h>

#include "cfi.h"
#include "unwind_table.h"

/* Raise it when the compiler makes another table of the same file than before. */
#define TABLE_COMPILER_VERSION 1

/* Digests are BLAKE2b (RFC 7693) without a key. Nobody can make two files with one digest. */
#define CFI_DIGEST_BYTES 32
/* Sets @result to the digest of all @parts, one behind the other. */
void cfi_digest(u8 result[CFI_DIGEST_BYTES], const struct iovec *parts, size_t count);

/**
 * struct table_kind - a kind of tables
 * @prefix: how the names of its files begin, which makes them differ from those of other kinds: up
 *	to TABLE_PREFIX_MAX small letters, digits and dashes
 * @version: raised when another table is made of the same file than before
 */
struct table_kind {
	const char *prefix;
	u32 version;
};

extern const struct table_kind unwind_table_kind;

/*
 * A table's file name is its kind's prefix, the build-id and some bytes of the digest, in
 * hexadecimal digits, with a dash between them. Here, the longest prefix, the bytes of the digest,
 * and the size of the longest name with its NUL.
 */
#define TABLE_PREFIX_MAX 8
#define TABLE_NAME_DIGEST 8
#define TABLE_NAME_SIZE (TABLE_PREFIX_MAX + 2 * (CFI_BUILD_ID_MAX + TABLE_NAME_DIGEST) + 2)
/* How the names of files begin that are still being written. */
#define TABLE_UNFINISHED ".new-"

/* Most bytes of all files together; the least recently used files are removed first. */
#define TABLE_CACHE_BYTES (256ULL << 20)
/* Bytes that one process writes to the cache before it measures the cache's size again. */
#define TABLE_TRIM_EVERY (16ULL << 20)
/* A smaller file counts as this many bytes of the cache's size. */
#define TABLE_FILE_LEAST 4096

/**
 * struct table_room - how large the cache may become
 * @bytes: limit of all files together
 * @every: bytes that this process writes before it sums up all files again
 * @written: bytes that this process has written
 */
struct table_room {
	u64 bytes;
	u64 every;
	u64 written;
};

/* Tests set smaller limits. */
extern struct table_room table_cache_room;

/**
 * struct table_key - identifies a file of the cache
 * @name: its name
 * @digest: of a table: of everything that the table is made from. Of the index: the stamp of an ELF
 *	file, a digest of its device, inode, size, times and build-id
 */
struct table_key {
	char name[TABLE_NAME_SIZE];
	u8 digest[CFI_DIGEST_BYTES];
};

/* Of the file's unwind table. */
void table_key_set(struct table_key *key, const struct cfi_file *file);
/* Sets @name, after @digest was set, for a table of the file whose build-id is in @file. */
void table_key_name(struct table_key *key, const struct table_kind *kind,
		    const struct cfi_file *file);

/*
 * The folder of the cache, made if need be; -1: no folder that only its owner can write. The
 * functions below take it; with -1 nothing is found and nothing is kept.
 */
int table_cache_open(void);

/*
 * Maps what was put with the key, aligned to 8 bytes, if it is as it was written; whether it is a
 * table is for the caller to check. NULL: the cache does not have it.
 */
const void *table_cache_map(int folder, const struct table_key *key, size_t *bytes);
void table_cache_unmap(const void *data, size_t bytes);

/*
 * Finds an unwind table in the cache and maps it: sets @data, @bytes, @cached and @parts, if the
 * file is as it was written. The rows are not looked at, because the module does that. False: the
 * cache has no table with this key.
 */
bool table_cache_get(int folder, const struct table_key *key, struct unwind_table *table);
/* Writes a table, or for a stamp the key of the ELF file's table. Returns 0 or -1. */
int table_cache_put(int folder, const struct table_key *key, const void *body, size_t bytes);

/*
 * Sets the stamp that leads to a table of the open file @fd, whose head was read to @file. False: a
 * later change of the file could leave its stamp as it is. This is so if the file changed in the
 * last seconds, because its next change may have the same time; if its file system is on no device,
 * because the device's number may be another's tomorrow; and if it has no build-id, because
 * read-only images give all files the same time, and because a write through a mapping changes the
 * times late or never.
 */
bool table_stamp_set(struct table_key *stamp, const struct table_kind *kind, int fd,
		     const struct cfi_file *file);
/* Whether the file still has the stamp that was taken before it was read. */
bool table_stamp_holds(const struct table_key *stamp, const struct table_kind *kind, int fd,
		       const struct cfi_file *file);

/* Sets @key to that of the table of the ELF file with @stamp. False: the index has none. */
bool table_index_get(int folder, const struct table_key *stamp, struct table_key *key);

/* Removes the least recently used files, until all have at most @limit bytes. */
void table_trim(int folder, u64 limit);

#endif /* GAPP_READ_TABLE_CACHE_H */
