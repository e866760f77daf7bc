// SPDX-License-Identifier: GPL-2.0
/* Objects that several recordings of one machine have. */
#include "saved_objects.h"

static u64 object_hash(const struct object *object)
{
	u64 hash = gapp_hash_add(0, object->kind);

	for (const char *at = object->path; *at; at++)
		hash = gapp_hash_add(hash, (u8)*at);
	return gapp_hash_add(gapp_hash_add(hash, object->dev), object->inode);
}

/* What is looked for among shared objects. */
struct wanted {
	const struct object *object;
	const char *build_id;
};

static bool same_object(const void *table, u32 id, const void *key)
{
	const struct shared_object *row = (const struct shared_object *)table + id;
	const struct wanted *wanted = key;
	const struct object *object = wanted->object;

	return row->object->kind == object->kind && row->object->dev == object->dev &&
	       row->object->inode == object->inode && !strcmp(row->object->path, object->path) &&
	       (!row->build_id || !wanted->build_id || !strcmp(row->build_id, wanted->build_id));
}

/* Code of these lies where it lies whichever process runs it. */
static bool can_be_shared(const struct object *object)
{
	return object->kind == OBJECT_FILE || object->kind == OBJECT_KERNEL ||
	       object->kind == OBJECT_VDSO;
}

/**
 * struct build_ids - build-ids of a recording's objects
 * @ids: by number; NULL: not known
 * @count: objects of the recording
 */
struct build_ids {
	char **ids;
	u32 count;
};

static void free_ids(struct build_ids *ids)
{
	for (u32 i = 0; ids->ids && i < ids->count; i++)
		free(ids->ids[i]);
	free(ids->ids);
}

/* An item that makes no sense is symbols_read()'s to refuse, which keeps build-ids. */
static int take_ids(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct unpack looked = *unpack;
	struct build_ids *ids = context;

	for (u64 i = 0; i < count && unpack_more(&looked); i++) {
		u64 number = unpack_u64(&looked);
		char *id = unpack_text(&looked);

		if (number >= ids->count) {
			free(id);
			continue;
		}
		free(ids->ids[number]);
		ids->ids[number] = id;
	}
	return 0;
}

/* Adds an object that no former recording has. Returns 0, or -1 without memory. */
static int add(struct shared_objects *shared, struct object *object, char **build_id)
{
	u32 next = shared->index.count;

	if (array_grow(&shared->rows, &shared->room, next, sizeof(*shared->rows)) ||
	    hash_index_add(&shared->index, object_hash(object), next))
		return -1;
	shared->rows[next] = (struct shared_object){ object, *build_id };
	*build_id = NULL;
	return 0;
}

static int share(struct saved_objects *saved, u32 number, char **build_id,
		 struct shared_objects *shared, u32 former)
{
	struct object *object = saved->objects[number];
	const struct wanted wanted = { object, *build_id };
	struct shared_object *row;
	u32 id;

	if (!object || !can_be_shared(object))
		return 0;
	id = hash_index_find(&shared->index, object_hash(object), same_object, shared->rows,
			     &wanted);
	if (id == HASH_NONE)
		return add(shared, object, build_id);
	/* a recording keeps those apart that it has twice */
	if (id >= former)
		return 0;
	row = &shared->rows[id];
	if (!row->build_id) {
		row->build_id = *build_id;
		*build_id = NULL;
	}
	saved->foreign[number] = true;
	saved_object_free(object);
	saved->objects[number] = row->object;
	return 0;
}

int saved_objects_share(struct saved_objects *saved, struct blocks *blocks,
			struct shared_objects *shared)
{
	_cleanup_(free_ids) struct build_ids ids = {
		.ids = calloc(saved->count + 1, sizeof(*ids.ids)), .count = saved->count
	};
	u32 former = shared->index.count;

	saved->foreign = calloc(saved->count + 1, sizeof(*saved->foreign));
	if (!saved->foreign || !ids.ids || blocks_each(blocks, BLOCK_BUILD_IDS, take_ids, &ids))
		return -1;
	saved->foreign_count = saved->count;
	for (u32 i = 0; i < ids.count; i++)
		if (share(saved, i, &ids.ids[i], shared, former))
			return -1;
	return 0;
}

void shared_objects_free(struct shared_objects *shared)
{
	for (u32 i = 0; i < shared->index.count; i++)
		free(shared->rows[i].build_id);
	free(shared->rows);
	hash_index_free(&shared->index);
}
