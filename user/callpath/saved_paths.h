/* SPDX-License-Identifier: GPL-2.0 */
/* Call paths in a recording's file. */
#ifndef GAPP_READ_SAVED_PATHS_H
#define GAPP_READ_SAVED_PATHS_H

#include "call_paths.h"
#include "input/saved_objects.h"

/* A recording with more call paths makes no sense. */
#define SAVED_PATHS_MAX 0x200000U
/* Stands for the id of a path in a record whose path was not known. */
#define SAVED_PATH_UNKNOWN 0x80000000U

/* Gives numbers to the objects of a call path. Returns 0, or -1 without memory. */
int call_path_number(const struct call_path *path, struct object_numbers *numbers);
/* Writes a call path, in a section of BLOCK_PATHS. Returns 0, or -1 without memory. */
int call_path_save(const struct call_path *path, struct object_numbers *numbers,
		   struct blocks_writer *writer);

/**
 * struct saved_paths - call paths of a recording's file
 * @paths: by id in the file; NULL: there is none, or it was damaged
 * @shift: what is added to the ids of the file, so that those of several files differ; 0 unless it
 *	was set before they are read
 */
struct saved_paths {
	struct call_path **paths;
	u32 count;
	u32 room;
	u32 shift;
};

/* Reads the call paths. Returns 0, or -1 without memory. */
int saved_paths_read(struct saved_paths *saved, struct blocks *blocks,
		     struct saved_objects *objects);
void saved_paths_free(struct saved_paths *saved);
/* The path that has this id in the file. Its own id is @shift more. NULL: there is none. */
const struct call_path *saved_path(const struct saved_paths *saved, u64 id);

/* Writes and reads what became of stack copies. */
void call_paths_save_figures(const struct call_paths_figures *figures,
			     struct object_numbers *numbers, struct pack *pack);
void call_paths_read_figures(struct call_paths_figures *figures, struct saved_objects *objects,
			     struct unpack *unpack);

#endif /* GAPP_READ_SAVED_PATHS_H */
