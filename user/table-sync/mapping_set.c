// SPDX-License-Identifier: GPL-2.0
#include "mapping_set.h"

#include <errno.h>

/* Ranges that are remembered of a process; few processes have more than some hundred. */
#define RANGES_MAX 1024

void sent_free(struct sent *sent)
{
	free(sent->ranges);
	*sent = (struct sent){ 0 };
}

static void add_range(struct sent *sent, const struct sent_range *range)
{
	struct sent_range *last = sent->count ? &sent->ranges[sent->count - 1] : NULL;

	if (last && last->end == range->begin && last->dev == range->dev &&
	    last->inode == range->inode && last->bias == range->bias) {
		last->end = range->end;
		return;
	}
	if (sent->count == RANGES_MAX ||
	    array_grow(&sent->ranges, &sent->room, sent->count, sizeof(*range))) {
		sent->anything = true;
		return;
	}
	sent->ranges[sent->count++] = *range;
}

void sent_add(struct sent *sent, const struct proc_mapping *line)
{
	struct sent_range range = { .begin = line->start, .end = line->end };

	if (line->inode) {
		range.dev = line->dev;
		range.inode = line->inode;
		range.bias = line->start - line->offset;
	}
	add_range(sent, &range);
}

void sent_copy(struct sent *to, const struct sent *from)
{
	*to = (struct sent){ .anything = from->anything };
	for (u32 i = 0; i < from->count; i++)
		add_range(to, &from->ranges[i]);
}

bool sent_differs(const struct sent *sent, const struct sideband_event *event)
{
	size_t at = count_up_to(sent->ranges, sent->count, sizeof(*sent->ranges), event->start);
	u64 end = event->start + event->length;
	u64 bias = event->inode ? event->start - event->offset : 0;
	dev_t dev = event->inode ? event->dev : 0;

	if (sent->anything)
		return true;
	/* the range before @at may reach into the event's */
	for (size_t i = at ? at - 1 : 0; i < sent->count && sent->ranges[i].begin < end; i++) {
		const struct sent_range *range = &sent->ranges[i];

		if (range->end <= event->start)
			continue;
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

int mapped_add(struct mapped *mapped, struct object_table *table, struct object_tables *tables)
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
		if (mapped_add(to, from->tables[i], tables)) {
			mapped_free(to, tables);
			return -1;
		}
	}
	return 0;
}

void mapped_take_tables(struct mapped *to, struct mapped *from, struct object_tables *tables)
{
	struct sent sent = to->sent;

	to->sent = (struct sent){ 0 };
	mapped_free(to, tables);
	sent_free(&from->sent);
	*to = *from;
	to->sent = sent;
	*from = (struct mapped){ 0 };
}

bool mapped_is_settled(const struct mapped *mapped)
{
	for (u32 i = 0; i < mapped->count; i++)
		if (!object_table_is_settled(mapped->tables[i]))
			return false;
	return true;
}

bool mapped_has_fresh(const struct mapped *mapped)
{
	for (u32 i = 0; i < mapped->count; i++)
		if (mapped->tables[i]->fresh)
			return true;
	return false;
}

static int add_mapping(struct mapping_set *set, const struct gapp_mapping *mapping)
{
	struct gapp_mapping *last = set->count ? &set->mappings[set->count - 1] : NULL;

	if (last && last->end == mapping->begin && last->table == mapping->table &&
	    last->spins == mapping->spins && last->bias == mapping->bias) {
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

static int starve(struct mapping_set *set)
{
	set->starved = true;
	return -1;
}

static int take_line(void *context, const struct proc_mapping *line)
{
	struct mapping_set *set = context;
	struct gapp_mapping mapping = { .begin = line->start, .end = line->end };
	struct object_table *table = NULL;
	struct object *object;

	/* [vsyscall] is in the kernel's half; mappings that change during the reading come twice */
	if ((s64)line->end < 0 || line->start < set->end)
		return 0;
	set->end = line->end;
	object = objects_hold(set->tables->objects, line->path, line->dev, line->inode, set->pid);
	if (!object)
		return starve(set);
	if (object->kind == OBJECT_FILE || object->kind == OBJECT_VDSO)
		table = object_tables_get(set->tables, object);
	objects_release(set->tables->objects, object);
	if (table && table->reading != set->number) {
		if (mapped_add(&set->mapped, table, set->tables))
			return starve(set);
		table->reading = set->number;
	}
	if (table && !object_table_is_settled(table))
		return 0;
	if (table && (table->number || table->spins.number) &&
	    unwind_table_bias(&table->layout, line->start,
			      table->object->kind == OBJECT_FILE ? line->offset : 0,
			      &mapping.bias)) {
		mapping.table = table->number;
		mapping.spins = table->spins.number;
	}
	sent_add(&set->mapped.sent, line);
	return add_mapping(set, &mapping);
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
