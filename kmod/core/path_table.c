// SPDX-License-Identifier: GPL-2.0
/* Finds and inserts call paths by their hash, without a lock. */
#include "path_table.h"

#include "mix.h"

/*
 * Tries while another CPU fills in the same path or takes words. That CPU has interrupts off and is
 * done in less than a microsecond, unless a hypervisor has stopped it: then the path is lost.
 */
#define PATIENCE 1000

/**
 * gapp_path_table_init() - make an empty table
 * @table: the table
 * @slots: zeroed slots
 * @slot_count: number of slots, a power of two
 * @words: memory for the frames
 * @word_count: number of words
 * @seed: secret seed of the hash
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

/* Takes @count words and returns the index of the first; 0: there are not so many. */
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

/* Gives words back. If another CPU has taken words since, they stay unused. */
static void return_words(struct gapp_path_table *table, u32 word, u32 count)
{
	if (word)
		cmpxchg(&table->word_next, word + count, word);
}

/*
 * Waits until the CPU that claimed the slot has filled it in: the number must not get into a record
 * of this CPU before its frames are there.
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
 * gapp_path_table_insert() - find or insert a call path
 * @table: the table; any number of CPUs may insert at once, each with interrupts off
 * @image: number of the address space of the frames; 0 for kernel paths
 * @frames: addresses, innermost first
 * @count: number of frames
 * @flags: enum gapp_unwind_end and GAPP_PATH_* bits
 *
 * No slot becomes free again, so every CPU finds a path in the same slot.
 *
 * Return: the number of the path; GAPP_PATH_NONE if @count is 0; GAPP_PATH_LOST if there is no
 * room, which the table counts.
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
			/* Take the words first, so that a claimed slot is always filled in. */
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
