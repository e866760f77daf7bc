/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of call paths: it holds each distinct path once. A hash with a
 * secret seed finds the slot of a path. Any number of CPUs insert at once,
 * without a lock; nobody removes a path. The reader maps slots and words
 * read-only.
 */
#ifndef GAPP_CORE_PATH_TABLE_H
#define GAPP_CORE_PATH_TABLE_H

#include <gapp_record.h>

#include "port.h"

/* Slots to try for a path before it is lost. */
#define GAPP_PATH_TABLE_PROBES 32

/**
 * struct gapp_path_table - the table
 * @slots: the slots, zero at first
 * @slot_count: number of slots, a power of two
 * @words: frames of all paths; words[0] is not used, for gapp_path.word 0 means "not filled in"
 * @word_count: number of words
 * @word_next: index of the first free word
 * @used: number of slots in use
 * @refused: number of paths that found no room
 * @seed: secret seed of the hash
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
