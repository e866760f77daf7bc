/* SPDX-License-Identifier: GPL-2.0 */
/* Objects in a recording's file, where they have numbers. */
#ifndef GAPP_READ_SAVED_OBJECTS_H
#define GAPP_READ_SAVED_OBJECTS_H

#include "data/blocks.h"
#include "object.h"
#include "util/hash_index.h"

/**
 * struct object_numbers - numbers that objects have got; all zero: none
 * @by_object: number + 1 by the object's address
 * @objects: objects by number
 * @saved: how many of them objects_save() has written
 */
struct object_numbers {
	struct key_map by_object;
	const struct object **objects;
	u32 count;
	u32 room;
	u32 saved;
};

void object_numbers_free(struct object_numbers *numbers);

/* The number of an object, a new one if it has none. HASH_NONE: no memory. */
u32 object_number(struct object_numbers *numbers, const struct object *object);

/* Writes the objects that have got numbers since the last call. */
void objects_save(struct object_numbers *numbers, struct blocks_writer *writer);

/**
 * struct saved_objects - objects of a recording's file
 * @objects: by number; NULL: it was damaged, and nothing has asked for it yet
 * @foreign: by number: whether the object is another recording's; NULL: none is
 * @foreign_count: elements of @foreign
 * @missing: objects that were made in place of damaged ones
 * @unknown: in place of those for which there is no room
 */
struct saved_objects {
	struct object **objects;
	bool *foreign;
	u32 foreign_count;
	u32 count;
	u32 room;
	u32 missing;
	struct object unknown;
};

/* Reads the objects. Returns 0, or -1 without memory. */
int saved_objects_read(struct saved_objects *saved, struct blocks *blocks);
void saved_objects_free(struct saved_objects *saved);
/* Frees one of them. */
void saved_object_free(struct object *object);

/**
 * struct shared_object - a file of several recordings, see saved_objects_share()
 * @object: it
 * @build_id: its build-id in hexadecimal; NULL: not known
 */
struct shared_object {
	struct object *object;
	char *build_id;
};

/**
 * struct shared_objects - objects that several recordings may have; all zero: none
 * @index: finds them by path, device and inode
 */
struct shared_objects {
	struct hash_index index;
	struct shared_object *rows;
	u32 room;
};

/*
 * To be called behind saved_objects_read() for recordings of one machine: an object that a former
 * recording has, too, becomes that one, so that its code counts as one. Files have equal paths,
 * devices, inodes and, where both are known, build-ids. Returns 0, or -1 without memory.
 */
int saved_objects_share(struct saved_objects *saved, struct blocks *blocks,
			struct shared_objects *shared);
/* To be called before saved_objects_free() of all of them. */
void shared_objects_free(struct shared_objects *shared);

/* Two damaged objects are two objects, so that code at equal offsets in them stays apart. */
struct object *saved_object(struct saved_objects *saved, u64 number);

#endif /* GAPP_READ_SAVED_OBJECTS_H */
