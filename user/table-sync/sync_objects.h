/* SPDX-License-Identifier: GPL-2.0 */
/* The objects that the processes of a session map, and how far the module has their unwind tables.
 */
#ifndef GAPP_READ_TEACH_CODE_H
#define GAPP_READ_TEACH_CODE_H

#include <sys/stat.h>

#include "unwind-table/unwind_table.h"
#include "input/device.h"
#include "input/object.h"

/**
 * struct code - an object
 * @next: in its bucket
 * @next_wanted: behind it among those whose file is still to be opened
 * @object: held
 * @state: how far its table is
 * @fresh: that has changed since codes_take() was last asked
 * @table: CODE_LOADED: its number in the session
 * @bytes: size of that
 * @layout: CODE_LOADED: where the file's code belongs; without a table
 * @users: processes that map it
 * @lesson: the last time that a process's mappings were read and it was among them
 * @stamp: of its file when it was opened, as far as it tells one file from another
 */
struct code {
	struct code *next;
	struct code *next_wanted;
	struct object *object;
	enum code_state {
		CODE_NEW,
		CODE_WANTED, /* its file is still to be opened */
		CODE_COMPILING,
		CODE_LOADED,
		CODE_NONE, /* its code is walked by frame pointers */
	} state;
	bool fresh;
	u32 table;
	u64 bytes;
	struct unwind_table layout;
	u32 users;
	u64 lesson;
	struct stat stamp;
};

/**
 * struct code_figures - what became of objects
 * @tables: tables loaded, ever
 * @table_bytes: of these
 * @without: objects without a table: no call frame information, or not to be read
 * @refused: of them those whose table the module did not take
 * @compile_ns: time the tables took to be made, or read from the cache
 * @load_ns: time the module took for them
 */
struct code_figures {
	u64 tables;
	u64 table_bytes;
	u64 without;
	u64 refused;
	u64 compile_ns;
	u64 load_ns;
};

struct codes;

/* @verbose: to say why a table was refused. NULL: no memory. */
struct codes *codes_new(struct device *dev, struct objects *objects, bool verbose);
void codes_free(struct codes *codes);

/* What is known of an object, which is held from then on. NULL: no memory. */
struct code *codes_get(struct codes *codes, struct object *object);

/* A process maps it, or does not any more. */
void codes_use(struct codes *codes, struct code *code);
void codes_unuse(struct codes *codes, struct code *code);

/* It is known whether it has a table. */
static inline bool code_is_settled(const struct code *code)
{
	return code->state == CODE_LOADED || code->state == CODE_NONE;
}

/* Loads the tables that are ready. True: there are objects that are @fresh. */
bool codes_take(struct codes *codes);
/* Has the tables made that are missing, as far as there is room. True: likewise. */
bool codes_feed(struct codes *codes);
/* They have been seen to. */
void codes_taken(struct codes *codes);

/* Tables are still being made. */
bool codes_busy(const struct codes *codes);
/* Readable when codes_take() has something to do. */
int codes_fd(const struct codes *codes);

const struct code_figures *codes_figures(const struct codes *codes);

#endif /* GAPP_READ_TEACH_CODE_H */
