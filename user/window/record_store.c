// SPDX-License-Identifier: GPL-2.0
#include "record_store.h"

#include <string.h>

/**
 * struct piece - memory for records, one behind the other
 * @next: the piece with later records; NULL: it is the last one
 * @begin: bytes of records that were dropped
 * @end: bytes up to the end of the last record
 */
struct piece {
	struct piece *next;
	u32 begin;
	u32 end;
	u8 bytes[] __attribute__((aligned(8)));
};

/**
 * struct record_store - the last records
 * @first: the piece with the oldest record; NULL: there is none
 * @last: the piece with the latest record
 * @spare: a piece without records, to be used again; NULL: there is none
 * @pieces: how many there are, without @spare
 * @pieces_max: how many there may be
 * @count: records
 * @dropped_ns: see record_store_dropped_ns()
 * @gone: takes each record that is dropped; NULL: nobody does
 * @context: its first argument
 */
struct record_store {
	struct piece *first;
	struct piece *last;
	struct piece *spare;
	u32 pieces;
	u32 pieces_max;
	u64 count;
	u64 dropped_ns;
	record_store_fn gone;
	void *context;
};

/* A record fits in each. */
_Static_assert(sizeof(struct piece) + UINT16_MAX + 1 < STORE_PIECE_BYTES, "the largest record");

struct record_store *record_store_new(u64 bytes, record_store_fn gone, void *context)
{
	struct record_store *store = calloc(1, sizeof(*store));
	u64 pieces = bytes / STORE_PIECE_BYTES;

	if (!store)
		return NULL;
	store->pieces_max = pieces < 2 ? 2 : pieces < UINT32_MAX ? pieces : UINT32_MAX;
	store->gone = gone;
	store->context = context;
	return store;
}

void record_store_free(struct record_store *store)
{
	if (!store)
		return;
	while (store->first) {
		struct piece *piece = store->first;

		store->first = piece->next;
		free(piece);
	}
	free(store->spare);
	free(store);
}

/* The records of the first piece are dropped. */
static void drop_piece(struct record_store *store)
{
	struct piece *piece = store->first;

	store->first = piece->next;
	if (!store->first)
		store->last = NULL;
	store->pieces--;
	free(store->spare);
	store->spare = piece;
}

static const struct gapp_record *oldest(const struct record_store *store)
{
	return (const struct gapp_record *)(store->first->bytes + store->first->begin);
}

/* Returns 0, or -1 if it was dropped and @gone had no memory for it. */
static int drop_oldest(struct record_store *store)
{
	const int result = store->gone ? store->gone(store->context, oldest(store)) : 0;

	store->first->begin += oldest(store)->size;
	store->count--;
	if (store->first->begin == store->first->end)
		drop_piece(store);
	return result;
}

/* Makes room for one more piece. Returns like drop_oldest(). */
static int drop_for_room(struct record_store *store)
{
	const struct piece *first = store->first;
	int result = 0;

	while (store->first == first) {
		if (oldest(store)->time_ns > store->dropped_ns)
			store->dropped_ns = oldest(store)->time_ns;
		result |= drop_oldest(store);
	}
	return result;
}

/* Adds an empty piece behind the others. Returns 0, or -1 without memory. */
static int add_piece(struct record_store *store)
{
	struct piece *piece;

	if (store->pieces >= store->pieces_max && drop_for_room(store))
		return -1;
	piece = store->spare ? store->spare : malloc(STORE_PIECE_BYTES);
	store->spare = NULL;
	if (!piece)
		return -1;
	*piece = (struct piece){ 0 };
	if (store->last)
		store->last->next = piece;
	else
		store->first = piece;
	store->last = piece;
	store->pieces++;
	return 0;
}

static u32 room_of(const struct piece *piece)
{
	return piece ? STORE_PIECE_BYTES - sizeof(*piece) - piece->end : 0;
}

int record_store_add(struct record_store *store, const struct gapp_record *record)
{
	struct piece *piece;

	if (room_of(store->last) < record->size && add_piece(store))
		return -1;
	piece = store->last;
	memcpy(piece->bytes + piece->end, record, record->size);
	piece->end += record->size;
	store->count++;
	return 0;
}

int record_store_drop_before(struct record_store *store, u64 time_ns)
{
	int result = 0;

	while (store->first && oldest(store)->time_ns < time_ns)
		result |= drop_oldest(store);
	return result;
}

int record_store_each(const struct record_store *store, record_store_fn each, void *context)
{
	const struct gapp_record *record;
	int result;

	for (const struct piece *piece = store->first; piece; piece = piece->next) {
		for (u32 at = piece->begin; at < piece->end; at += record->size) {
			record = (const struct gapp_record *)(piece->bytes + at);
			result = each(context, record);
			if (result)
				return result;
		}
	}
	return 0;
}

u64 record_store_bytes(const struct record_store *store)
{
	return (u64)(store->pieces + !!store->spare) * STORE_PIECE_BYTES;
}

u64 record_store_count(const struct record_store *store)
{
	return store->count;
}

u64 record_store_dropped_ns(const struct record_store *store)
{
	return store->dropped_ns;
}
