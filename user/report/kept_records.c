// SPDX-License-Identifier: GPL-2.0
#include "kept_records.h"

#include "callpath/record_paths.h"
#include "profile/profile.h"

/**
 * struct kept_records - records that are written to a recording's file
 * @paths: finds their call paths
 * @writer: the file
 * @seen: call paths by id that records have; NULL: none has it
 * @recorded: records so far
 * @buffer: a record as it is written, with room for the largest
 */
struct kept_records {
	struct call_paths *paths;
	struct blocks_writer *writer;
	const struct call_path **seen;
	u32 seen_room;
	u64 recorded;
	union {
		struct gapp_record head;
		struct gapp_record_slice slice;
		struct gapp_record_wait wait;
		struct gapp_record_wake wake;
		struct gapp_record_stack_copy copy;
		u8 bytes[UINT16_MAX + 1];
	} buffer;
};

struct kept_records *kept_records_new(struct call_paths *paths, struct blocks_writer *writer)
{
	struct kept_records *kept = calloc(1, sizeof(*kept));

	if (!kept)
		return NULL;
	kept->paths = paths;
	kept->writer = writer;
	blocks_section(writer, BLOCK_RECORDS);
	return kept;
}

void kept_records_free(struct kept_records *kept)
{
	if (!kept)
		return;
	free(kept->seen);
	free(kept);
}

/* Sets a path's number to its id. Returns 0, or -1 without memory. */
static int set_id(void *context, u32 *number, const struct path_moment *moment,
		  _unused_ bool kernel)
{
	struct kept_records *kept = context;
	const struct call_path *path;

	if (*number == GAPP_PATH_NONE || *number == GAPP_PATH_LOST)
		return 0;
	path = call_paths_get(kept->paths, *number, moment->tgid, moment->begin_ns,
			      moment->time_ns);
	*number = path ? path->id : SAVED_PATH_UNKNOWN;
	if (!path)
		return 0;
	if (array_grow_zeroed(&kept->seen, &kept->seen_room, path->id, sizeof(*kept->seen)))
		return -1;
	kept->seen[path->id] = path;
	return 0;
}

/* The stack is not kept, only the path that it gave. */
static int set_copy(struct kept_records *kept)
{
	struct gapp_record_stack_copy *copy = &kept->buffer.copy;
	const struct path_moment moment = { copy->tgid, copy->head.time_ns, copy->head.time_ns };

	if (!(copy->flags & GAPP_STACK_COPY_VERIFY))
		copy->path = GAPP_PATH_COPY | copy->copy;
	copy->head.size = sizeof(*copy);
	copy->stack_bytes = 0;
	return set_id(kept, &copy->path, &moment, false);
}

static int set_ids(struct kept_records *kept)
{
	if (kept->buffer.head.type == GAPP_RECORD_STACK_COPY)
		return set_copy(kept);
	return record_paths_each(&kept->buffer.head, set_id, kept);
}

int kept_records_add(struct kept_records *kept, const struct gapp_record *record)
{
	const struct gapp_record_stack_copy *copy = (const struct gapp_record_stack_copy *)record;
	bool is_copy = record->type == GAPP_RECORD_STACK_COPY;
	struct pack *pack;

	kept->recorded++;
	if (kept->writer->error)
		return 0;
	memcpy(&kept->buffer, record, is_copy ? sizeof(*copy) : record->size);
	if (set_ids(kept))
		return -1;
	pack = blocks_item(kept->writer);
	pack_sized(pack, &kept->buffer, kept->buffer.head.size);
	if (is_copy) {
		pack_u64(pack, copy->stack_bytes);
		pack_u64(pack, call_paths_figures(kept->paths)->verdict);
	}
	blocks_item_end(kept->writer);
	return 0;
}

/* What is dropped of the records on a full disk: more than the rest of most recordings takes. */
#define ROOM_BYTES 0x400000U

int kept_records_end(struct kept_records *kept)
{
	struct blocks_writer *writer = kept->writer;

	blocks_section(writer, BLOCK_RECORD_COUNT);
	if (writer->error && blocks_make_room(writer, ROOM_BYTES))
		return -1;
	pack_u64(blocks_item(writer), kept->recorded);
	blocks_item_end(writer);
	return 0;
}

/* What printing a record asks of the symbols. */
static int name(struct symbols *symbols, const struct call_path *path)
{
	_cleanup_(believed_free) struct believed believed = { 0 };
	const struct frame *frames;

	for (u32 i = 0; i < path->count; i++)
		if (!symbols_frames(symbols, path->addresses[i], call_path_is_return(path, i),
				    &frames))
			return -1;
	return path->count ? believe(&believed, path, symbols) : 0;
}

int kept_records_name_all(const struct kept_records *kept, struct symbols *symbols)
{
	for (u32 i = 0; i < kept->seen_room; i++)
		if (kept->seen[i] && name(symbols, kept->seen[i]))
			return -1;
	return 0;
}

int kept_records_save_paths(const struct kept_records *kept, kept_has_fn has, const void *context,
			    struct object_numbers *numbers, struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_PATHS);
	for (u32 i = 0; i < kept->seen_room; i++)
		if (kept->seen[i] && !has(context, i) &&
		    call_path_save(kept->seen[i], numbers, writer))
			return -1;
	return 0;
}
