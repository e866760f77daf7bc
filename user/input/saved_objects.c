// SPDX-License-Identifier: GPL-2.0
#include "saved_objects.h"

/* A recording with more objects makes no sense. */
#define SAVED_OBJECTS_MAX 0x100000U
/* Objects that are made in place of damaged ones. */
#define MISSING_MAX 0x10000U

static const char unknown_path[] = "[unknown]";

void object_numbers_free(struct object_numbers *numbers)
{
	key_map_free(&numbers->by_object);
	free(numbers->objects);
}

u32 object_number(struct object_numbers *numbers, const struct object *object)
{
	const u64 key = (uintptr_t)object;
	uintptr_t known = (uintptr_t)key_map_find(&numbers->by_object, key);

	if (known)
		return known - 1;
	if (array_grow(&numbers->objects, &numbers->room, numbers->count,
		       sizeof(*numbers->objects)) ||
	    key_map_add(&numbers->by_object, key, (void *)(uintptr_t)(numbers->count + 1)))
		return HASH_NONE;
	numbers->objects[numbers->count] = object;
	return numbers->count++;
}

void objects_save(struct object_numbers *numbers, struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_OBJECTS);
	writer->first = numbers->saved;
	while (numbers->saved < numbers->count) {
		const struct object *object = numbers->objects[numbers->saved++];
		struct pack *pack = blocks_item(writer);

		pack_u64(pack, object->kind);
		pack_text(pack, object->path);
		pack_u64(pack, object->dev);
		pack_u64(pack, object->inode);
		blocks_item_end(writer);
	}
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static struct object *unpack_object(struct unpack *unpack)
{
	struct object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
	object->kind = unpack_most(unpack, OBJECT_KERNEL);
	object->path = unpack_text(unpack);
	object->dev = unpack_u64(unpack);
	object->inode = unpack_u64(unpack);
	if (!object->path || !unpack_keep(unpack, sizeof(*object) + strlen(object->path)))
		unpack->failed = true;
	if (object->path)
		object->name = object->kind == OBJECT_FILE ? last_part(object->path) : object->path;
	return object;
}

void saved_object_free(struct object *object)
{
	if (!object)
		return;
	if (object->path != unknown_path)
		free(object->path);
	free(object);
}

static int grow(struct saved_objects *saved, u64 number)
{
	if (number < saved->count)
		return 0;
	if (array_grow_zeroed(&saved->objects, &saved->room, number, sizeof(*saved->objects)))
		return -1;
	saved->count = number + 1;
	return 0;
}

static int take_objects(void *context, u64 first, u64 count, struct unpack *unpack)
{
	struct saved_objects *saved = context;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		struct object *object = unpack_object(unpack);

		if (!object)
			return -1;
		if (unpack->failed || first >= SAVED_OBJECTS_MAX ||
		    first + i >= SAVED_OBJECTS_MAX) {
			saved_object_free(object);
			unpack->failed = true;
			return 0;
		}
		if (grow(saved, first + i)) {
			saved_object_free(object);
			return -1;
		}
		saved_object_free(saved->objects[first + i]);
		saved->objects[first + i] = object;
	}
	return 0;
}

static const struct object unknown_object = {
	.kind = OBJECT_UNKNOWN,
	.path = (char *)unknown_path,
	.name = unknown_path,
};

int saved_objects_read(struct saved_objects *saved, struct blocks *blocks)
{
	saved->unknown = unknown_object;
	return blocks_each(blocks, BLOCK_OBJECTS, take_objects, saved);
}

void saved_objects_free(struct saved_objects *saved)
{
	for (u32 i = 0; i < saved->count; i++)
		if (!saved->foreign || i >= saved->foreign_count || !saved->foreign[i])
			saved_object_free(saved->objects[i]);
	free(saved->objects);
	free(saved->foreign);
}

/* Makes an object in place of a damaged one. NULL: there is no room for it. */
static struct object *make_missing(struct saved_objects *saved, u64 number)
{
	struct object *object;

	if (number >= SAVED_OBJECTS_MAX || saved->missing >= MISSING_MAX || grow(saved, number))
		return NULL;
	object = malloc(sizeof(*object));
	if (!object)
		return NULL;
	*object = unknown_object;
	saved->missing++;
	saved->objects[number] = object;
	return object;
}

struct object *saved_object(struct saved_objects *saved, u64 number)
{
	struct object *object = number < saved->count ? saved->objects[number] : NULL;

	if (!object)
		object = make_missing(saved, number);
	return object ? object : &saved->unknown;
}
