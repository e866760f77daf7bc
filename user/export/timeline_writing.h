/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts that write the JSON of timelines share. */
#ifndef GAPP_READ_TIMELINE_WRITING_H
#define GAPP_READ_TIMELINE_WRITING_H

#include "timeline.h"

/**
 * struct writing - what is being written
 * @out: the stream
 * @timeline: what is written
 * @commands: command lines of processes, or NULL
 * @order: threads in the order in which they are drawn
 * @number: of each thread its place in @order, or ROW_NONE
 * @count: elements of @order
 * @left_out: threads that have stays, and no row
 * @cpu_number: of each CPU its number among those that have stays, or ROW_NONE
 */
struct writing {
	FILE *out;
	const struct timeline *timeline;
	const struct command_lines *commands;
	u32 *order;
	u32 *number;
	u32 count;
	u32 left_out;
	u32 *cpu_number;
};

static inline const struct stays_thread *writing_thread(const struct writing *writing, u32 thread)
{
	return &writing->timeline->stays.threads.rows[thread];
}

/* The number of a thread among those that are drawn, or ROW_NONE. */
static inline u32 writing_number(const struct writing *writing, s32 tid, s32 tgid)
{
	const struct stays_thread_key key = { tid, tgid };
	u32 id = keyed_find(&writing->timeline->stays.threads, &key);

	return id == HASH_NONE ? ROW_NONE : writing->number[id];
}

/* Each writes a member. Returns 0, or -1 without memory. */
int timeline_path_json(const struct writing *writing);
int timeline_points_json(const struct writing *writing);
int timeline_sections_json(const struct writing *writing);

#endif /* GAPP_READ_TIMELINE_WRITING_H */
