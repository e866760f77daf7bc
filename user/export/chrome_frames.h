/* SPDX-License-Identifier: GPL-2.0 */
/* Call paths of Chrome's JSON: a tree of frames, each of which names its caller. */
#ifndef GAPP_READ_CHROME_FRAMES_H
#define GAPP_READ_CHROME_FRAMES_H

#include <stdio.h>

#include "record_paths.h"
#include "timeline/stays.h"
#include "util/hash_index.h"

#define CHROME_NO_FRAME 0xffffffffU

/**
 * struct chrome_path - a call path of records
 * @key: its ids
 * @frame: number of its innermost frame, or CHROME_NO_FRAME
 * @place: what it is called, or NULL
 */
struct chrome_path {
	struct {
		u32 path;
		u32 kernel_path;
	} key;
	u32 frame;
	const char *place;
};

/* A frame, by its caller: the caller's number, or CHROME_NO_FRAME. */
struct chrome_frame {
	struct {
		u32 caller;
		u32 function;
		u32 module;
		u32 zero;
	} key;
};

/**
 * struct chrome_frames - call paths of a recording
 * @recorded: the recording
 * @texts: names of functions and files
 * @paths: call paths that were asked for
 * @frames: the tree
 * @found: the path that is being added
 */
struct chrome_frames {
	const struct recorded *recorded;
	struct texts texts;

	KEYED(chrome_path) paths;
	KEYED(chrome_frame) frames;
	struct record_path found;
};

/* Sets @path to the call path of a stay. Returns 0, or -1 without memory. */
int chrome_frames_find(struct chrome_frames *frames, const struct stay *stay,
		       struct chrome_path *path);
/* Writes the members of the object "stackFrames". */
void chrome_frames_put(const struct chrome_frames *frames, FILE *out);
void chrome_frames_free(struct chrome_frames *frames);

#endif /* GAPP_READ_CHROME_FRAMES_H */
