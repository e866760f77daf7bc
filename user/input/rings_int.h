/* SPDX-License-Identifier: GPL-2.0 */
/* What rings.c and rings_drain.c share. */
#ifndef GAPP_READ_RINGS_INT_H
#define GAPP_READ_RINGS_INT_H

#include "rings.h"

#define DO_NOT_FIT "the loaded module and this gapp-read do not fit"
#define USE_ITS_OWN "run the gapp-read that was built together with the module"
/* Of records that are known here; those of later modules are passed. */
#define TYPES (GAPP_RECORD_NEED_MAPPING + 1)

/**
 * struct mapped - a mapping
 * @bytes: its begin; NULL: none
 * @length: of it
 */
struct mapped {
	u8 *bytes;
	size_t length;
};

/**
 * struct ring - the records of one CPU
 * @mapped: its mapping
 * @shared: its begin
 * @data: the records
 * @tail: where the kernel looks for @position
 * @position: bytes read, ever
 * @scanned: bytes that rings_scan() has looked at, ever
 * @told: what @tail was last set to
 * @head: bytes written when the drain began
 * @next: the record at @position, while it is in the heap
 * @room: bytes up to @head from there, or to where it wraps
 * @cpu: its CPU
 */
struct ring {
	struct mapped mapped;
	const struct gapp_ring *shared;
	const u8 *data;
	u64 *tail;
	u64 position;
	u64 scanned;
	u64 told;
	u64 head;
	const struct gapp_record *next;
	u64 room;
	u32 cpu;
};

/**
 * struct rings - all mappings of a session
 * @bytes: size of a ring's data, a power of two
 * @given: a bit for each type of record that is given
 * @tails: the tails of all rings
 * @paths: the table of paths
 * @slots: its slots
 * @slot_count: how many
 * @words: its words
 * @word_count: how many
 * @heap: rings that have a record to give, the earliest first
 * @waiting: how many
 * @count: rings
 * @rings: in the order of their CPUs
 */
struct rings {
	u32 bytes;
	u32 given;
	struct mapped tails;
	struct mapped paths;
	const struct gapp_path *slots;
	u32 slot_count;
	const u64 *words;
	u64 word_count;
	struct ring **heap;
	u32 waiting;
	u32 count;
	struct ring rings[];
};

/* Given as long as nobody says otherwise. */
#define RINGS_ALL_TYPES (~(1U << GAPP_RECORD_PAD | 1U << TYPES))

#endif /* GAPP_READ_RINGS_INT_H */
