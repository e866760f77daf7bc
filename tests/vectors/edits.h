/* SPDX-License-Identifier: GPL-2.0 */
/* Changes to something plain, of which each vector makes a few. */
#ifndef GAPP_VEC_EDITS_H
#define GAPP_VEC_EDITS_H

#include "port.h"

/**
 * struct vec_edit - what is put into a table
 * @at: where
 * @bytes: how much; 0: no edit
 * @value: what
 */
struct vec_edit {
	u32 at;
	u32 bytes;
	u64 value;
};

#define VEC_EDITS 4

/* Little endian, as all that this is for. */
static inline void vec_edit(void *room, const struct vec_edit *edits)
{
	u32 i;

	for (i = 0; i < VEC_EDITS; i++)
		memcpy((u8 *)room + edits[i].at, &edits[i].value, edits[i].bytes);
}

#endif /* GAPP_VEC_EDITS_H */
