// SPDX-License-Identifier: GPL-2.0
#include "kept_records.h"

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

/**
 * struct moment - what call paths of a record are looked up by
 * @tgid: its process
 * @begin_ns: they were taken at this time or later
 * @time_ns: its time
 */
struct moment {
	s32 tgid;
	u64 begin_ns;
	u64 time_ns;
};

/* Sets a path's number to its id. Returns 0, or -1 without memory. */
static int set_id(struct kept_records *kept, const struct moment *moment, u32 *number)
{
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

static int set_slice(struct kept_records *kept)
{
	struct gapp_record_slice *slice = &kept->buffer.slice;
	struct gapp_sample *samples = (struct gapp_sample *)(slice + 1);
	struct moment moment = { slice->tgid, slice->head.time_ns, slice->head.time_ns };

	if (set_id(kept, &moment, &slice->path) || set_id(kept, &moment, &slice->kernel_path))
		return -1;
	moment.begin_ns = slice->begin_ns;
	for (u32 i = 0; i < slice->sample_count; i++)
		if (set_id(kept, &moment, &samples[i].path) ||
		    set_id(kept, &moment, &samples[i].kernel_path))
			return -1;
	return 0;
}

static int set_wait(struct kept_records *kept)
{
	struct gapp_record_wait *wait = &kept->buffer.wait;
	const struct moment moment = { wait->tgid, wait->begin_ns, wait->head.time_ns };
	const struct moment waker = { wait->waker_tgid, wait->begin_ns, wait->head.time_ns };

	return set_id(kept, &moment, &wait->path) || set_id(kept, &moment, &wait->kernel_path) ||
	       (wait_waker_path(wait) &&
		set_id(kept, &waker, &((struct gapp_waker_path *)(wait + 1))->path));
}

static int set_wake(struct kept_records *kept)
{
	struct gapp_record_wake *wake = &kept->buffer.wake;
	const struct moment moment = { wake->waker_tgid, wake->head.time_ns, wake->head.time_ns };

	if (!wake_waker_path(wake))
		return 0;
	return set_id(kept, &moment, &((struct gapp_waker_path *)(wake + 1))->path);
}

/* The stack is not kept, only the path that it gave. */
static int set_copy(struct kept_records *kept)
{
	struct gapp_record_stack_copy *copy = &kept->buffer.copy;
	const struct moment moment = { copy->tgid, copy->head.time_ns, copy->head.time_ns };

	if (!(copy->flags & GAPP_STACK_COPY_VERIFY))
		copy->path = GAPP_PATH_COPY | copy->copy;
	copy->head.size = sizeof(*copy);
	copy->stack_bytes = 0;
	return set_id(kept, &moment, &copy->path);
}

static int set_ids(struct kept_records *kept)
{
	switch (kept->buffer.head.type) {
	case GAPP_RECORD_SLICE:
		return set_slice(kept);
	case GAPP_RECORD_WAIT:
		return set_wait(kept);
	case GAPP_RECORD_WAKE:
		return set_wake(kept);
	case GAPP_RECORD_STACK_COPY:
		return set_copy(kept);
	}
	return 0;
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
