/* SPDX-License-Identifier: GPL-2.0 */
/* Build-ids: what the linker gives a file, so that it can be told from every other build. */
#ifndef GAPP_READ_BUILD_ID_H
#define GAPP_READ_BUILD_ID_H

#include "util/util.h"

#define BUILD_ID_MAX 64

/**
 * struct build_id - a build-id
 * @size: bytes of @bytes; 0: none is known
 */
struct build_id {
	u8 bytes[BUILD_ID_MAX];
	u8 size;
};

/* Sets the build-id among @size bytes of notes. False: there is none. */
bool build_id_in_notes(const u8 *notes, size_t size, struct build_id *id);

/* Reads that of a file that a process can map, of 64 bits. False: it has none. */
bool build_id_read(int fd, struct build_id *id);

static inline bool build_id_is(const struct build_id *id, const void *bytes, size_t size)
{
	return id->size == size && !memcmp(id->bytes, bytes, size);
}

#endif /* GAPP_READ_BUILD_ID_H */
