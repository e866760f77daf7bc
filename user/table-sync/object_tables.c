// SPDX-License-Identifier: GPL-2.0
#include "object_tables.h"

#include <errno.h>

#include "input/object.h"
#include "unwind-table/unwind_table.h"
#include "util/hash_index.h"

/*
 * Tables of objects that no process maps any more are kept: another process may map them soon.
 * All unused tables are dropped when there are too many objects, when they take too many bytes, or
 * when the module has no room for another table.
 */
#define OBJECTS_MAX 4096
#define UNUSED_BYTES_MAX (32U << 20)

/**
 * struct object_tables - all objects
 * @dev: the session
 * @objects: where objects are held
 * @verbose: say why the module refused a table
 * @worker: the thread that makes tables
 * @by_object: struct object_table by the address of its object
 * @unused_bytes: size of loaded tables that no process maps
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
	struct key_map by_object;
	u64 unused_bytes;
	u32 compiling;
	struct object_table *first_wanted;
	struct object_table **end_wanted;
	bool fresh;
	struct object_figures figures;
};

struct object_tables *object_tables_new(struct device *dev, struct objects *objects, bool verbose)
{
	struct object_tables *tables = calloc(1, sizeof(*tables));

	if (!tables)
		return NULL;
	tables->dev = dev;
	tables->objects = objects;
	tables->verbose = verbose;
	tables->end_wanted = &tables->first_wanted;
	tables->worker = table_worker_new();
	if (!tables->worker) {
		free(tables);
		return NULL;
	}
	return tables;
}

static void forget(struct object_tables *tables, struct object_table *table)
{
	key_map_remove(&tables->by_object, (uintptr_t)table->object);
	unwind_table_free(&table->layout);
	objects_release(tables->objects, table->object);
	free(table);
}

void object_tables_free(struct object_tables *tables)
{
	if (!tables)
		return;
	table_worker_free(tables->worker);
	while (tables->by_object.count)
		forget(tables, tables->by_object.entries[tables->by_object.count - 1].value);
	key_map_free(&tables->by_object);
	free(tables);
}

static void unload(struct object_tables *tables, struct object_table *table)
{
	if (table->state != TABLE_LOADED)
		return;
	device_drop_table(tables->dev, table->number);
	if (!table->users)
		tables->unused_bytes -= table->bytes;
	unwind_table_free(&table->layout);
	table->layout = (struct unwind_table){ 0 };
	table->state = TABLE_NEW;
}

static void drop_unused(struct object_tables *tables)
{
	for (u32 i = tables->by_object.count; i--;) {
		struct object_table *table = tables->by_object.entries[i].value;

		if (table->users || table->state == TABLE_WANTED || table->state == TABLE_COMPILING)
			continue;
		unload(tables, table);
		forget(tables, table);
	}
}

struct object_table *object_tables_get(struct object_tables *tables, struct object *object)
{
	struct object_table *table = key_map_find(&tables->by_object, (uintptr_t)object);

	if (table)
		return table;
	if (tables->by_object.count >= OBJECTS_MAX || tables->unused_bytes > UNUSED_BYTES_MAX)
		drop_unused(tables);
	if (tables->by_object.count >= 2 * OBJECTS_MAX)
		return NULL;
	table = calloc(1, sizeof(*table));
	if (!table || key_map_add(&tables->by_object, (uintptr_t)object, table)) {
		free(table);
		return NULL;
	}
	object_hold_again(object);
	table->object = object;
	return table;
}

static void settle(struct object_tables *tables, struct object_table *table,
		   enum object_table_state state)
{
	table->state = state;
	table->fresh = true;
	tables->fresh = true;
	if (state == TABLE_NONE)
		tables->figures.without++;
	else if (!table->users)
		tables->unused_bytes += table->bytes;
}

bool object_tables_make(struct object_tables *tables)
{
	while (tables->first_wanted && table_worker_room(tables->worker)) {
		struct object_table *table = tables->first_wanted;
		int fd = elf_file_open(table->object);

		tables->first_wanted = table->next_wanted;
		if (!tables->first_wanted)
			tables->end_wanted = &tables->first_wanted;
		if (fd >= 0 && fstat(fd, &table->stamp))
			table->stamp = (struct stat){ 0 };
		if (fd < 0 || table_worker_give(tables->worker, fd, table)) {
			settle(tables, table, TABLE_NONE);
			continue;
		}
		table->state = TABLE_COMPILING;
		tables->compiling++;
	}
	return tables->fresh;
}

/* Whether the file's inode belongs to another file now: no process held the file meanwhile. */
static bool was_replaced(const struct object_table *table)
{
	_cleanup_close_ int fd = table->object->kind == OBJECT_FILE ? elf_file_open(table->object) :
								      -1;
	const struct stat *old = &table->stamp;
	struct stat now;

	return fd >= 0 && !fstat(fd, &now) &&
	       (now.st_size != old->st_size || now.st_ctim.tv_sec != old->st_ctim.tv_sec ||
		now.st_ctim.tv_nsec != old->st_ctim.tv_nsec);
}

void object_table_use(struct object_tables *tables, struct object_table *table)
{
	if (!table->users && object_table_is_settled(table) && was_replaced(table)) {
		unload(tables, table);
		table->state = TABLE_NEW;
	}
	if (!table->users++ && table->state == TABLE_LOADED)
		tables->unused_bytes -= table->bytes;
	if (table->state == TABLE_NEW) {
		table->state = TABLE_WANTED;
		table->next_wanted = NULL;
		*tables->end_wanted = table;
		tables->end_wanted = &table->next_wanted;
	}
}

void object_table_unuse(struct object_tables *tables, struct object_table *table)
{
	if (!--table->users && table->state == TABLE_LOADED)
		tables->unused_bytes += table->bytes;
}

/* Keeps where the code of the file belongs, not the rows. Returns 0, or -1 without memory. */
static int keep_layout(struct object_table *table, const struct unwind_table *made)
{
	size_t bytes = made->segment_count * sizeof(*made->segments);

	table->layout.segments = malloc(bytes ? bytes : 1);
	if (!table->layout.segments)
		return -1;
	memcpy(table->layout.segments, made->segments, bytes);
	table->layout.segment_count = made->segment_count;
	return 0;
}

static int try_to_load(struct object_tables *tables, struct object_table *table,
		       const struct unwind_table *made)
{
	u64 begin = clock_ns();
	int result;

	result = device_load_table(tables->dev, made->data, made->bytes, &table->number);
	tables->figures.load_ns += clock_ns() - begin;
	return result;
}

static void note_refusal(struct object_tables *tables, const struct object_table *table)
{
	if (tables->verbose && !tables->figures.refused)
		complain(
			"the module does not take the unwind table of %s: %s: it unwinds this object, and others like it, by frame pointers",
			table->object->path,
			errno == ENOSPC ? "too many tables, or too large together" :
					  strerror(errno));
	tables->figures.refused++;
}

static enum object_table_state load(struct object_tables *tables, struct object_table *table,
				    const struct unwind_table *made)
{
	int failed;

	if (!made->data)
		return TABLE_NONE;
	failed = try_to_load(tables, table, made);
	if (failed && (errno == ENOSPC || errno == ENOMEM)) {
		drop_unused(tables);
		failed = try_to_load(tables, table, made);
	}
	if (failed) {
		note_refusal(tables, table);
		return TABLE_NONE;
	}
	if (keep_layout(table, made)) {
		device_drop_table(tables->dev, table->number);
		return TABLE_NONE;
	}
	table->bytes = made->bytes;
	tables->figures.tables++;
	tables->figures.table_bytes += made->bytes;
	return TABLE_LOADED;
}

bool object_tables_load(struct object_tables *tables)
{
	struct table_made made;

	while (table_worker_take(tables->worker, &made)) {
		struct object_table *table = made.owner;

		tables->compiling--;
		tables->figures.compile_ns += made.took_ns;
		/* load() may call drop_unused(), which keeps an object that is TABLE_COMPILING */
		settle(tables, table, load(tables, table, &made.table));
		unwind_table_free(&made.table);
	}
	return tables->fresh;
}

void object_tables_seen(struct object_tables *tables)
{
	if (!tables->fresh)
		return;
	tables->fresh = false;
	for (u32 i = 0; i < tables->by_object.count; i++)
		((struct object_table *)tables->by_object.entries[i].value)->fresh = false;
}

bool object_tables_busy(const struct object_tables *tables)
{
	return tables->compiling || tables->first_wanted;
}

int object_tables_fd(const struct object_tables *tables)
{
	return table_worker_fd(tables->worker);
}

const struct object_figures *object_tables_figures(const struct object_tables *tables)
{
	return &tables->figures;
}
