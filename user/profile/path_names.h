/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What single call paths of a profile mean, for tables that are not rankings of its sums: where a
 * thread ran, and what it waited for.
 */
#ifndef GAPP_READ_PATH_NAMES_H
#define GAPP_READ_PATH_NAMES_H

#include "profile.h"

/* Instead of the id of a call path: there is none. */
#define PATH_NAMELESS 0xffffffffU

/*
 * Sets @id to that of the path with the number @path in a record that profile_add_slice() was
 * given;
 * @kernel: number of the kernel's path there. Returns 0, or -1 without memory.
 */
int profile_path_id(struct profile *profile, u32 path, u32 kernel,
		    const struct gapp_record_slice *slice, u32 *id);

struct path_names;

/* @rules: as in struct profile_options. NULL: no memory. */
struct path_names *path_names_new(struct profile *profile, struct symbols *symbols,
				  const struct wait_rules *rules);
void path_names_free(struct path_names *names);

/* The innermost function of own code on a path, or else the innermost; NULL: there is no path. */
const struct frame *path_names_function(const struct path_names *names, u32 path);

/* The number of the frame of that function of own code; HASH_NONE: there is none. */
u32 path_names_own(const struct path_names *names, u32 path);

const struct profile *path_names_profile(const struct path_names *names);
struct symbols *path_names_symbols(const struct path_names *names);

/* What a thread waits for on a path, where the module says @wait. */
struct wait_kind path_names_wait(const struct path_names *names, u32 path, u32 wait);

/* The path of a site of the profile's waits; @path: what it is if the site is not known. */
u32 path_names_site(const struct path_names *names, u32 site, u32 path);

/**
 * struct path_part - where slices ran that ended on a path
 * @end: the path
 * @path: where a sample hit them
 * @part: the part of their time
 */
struct path_part {
	u32 end;
	u32 path;
	double part;
};

/* By samples of slices that ended on @path; sets @count, to 0 if there is no such sample. */
const struct path_part *path_names_parts(const struct path_names *names, u32 path, u32 *count);

#endif /* GAPP_READ_PATH_NAMES_H */
