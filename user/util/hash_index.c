// SPDX-License-Identifier: GPL-2.0
#include "hash_index.h"

#define FIRST_ROOM 64

static void put(struct hash_slot *slots, u32 room, struct hash_slot slot)
{
	u32 at = slot.hash & (room - 1);

	while (slots[at].element)
		at = (at + 1) & (room - 1);
	slots[at] = slot;
}

int hash_index_reserve(struct hash_index *index, u32 count)
{
	u32 room = index->room ? index->room : FIRST_ROOM;
	struct hash_slot *slots;

	if (2 * count <= index->room)
		return 0;
	while (2 * count > room)
		room *= 2;
	slots = calloc(room, sizeof(*slots));
	if (!slots)
		return -1;
	for (u32 i = 0; i < index->room; i++)
		if (index->slots[i].element)
			put(slots, room, index->slots[i]);
	free(index->slots);
	index->slots = slots;
	index->room = room;
	return 0;
}

int hash_index_add(struct hash_index *index, u64 hash, u32 id)
{
	if (hash_index_reserve(index, index->count + 1))
		return -1;
	put(index->slots, index->room, (struct hash_slot){ .hash = hash, .element = id + 1 });
	index->count++;
	return 0;
}

/* Moves later slots of the run into the gap, because a search ends at a free slot. */
static void remove_slot(struct hash_index *index, u32 gap)
{
	struct hash_slot *slots = index->slots;
	u32 mask = index->room - 1;

	for (u32 at = (gap + 1) & mask; slots[at].element; at = (at + 1) & mask) {
		u32 wanted = slots[at].hash & mask;

		/* a slot may move back to the place of its hash, but no further */
		if (((at - wanted) & mask) < ((at - gap) & mask))
			continue;
		slots[gap] = slots[at];
		gap = at;
	}
	slots[gap] = (struct hash_slot){ 0 };
	index->count--;
}

void hash_index_renumber(struct hash_index *index, u64 hash, u32 id, u32 to)
{
	u32 mask = index->room - 1, at = hash & mask;

	while (index->slots[at].element != id + 1)
		at = (at + 1) & mask;
	if (to == HASH_NONE)
		remove_slot(index, at);
	else
		index->slots[at].element = to + 1;
}

void hash_index_free(struct hash_index *index)
{
	free(index->slots);
	*index = (struct hash_index){ 0 };
}

/* No two words lead from one hash to the same hash, so a change of one word is always seen. */
static inline u64 add_word(u64 hash, u64 word)
{
	return ((hash << 23 | hash >> 41) ^ word) * 0x9e3779b97f4a7c15ULL;
}

u64 hash_bytes(u64 hash, const void *bytes, size_t size)
{
	const u8 *at = bytes;
	u64 word;

	hash = gapp_hash_add(hash, size);
	for (; size >= sizeof(word); at += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = add_word(hash, word);
	}
	word = 0;
	memcpy(&word, at, size);
	return gapp_mix(add_word(hash, word));
}

int key_map_add(struct key_map *map, u64 key, void *value)
{
	if (array_grow(&map->entries, &map->room, map->count, sizeof(*map->entries)) ||
	    hash_index_add(&map->index, gapp_mix(key), map->count))
		return -1;
	map->entries[map->count++] = (struct key_map_entry){ .key = key, .value = value };
	return 0;
}

void *key_map_remove(struct key_map *map, u64 key)
{
	u32 id = hash_index_find(&map->index, gapp_mix(key), key_map_same, map->entries, &key);
	u32 last = map->count - 1;
	void *value;

	if (id == HASH_NONE)
		return NULL;
	value = map->entries[id].value;
	hash_index_renumber(&map->index, gapp_mix(key), id, HASH_NONE);
	if (id != last) {
		hash_index_renumber(&map->index, gapp_mix(map->entries[last].key), last, id);
		map->entries[id] = map->entries[last];
	}
	map->count--;
	return value;
}

void key_map_free(struct key_map *map)
{
	hash_index_free(&map->index);
	free(map->entries);
	*map = (struct key_map){ 0 };
}

int array_grow(void *array, u32 *room, u32 at, size_t size)
{
	u32 wanted = *room ? *room : FIRST_ROOM;
	void *grown;

	if (at < *room)
		return 0;
	while (wanted <= at) {
		if (wanted > UINT32_MAX / 2)
			return -1;
		wanted *= 2;
	}
	grown = reallocarray(*(void **)array, wanted, size);
	if (!grown)
		return -1;
	*(void **)array = grown;
	*room = wanted;
	return 0;
}

int array_grow_zeroed(void *array, u32 *room, u32 at, size_t size)
{
	size_t former = *room;

	if (array_grow(array, room, at, size))
		return -1;
	memset(*(char **)array + former * size, 0, (*room - former) * size);
	return 0;
}

static bool is_same_text(const void *texts, u32 id, const void *text)
{
	return !strcmp(((char *const *)texts)[id], text);
}

u32 texts_number(struct texts *texts, const char *text)
{
	u64 hash = hash_bytes(0, text, strlen(text));
	u32 id = hash_index_find(&texts->index, hash, is_same_text, texts->texts, text);
	char *copy;

	if (id != HASH_NONE)
		return id;
	id = texts->index.count;
	if (array_grow(&texts->texts, &texts->room, id, sizeof(copy)))
		return HASH_NONE;
	copy = strdup(text);
	if (!copy || hash_index_add(&texts->index, hash, id)) {
		free(copy);
		return HASH_NONE;
	}
	texts->texts[id] = copy;
	return id;
}

const char *texts_add(struct texts *texts, const char *text)
{
	u32 id = texts_number(texts, text);

	return id == HASH_NONE ? NULL : texts->texts[id];
}

void texts_free(struct texts *texts)
{
	for (u32 i = 0; i < texts->index.count; i++)
		free(texts->texts[i]);
	free(texts->texts);
	hash_index_free(&texts->index);
	*texts = (struct texts){ 0 };
}

u32 keyed_add_bytes(struct hash_index *index, void *rows, u32 *room, size_t size, const void *key,
		    size_t key_size)
{
	u32 next = index->count;
	char *row;

	if (array_grow(rows, room, next, size) ||
	    hash_index_add(index, keyed_hash(key, key_size), next))
		return HASH_NONE;
	row = *(char **)rows + next * size;
	memset(row, 0, size);
	memcpy(row, key, key_size);
	return next;
}

u32 keyed_number_bytes(struct hash_index *index, void *rows, u32 *room, size_t size,
		       const void *key, const void *others, size_t key_size, u32 most)
{
	const u32 found = keyed_find_bytes(index, *(void **)rows, size, key, key_size);
	const u32 last = most - 1;

	if (found != HASH_NONE || index->count >= most)
		return found != HASH_NONE ? found : last;
	return keyed_add_bytes(index, rows, room, size, index->count < last ? key : others,
			       key_size);
}
