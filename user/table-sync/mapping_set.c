// SPDX-License-Identifier: GPL-2.0
#include "mapping_set.h"

#include <errno.h>

#include "util/hash_index.h"

/* Ranges that are remembered of a process; few processes have more than some hundred. */
#define RANGES_MAX 1024

void sent_free(struct sent *sent)
{
	free(sent->ranges);
	*sent = (struct sent){ 0 };
}

void sent_add(struct sent *sent, const struct proc_mapping *line)
{
	struct sent_range range = { .begin = line->start, .end = line->end }, *last;

	if (line->inode) {
		range.dev = line->dev;
		range.inode = line->inode;
		range.bias = line->start - line->offset;
	}
	last = sent->count ? &sent->ranges[sent->count - 1] : NULL;
	if (last && last->end == range.begin && last->dev == range.dev &&
	    last->inode == range.inode && last->bias == range.bias) {
		last->end = range.end;
		return;
	}
	if (sent->count == RANGES_MAX ||
	    array_grow(&sent->ranges, &sent->room, sent->count, sizeof(*sent->ranges))) {
		sent->anything = true;
		return;
	}
	sent->ranges[sent->count++] = range;
}

void sent_copy(struct sent *to, const struct sent *from)
{
	size_t bytes = from->count * sizeof(*from->ranges);

	*to = (struct sent){ .anything = from->anything };
	if (!bytes)
		return;
	to->ranges = malloc(bytes);
	if (!to->ranges) {
		to->anything = true;
		return;
	}
	memcpy(to->ranges, from->ranges, bytes);
	to->count = from->count;
	to->room = from->count;
}

/* Number of the first range that ends behind @address. */
static u32 find_range(const struct sent *sent, u64 address)
{
	u32 low = 0, high = sent->count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (sent->ranges[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

bool sent_differs(const struct sent *sent, const struct sideband_event *event)
{
	u64 end = event->start + event->length;
	u64 bias = event->inode ? event->start - event->offset : 0;
	dev_t dev = event->inode ? event->dev : 0;

	if (sent->anything)
		return true;
	for (u32 i = find_range(sent, event->start); i < sent->count; i++) {
		const struct sent_range *range = &sent->ranges[i];

		if (range->begin >= end)
			break;
		if (range->inode != event->inode || range->dev != dev || range->bias != bias)
			return true;
	}
	return false;
}

void mapped_free(struct mapped *mapped, struct object_tables *tables)
{
	for (u32 i = 0; i < mapped->count; i++)
		object_table_unuse(tables, mapped->tables[i]);
	free(mapped->tables);
	sent_free(&mapped->sent);
	*mapped = (struct mapped){ 0 };
}

static int add_table(struct mapped *mapped, struct object_table *table,
		     struct object_tables *tables)
{
	if (array_grow(&mapped->tables, &mapped->room, mapped->count, sizeof(*mapped->tables)))
		return -1;
	mapped->tables[mapped->count++] = table;
	object_table_use(tables, table);
	return 0;
}

int mapped_copy(struct mapped *to, const struct mapped *from, struct object_tables *tables)
{
	*to = (struct mapped){ 0 };
	sent_copy(&to->sent, &from->sent);
	for (u32 i = 0; i < from->count; i++) {
		if (add_table(to, from->tables[i], tables)) {
			mapped_free(to, tables);
			return -1;
		}
	}
	return 0;
}

static int add_mapping(struct mapping_set *set, const struct gapp_mapping *mapping)
{
	struct gapp_mapping *last = set->count ? &set->mappings[set->count - 1] : NULL;

	if (last && last->end == mapping->begin && last->table == mapping->table &&
	    last->bias == mapping->bias) {
		last->end = mapping->end;
		return 0;
	}
	/* The module takes no more mappings. Where one is missing it asks for it and cuts paths. */
	if (set->count >= GAPP_MAX_MAPPINGS)
		return -1;
	if (array_grow(&set->mappings, &set->room, set->count, sizeof(*set->mappings)))
		return -1;
	set->mappings[set->count++] = *mapping;
	return 0;
}

/* Adds a mapping of an object that may have an unwind table. */
static int add_object(struct mapping_set *set, const struct proc_mapping *line,
		      struct object_table *table)
{
	u64 offset = table->object->kind == OBJECT_FILE ? line->offset : 0;
	struct gapp_mapping mapping = { .begin = line->start, .end = line->end };

	if (table->reading != set->number) {
		if (add_table(&set->mapped, table, set->tables)) {
			set->starved = true;
			return -1;
		}
		table->reading = set->number;
	}
	if (!object_table_is_settled(table))
		return 0;
	if (table->state == TABLE_LOADED &&
	    unwind_table_bias(&table->layout, line->start, offset, &mapping.bias))
		mapping.table = table->number;
	else
		mapping.bias = 0;
	sent_add(&set->mapped.sent, line);
	return add_mapping(set, &mapping);
}

static int take_line(void *context, const struct proc_mapping *line)
{
	struct mapping_set *set = context;
	struct gapp_mapping plain = { .begin = line->start, .end = line->end };
	struct object_table *table = NULL;
	struct object *object;

	/* [vsyscall] is in the kernel's half; mappings that change during the reading come twice */
	if ((s64)line->end < 0 || line->start < set->end)
		return 0;
	set->end = line->end;
	object = objects_hold(set->objects, line->path, line->dev, line->inode, set->pid);
	if (!object) {
		set->starved = true;
		return -1;
	}
	if (object->kind == OBJECT_FILE || object->kind == OBJECT_VDSO)
		table = object_tables_get(set->tables, object);
	objects_release(set->objects, object);
	if (table)
		return add_object(set, line, table);
	sent_add(&set->mapped.sent, line);
	return add_mapping(set, &plain);
}

int mapping_set_read(struct mapping_set *set, pid_t pid)
{
	ssize_t lines;

	mapped_free(&set->mapped, set->tables);
	set->number++;
	set->pid = pid;
	set->count = 0;
	set->end = 0;
	set->starved = false;
	lines = proc_maps_read(pid, take_line, set);
	if (lines > 0 && !set->starved)
		return 0;
	if (set->starved)
		errno = ENOMEM;
	else if (!lines || errno == ENOENT)
		errno = ESRCH;
	return -1;
}

void mapping_set_free(struct mapping_set *set)
{
	mapped_free(&set->mapped, set->tables);
	free(set->mappings);
	set->mappings = NULL;
}
