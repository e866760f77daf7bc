/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records in a recording's file, so that they can be printed later. They are written as they come,
 * each with the ids of its call paths instead of the module's numbers.
 */
#ifndef GAPP_READ_KEPT_RECORDS_H
#define GAPP_READ_KEPT_RECORDS_H

#include "recorded.h"
#include "script.h"

struct kept_records;

/* @writer: begins with the records, which are added before anything else. NULL: no memory. */
struct kept_records *kept_records_new(struct call_paths *paths, struct blocks_writer *writer);
void kept_records_free(struct kept_records *kept);

/*
 * Writes a record; call_paths_get() finds its paths now. Returns 0, or -1 without memory. What
 * cannot be written is missing in the file, and a reader is told how much that is.
 */
int kept_records_add(struct kept_records *kept, const struct gapp_record *record);

/*
 * After the last record. If the disk is full, drops records so that there is room for the rest of
 * the recording. Returns 0, or -1 with an error of the writer.
 */
int kept_records_end(struct kept_records *kept);

/* Whether a path is written by others. */
typedef bool (*kept_has_fn)(const void *context, u32 path);

/*
 * Looks up all names of the records' paths, so that they are saved with @symbols. Returns 0, or -1
 * without memory.
 */
int kept_records_name_all(const struct kept_records *kept, struct symbols *symbols);
/* Writes the paths but those that others write. Returns 0, or -1 without memory. */
int kept_records_save_paths(const struct kept_records *kept, kept_has_fn has, const void *context,
			    struct object_numbers *numbers, struct blocks_writer *writer);

/* Prints the records of a file. Returns 0, or -1 without memory, or if they cannot be written. */
int saved_records_print(struct blocks *blocks, struct script *script, struct recorded_count *count);

#endif /* GAPP_READ_KEPT_RECORDS_H */
