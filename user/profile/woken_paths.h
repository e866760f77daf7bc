/* SPDX-License-Identifier: GPL-2.0 */
/* On which call paths threads waited, and on which others ended these waits. */
#ifndef GAPP_READ_WOKEN_PATHS_H
#define GAPP_READ_WOKEN_PATHS_H

#include "profile.h"

/**
 * struct woken_path - a call path
 * @frames: innermost first, with inlined functions; they belong to the symbols, the array to this
 * @count: their number; 0: no path is known
 */
struct woken_path {
	struct frame *frames;
	size_t count;
};

/**
 * struct woken - waits on one call path that were ended on another
 * @pair: their number, for an order
 * @waiter: name of the thread that waited; NULL: not known
 * @waited: where it waited: number of the call path
 * @waker: name of the thread that ended the waits; NULL: an interrupt, or it is not known
 * @interrupt: an interrupt did
 * @kind: as in struct ranked_ender
 * @from: where it was: number of the call path
 * @waited_ns: how long the waits took, as far as records say
 */
struct woken {
	u32 pair;
	const char *waiter;
	u32 waited;
	const char *waker;
	bool interrupt;
	const char *kind;
	u32 from;
	u64 waited_ns;
};

/**
 * struct woken_paths - all of a profile
 * @rows: those with most time waited first
 * @paths: by number
 */
struct woken_paths {
	struct woken *rows;
	size_t count;
	struct woken_path *paths;
	size_t path_count;
};

void woken_paths_free(struct woken_paths *woken);

/* Returns 0, or -1 without memory. */
int profile_woken_paths(struct profile *profile, struct symbols *symbols, struct woken_paths *out);

#endif /* GAPP_READ_WOKEN_PATHS_H */
