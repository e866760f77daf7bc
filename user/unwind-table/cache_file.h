/* SPDX-License-Identifier: GPL-2.0 */
/* Files and folders of a cache that nobody but its owner can have written. */
#ifndef GAPP_READ_CACHE_FILE_H
#define GAPP_READ_CACHE_FILE_H

#include <sys/stat.h>

#include "util/util.h"

/* A folder (S_IFDIR) or file (S_IFREG) that only we, or root, can change. */
bool cache_is_safe(int fd, mode_t type);

/* Opens such a file to read it; -1: there is none. */
int cache_file_open(int folder, const char *name);

/* Writes all of it, or leaves what was there. Returns 0 or -1. */
int cache_file_write(int folder, const char *name, const void *head, size_t head_size,
		     const void *body, size_t body_size);

#endif /* GAPP_READ_CACHE_FILE_H */
