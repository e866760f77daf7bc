/* SPDX-License-Identifier: GPL-2.0 */
/* Records of several recordings become those of one, in one order of time. */
#ifndef GAPP_READ_JOIN_RECORDS_H
#define GAPP_READ_JOIN_RECORDS_H

#include "data/blocks.h"
#include "profile/saved_profile.h"
#include "recorded.h"

/**
 * struct records_source - a recording whose records are joined with those of others
 * @blocks: its file
 * @paths: its call paths; their own ids are those of the joined recording
 * @shift: what its numbers become
 */
struct records_source {
	struct blocks *blocks;
	const struct saved_paths *paths;
	const struct profile_shift *shift;
};

/* Sets @image to the highest number of an address space. Returns 0, or -1 without memory. */
int records_highest_image(struct blocks *blocks, u32 *image);

/*
 * Writes all records, and how many there were. Records of equal times stay in the order of
 * @sources. Returns 0, or -1 without memory.
 */
int records_join(const struct records_source *sources, size_t count, struct blocks_writer *writer);

#endif /* GAPP_READ_JOIN_RECORDS_H */
