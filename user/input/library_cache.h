/* SPDX-License-Identifier: GPL-2.0 */
/* /etc/ld.so.cache: where ld.so finds libraries by their names. */
#ifndef GAPP_READ_LIBRARY_CACHE_H
#define GAPP_READ_LIBRARY_CACHE_H

#include "util/util.h"

/**
 * struct library_cache - the file's content
 * @data: followed by a NUL; NULL: there is no such file
 * @bytes: bytes without the NUL
 */
struct library_cache {
	char *data;
	size_t bytes;
};

/* A file of another form than glibc's since 2.32 counts as missing. */
void library_cache_read(struct library_cache *cache, const char *path);
void library_cache_free(struct library_cache *cache);

/*
 * The path of the library @name that comes behind @former in the cache; @former is NULL: the first.
 * Libraries of several machines may have one name. NULL: there are no more. Left out are libraries
 * for some CPUs only.
 */
const char *library_cache_next(const struct library_cache *cache, const char *name,
			       const char *former);

#endif /* GAPP_READ_LIBRARY_CACHE_H */
