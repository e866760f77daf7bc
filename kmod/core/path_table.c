// SPDX-License-Identifier: GPL-2.0
/* Call paths by their hash: found or inserted without a lock. */
#include "path_table.h"

#include "mix.h"

/*
 * Tries for another CPU that fills in the same path, or takes words, at this moment. It has
 * interrupts off and is done in less than a microsecond, unless it is a virtual CPU that stands
 * still: then the path is given up.
 */
#define PATIENCE 1000

/**
 * gapp_path_table_init() - an empty table
 * @table: the table
 * @slots: @slot_count of them, zeroed
 * @slot_count: a power of two
 * @words: room for frames; the first word is not used
 * @word_count: how many
 * @seed: secret
 */
void gapp_path_table_init(struct gapp_path_table *table, struct gapp_path *slots, u32 slot_count,
			  u64 *words, u32 word_count, u64 seed)
{
	memset(table, 0, sizeof(*table));
	table->slots = slots;
	table->slot_count = slot_count;
	table->words = words;
	table->word_count = word_count;
	table->word_next = 1;
	table->seed = seed;
}

static u64 hash_path(u64 seed, u32 image, const u64 *frames, u16 count, u16 flags)
{
	u64 hash = gapp_hash_add(seed, (u64)image << 32 | (u32)flags << 16 | count);
	u16 i;

	for (i = 0; i < count; i++)
		hash = gapp_hash_add(hash, frames[i]);
	return hash ? hash : 1;
}

/* Returns the first of @count words, 0 if there are not so many. Never goes past the last one. */
static u32 take_words(struct gapp_path_table *table, u32 count)
{
	u32 next = READ_ONCE(table->word_next);
	u32 was, tries;

	for (tries = 0; tries < PATIENCE; tries++) {
		if (next > table->word_count || count > table->word_count - next)
			return 0;
		was = cmpxchg(&table->word_next, next, next + count);
		if (was == next)
			return next;
		next = was;
	}
	return 0;
}

/* Words that were not needed after all; if more have been taken since, they are wasted. */
static void return_words(struct gapp_path_table *table, u32 word, u32 count)
{
	if (word)
		cmpxchg(&table->word_next, word + count, word);
}

/*
 * A path's number must not get into a record before its frames are there, and another CPU's record
 * may be read before this one's: so whoever finds the path half inserted waits for the rest.
 */
static bool is_filled_in(const struct gapp_path *slot)
{
	u32 tries;

	for (tries = 0; tries < PATIENCE; tries++) {
		/* Acquire: the frames are there if the word is. */
		if (smp_load_acquire(&slot->word))
			return true;
		cpu_relax();
	}
	return false;
}

static void fill_in(struct gapp_path_table *table, struct gapp_path *slot, u32 word,
		    const u64 *frames, u16 count, u16 flags)
{
	memcpy(table->words + word, frames, count * sizeof(*frames));
	slot->words = count;
	slot->flags = flags;
	/* Release: the frames are there before the word says where. */
	smp_store_release(&slot->word, word);
}

static u32 refuse(struct gapp_path_table *table)
{
	gapp_fetch_add_u64(&table->refused, 1);
	return GAPP_PATH_LOST;
}

/**
 * gapp_path_table_insert() - a path's number
 * @table: the table; any number of CPUs may insert at once, each with interrupts off
 * @image: the address space that the frames are in
 * @frames: innermost first
 * @count: how many
 * @flags: enum gapp_unwind_end and GAPP_PATH_KERNEL
 *
 * Slots are never emptied, so all who look for a path stop at the same one: it has one number.
 *
 * Return: the number, whose frames can be read; GAPP_PATH_NONE without frames; GAPP_PATH_LOST if
 * there is no room, which is counted.
 */
u32 gapp_path_table_insert(struct gapp_path_table *table, u32 image, const u64 *frames, u16 count,
			   u16 flags)
{
	u64 hash = hash_path(table->seed, image, frames, count, flags);
	u32 i, number, word = 0;
	struct gapp_path *slot;
	u64 found;

	if (!count)
		return GAPP_PATH_NONE;
	for (i = 0; i < GAPP_PATH_TABLE_PROBES; i++) {
		number = (hash + i) & (table->slot_count - 1);
		slot = &table->slots[number];
		found = READ_ONCE(slot->hash);
		if (!found) {
			/* Words first: a slot that is claimed can always be filled in. */
			word = word ? word : take_words(table, count);
			if (!word)
				return refuse(table);
			found = cmpxchg(&slot->hash, 0, hash);
			if (!found) {
				fill_in(table, slot, word, frames, count, flags);
				gapp_fetch_add_u32(&table->used, 1);
				return number;
			}
		}
		if (found == hash) {
			return_words(table, word, count);
			return is_filled_in(slot) ? number : refuse(table);
		}
	}
	return_words(table, word, count);
	return refuse(table);
}
