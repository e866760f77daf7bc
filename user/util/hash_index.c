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

static int make_larger(struct hash_index *index)
{
	u32 room = index->room ? 2 * index->room : FIRST_ROOM;
	struct hash_slot *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return -1;
	for (u32 i = 0; i < index->room; i++) {
		if (index->slots[i].element)
			put(slots, room, index->slots[i]);
	}
	free(index->slots);
	index->slots = slots;
	index->room = room;
	return 0;
}

/**
 * hash_index_add() - adds an element that is not there
 * @index: where to
 * @hash: of its key
 * @id: its number
 *
 * Return: 0, or -1 without memory.
 */
int hash_index_add(struct hash_index *index, u64 hash, u32 id)
{
	if (2 * (index->count + 1) > index->room && make_larger(index))
		return -1;
	put(index->slots, index->room, (struct hash_slot){ .hash = hash, .element = id + 1 });
	index->count++;
	return 0;
}

void hash_index_free(struct hash_index *index)
{
	free(index->slots);
	*index = (struct hash_index){ 0 };
}

/**
 * array_grow() - makes room in an array
 * @array: address of its pointer
 * @room: elements there is room for
 * @at: number of the element that must fit
 * @size: bytes of an element
 *
 * Return: 0, or -1 without memory.
 */
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
