/* SPDX-License-Identifier: GPL-2.0 */
/* A profile in a recording's file. */
#ifndef GAPP_READ_SAVED_PROFILE_H
#define GAPP_READ_SAVED_PROFILE_H

#include "callpath/saved_paths.h"
#include "profile.h"
#include "symbol/saved_names.h"

/*
 * Looks up the names and lines of every frame, also of those that no ranking has asked for. Returns
 * 0, or -1 without memory.
 */
int profile_name_all(const struct profile *profile, struct symbols *symbols);

/* Whether profile_save() writes the call path with that id. */
bool profile_has(const struct profile *profile, u32 path);

/* Gives numbers to the objects of all call paths. Returns 0, or -1 without memory. */
int profile_number(const struct profile *profile, struct object_numbers *numbers);

/* Writes the sums, then the call paths. Returns 0, or -1 without memory. */
int profile_save(struct profile *profile, struct object_numbers *numbers,
		 struct blocks_writer *writer);

/*
 * The profile of a recording's file, for rankings; nothing can be added to it. What belongs to a
 * damaged call path becomes time without a path. @paths and @copies must live as long. NULL: no
 * memory.
 */
struct profile *profile_read(struct blocks *blocks, const struct saved_paths *paths,
			     const struct call_paths_figures *copies);

/* The number of a target that is not in its recording's list of targets, which is damaged. */
#define PROFILE_TARGET_UNKNOWN 0xffffffffU

/**
 * struct profile_shift - what numbers of a file become, so that those of several files differ
 * @targets: numbers of targets by their numbers in the file; NULL: they stay
 * @target_count: elements of @targets; other numbers become PROFILE_TARGET_UNKNOWN
 * @image: added to numbers of address spaces
 */
struct profile_shift {
	const u32 *targets;
	u32 target_count;
	u32 image;
};

/* The number of a target now. */
u32 profile_shift_target(const struct profile_shift *shift, u32 target);

/* An empty profile for profile_read_more(). NULL: no memory. */
struct profile *profile_for_saved(void);

/*
 * Adds the sums of another recording's file to those of former ones; @paths have a
 * @shift. What both have is added up. Returns 0, or -1 without memory.
 */
int profile_read_more(struct profile *profile, struct blocks *blocks,
		      const struct saved_paths *paths, const struct profile_shift *shift);

/* Whether there is more of anything than a recording can have: a reader would leave it out. */
bool profile_is_too_large(const struct profile *profile);

#endif /* GAPP_READ_SAVED_PROFILE_H */
