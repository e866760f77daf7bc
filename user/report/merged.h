/* SPDX-License-Identifier: GPL-2.0 */
/* The recordings that a merged recording was made of. */
#ifndef GAPP_READ_MERGED_H
#define GAPP_READ_MERGED_H

#include "data/blocks.h"

/* Recordings at most; a merged one counts as those that it was made of. */
#define MERGED_PARTS_MAX 4096U

/**
 * struct merged_part - a recording that was merged with others
 * @file: its name
 * @start_ns: CLOCK_MONOTONIC at which it began
 * @stop_ns: CLOCK_MONOTONIC at which it ended
 * @records: it has records
 * @every_slice: it has those of every slice and wake-up (GAPP_LEVEL_TRACE)
 * @targets: its targets, by their numbers in the merged recording, in ascending order
 * @target_count: elements of @targets
 */
struct merged_part {
	char *file;
	u64 start_ns;
	u64 stop_ns;
	bool records;
	bool every_slice;
	u32 *targets;
	u32 target_count;
};

/**
 * struct merged - all of them
 * @parts: in the order in which they were given
 * @count: elements of @parts
 */
struct merged {
	struct merged_part *parts;
	u32 count;
	u32 room;
};

/* Adds a part and takes what it has allocated, also where it fails. Returns 0, or -1 without
 * memory.
 */
int merged_add(struct merged *merged, struct merged_part *part);
void merged_part_free(struct merged_part *part);
void merged_free(struct merged *merged);

/* Whether those that have records have one of every slice and wake-up. */
bool merged_every_slice(const struct merged *merged);

void merged_save(const struct merged *merged, struct blocks_writer *writer);
/* Sets @merged; NULL: the file is no merged recording. Returns 0, or -1 without memory. */
int merged_read(struct blocks *blocks, struct merged **merged);

#endif /* GAPP_READ_MERGED_H */
