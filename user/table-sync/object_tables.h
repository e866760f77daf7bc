/* SPDX-License-Identifier: GPL-2.0 */
/* The objects that a session's processes map, and whether the module has their tables. */
#ifndef GAPP_READ_OBJECT_TABLES_H
#define GAPP_READ_OBJECT_TABLES_H

#include <sys/stat.h>

#include "input/device.h"
#include "input/object.h"
#include "object_spins.h"
#include "unwind-table/unwind_table.h"
#include "util/hash_index.h"

/**
 * struct object_table - an object and its tables
 * @object: held
 * @next_wanted: TABLE_WANTED: the next object whose file is to be opened
 * @state: see each value
 * @fresh: @state was settled, or a spin table loaded, since object_tables_seen() was last called
 * @number: TABLE_LOADED: the table's number in the session; else 0
 * @layout: TABLE_LOADED: the table, whose rows may be missing (see object_tables_find()).
 *	TABLE_NONE: the file's segments alone
 * @spins: the spin table
 * @users: processes that map the object
 * @reading: number of the mapping set that the object was last found in
 * @stamp: of its file when it was opened; a replaced file has another size or change time
 */
struct object_table {
	struct object *object;
	struct object_table *next_wanted;
	enum object_table_state {
		TABLE_NEW,
		TABLE_WANTED, /* the file is still to be opened */
		TABLE_COMPILING,
		TABLE_LOADED,
		TABLE_NONE, /* the module unwinds this object by frame pointers */
	} state;
	bool fresh;
	u32 number;
	struct unwind_table layout;
	struct object_spins spins;
	u32 users;
	u64 reading;
	struct stat stamp;
};

/**
 * struct object_figures - what became of the objects, since the session began
 * @tables: tables that were loaded
 * @table_bytes: bytes of the loaded tables
 * @without: objects without a table: no call frame information, or a file that cannot be read
 * @refused: of the objects in @without those whose table the module did not take
 * @compile_ns: time it took to make tables or read them from the cache
 * @load_ns: time the module took to load tables
 * @spin_tables: spin tables that were loaded
 * @spin_loops: ranges of code of busy-wait loops in them
 * @spin_refused: spin tables that the module did not take
 * @spin_without: objects whose loops are not known, because the library that decodes is missing
 */
struct object_figures {
	u64 tables;
	u64 table_bytes;
	u64 without;
	u64 refused;
	u64 compile_ns;
	u64 load_ns;
	u64 spin_tables;
	u64 spin_loops;
	u64 spin_refused;
	u64 spin_without;
};

/**
 * struct object_tables - all objects
 * @dev: the session
 * @objects: where objects are held
 * @verbose: say why the module refused a table
 * @worker: the thread that makes unwind tables
 * @finder: makes spin tables
 * @ready_fd: readable while the worker or the finder has a table to take
 * @by_object: struct object_table by the address of its object
 * @unused_bytes: size of loaded unwind tables that no process maps
 * @kept_bytes: size of tables whose rows are kept
 * @compiling: files that the worker has
 * @first_wanted: objects whose file is to be opened, the oldest first
 * @end_wanted: where the link to the next one goes
 * @fresh: @fresh of some object is set
 * @figures: see struct object_figures
 */
struct object_tables {
	struct device *dev;
	struct objects *objects;
	bool verbose;
	struct table_worker *worker;
	struct spin_finder finder;
	int ready_fd;
	struct key_map by_object;
	u64 unused_bytes;
	u64 kept_bytes;
	u32 compiling;
	struct object_table *first_wanted;
	struct object_table **end_wanted;
	bool fresh;
	struct object_figures figures;
};

/*
 * Starts with all members zero but @dev, @objects and @verbose. Returns 0, or -1 without memory or
 * file descriptors.
 */
int object_tables_begin(struct object_tables *tables);
void object_tables_end(struct object_tables *tables);

/* Holds the object. NULL: no memory. May forget objects that no process maps. */
struct object_table *object_tables_get(struct object_tables *tables, struct object *object);

/*
 * The table of an object, with its rows, for the reader to unwind stack copies; valid until the
 * next call of a function here. NULL: the module has no table of the object, or there are too many
 * bytes of rows to keep.
 */
const struct unwind_table *object_tables_find(const struct object_tables *tables,
					      const struct object *object);

/* Count the processes that map the object: one more, one less. */
void object_table_use(struct object_tables *tables, struct object_table *table);
void object_table_unuse(struct object_tables *tables, struct object_table *table);

/*
 * Loads a table into the module; drops those that nobody uses if there is no room. Keeps objects
 * whose unwind table is being made. Returns 0, or -1 with errno set.
 */
int object_tables_put(struct object_tables *tables, const void *data, u64 bytes, u32 *number);

/* Whether it is decided if the module has an unwind table of the object. */
static inline bool object_table_is_settled(const struct object_table *table)
{
	return table->state == TABLE_LOADED || table->state == TABLE_NONE;
}

/* Loads unwind tables that are ready into the module. Returns whether any object is @fresh. */
bool object_tables_load(struct object_tables *tables);
/* Opens files that are wanted and has their tables made. Returns whether any object is @fresh. */
bool object_tables_make(struct object_tables *tables);
/* Clears @fresh of all objects, after the caller has acted on them. */
void object_tables_seen(struct object_tables *tables);

#endif /* GAPP_READ_OBJECT_TABLES_H */
