// SPDX-License-Identifier: GPL-2.0
/*
 * The records of the last seconds (--keep). Their call paths are looked up when they come, in the
 * mappings of that time, and kept as ids; so a profile can be made of them at any later time.
 */
#include <string.h>

#include "callpath/record_paths.h"
#include "capture_private.h"

/* Records after which look-ups in /proc may be made again, as from one drain to the next. */
#define LOOK_UPS_EACH 4096

static int set_id(void *context, u32 *number, const struct path_moment *moment, bool kernel)
{
	/* the path of the kernel is joined with that of the user in the profile */
	if (!kernel)
		call_paths_set_id(context, number, moment);
	return 0;
}

static bool is_kept(const struct gapp_record *record)
{
	return record->type == GAPP_RECORD_SLICE || record->type == GAPP_RECORD_WAIT ||
	       record->type == GAPP_RECORD_WAKE || record->type == GAPP_RECORD_LOST;
}

int capture_window_add(struct capture *capture, const struct gapp_record *record)
{
	struct gapp_record *copy = capture->window_record;

	if (!is_kept(record))
		return 0;
	memcpy(copy, record, record->size);
	if (record_paths_each(copy, set_id, capture->stacks))
		return -1;
	return record_store_add(capture->window, copy);
}

/**
 * struct replay - records that are added up
 * @capture: whose records
 * @span: the span that they are cut to
 * @n_min: few threads are at most so many
 * @count: records so far
 */
struct replay {
	struct capture *capture;
	const struct window_span *span;
	u32 n_min;
	u64 count;
};

static int replay_record(void *context, const struct gapp_record *record)
{
	struct replay *replay = context;
	struct capture *capture = replay->capture;
	struct gapp_record *copy = capture->window_record;

	if (!(replay->count++ % LOOK_UPS_EACH))
		profile_waits_drain(capture->profile, replay->n_min);
	memcpy(copy, record, record->size);
	if (!clip_record(copy, replay->span))
		return 0;
	switch (copy->type) {
	case GAPP_RECORD_SLICE:
		return capture_add_slice(capture, (const struct gapp_record_slice *)copy);
	case GAPP_RECORD_WAIT:
		return capture_add_wait(capture, (const struct gapp_record_wait *)copy);
	default:
		return capture_add_other(capture, copy);
	}
}

int capture_window(struct capture *capture, const struct window_span *span)
{
	struct replay replay = { .capture = capture, .span = span };
	struct gapp_status status;
	int result;

	if (device_status(capture->dev, &status))
		return -1;
	replay.n_min = status.n_min_most ? status.n_min_most : status.n_min;
	if (capture_make_profile(capture) || call_paths_replay(capture->stacks))
		return out_of_memory();
	result = record_store_each(capture->window, replay_record, &replay);
	call_paths_live(capture->stacks);
	return result ? out_of_memory() : 0;
}

void capture_window_drop(struct capture *capture, u64 time_ns)
{
	record_store_drop_before(capture->window, time_ns);
}

void capture_window_memory(const struct capture *capture, struct window_memory *memory)
{
	*memory = (struct window_memory){
		.records = record_store_count(capture->window),
		.bytes = record_store_bytes(capture->window),
		.dropped_ns = record_store_dropped_ns(capture->window),
	};
}
