// SPDX-License-Identifier: GPL-2.0
#include "perfetto_interned.h"

#include "pieces.h"
#include "util/names.h"

void interned_given(struct interned *interned, u32 field, u32 number, const char *text)
{
	message_number(&interned->inner, INTERNED_ID, number);
	message_bytes(&interned->inner, INTERNED_TEXT, text, strlen(text));
	message_part(&interned->message, field, &interned->inner);
}

/* The number of a text, which is written if it is new; 0: no memory. */
static u32 number_of(struct interned *interned, struct texts *texts, u32 field, const char *text)
{
	u32 before = texts->index.count, number = texts_number(texts, text);

	if (number == HASH_NONE)
		return 0;
	if (number == before)
		interned_given(interned, field, number + 1, text);
	return number + 1;
}

u32 interned_name(struct interned *interned, const char *text)
{
	return number_of(interned, &interned->names, INTERNED_NAME, text);
}

/* The number of a text that may be any bytes; 0: no memory. */
static u32 number_of_name(struct interned *interned, struct texts *texts, u32 field,
			  const char *name)
{
	_cleanup_free_ char *text = name_text(name, strlen(name));

	return text ? number_of(interned, texts, field, text) : 0;
}

/* Perfetto has the bytes of build-ids. */
static void put_build_id(struct interned *interned, u32 number, const char *hexadecimal)
{
	u8 bytes[64];
	size_t size = 0;

	while (size < sizeof(bytes) && sscanf(hexadecimal, "%2hhx", &bytes[size]) == 1) {
		size++;
		hexadecimal += hexadecimal[1] ? 2 : 1;
	}
	message_number(&interned->inner, INTERNED_ID, number);
	message_bytes(&interned->inner, INTERNED_TEXT, bytes, size);
	message_part(&interned->message, INTERNED_BUILD_ID, &interned->inner);
}

/* The number of an object's mapping; 0: no memory. */
static u32 mapping_of(struct interned *interned, const struct object *object)
{
	struct interned_object row = { .key = { (uintptr_t)object } };
	u32 number = keyed_find(&interned->objects, &row.key);
	_cleanup_free_ char *path = NULL;
	const char *build_id;

	if (number != HASH_NONE)
		return number + 1;
	path = name_text(object->path, strlen(object->path));
	number = keyed_add(&interned->objects, &row.key);
	if (number == HASH_NONE || !path)
		return 0;
	number++;
	interned_given(interned, INTERNED_PATH, number, path);
	build_id = object_build_id(object);
	if (*build_id)
		put_build_id(interned, number, build_id);
	message_number(&interned->inner, MAPPING_ID, number);
	if (*build_id)
		message_number(&interned->inner, MAPPING_BUILD_ID, number);
	message_number(&interned->inner, MAPPING_PATH, number);
	message_part(&interned->message, INTERNED_MAPPING, &interned->inner);
	return number;
}

/* The number of a frame; 0: no memory. */
static u32 frame_of(struct interned *interned, const struct path_frame *frame)
{
	_cleanup_free_ char *text = frame_text(frame->frame);
	struct interned_frame row = { .key = { frame->address.offset,
					       (uintptr_t)frame->address.object } };
	u32 number, mapping;

	row.key.function =
		text ? number_of(interned, &interned->functions, INTERNED_FUNCTION, text) : 0;
	if (!row.key.function)
		return 0;
	if (frame->frame->file) {
		row.key.source = number_of_name(interned, &interned->sources, INTERNED_SOURCE,
						frame->frame->file);
		if (!row.key.source)
			return 0;
		row.key.line = frame->frame->line;
	}
	number = keyed_find(&interned->frames, &row.key);
	if (number != HASH_NONE)
		return number + 1;
	mapping = mapping_of(interned, frame->address.object);
	number = keyed_add(&interned->frames, &row.key);
	if (number == HASH_NONE || !mapping)
		return 0;
	message_number(&interned->inner, FRAME_ID, number + 1);
	message_number(&interned->inner, FRAME_FUNCTION, row.key.function);
	message_number(&interned->inner, FRAME_MAPPING, mapping);
	message_number(&interned->inner, FRAME_ADDRESS, row.key.address);
	message_number(&interned->inner, FRAME_SOURCE, row.key.source);
	message_number(&interned->inner, FRAME_LINE, row.key.line);
	message_part(&interned->message, INTERNED_FRAME, &interned->inner);
	return number + 1;
}

/* Writes the frames of the path that was found. Returns 0, or -1 without memory. */
static int add_callstack(struct interned *interned, u32 number)
{
	const struct record_path *found = &interned->found;

	/* Perfetto has the outermost first */
	for (u32 i = found->count; i--;) {
		u32 frame = frame_of(interned, &found->frames[i]);

		if (!frame)
			return -1;
		message_number(&interned->list, INTERNED_TEXT, frame);
	}
	message_number(&interned->inner, INTERNED_ID, number);
	message_append(&interned->inner, &interned->list);
	message_part(&interned->message, INTERNED_CALLSTACK, &interned->inner);
	return 0;
}

/* Finds a path. Returns 0, or -1 without memory. */
static int find(struct interned *interned, struct interned_path *path)
{
	_cleanup_free_ char *text = NULL;

	path->name = 0;
	if (record_path_find(&interned->found, interned->recorded, path->key.path,
			     path->key.kernel_path))
		return -1;
	if (!interned->found.place)
		return 0;
	text = frame_text(interned->found.place);
	path->name = text ? interned_name(interned, text) : 0;
	return path->name ? 0 : -1;
}

int interned_path(struct interned *interned, const struct stay *stay, struct interned_path *path)
{
	u32 number;

	*path = (struct interned_path){ .key = { stay->path, stay->kernel_path } };
	number = keyed_find(&interned->paths, &path->key);
	if (number != HASH_NONE) {
		*path = interned->paths.rows[number];
		return 0;
	}
	if (find(interned, path))
		return -1;
	if (interned->paths.index.count >= INTERNED_PATHS_MAX)
		return 0;
	number = keyed_add(&interned->paths, &path->key);
	if (number == HASH_NONE)
		return -1;
	if (path->name) {
		path->callstack = number + 1;
		if (add_callstack(interned, path->callstack))
			return -1;
	}
	interned->paths.rows[number] = *path;
	return 0;
}

void interned_free(struct interned *interned)
{
	message_free(&interned->message);
	message_free(&interned->inner);
	message_free(&interned->list);
	texts_free(&interned->names);
	texts_free(&interned->functions);
	texts_free(&interned->sources);
	keyed_free(&interned->paths);
	keyed_free(&interned->frames);
	keyed_free(&interned->objects);
	record_path_free(&interned->found);
}
