/* SPDX-License-Identifier: GPL-2.0 */
/* Functions and source lines in a recording's file. */
#ifndef GAPP_READ_SAVED_NAMES_H
#define GAPP_READ_SAVED_NAMES_H

#include "input/saved_objects.h"
#include "symbols.h"

/* Writes all that was looked up so far. Returns 0, or -1 without memory. */
int symbols_save(const struct symbols *symbols, struct object_numbers *numbers,
		 struct blocks_writer *writer);

/*
 * The symbols of a recording's file. They know what was looked up before it was written, and look
 * nothing up. NULL: no memory.
 */
struct symbols *symbols_read(struct blocks *blocks, struct saved_objects *objects);

/* Symbols that look nothing up, for symbols_read_more(). NULL: no memory. */
struct symbols *symbols_for_saved(void);

/*
 * Adds what another recording's file knows; what is known of a code address already stays. Returns
 * 0, or -1 without memory.
 */
int symbols_read_more(struct symbols *symbols, struct blocks *blocks,
		      struct saved_objects *objects);

/*
 * Looks all that again, in files that have the build-ids of the recording. @sources->symfs has to
 * outlive it. Sets @changed if any file names more than the recording did; frames that were given
 * may be invalid then. Returns 0, or -1 without memory.
 */
int symbols_name_again(struct symbols *symbols, const struct symbol_sources *sources,
		       bool *changed);

#endif /* GAPP_READ_SAVED_NAMES_H */
