/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks that begin and end no section: what threads have said of themselves, and when, in bounded
 * memory. Where there are too many, each second, fourth and so on is kept.
 */
#ifndef GAPP_READ_POINT_MARKS_H
#define GAPP_READ_POINT_MARKS_H

#include <gapp_record.h>

#include "util/mark_key.h"

/* Texts that are kept apart; the last one stands for all others. */
#define POINT_TEXTS_MAX 1024U

/* @marks: how many have it. */
struct point_text {
	struct mark_key key;
	u64 marks;
};

/**
 * struct point_mark - a mark
 * @at: nanoseconds since the recording began
 * @tid: the thread
 * @tgid: its process
 * @text: number of its text
 */
struct point_mark {
	u64 at;
	s32 tid;
	s32 tgid;
	u32 text;
};

/**
 * struct point_marks - the marks
 * @start_ns: CLOCK_MONOTONIC at which the recording began
 * @limit: marks at most
 * @all: marks that came
 * @each: of these each one of so many is kept
 * @marks: those that are kept, in the order of time
 * @texts: their texts
 */
struct point_marks {
	u64 start_ns;
	u32 limit;
	u64 all;
	u64 each;
	struct point_mark *marks;
	u32 count;
	u32 room;

	KEYED(point_text) texts;
};

/* @limit: above 0. */
void point_marks_init(struct point_marks *points, u64 start_ns, u32 limit);
void point_marks_free(struct point_marks *points);

/* Adds a record; they come in the order of time. Returns 0, or -1 without memory. */
int point_marks_record(struct point_marks *points, const struct gapp_record *record);

/* Keeps fewer until at most @limit are left, or one. */
void point_marks_shrink(struct point_marks *points, u32 limit);

#endif /* GAPP_READ_POINT_MARKS_H */
