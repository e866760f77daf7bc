// SPDX-License-Identifier: GPL-2.0
#include "join_records.h"

/* The image of a record, or NULL: it has none. */
static u32 *image_of(struct gapp_record *record)
{
	switch (record->type) {
	case GAPP_RECORD_SLICE:
		return &((struct gapp_record_slice *)record)->image;
	case GAPP_RECORD_WAIT:
		return &((struct gapp_record_wait *)record)->image;
	case GAPP_RECORD_STACK_COPY:
		return &((struct gapp_record_stack_copy *)record)->image;
	case GAPP_RECORD_NEED_MAPPING:
		return &((struct gapp_record_need_mapping *)record)->image;
	case GAPP_RECORD_MARK:
		return &((struct gapp_record_mark *)record)->image;
	case GAPP_RECORD_STORE:
		return &((struct gapp_record_store *)record)->image;
	}
	return NULL;
}

/* What a record says of its waker's call path, or NULL. */
static struct gapp_waker_path *waker_of(struct gapp_record *record)
{
	struct gapp_record_wait *wait = (struct gapp_record_wait *)record;
	struct gapp_record_wake *wake = (struct gapp_record_wake *)record;

	if (record->type == GAPP_RECORD_WAIT && wait_waker_path(wait))
		return (struct gapp_waker_path *)(wait + 1);
	if (record->type == GAPP_RECORD_WAKE && wake_waker_path(wake))
		return (struct gapp_waker_path *)(wake + 1);
	return NULL;
}

static int note_image(void *context, const struct gapp_record *record, _unused_ u32 verdict)
{
	u32 *highest = context;
	const u32 *image = image_of((struct gapp_record *)record);
	const struct gapp_waker_path *waker = waker_of((struct gapp_record *)record);

	if (image && *image > *highest)
		*highest = *image;
	if (waker && waker->image > *highest)
		*highest = waker->image;
	return 0;
}

int records_highest_image(struct blocks *blocks, u32 *image)
{
	struct recorded_count count;

	*image = 0;
	return recorded_each(blocks, note_image, image, &count);
}

static void set_path(const struct records_source *source, u32 *id)
{
	const struct call_path *path;

	if (*id == GAPP_PATH_NONE || *id == GAPP_PATH_LOST || *id == SAVED_PATH_UNKNOWN)
		return;
	path = saved_path(source->paths, *id);
	*id = path ? path->id : SAVED_PATH_UNKNOWN;
}

static void set_target(const struct records_source *source, u32 *target)
{
	*target = profile_shift_target(source->shift, *target);
}

static void set_slice(const struct records_source *source, struct gapp_record_slice *slice)
{
	struct gapp_sample *samples = (struct gapp_sample *)(slice + 1);

	set_target(source, &slice->target);
	set_path(source, &slice->path);
	set_path(source, &slice->kernel_path);
	for (u32 i = 0; i < slice->sample_count; i++) {
		set_path(source, &samples[i].path);
		set_path(source, &samples[i].kernel_path);
	}
}

static void set_wait(const struct records_source *source, struct gapp_record_wait *wait)
{
	set_target(source, &wait->target);
	set_path(source, &wait->path);
	set_path(source, &wait->kernel_path);
}

/* Sets all numbers of a record to those of the joined recording. */
static void set_numbers(const struct records_source *source, struct gapp_record *record)
{
	struct gapp_waker_path *waker = waker_of(record);
	u32 *image = image_of(record);

	if (image)
		*image += source->shift->image;
	if (waker) {
		waker->image += source->shift->image;
		set_path(source, &waker->path);
	}
	switch (record->type) {
	case GAPP_RECORD_SLICE:
		set_slice(source, (struct gapp_record_slice *)record);
		break;
	case GAPP_RECORD_WAIT:
		set_wait(source, (struct gapp_record_wait *)record);
		break;
	case GAPP_RECORD_WAKE:
		set_target(source, &((struct gapp_record_wake *)record)->target);
		break;
	case GAPP_RECORD_MARK:
		set_target(source, &((struct gapp_record_mark *)record)->target);
		break;
	case GAPP_RECORD_STACK_COPY:
		set_path(source, &((struct gapp_record_stack_copy *)record)->path);
		break;
	case GAPP_RECORD_STORE:
		set_target(source, &((struct gapp_record_store *)record)->target);
		set_path(source, &((struct gapp_record_store *)record)->path);
		break;
	}
}

static void write_record(struct records_cursor *cursor, struct blocks_writer *writer)
{
	struct pack *pack = blocks_item(writer);

	if (cursor->record->type != GAPP_RECORD_STACK_COPY) {
		pack_sized(pack, cursor->record, cursor->record->size);
	} else {
		u32 stack_bytes = cursor->buffer.copy.stack_bytes;

		cursor->buffer.copy.stack_bytes = 0;
		pack_sized(pack, cursor->record, cursor->record->size);
		pack_u64(pack, stack_bytes);
		pack_u64(pack, cursor->verdict);
	}
	blocks_item_end(writer);
}

/* The source with the next record; NULL: there is none. */
static struct records_cursor *earliest(struct records_cursor *cursors, size_t count)
{
	struct records_cursor *first = NULL;

	for (size_t i = 0; i < count; i++)
		if (cursors[i].record &&
		    (!first || cursors[i].record->time_ns < first->record->time_ns))
			first = &cursors[i];
	return first;
}

int records_join(const struct records_source *sources, size_t count, struct blocks_writer *writer)
{
	_cleanup_free_ struct records_cursor *cursors = calloc(count, sizeof(*cursors));
	struct records_cursor *next;
	u64 recorded = 0;

	if (!cursors)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct recorded_count of_one;

		if (recorded_kept(sources[i].blocks, &of_one))
			return -1;
		recorded += of_one.recorded;
		records_begin(&cursors[i], sources[i].blocks);
		records_next(&cursors[i]);
	}
	blocks_section(writer, BLOCK_RECORDS);
	while ((next = earliest(cursors, count)) && !writer->error) {
		set_numbers(&sources[next - cursors], &next->buffer.head);
		write_record(next, writer);
		records_next(next);
	}
	blocks_section(writer, BLOCK_RECORD_COUNT);
	pack_u64(blocks_item(writer), recorded);
	blocks_item_end(writer);
	return 0;
}
