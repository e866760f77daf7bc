// SPDX-License-Identifier: GPL-2.0
#include "sent.h"

#include "util/hash_index.h"

/* Few processes have more than some hundred. */
#define RANGES_MAX 1024

void told_free(struct told *told)
{
	free(told->ranges);
	*told = (struct told){ 0 };
}

void told_add(struct told *told, const struct proc_mapping *line)
{
	struct told_range range = { .begin = line->start, .end = line->end }, *last;

	if (line->inode) {
		range.dev = line->dev;
		range.inode = line->inode;
		range.bias = line->start - line->offset;
	}
	last = told->count ? &told->ranges[told->count - 1] : NULL;
	if (last && last->end == range.begin && last->dev == range.dev &&
	    last->inode == range.inode && last->bias == range.bias) {
		last->end = range.end;
		return;
	}
	if (told->count == RANGES_MAX ||
	    array_grow(&told->ranges, &told->room, told->count, sizeof(*told->ranges))) {
		told->anything = true;
		return;
	}
	told->ranges[told->count++] = range;
}

void told_copy(struct told *to, const struct told *from)
{
	size_t bytes = from->count * sizeof(*from->ranges);

	*to = (struct told){ .anything = from->anything };
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

/* The first one that ends behind @address. */
static u32 find(const struct told *told, u64 address)
{
	u32 low = 0, high = told->count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (told->ranges[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

bool told_otherwise(const struct told *told, const struct sideband_event *event)
{
	u64 end = event->start + event->length;
	u64 bias = event->inode ? event->start - event->offset : 0;
	dev_t dev = event->inode ? event->dev : 0;

	if (told->anything)
		return true;
	for (u32 i = find(told, event->start); i < told->count && told->ranges[i].begin < end; i++)
		if (told->ranges[i].inode != event->inode || told->ranges[i].dev != dev ||
		    told->ranges[i].bias != bias)
			return true;
	return false;
}
