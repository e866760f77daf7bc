/* SPDX-License-Identifier: GPL-2.0 */
/* The call paths that a record has, by their numbers. */
#ifndef GAPP_READ_RECORD_PATHS_H
#define GAPP_READ_RECORD_PATHS_H

#include "call_paths.h"

/**
 * struct path_moment - what a call path of a record is looked up by
 * @tgid: its process
 * @begin_ns: the path was taken at this time or later
 * @time_ns: time of the record
 */
struct path_moment {
	s32 tgid;
	u64 begin_ns;
	u64 time_ns;
};

/*
 * Called for each number of a call path in a record, to be replaced; @kernel: it is one of the
 * kernel. Returns 0, or -1 to end.
 */
typedef int (*record_path_fn)(void *context, u32 *number, const struct path_moment *moment,
			      bool kernel);

/* Calls @each for the paths of a slice, a wait or a wake-up. Returns 0, or what ended it. */
int record_paths_each(struct gapp_record *record, record_path_fn each, void *context);

/*
 * Sets a number that call_paths_get() takes now to the id of its path, and to GAPP_PATH_NONE if
 * there is no path. Ids stay valid as long as @paths, also where processes end or map other files.
 */
void call_paths_set_id(struct call_paths *paths, u32 *number, const struct path_moment *moment);

#endif /* GAPP_READ_RECORD_PATHS_H */
