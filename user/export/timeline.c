// SPDX-License-Identifier: GPL-2.0
#include "timeline.h"

#include "symbol/own_code.h"
#include "spans.h"

/* Instead of the number of a place + 1: the path was looked up, and its place has no room. */
#define PLACE_LEFT_OUT 0xffffffffU

/* The number of the innermost function of own code, else of the innermost. */
static u32 own_function(const struct believed *believed)
{
	for (u32 i = believed->first; i < believed->count; i++) {
		if (function_is_own(believed->functions[i]))
			return i;
	}
	return believed->first;
}

/* Sets a place to that of a call path. Returns 0, or -1 without memory. */
static int find_place(const struct timeline *timeline, const struct call_path *path,
		      struct timeline_place *place)
{
	struct symbols *symbols = timeline->recorded->symbols;
	const struct frame *frames, *line;
	struct believed believed;
	size_t count;
	int error = believe(&believed, path, symbols);
	u32 own;

	if (!error && believed.count) {
		own = own_function(&believed);
		place->function = believed.functions[own];
		count = symbols_frames(symbols, path->addresses[own],
				       call_path_is_return(path, own), &frames);
		line = own_line(frames, count);
		place->file = line ? line->file : NULL;
		place->line = line ? line->line : 0;
		error = count ? 0 : -1;
	}
	believed_free(&believed);
	return error;
}

static u32 same_place(const struct timeline *timeline, const struct timeline_place *place)
{
	u32 i = 0;

	while (i < timeline->place_count &&
	       (timeline->places[i].function != place->function ||
		timeline->places[i].file != place->file || timeline->places[i].line != place->line))
		i++;
	return i;
}

/* Sets the number of the place of a call path, or ROW_NONE. Returns 0, or -1 without memory. */
static int place_of(struct timeline *timeline, u32 id, u32 *number)
{
	const struct call_path *path = saved_path(timeline->recorded->paths, id);
	struct timeline_place place = { 0 };

	*number = ROW_NONE;
	if (!path || !path->count)
		return 0;
	if (timeline->place_of[id]) {
		if (timeline->place_of[id] != PLACE_LEFT_OUT)
			*number = timeline->place_of[id] - 1;
		return 0;
	}
	if (find_place(timeline, path, &place))
		return -1;
	*number = same_place(timeline, &place);
	if (*number >= TIMELINE_PLACES_MAX)
		*number = ROW_NONE;
	if (*number == timeline->place_count) {
		if (array_grow(&timeline->places, &timeline->place_room, *number, sizeof(place)))
			return -1;
		timeline->places[timeline->place_count++] = place;
	}
	timeline->place_of[id] = *number == ROW_NONE ? PLACE_LEFT_OUT : *number + 1;
	return 0;
}

static int longer_wait(const void *a, const void *b)
{
	const struct timeline_wake *x = a, *y = b;

	return compare_by(three_way(y->waited_ns, x->waited_ns), three_way(x->time, y->time));
}

/* Drops the half of the wake-ups that ended the shortest waits. */
static void drop_short_waits(struct timeline *timeline)
{
	u32 kept = timeline->wake_count / 2;

	qsort(timeline->wakes, timeline->wake_count, sizeof(*timeline->wakes), longer_wait);
	timeline->short_wait_ns = timeline->wakes[kept - 1].waited_ns;
	timeline->wakes_left_out += timeline->wake_count - kept;
	timeline->wake_count = kept;
}

/* A wait has ended. Returns 0, or -1 without memory. */
static int add_wake(struct timeline *timeline, const struct stay *ready)
{
	u64 waited_ns =
		ready->thread < timeline->last_room ? timeline->last[ready->thread].waited_ns : 0;
	u32 count = timeline->wake_count;

	if (waited_ns < timeline->short_wait_ns) {
		timeline->wakes_left_out++;
		return 0;
	}
	if (array_grow(&timeline->wakes, &timeline->wake_room, count, sizeof(*timeline->wakes)))
		return -1;
	timeline->wakes[timeline->wake_count++] = (struct timeline_wake){
		.time = ready->begin - timeline->recorded->start_ns,
		.waited_ns = waited_ns,
		.thread = ready->thread,
		.waker = ready->waker,
		.by_irq = ready->waker_flags & GAPP_SLICE_WOKEN_BY_IRQ,
	};
	if (timeline->wake_count == TIMELINE_WAKES_MAX)
		drop_short_waits(timeline);
	return 0;
}

static int note_wait(struct timeline *timeline, const struct stay *stay)
{
	if (array_grow_zeroed(&timeline->last, &timeline->last_room, stay->thread,
			      sizeof(*timeline->last)))
		return -1;
	timeline->last[stay->thread].waited_ns =
		stay->kind == STAY_WAITED ? stay->end - stay->begin : 0;
	return 0;
}

static int take_stay(void *context, const struct stay *stay)
{
	struct timeline *timeline = context;
	u32 place = ROW_NONE;

	if ((stay->kind == STAY_RAN || stay->kind == STAY_WAITED) &&
	    (place_of(timeline, stay->path, &place) ||
	     (place == ROW_NONE && place_of(timeline, stay->kernel_path, &place))))
		return -1;
	/* only a wake-up by a thread or an interrupt that is known has the waker's CPU */
	if (stay->kind == STAY_READY && stay->waker_cpu != STAY_NO_CPU && add_wake(timeline, stay))
		return -1;
	if (note_wait(timeline, stay))
		return -1;
	return rows_add(&timeline->rows, stay, place);
}

static void add_lost(struct timeline *timeline, const struct gapp_record_lost *lost)
{
	u64 start = timeline->recorded->start_ns;
	u64 begin = lost->since_ns > start ? lost->since_ns - start : 0;
	u64 end = lost->head.time_ns > start ? lost->head.time_ns - start : 0;
	struct timeline_lost *last;

	if (end > timeline->length_ns)
		end = timeline->length_ns;
	if (begin >= end)
		return;
	last = timeline->lost_count ? &timeline->lost[timeline->lost_count - 1] : NULL;
	if (last && (begin <= last->end || timeline->lost_count == TIMELINE_LOST_MAX)) {
		last->begin = begin < last->begin ? begin : last->begin;
		last->end = end > last->end ? end : last->end;
		return;
	}
	timeline->lost[timeline->lost_count++] = (struct timeline_lost){ begin, end };
}

static int take_record(void *context, const struct gapp_record *record, _unused_ u32 verdict)
{
	struct timeline *timeline = context;

	/* time behind the end belongs to no row */
	if (record->time_ns > timeline->recorded->stop_ns)
		return 0;
	if (record->type == GAPP_RECORD_LOST)
		add_lost(timeline, (const struct gapp_record_lost *)record);
	parallelism_record(&timeline->parallelism, record);
	if (section_rows_record(&timeline->sections, record) ||
	    point_marks_record(&timeline->points, record))
		return -1;
	if (timeline->has_path && timeline_path_record(&timeline->path, record))
		return -1;
	return stays_record(&timeline->stays, record);
}

int timeline_make(struct timeline *timeline, const struct results *results, u32 stays)
{
	const struct recorded *recorded = results->recorded;
	u64 length_ns = recorded->stop_ns - recorded->start_ns;
	struct recorded_count count;

	*timeline = (struct timeline){ .recorded = recorded, .length_ns = length_ns };
	stays_init(&timeline->stays, recorded->start_ns, recorded->every_slice, take_stay,
		   timeline);
	rows_init(&timeline->rows, recorded->start_ns, TIMELINE_THREADS_MAX, stays);
	section_rows_init(&timeline->sections, recorded->start_ns, TIMELINE_SECTIONS_MAX);
	point_marks_init(&timeline->points, recorded->start_ns, TIMELINE_MARKS_MAX);
	section_rows_set_spans(&timeline->sections, &timeline->stays);
	/* a critical path is of one program */
	timeline->has_path = recorded->every_slice && !results_apart(results);
	timeline_path_init(&timeline->path, recorded->start_ns, TIMELINE_PATH_MAX);
	parallelism_init(&timeline->parallelism, recorded->start_ns, length_ns,
			 results_n_min_most(results));
	timeline->place_of = calloc(recorded->paths->count + 1, sizeof(*timeline->place_of));
	if (!timeline->place_of)
		return -1;
	if (export_spans(&timeline->stays, results) ||
	    recorded_each(recorded->blocks, take_record, timeline, &count) ||
	    stays_end(&timeline->stays, recorded->stop_ns) ||
	    section_rows_end(&timeline->sections, recorded->stop_ns))
		return -1;
	parallelism_end(&timeline->parallelism, length_ns);
	return timeline->has_path ? timeline_path_make(&timeline->path, recorded->stop_ns) : 0;
}

void timeline_free(struct timeline *timeline)
{
	stays_free(&timeline->stays);
	rows_free(&timeline->rows);
	section_rows_free(&timeline->sections);
	point_marks_free(&timeline->points);
	timeline_path_free(&timeline->path);
	free(timeline->places);
	free(timeline->place_of);
	free(timeline->wakes);
	free(timeline->last);
}

static u32 smaller_of(u32 a, u32 b)
{
	return a < b ? a : b;
}

void timeline_shrink(struct timeline *timeline, u32 stays)
{
	const u32 parts = stays / TIMELINE_STAYS_A_PART;

	rows_shrink(&timeline->rows, stays);
	section_rows_shrink(&timeline->sections, smaller_of(parts, TIMELINE_SECTIONS_MAX));
	point_marks_shrink(&timeline->points, smaller_of(parts, TIMELINE_MARKS_MAX));
	timeline_path_shrink(&timeline->path, smaller_of(parts, TIMELINE_PATH_MAX));
}
