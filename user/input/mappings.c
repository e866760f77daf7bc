// SPDX-License-Identifier: GPL-2.0
#include "mappings.h"

#include "util/hash_index.h"

/**
 * struct mappings - a list of mappings
 * @users: processes that share the list
 * @count: mappings
 * @room: mappings that there is memory for
 * @list: in the order of addresses
 */
struct mappings {
	size_t users;
	size_t count;
	size_t room;
	struct mapping list[];
};

struct mappings *mappings_share(struct mappings *mappings)
{
	if (mappings)
		mappings->users++;
	return mappings;
}

void mappings_release(struct mappings *mappings, struct objects *objects)
{
	if (!mappings || --mappings->users)
		return;
	for (size_t i = 0; i < mappings->count; i++)
		objects_release(objects, mappings->list[i].object);
	free(mappings);
}

size_t mappings_count(const struct mappings *mappings)
{
	return mappings ? mappings->count : 0;
}

const struct mapping *mappings_list(const struct mappings *mappings)
{
	return mappings ? mappings->list : NULL;
}

/* Index of the first mapping that ends behind @address. */
static size_t search(const struct mappings *mappings, u64 address)
{
	const struct mapping *list = mappings_list(mappings);
	size_t begun = count_up_to(list, mappings_count(mappings), sizeof(*list), address);

	return begun && list[begun - 1].end > address ? begun - 1 : begun;
}

const struct mapping *mappings_find(const struct mappings *mappings, u64 address)
{
	size_t i = search(mappings, address);

	if (i == mappings_count(mappings) || mappings->list[i].start > address)
		return NULL;
	return &mappings->list[i];
}

/* Whether the two mappings give one address different offsets in the file. */
static bool is_elsewhere(const struct mapping *known, const struct mapping *mapping)
{
	return (known->object->kind == OBJECT_FILE || known->object->kind == OBJECT_VDSO) &&
	       known->offset - known->start != mapping->offset - mapping->start;
}

bool mappings_replaces(const struct mappings *mappings, const struct mapping *mapping)
{
	size_t count = mappings_count(mappings);

	for (size_t i = search(mappings, mapping->start);
	     i < count && mappings->list[i].start < mapping->end; i++) {
		const struct mapping *known = &mappings->list[i];

		if (known->object != mapping->object || is_elsewhere(known, mapping))
			return true;
	}
	return false;
}

/* Copies a shared list, and makes room for @more mappings. NULL: no memory; @old is unchanged. */
static struct mappings *make_own(struct mappings *old, size_t more)
{
	size_t count = mappings_count(old), room = old ? old->room : 0;
	bool shared = old && old->users > 1;
	struct mappings *own = old;

	if (count + more > room)
		room = count + more + count / 2 + 4;
	if (!old || shared || room > old->room)
		own = realloc(shared ? NULL : old, sizeof(*own) + room * sizeof(own->list[0]));
	if (!own)
		return NULL;
	for (size_t i = 0; shared && i < count; i++) {
		own->list[i] = old->list[i];
		object_hold_again(own->list[i].object);
	}
	if (shared)
		old->users--;
	own->users = 1;
	own->count = count;
	own->room = room;
	return own;
}

int mappings_put(struct mappings **mappings, struct objects *objects, const struct mapping *mapping)
{
	/* the rest of the first overlapped mapping, the new mapping, the rest of the last one */
	struct mapping pieces[3];
	size_t first, last, count = 0;
	/* a mapping in the middle of another one splits it */
	struct mappings *own = make_own(*mappings, 2);

	if (!own) {
		objects_release(objects, mapping->object);
		return -1;
	}
	*mappings = own;

	first = search(own, mapping->start);
	for (last = first; last < own->count && own->list[last].start < mapping->end;)
		last++;
	if (last > first && own->list[first].start < mapping->start) {
		pieces[count] = own->list[first];
		object_hold_again(pieces[count].object);
		pieces[count++].end = mapping->start;
	}
	pieces[count++] = *mapping;
	if (last > first && own->list[last - 1].end > mapping->end) {
		pieces[count] = own->list[last - 1];
		object_hold_again(pieces[count].object);
		pieces[count].offset += mapping->end - pieces[count].start;
		pieces[count++].start = mapping->end;
	}

	/* after the rests hold their objects */
	for (size_t i = first; i < last; i++)
		objects_release(objects, own->list[i].object);

	memmove(&own->list[first + count], &own->list[last],
		(own->count - last) * sizeof(own->list[0]));
	memcpy(&own->list[first], pieces, count * sizeof(pieces[0]));
	own->count += count - (last - first);
	return 0;
}

int mappings_fill(struct mappings **mappings, struct objects *objects,
		  const struct mapping *mapping)
{
	u64 at = mapping->start;
	int failed = 0;

	while (at < mapping->end && !failed) {
		size_t next = search(*mappings, at);
		const struct mapping *known =
			next < mappings_count(*mappings) ? &(*mappings)->list[next] : NULL;
		struct mapping piece = *mapping;

		if (known && known->start <= at) {
			at = known->end;
			continue;
		}
		piece.start = at;
		piece.offset += at - mapping->start;
		if (known && known->start < piece.end)
			piece.end = known->start;
		at = piece.end;
		object_hold_again(piece.object);
		failed = mappings_put(mappings, objects, &piece);
	}
	objects_release(objects, mapping->object);
	return failed;
}
