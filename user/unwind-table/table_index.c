// SPDX-License-Identifier: GPL-2.0
#include "table_index.h"

#include <stdio.h>
#include <sys/sysmacros.h>
#include <time.h>

#include <zlib.h>

#include "cache_file.h"
#include "cfi_headers.h"

#define MAGIC 0x3158444950414721ULL /* "!GAPIDX1" */
/* More than any file system takes for the same time. */
#define FRESH_SECONDS 10

/**
 * struct indexed - what is kept of a file
 * @magic: MAGIC
 * @digest: as in struct table_stamp
 * @key: of its table
 * @reserved: zero
 * @crc: of all that is before
 */
struct indexed {
	u64 magic;
	u8 digest[CFI_DIGEST_BYTES];
	struct table_key key;
	u8 reserved[2];
	u32 crc;
};

_Static_assert(sizeof(struct indexed) == 224, "indexed");

static void digest_of(u8 result[CFI_DIGEST_BYTES], const struct stat *stat,
		      const struct cfi_file *file)
{
	const u64 words[] = {
		stat->st_dev,	       stat->st_ino,	       stat->st_size,
		stat->st_mtim.tv_sec,  stat->st_mtim.tv_nsec,  stat->st_ctim.tv_sec,
		stat->st_ctim.tv_nsec, TABLE_COMPILER_VERSION, file->build_id_size,
	};
	struct cfi_digest digest;

	cfi_digest_begin(&digest);
	cfi_digest_add(&digest, GAPP_VERSION, sizeof(GAPP_VERSION));
	cfi_digest_add(&digest, words, sizeof(words));
	cfi_digest_add(&digest, file->build_id, file->build_id_size);
	cfi_digest_end(&digest, result);
}

bool table_stamp_set(struct table_stamp *stamp, int fd, const struct cfi_file *file)
{
	struct stat stat;
	char *to;

	if (!file->build_id_size || fstat(fd, &stat) || !major(stat.st_dev) ||
	    stat.st_ctim.tv_sec > time(NULL) - FRESH_SECONDS)
		return false;
	digest_of(stamp->digest, &stat, file);
	to = stpcpy(stamp->name, "file-");
	for (size_t i = 0; i < sizeof(stamp->digest); i++)
		to += sprintf(to, "%02x", stamp->digest[i]);
	return true;
}

static u32 crc_of(const struct indexed *indexed)
{
	return crc32(0, (const Bytef *)indexed, offsetof(struct indexed, crc));
}

/* As table_key_set() makes it. */
static bool is_name(const struct table_key *key)
{
	size_t length = strnlen(key->name, sizeof(key->name));

	return length && length < sizeof(key->name) &&
	       strspn(key->name, "0123456789abcdef-") == length;
}

bool table_index_get(const struct table_stamp *stamp, struct table_key *key)
{
	_cleanup_close_ int folder = table_cache_open(), fd = -1;
	struct indexed indexed;

	if (folder < 0)
		return false;
	fd = cache_file_open(folder, stamp->name);
	if (fd < 0 || cfi_read(fd, &indexed, sizeof(indexed), 0) != sizeof(indexed) ||
	    indexed.magic != MAGIC ||
	    memcmp(indexed.digest, stamp->digest, sizeof(indexed.digest)) ||
	    indexed.crc != crc_of(&indexed) || !is_name(&indexed.key))
		return false;
	*key = indexed.key;
	/* it was used: others go before it */
	futimens(fd, NULL);
	return true;
}

void table_index_put(const struct table_stamp *stamp, const struct table_key *key)
{
	_cleanup_close_ int folder = table_cache_open();
	struct indexed indexed = { .magic = MAGIC };

	if (folder < 0)
		return;
	memcpy(indexed.digest, stamp->digest, sizeof(indexed.digest));
	memcpy(indexed.key.name, key->name, strnlen(key->name, sizeof(key->name) - 1));
	memcpy(indexed.key.digest, key->digest, sizeof(key->digest));
	indexed.crc = crc_of(&indexed);
	if (!cache_file_write(folder, stamp->name, &indexed, sizeof(indexed), NULL, 0))
		table_trim_written(folder, &table_cache_room, sizeof(indexed));
}
