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
	       record->type == GAPP_RECORD_WAKE || record->type == GAPP_RECORD_LOST ||
	       record->type == GAPP_RECORD_MARK;
}

/* Which sections are open when a window begins is known by what came before. */
static int note_gone(void *context, const struct gapp_record *record)
{
	struct sections *before = &((struct capture *)context)->before_window;

	if (record->type == GAPP_RECORD_MARK)
		return sections_mark(before, (const struct gapp_record_mark *)record);
	if (record->type == GAPP_RECORD_SLICE && sections_any(before))
		return sections_gone(before, (const struct gapp_record_slice *)record);
	return 0;
}

int capture_make_window(struct capture *capture)
{
	capture->window = record_store_new(capture->options->keep_bytes, note_gone, capture);
	capture->window_record = malloc(UINT16_MAX + 1);
	return capture->window && capture->window_record ? 0 : -1;
}

void capture_window_free(struct capture *capture)
{
	record_store_free(capture->window);
	free(capture->window_record);
	sections_free(&capture->before_window);
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

/* The sections of a window that begins at @ns: nothing yet, but what is open then. */
static int begin_sections(struct capture *capture, u64 ns)
{
	sections_free(&capture->sections);
	capture->sections = (struct sections){ 0 };
	return sections_go_on(&capture->sections, &capture->before_window, ns);
}

/* Forgets names and processes of which nothing is open. Returns 0, or -1 without memory. */
static int drop_sections(struct capture *capture, u64 ns)
{
	struct sections open = { 0 };
	int result = sections_go_on(&open, &capture->before_window, ns);

	sections_free(&capture->before_window);
	capture->before_window = open;
	return result;
}

int capture_window(struct capture *capture, const struct window_span *span)
{
	struct replay replay = { .capture = capture, .span = span };
	struct gapp_status status;
	int result;

	if (device_status(capture->dev, &status))
		return -1;
	replay.n_min = status.n_min_most ? status.n_min_most : status.n_min;
	if (capture_make_profile(capture) ||
	    record_store_drop_before(capture->window, span->begin_ns) ||
	    begin_sections(capture, span->begin_ns) || call_paths_replay(capture->stacks))
		return out_of_memory();
	result = record_store_each(capture->window, replay_record, &replay);
	call_paths_live(capture->stacks);
	return result ? out_of_memory() : 0;
}

int capture_window_drop(struct capture *capture, u64 time_ns)
{
	if (record_store_drop_before(capture->window, time_ns) || drop_sections(capture, time_ns))
		return out_of_memory();
	return 0;
}

void capture_window_memory(const struct capture *capture, struct window_memory *memory)
{
	*memory = (struct window_memory){
		.records = record_store_count(capture->window),
		.bytes = record_store_bytes(capture->window),
		.dropped_ns = record_store_dropped_ns(capture->window),
	};
}
