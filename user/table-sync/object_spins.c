// SPDX-License-Identifier: GPL-2.0
#include "object_spins.h"

#include <errno.h>

#include "object_tables.h"

/*
 * It takes a second for each MB of code, which the target should keep. But where all its threads
 * spin no CPU is ever idle.
 */
#define FINDER_NICE 10
/* Files of so many bytes take a second or two: the C and C++ libraries, not Python. */
#define SMALL_FILE (4 << 20)

/**
 * struct found_spins - what became of a file
 * @table: its spin table
 * @error: why there is none, or 0
 */
struct found_spins {
	struct spin_table table;
	int error;
};

static bool is_small(const struct object_table *table)
{
	return table->stamp.st_size <= SMALL_FILE;
}

static void *find_spins(void *context, int fd, const volatile bool *cancel)
{
	struct spin_finder *finder = context;
	struct found_spins *found = calloc(1, sizeof(*found));

	if (!found)
		return NULL;
	if (finder->blind)
		found->error = ENOTSUP;
	else if (spin_table_get(&found->table, fd, finder->complains, cancel))
		found->error = errno;
	if (found->error == ENOTSUP)
		finder->blind = true;
	return found;
}

static void free_found(void *made)
{
	struct found_spins *found = made;

	spin_table_free(&found->table);
	free(found);
}

int object_spins_begin(struct object_tables *tables)
{
	struct spin_finder *finder = &tables->finder;
	const struct table_maker maker = {
		.make = find_spins, .free = free_found, .context = finder, .nice = FINDER_NICE
	};

	finder->complains = tables->verbose;
	if (!tables->dev->spins)
		return 0;
	finder->worker = table_worker_new(&maker);
	return finder->worker ? 0 : -1;
}

void object_spins_end(struct object_tables *tables)
{
	table_worker_free(tables->finder.worker);
}

/* The object must be one that object_tables_put() does not forget. */
static enum object_spins_state load(struct object_tables *tables, struct object_table *table,
				    const struct spin_table *made)
{
	if (!made->data)
		return SPINS_NONE;
	if (object_tables_put(tables, made->data, made->bytes, &table->spins.number)) {
		tables->figures.spin_refused++;
		return SPINS_NONE;
	}
	tables->figures.spin_tables++;
	tables->figures.spin_loops += made->data->ranges;
	table->fresh = true;
	tables->fresh = true;
	return SPINS_LOADED;
}

void object_spins_recalled(struct object_tables *tables, struct object_table *table,
			   const struct spin_table *recalled, bool is_known)
{
	if (is_known && table->spins.state == SPINS_NEW)
		table->spins.state = load(tables, table, recalled);
	object_spins_want(tables, table);
}

void object_spins_want(struct object_tables *tables, struct object_table *table)
{
	struct spin_finder *finder = &tables->finder;
	struct object_table **link = &finder->first_wanted;

	if (!finder->worker || finder->gave_up || !table->users || table->spins.state != SPINS_NEW)
		return;
	/* what takes least first: the program itself nearly always, before the C library */
	while (*link && (*link)->stamp.st_size <= table->stamp.st_size)
		link = &(*link)->spins.next_wanted;
	table->spins.state = SPINS_WANTED;
	table->spins.next_wanted = *link;
	*link = table;
}

static struct object_table *take_wanted(struct spin_finder *finder)
{
	struct object_table *table = finder->first_wanted;

	finder->first_wanted = table->spins.next_wanted;
	table->spins.state = SPINS_NEW;
	return table;
}

void object_spins_drop(struct object_tables *tables, struct object_table *table)
{
	struct object_spins *spins = &table->spins;

	if (spins->number)
		device_drop_table(tables->dev, spins->number);
	spins->number = 0;
	if (spins->state == SPINS_FINDING)
		spins->outdated = true;
	else if (spins->state != SPINS_WANTED)
		spins->state = SPINS_NEW;
}

void object_spins_want_used(struct object_tables *tables)
{
	struct spin_finder *finder = &tables->finder;
	struct object_table *next = finder->first_wanted, *table;

	finder->first_wanted = NULL;
	while ((table = next)) {
		next = table->spins.next_wanted;
		table->spins.state = SPINS_NEW;
		object_spins_want(tables, table);
	}
}

/* Takes what the finder has found of an object, which may be nothing. */
static void take_found(struct object_tables *tables, struct object_table *table,
		       const struct found_spins *found)
{
	struct object_spins *spins = &table->spins;

	tables->finder.small -= spins->small;
	/* nothing is loaded for nobody; the cache has it for whoever uses the object later */
	if (spins->outdated || !table->users) {
		spins->outdated = false;
		spins->state = SPINS_NEW;
		if (object_table_is_settled(table))
			object_spins_want(tables, table);
		return;
	}
	if (found && found->error == ENOTSUP) {
		tables->figures.spin_without++;
		tables->finder.gave_up = true;
	}
	spins->state = load(tables, table, found ? &found->table : &(struct spin_table){ 0 });
}

bool object_spins_load(struct object_tables *tables)
{
	struct table_made made;

	while (tables->finder.worker && table_worker_take(tables->finder.worker, &made)) {
		take_found(tables, made.owner, made.made);
		if (made.made)
			free_found(made.made);
	}
	return tables->fresh;
}

void object_spins_find(struct object_tables *tables, bool only_small)
{
	struct spin_finder *finder = &tables->finder;

	if (!finder->worker || tables->first_wanted || tables->compiling)
		return;
	while (finder->first_wanted && table_worker_room(finder->worker)) {
		struct object_table *table;
		int fd;

		if (only_small && !is_small(finder->first_wanted))
			return;
		table = take_wanted(finder);
		/* once somebody uses it again, it is wanted again */
		if (!table->users)
			continue;
		fd = elf_file_open(table->object);
		if (fd < 0 || table_worker_give(finder->worker, fd, table)) {
			table->spins.state = SPINS_NONE;
			continue;
		}
		table->spins.state = SPINS_FINDING;
		table->spins.small = is_small(table);
		finder->small += table->spins.small;
	}
}

bool object_spins_soon(const struct object_tables *tables)
{
	const struct spin_finder *finder = &tables->finder;

	if (!finder->worker || finder->gave_up)
		return false;
	return finder->small || (finder->first_wanted && is_small(finder->first_wanted));
}
