// SPDX-License-Identifier: GPL-2.0
#include "table_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include <zlib.h>

#include "cache_file.h"
#include "cfi_headers.h"
#include "core/table.h"

#define ROOT_FOLDER "/var/cache"
#define PATH_SIZE 4096

#define MAGIC 0x3154435050414721ULL /* "!GAPPCT1" */

/**
 * struct cached - a file begins with it; the table follows
 * @magic: MAGIC
 * @bytes: of the table
 * @digest: as in struct table_key
 * @crc: of all that is before, and of the table
 * @reserved: zero
 */
struct cached {
	u64 magic;
	u64 bytes;
	u8 digest[CFI_DIGEST_BYTES];
	u32 crc;
	u32 reserved;
};

_Static_assert(sizeof(struct cached) == 56, "cached");

struct table_room table_cache_room = { .bytes = TABLE_CACHE_BYTES, .every = TABLE_TRIM_EVERY };

static void print_hex(char *to, const u8 *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sprintf(to + 2 * i, "%02x", bytes[i]);
}

void table_key_set(struct table_key *key, const struct cfi_file *file)
{
	const struct {
		u32 version, arch;
		u64 is_eh, address, frames, segments, returns;
	} head = {
		.version = TABLE_COMPILER_VERSION,
		.arch = file->arch,
		.is_eh = file->is_eh,
		.address = file->frames_address,
		.frames = file->frames ? file->frames_size : 0,
		.segments = file->segment_count,
		.returns = file->return_count,
	};
	size_t at = 2 * file->build_id_size;
	struct cfi_digest digest;

	cfi_digest_begin(&digest);
	cfi_digest_add(&digest, GAPP_VERSION, sizeof(GAPP_VERSION));
	cfi_digest_add(&digest, &head, sizeof(head));
	cfi_digest_add(&digest, file->frames, head.frames);
	cfi_digest_add(&digest, file->segments, head.segments * sizeof(*file->segments));
	cfi_digest_add(&digest, file->returns, head.returns * sizeof(*file->returns));
	cfi_digest_end(&digest, key->digest);

	print_hex(key->name, file->build_id, file->build_id_size);
	if (at)
		key->name[at++] = '-';
	print_hex(key->name + at, key->digest, TABLE_NAME_DIGEST);
}

/* Opens a folder in @in, which it makes if there is none. */
static int open_folder(int in, const char *name)
{
	int folder;

	if (mkdirat(in, name, 0700) && errno != EEXIST)
		return -1;
	folder = openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder >= 0 && !cache_is_safe(folder, S_IFDIR)) {
		close(folder);
		return -1;
	}
	return folder;
}

/* Where caches belong. */
static int open_base(void)
{
	const char *folder = ROOT_FOLDER, *variable;
	char path[PATH_SIZE];
	int base;

	if (geteuid()) {
		folder = path;
		variable = getenv("XDG_CACHE_HOME");
		if (variable && variable[0] == '/') {
			snprintf(path, sizeof(path), "%s", variable);
		} else {
			variable = getenv("HOME");
			if (!variable || variable[0] != '/')
				return -1;
			snprintf(path, sizeof(path), "%s/.cache", variable);
		}
		/* what of it is missing above has another reason, and so is left */
		if (mkdir(path, 0700) && errno != EEXIST)
			return -1;
	}
	base = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (base >= 0 && !cache_is_safe(base, S_IFDIR)) {
		close(base);
		return -1;
	}
	return base;
}

int table_cache_open(void)
{
	_cleanup_close_ int base = open_base(), gapp = -1;

	if (base < 0)
		return -1;
	gapp = open_folder(base, "gapp");
	return gapp < 0 ? -1 : open_folder(gapp, "tables");
}

static bool read_all(int fd, void *to, size_t size)
{
	return cfi_read(fd, to, size, 0) == (ssize_t)size;
}

static u32 crc_of(const struct cached *head, const void *table, size_t bytes)
{
	uLong crc = crc32(0, (const Bytef *)head, offsetof(struct cached, crc));

	return crc32_z(crc, table, bytes);
}

static struct gapp_table_head *read_table(int fd, const struct table_key *key, size_t *bytes)
{
	_cleanup_free_ u8 *all = NULL;
	struct gapp_table_head *table;
	struct gapp_table parts;
	struct cached *head;
	struct stat stat;

	if (fstat(fd, &stat) || stat.st_size <= (off_t)sizeof(*head) ||
	    stat.st_size > (off_t)TABLE_CACHE_BYTES)
		return NULL;
	*bytes = stat.st_size - sizeof(*head);
	all = malloc(stat.st_size);
	if (!all || !read_all(fd, all, stat.st_size))
		return NULL;
	head = (struct cached *)all;
	if (head->magic != MAGIC || head->bytes != *bytes || head->reserved ||
	    memcmp(head->digest, key->digest, sizeof(key->digest)) ||
	    head->crc != crc_of(head, head + 1, *bytes))
		return NULL;
	table = malloc(*bytes);
	if (!table)
		return NULL;
	memcpy(table, head + 1, *bytes);
	if (gapp_table_open(&parts, table, *bytes))
		return table;
	free(table);
	return NULL;
}

struct gapp_table_head *table_cache_get_at(int folder, const struct table_key *key, size_t *bytes)
{
	_cleanup_close_ int fd = cache_file_open(folder, key->name);
	struct gapp_table_head *table;

	if (fd < 0)
		return NULL;
	table = read_table(fd, key, bytes);
	/* it was used: others go before it */
	if (table)
		futimens(fd, NULL);
	return table;
}

int table_cache_put_at(int folder, const struct table_key *key, const struct gapp_table_head *table,
		       size_t bytes)
{
	struct cached head = { .magic = MAGIC, .bytes = bytes };

	if (bytes > TABLE_CACHE_BYTES - sizeof(head))
		return -1;
	memcpy(head.digest, key->digest, sizeof(head.digest));
	head.crc = crc_of(&head, table, bytes);
	return cache_file_write(folder, key->name, &head, sizeof(head), table, bytes);
}

struct gapp_table_head *table_cache_get(const struct table_key *key, size_t *bytes)
{
	_cleanup_close_ int folder = table_cache_open();

	return folder < 0 ? NULL : table_cache_get_at(folder, key, bytes);
}

void table_cache_put(const struct table_key *key, const struct gapp_table_head *table, size_t bytes)
{
	_cleanup_close_ int folder = table_cache_open();

	if (folder >= 0 && !table_cache_put_at(folder, key, table, bytes))
		table_trim_written(folder, &table_cache_room, sizeof(struct cached) + bytes);
}
