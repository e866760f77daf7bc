/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reader's only hash table. A hash_index finds elements of the caller's array by their
 * content. A key_map finds pointers by a 64-bit key, such as a process id.
 */
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
 * struct hash_index - open addressing, at most half full; all zero: empty
 * @slots: NULL as long as nothing was added
 * @room: slots, a power of two
 * @count: elements that have a slot
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
 * @hash: hash of @key
 * @same: compares an element with @key
 * @table: handed to @same
 * @key: handed to @same
 *
 * Inline, so that the compiler can inline @same too.
 *
 * Return: the element's number, or HASH_NONE.
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

/* Makes room, so that the index can hold @count elements. Returns 0, or -1 without memory. */
int hash_index_reserve(struct hash_index *index, u32 count);

/* Adds element number @id, whose key is in no other element. Returns 0, or -1 without memory. */
int hash_index_add(struct hash_index *index, u64 hash, u32 id);

/* Renumbers element @id, which was added with @hash, to @to; HASH_NONE: removes its slot. */
void hash_index_renumber(struct hash_index *index, u64 hash, u32 id, u32 to);

void hash_index_free(struct hash_index *index);

/* Hash of @count words. */
static inline u64 hash_words(u64 hash, const u32 *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash = gapp_hash_add(hash, words[i]);
	return hash;
}

/* Hash of @size bytes. */
u64 hash_bytes(u64 hash, const void *bytes, size_t size);

struct key_map_entry {
	u64 key;
	void *value;
};

/**
 * struct key_map - pointers by key; all zero: empty
 * @index: finds entries
 * @entries: without gaps, in no order
 * @count: entries
 * @room: entries that @entries has memory for
 *
 * A loop over all entries goes from @count - 1 down to 0 if it removes entries: the last entry
 * moves into the place of a removed one.
 */
struct key_map {
	struct hash_index index;
	struct key_map_entry *entries;
	u32 count;
	u32 room;
};

static inline bool key_map_same(const void *entries, u32 id, const void *key)
{
	return ((const struct key_map_entry *)entries)[id].key == *(const u64 *)key;
}

/* The pointer with @key, or NULL. */
static inline void *key_map_find(const struct key_map *map, u64 key)
{
	u32 id = hash_index_find(&map->index, gapp_mix(key), key_map_same, map->entries, &key);

	return id == HASH_NONE ? NULL : map->entries[id].value;
}

/* Adds @value under a key that is not in @map. Returns 0, or -1 without memory. */
int key_map_add(struct key_map *map, u64 key, void *value);

/* Removes the pointer with @key and returns it; NULL: there was none. */
void *key_map_remove(struct key_map *map, u64 key);

/* Frees the map, not what its pointers lead to. */
void key_map_free(struct key_map *map);

/**
 * array_grow() - makes room in an array
 * @array: address of the pointer to the array
 * @room: elements that the array has memory for
 * @at: number of the element that must fit
 * @size: bytes of an element
 *
 * Return: 0, or -1 without memory.
 */
int array_grow(void *array, u32 *room, u32 at, size_t size);
/* As array_grow(), and fills the new room with zeros. */
int array_grow_zeroed(void *array, u32 *room, u32 at, size_t size);

/**
 * KEYED() - an array of structures that begin with a member @key, and are found by its bytes
 * @type: name of the structure; its key is some 32-bit words, with padding that is zero
 *
 * All zero: empty. @index.count: elements. They are numbered in the order in which they were added.
 */
#define KEYED(type)                      \
	struct {                         \
		struct type *rows;       \
		u32 room;                \
		struct hash_index index; \
	}

/* The number of the element with @key, or HASH_NONE. */
#define keyed_find(keyed, key)                                                        \
	keyed_find_bytes(&(keyed)->index, (keyed)->rows, sizeof(*(keyed)->rows), key, \
			 sizeof(*(key)))
/* Adds an element that is zero but for @key, which no other one has. HASH_NONE: no memory. */
#define keyed_add(keyed, key)                                                                    \
	keyed_add_bytes(&(keyed)->index, &(keyed)->rows, &(keyed)->room, sizeof(*(keyed)->rows), \
			key, sizeof(*(key)))
/*
 * The number of the element with @key, which is added if it is new. The last one of @most elements
 * has the key @others, and stands for all for which there is no room. HASH_NONE: no memory.
 */
#define keyed_number(keyed, key, others, most)                              \
	keyed_number_bytes(&(keyed)->index, &(keyed)->rows, &(keyed)->room, \
			   sizeof(*(keyed)->rows), key, others, sizeof(*(key)), most)
/* Frees the array. */
#define keyed_free(keyed) (hash_index_free(&(keyed)->index), free((keyed)->rows))

static inline u64 keyed_hash(const void *key, size_t size)
{
	u64 hash = 0;
	u32 word;

	for (size_t at = 0; at < size; at += sizeof(word)) {
		memcpy(&word, (const char *)key + at, sizeof(word));
		hash = gapp_hash_add(hash, word);
	}
	return hash;
}

struct keyed_rows {
	const char *rows;
	size_t size;
	size_t key_size;
};

static inline bool keyed_same(const void *table, u32 id, const void *key)
{
	const struct keyed_rows *keyed = table;

	return !memcmp(keyed->rows + id * keyed->size, key, keyed->key_size);
}

/* Inline, because all sizes are constants. */
static inline u32 keyed_find_bytes(const struct hash_index *index, const void *rows, size_t size,
				   const void *key, size_t key_size)
{
	struct keyed_rows keyed = { rows, size, key_size };

	return hash_index_find(index, keyed_hash(key, key_size), keyed_same, &keyed, key);
}

u32 keyed_add_bytes(struct hash_index *index, void *rows, u32 *room, size_t size, const void *key,
		    size_t key_size);
u32 keyed_number_bytes(struct hash_index *index, void *rows, u32 *room, size_t size,
		       const void *key, const void *others, size_t key_size, u32 most);

/* How many elements of a sorted array have a first member, a u64, that is at most @key. */
static inline size_t count_up_to(const void *array, size_t count, size_t size, u64 key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const u64 *)((const char *)array + middle * size) <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Texts that are kept once each: equal texts have one pointer. All zero: empty. */
struct texts {
	struct hash_index index;
	char **texts;
	u32 room;
};

/* Returns the one copy of @text, which lives as long as the set; NULL: no memory. */
const char *texts_add(struct texts *texts, const char *text);
/* The number of @text, which is added if it is new: 0, 1, 2 ...; HASH_NONE: no memory. */
u32 texts_number(struct texts *texts, const char *text);
void texts_free(struct texts *texts);

#endif /* GAPP_READ_HASH_INDEX_H */
