// SPDX-License-Identifier: GPL-2.0
#include "object_tables.h"

#include <errno.h>
#include <sys/epoll.h>

/*
 * Tables of objects that no process maps any more are kept: another process may map them soon.
 * All unused tables are dropped when there are too many objects, when they take too many bytes, or
 * when the module has no room for another table.
 */
#define OBJECTS_MAX 4096
#define UNUSED_BYTES_MAX (32U << 20)
/* Rows that the reader keeps itself, bytes. */
#define KEPT_BYTES_MAX (64U << 20)

/**
 * struct made_tables - what was made of a file
 * @unwind: its unwind table, empty after a failure
 * @spins: its spin table, if the cache had one
 * @knows_spins: @spins is set
 */
struct made_tables {
	struct unwind_table unwind;
	struct spin_table spins;
	bool knows_spins;
};

static void *make_tables(void *context, int fd, const volatile bool *cancel)
{
	const struct object_tables *tables = context;
	struct made_tables *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	unwind_table_get(&made->unwind, fd, cancel);
	if (tables->dev->spins)
		made->knows_spins = spin_table_recall(&made->spins, fd);
	return made;
}

static void free_made(void *context)
{
	struct made_tables *made = context;

	unwind_table_free(&made->unwind);
	spin_table_free(&made->spins);
	free(made);
}

static int add_ready(struct object_tables *tables, const struct table_worker *worker)
{
	struct epoll_event event = { .events = EPOLLIN };

	return worker ?
		       epoll_ctl(tables->ready_fd, EPOLL_CTL_ADD, table_worker_fd(worker), &event) :
		       0;
}

int object_tables_begin(struct object_tables *tables)
{
	const struct table_maker maker = { .make = make_tables,
					   .free = free_made,
					   .context = tables };

	tables->end_wanted = &tables->first_wanted;
	tables->ready_fd = epoll_create1(EPOLL_CLOEXEC);
	tables->worker = table_worker_new(&maker);
	if (tables->ready_fd >= 0 && tables->worker && !object_spins_begin(tables) &&
	    !add_ready(tables, tables->worker) && !add_ready(tables, tables->finder.worker))
		return 0;
	object_tables_end(tables);
	return -1;
}

static void free_layout(struct object_tables *tables, struct object_table *table)
{
	if (table->layout.data)
		tables->kept_bytes -= table->layout.bytes;
	unwind_table_free(&table->layout);
}

static void forget(struct object_tables *tables, struct object_table *table)
{
	key_map_remove(&tables->by_object, (uintptr_t)table->object);
	free_layout(tables, table);
	objects_release(tables->objects, table->object);
	free(table);
}

void object_tables_end(struct object_tables *tables)
{
	object_spins_end(tables);
	table_worker_free(tables->worker);
	cleanup_close(&tables->ready_fd);
	while (tables->by_object.count)
		forget(tables, tables->by_object.entries[tables->by_object.count - 1].value);
	key_map_free(&tables->by_object);
}

static void unload(struct object_tables *tables, struct object_table *table)
{
	object_spins_drop(tables, table);
	if (table->state == TABLE_LOADED) {
		device_drop_table(tables->dev, table->number);
		if (!table->users)
			tables->unused_bytes -= table->layout.bytes;
	}
	table->number = 0;
	free_layout(tables, table);
	table->state = TABLE_NEW;
}

static void drop_unused(struct object_tables *tables)
{
	object_spins_want_used(tables);
	for (u32 i = tables->by_object.count; i--;) {
		struct object_table *table = tables->by_object.entries[i].value;

		if (table->users || table->state == TABLE_WANTED || table->state == TABLE_COMPILING)
			continue;
		unload(tables, table);
		/* the finder comes back to the object */
		if (table->spins.state != SPINS_FINDING)
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

const struct unwind_table *object_tables_find(const struct object_tables *tables,
					      const struct object *object)
{
	const struct object_table *table = key_map_find(&tables->by_object, (uintptr_t)object);

	return table && table->state == TABLE_LOADED && table->layout.data ? &table->layout : NULL;
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
		tables->unused_bytes += table->layout.bytes;
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
		if (fd >= 0)
			build_id_read(fd, &table->object->build_id);
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
	if (!table->users && object_table_is_settled(table) && was_replaced(table))
		unload(tables, table);
	if (!table->users++ && table->state == TABLE_LOADED)
		tables->unused_bytes -= table->layout.bytes;
	if (object_table_is_settled(table))
		object_spins_want(tables, table);
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
		tables->unused_bytes += table->layout.bytes;
}

static int try_to_put(struct object_tables *tables, const void *data, u64 bytes, u32 *number)
{
	u64 begin = clock_ns();
	int result = device_load_table(tables->dev, data, bytes, number);

	tables->figures.load_ns += clock_ns() - begin;
	return result;
}

int object_tables_put(struct object_tables *tables, const void *data, u64 bytes, u32 *number)
{
	int failed = try_to_put(tables, data, bytes, number);

	if (failed && (errno == ENOSPC || errno == ENOBUFS || errno == ENOMEM)) {
		drop_unused(tables);
		failed = try_to_put(tables, data, bytes, number);
	}
	return failed;
}

static const char *why_refused(int error)
{
	switch (error) {
	case ENOSPC:
		return "too many tables, or too large together";
	case ENOBUFS:
		return "your limit of locked memory (`ulimit -l`) is reached";
	default:
		return strerror(error);
	}
}

static void note_refusal(struct object_tables *tables, const struct object_table *table)
{
	if (tables->verbose && !tables->figures.refused)
		complain(
			"the module does not take the unwind table of %s: %s: it unwinds this object, and others like it, by frame pointers",
			table->object->path, why_refused(errno));
	tables->figures.refused++;
}

/* The file's segments say where its code is, and so its loops. */
static void keep_segments(struct object_table *table, struct unwind_table *made)
{
	table->layout.segments = made->segments;
	table->layout.segment_count = made->segment_count;
	made->segments = NULL;
	made->segment_count = 0;
}

static enum object_table_state load(struct object_tables *tables, struct object_table *table,
				    struct unwind_table *made)
{
	if (!made->data) {
		keep_segments(table, made);
		return TABLE_NONE;
	}
	if (object_tables_put(tables, made->data, made->bytes, &table->number)) {
		note_refusal(tables, table);
		keep_segments(table, made);
		return TABLE_NONE;
	}
	if (tables->dev->unwind_by != GAPP_UNWIND_BY_AUTO ||
	    made->bytes > KEPT_BYTES_MAX - tables->kept_bytes) {
		unwind_table_free_data(made);
	} else {
		tables->kept_bytes += made->bytes;
	}
	table->layout = *made;
	*made = (struct unwind_table){ 0 };
	tables->figures.tables++;
	tables->figures.table_bytes += table->layout.bytes;
	return TABLE_LOADED;
}

bool object_tables_load(struct object_tables *tables)
{
	struct table_made ready;

	while (table_worker_take(tables->worker, &ready)) {
		struct object_table *table = ready.owner;
		struct made_tables nothing = { 0 }, *made = ready.made ?: &nothing;

		tables->compiling--;
		tables->figures.compile_ns += ready.took_ns;
		/* both may call drop_unused(), which keeps an object that is TABLE_COMPILING */
		object_spins_recalled(tables, table, &made->spins, made->knows_spins);
		settle(tables, table, load(tables, table, &made->unwind));
		if (ready.made)
			free_made(ready.made);
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
