/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers and texts as the bytes of a recording's blocks. Whole numbers have seven bits a byte, the
 * lowest first, and the highest bit of a byte says that more follow.
 */
#ifndef GAPP_READ_PACK_H
#define GAPP_READ_PACK_H

#include <stdbool.h>
#include <string.h>

#include "util/util.h"

/**
 * struct pack - bytes that are being made; all zero: none
 * @failed: there was no memory for some of them
 */
struct pack {
	u8 *bytes;
	size_t size;
	size_t room;
	bool failed;
};

void pack_free(struct pack *pack);
#define _cleanup_pack_ _cleanup_(pack_free)

void pack_raw(struct pack *pack, const void *bytes, size_t size);
void pack_u64(struct pack *pack, u64 number);
void pack_s64(struct pack *pack, s64 number);
void pack_double(struct pack *pack, double number);
/* NULL is a text of its own. */
void pack_text(struct pack *pack, const char *text);
/* A structure whose later versions may be longer. */
void pack_sized(struct pack *pack, const void *bytes, size_t size);

/**
 * struct unpack - bytes that are being read
 * @budget: bytes of memory that may still be kept of the file; NULL: any number
 * @failed: they make no sense, or end too early: every later call returns 0
 */
struct unpack {
	const u8 *at;
	const u8 *end;
	u64 *budget;
	bool failed;
};

static inline bool unpack_more(const struct unpack *unpack)
{
	return !unpack->failed && unpack->at < unpack->end;
}

/*
 * To be called before @size bytes of memory are kept for what was read: a few bytes of a made-up
 * file could ask for much. False, and the bytes make no sense: there is no room for it.
 */
bool unpack_keep(struct unpack *unpack, u64 size);

u64 unpack_u64(struct unpack *unpack);
/* As unpack_u64(); a number above @most makes no sense. */
u64 unpack_most(struct unpack *unpack, u64 most);
s64 unpack_s64(struct unpack *unpack);
/* A number from 0 to 1e30: all sums and nanoseconds are. */
double unpack_double(struct unpack *unpack);
/* Allocated. NULL: the text is NULL, it makes no sense, or there is no memory, see @failed. */
char *unpack_text(struct unpack *unpack);
/* The next @size bytes, not aligned, valid as long as the block. NULL: there are fewer. */
const u8 *unpack_bytes(struct unpack *unpack, u64 size);
/* Fills @size bytes: what the recording has less is zero, what it has more is passed over. */
void unpack_sized(struct unpack *unpack, void *bytes, size_t size);

#endif /* GAPP_READ_PACK_H */
