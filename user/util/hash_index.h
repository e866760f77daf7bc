/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the elements of an array by what is in them. The array itself is the caller's. */
#ifndef GAPP_READ_HASH_INDEX_H
#define GAPP_READ_HASH_INDEX_H

#include "core/mix.h"
#include "util.h"

#define HASH_NONE 0xffffffffU

struct hash_slot {
	u32 hash;
	u32 element; /* its number + 1; 0: free */
};

/**
 * struct hash_index - open addressing, at most half full
 * @slots: a power of two of them, or NULL
 * @room: how many
 * @count: elements in it
 */
struct hash_index {
	struct hash_slot *slots;
	u32 room;
	u32 count;
};

/* Whether element number @id of @table is the one with @key. */
typedef bool (*hash_same_fn)(const void *table, u32 id, const void *key);

/**
 * hash_index_find() - the element with a key
 * @index: where to look
 * @hash: of the key
 * @same: compares
 * @table: handed to @same
 * @key: handed to @same
 *
 * Inline, for then @same is too.
 *
 * Return: its number, or HASH_NONE.
 */
static inline u32 hash_index_find(const struct hash_index *index, u64 hash, hash_same_fn same,
				  const void *table, const void *key)
{
	u32 mask = index->room - 1;

	if (!index->room)
		return HASH_NONE;
	for (u32 at = hash & mask; index->slots[at].element; at = (at + 1) & mask) {
		const struct hash_slot *slot = &index->slots[at];

		if (slot->hash == (u32)hash && same(table, slot->element - 1, key))
			return slot->element - 1;
	}
	return HASH_NONE;
}

int hash_index_add(struct hash_index *index, u64 hash, u32 id);
void hash_index_free(struct hash_index *index);

/* Hash of @count words. */
static inline u64 hash_words(u64 hash, const u32 *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash = gapp_hash_add(hash, words[i]);
	return hash;
}

/* Makes room for element number @at in @array, of elements of @size bytes. Returns 0 or -1. */
int array_grow(void *array, u32 *room, u32 at, size_t size);

#endif /* GAPP_READ_HASH_INDEX_H */
