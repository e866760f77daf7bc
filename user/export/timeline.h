/* SPDX-License-Identifier: GPL-2.0 */
/* All that is drawn over time, made of a recording's records in one go and in bounded memory. */
#ifndef GAPP_READ_TIMELINE_H
#define GAPP_READ_TIMELINE_H

#include "report/recorded.h"
#include "report/report.h"
#include "timeline/parallelism.h"
#include "timeline/point_marks.h"
#include "timeline/rows.h"
#include "timeline/section_rows.h"
#include "timeline_path.h"

/* Threads that have rows; stays of others are in the rows of CPUs, without a name. */
#define TIMELINE_THREADS_MAX 4096U
/* Places that have names. */
#define TIMELINE_PLACES_MAX 4096U
/* Wake-ups at most: then those that ended short waits go. */
#define TIMELINE_WAKES_MAX 16384U
/* Sections at most. */
#define TIMELINE_SECTIONS_MAX 16384U
/* Marks that begin and end no section, at most. */
#define TIMELINE_MARKS_MAX 16384U
/* Parts of the critical path at most. */
#define TIMELINE_PATH_MAX 16384U
/* Of so many stays there is one section, mark and part of the path, where room is scarce. */
#define TIMELINE_STAYS_A_PART 8U
/* Lost stretches of time: beyond, the last one is extended. */
#define TIMELINE_LOST_MAX 256U

/**
 * struct timeline_place - where a thread was
 * @function: the innermost function of the program itself, or else the innermost
 * @file: its source file, or NULL
 * @line: line in @file
 */
struct timeline_place {
	const struct frame *function;
	const char *file;
	u32 line;
};

/**
 * struct timeline_wake - a wake-up
 * @time: nanoseconds since the recording began
 * @waited_ns: how long the wait was that it ended
 * @thread: who was woken
 * @waker: who woke, or STAY_NOBODY
 * @by_irq: an interrupt woke
 */
struct timeline_wake {
	u64 time;
	u64 waited_ns;
	u32 thread;
	u32 waker;
	bool by_irq;
};

struct timeline_thread {
	u64 waited_ns;
};

struct timeline_lost {
	u64 begin;
	u64 end;
};

/**
 * struct timeline - what is drawn
 * @recorded: the recording
 * @length_ns: of the recording, nanoseconds
 * @stays: the threads; makes stays
 * @rows: the stays
 * @sections: sections that marks begin and end
 * @points: other marks
 * @has_path: the recording has every slice of one time, so its critical path can be found
 * @path: the critical path
 * @parallelism: how many threads were active
 * @places: places, in the order of their numbers
 * @place_of: by the id of a call path: the number of its place + 1; 0: not looked up
 * @wakes: wake-ups, in no order
 * @wakes_left_out: others
 * @short_wait_ns: waits that are shorter have no wake-up in @wakes
 * @last: of each thread its last wait
 * @lost: stretches of time of which records are lost
 */
struct timeline {
	const struct recorded *recorded;
	u64 length_ns;
	struct stays stays;
	struct rows rows;
	struct section_rows sections;
	struct point_marks points;
	bool has_path;
	struct timeline_path path;
	struct parallelism parallelism;
	struct timeline_place *places;
	u32 place_count;
	u32 place_room;
	u32 *place_of;
	struct timeline_wake *wakes;
	u32 wake_count;
	u32 wake_room;
	u64 wakes_left_out;
	u64 short_wait_ns;
	struct timeline_thread *last;
	u32 last_room;
	struct timeline_lost lost[TIMELINE_LOST_MAX];
	u32 lost_count;
};

/* @stays: at most so many. Returns 0, or -1 without memory; timeline_free() in any case. */
int timeline_make(struct timeline *timeline, const struct results *results, u32 stays);
void timeline_free(struct timeline *timeline);

/* Merges stays until about @stays are left, and all else until there is not too much for that. */
void timeline_shrink(struct timeline *timeline, u32 stays);

/*
 * Writes the JSON of a timeline, docs/design/page.md. Returns 0, or -1 without memory. Callers find
 * write errors with ferror().
 */
int timeline_json(FILE *out, const struct timeline *timeline, const struct results *results);

#endif /* GAPP_READ_TIMELINE_H */
