/* SPDX-License-Identifier: GPL-2.0 */
/* Call paths of single records as frames with lines, and the place that a path is called by. */
#ifndef GAPP_READ_RECORD_PATHS_H
#define GAPP_READ_RECORD_PATHS_H

#include "report/recorded.h"

/**
 * struct path_frame - a function on a call path
 * @frame: its name and line
 * @address: the code address; functions inlined there have the same one
 */
struct path_frame {
	const struct frame *frame;
	struct code_address address;
};

/**
 * struct record_path - a call path; all zero: it has not been used yet
 * @frames: innermost first, those of the kernel before those of the program
 * @count: frames; 0: there is no path
 * @room: frames that @frames has memory for
 * @place: the innermost of own code, else the innermost of the program, else of the kernel; NULL:
 *	there is no path
 */
struct record_path {
	struct path_frame *frames;
	u32 count;
	u32 room;
	const struct frame *place;
};

/*
 * Finds the frames of a record: @path and @kernel_path are its ids. Returns 0, or -1 without
 * memory.
 */
int record_path_find(struct record_path *found, const struct recorded *recorded, u32 path,
		     u32 kernel_path);

static inline void record_path_free(struct record_path *path)
{
	free(path->frames);
}

#endif /* GAPP_READ_RECORD_PATHS_H */
