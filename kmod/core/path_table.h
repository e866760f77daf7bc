/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of call paths: each distinct path once, found by a hash with a
 * secret seed, inserted without a lock by any number of CPUs at once, and
 * never removed. Slots and words are mapped read-only by the reader; what
 * decides is private.
 */
#ifndef GAPP_CORE_PATH_TABLE_H
#define GAPP_CORE_PATH_TABLE_H

#include <gapp_record.h>

#include "port.h"

/* Slots that are looked at before a path is given up. */
#define GAPP_PATH_TABLE_PROBES 32

/**
 * struct gapp_path_table - the table
 * @slots: @slot_count of them, zeroed; shared, but the reader cannot write
 * @slot_count: a power of two
 * @words: frames of all paths; the first one is not used, for 0 says "not filled in"
 * @word_count: how many
 * @word_next: first free word
 * @used: slots in use
 * @refused: paths that found no room
 * @seed: secret
 */
struct gapp_path_table {
	struct gapp_path *slots;
	u32 slot_count;
	u64 *words;
	u32 word_count;
	u32 word_next;
	u32 used;
	u64 refused;
	u64 seed;
};

void gapp_path_table_init(struct gapp_path_table *table, struct gapp_path *slots, u32 slot_count,
			  u64 *words, u32 word_count, u64 seed);
u32 gapp_path_table_insert(struct gapp_path_table *table, u32 image, const u64 *frames, u16 count,
			   u16 flags);

#endif /* GAPP_CORE_PATH_TABLE_H */
