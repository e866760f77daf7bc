// SPDX-License-Identifier: GPL-2.0
#include "library_cache.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define MAGIC "glibc-ld.so.cache1.1"
/* The largest known cache has some hundred KiB. */
#define BYTES_MAX (16 << 20)

/* How the file begins. Offsets of texts are counted from there. */
struct head {
	char magic[20];
	u32 count;
	u32 text_bytes;
	u8 flags;
	u8 padding[3];
	u32 extensions;
	u32 unused[3];
};

/**
 * struct entry - a library; entries follow the head
 * @flags: kind of machine
 * @name: offset of its name
 * @path: offset of its path
 * @os_version: not used any more
 * @hwcap: what the CPU must have; 0: nothing
 */
struct entry {
	s32 flags;
	u32 name;
	u32 path;
	u32 os_version;
	u64 hwcap;
};

_Static_assert(sizeof(struct head) == 48 && sizeof(struct entry) == 24, "ld.so.cache");

void library_cache_free(struct library_cache *cache)
{
	free(cache->data);
	*cache = (struct library_cache){ 0 };
}

static u32 count_of(const struct library_cache *cache)
{
	struct head head;

	if (!cache->data)
		return 0;
	memcpy(&head, cache->data, sizeof(head));
	if (head.count > (cache->bytes - sizeof(head)) / sizeof(struct entry))
		return 0;
	return head.count;
}

void library_cache_read(struct library_cache *cache, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat stat;

	*cache = (struct library_cache){ 0 };
	if (fd < 0 || fstat(fd, &stat) || stat.st_size < (off_t)sizeof(struct head) ||
	    stat.st_size > BYTES_MAX)
		return;
	cache->bytes = stat.st_size;
	cache->data = calloc(1, cache->bytes + 1);
	if (!cache->data || read(fd, cache->data, cache->bytes) != (ssize_t)cache->bytes ||
	    memcmp(cache->data, MAGIC, strlen(MAGIC)))
		library_cache_free(cache);
}

/* The text at an offset; "" if there is none. */
static const char *text_at(const struct library_cache *cache, u32 offset)
{
	return cache->data + (offset < cache->bytes ? offset : cache->bytes);
}

const char *library_cache_next(const struct library_cache *cache, const char *name,
			       const char *former)
{
	u32 count = count_of(cache);
	struct entry entry;

	for (u32 i = 0; i < count; i++) {
		const char *path;

		memcpy(&entry, cache->data + sizeof(struct head) + i * sizeof(entry),
		       sizeof(entry));
		if (entry.hwcap || strcmp(text_at(cache, entry.name), name))
			continue;
		path = text_at(cache, entry.path);
		if (!former)
			return path;
		if (path == former)
			former = NULL;
	}
	return NULL;
}
