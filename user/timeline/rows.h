/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of stays, one for each CPU and one for each thread, in bounded memory. When there are too
 * many stays, those that are narrower than a bound are merged with narrow neighbours, and the bound
 * grows until they fit.
 */
#ifndef GAPP_READ_ROWS_H
#define GAPP_READ_ROWS_H

#include "stays.h"

/* Instead of the number of a place, or of who it is. */
#define ROW_NONE 0xffffffffU

/* Kinds of stays in rows: enum stay_kind, or one of these. */
enum {
	ROW_MOSTLY_ON = STAY_KINDS, /* several stays, on a CPU for at least half of the time */
	ROW_MOSTLY_OFF, /* several stays */
};

/**
 * struct row_stay - a stay in a row
 * @begin: nanoseconds since the recording began
 * @end: nanoseconds since the recording began; above @begin
 * @on_ns: the part of it on a CPU
 * @spun_ns: the part of that in busy-wait loops
 * @who: of a CPU's row the thread; of a thread's row the CPU or the wait reason; or ROW_NONE
 * @place: number of a place, or ROW_NONE
 * @stays: how many it was made of
 * @kind: enum stay_kind, or ROW_*
 */
struct row_stay {
	u64 begin;
	u64 end;
	u64 on_ns;
	u64 spun_ns;
	u32 who;
	u32 place;
	u32 stays;
	u8 kind;
};

struct row {
	struct row_stay *stays;
	u32 count;
	u32 room;
};

/**
 * struct rows - the rows
 * @start_ns: CLOCK_MONOTONIC at which the recording began
 * @cpus: by CPU
 * @threads: by thread
 * @threads_max: threads with a higher number have no row
 * @limit: stays at most
 * @count: stays
 * @narrow_ns: what is narrower is merged; 0: nothing
 * @keeps_who: stays that were merged have who it was, if it was always the same one
 */
struct rows {
	u64 start_ns;
	struct row *cpus;
	u32 cpu_room;
	struct row *threads;
	u32 thread_room;
	u32 threads_max;
	u32 limit;
	u32 count;
	u64 narrow_ns;
	bool keeps_who;
};

void rows_init(struct rows *rows, u64 start_ns, u32 threads_max, u32 limit);
void rows_free(struct rows *rows);

/* Adds a stay; @place: where it was, or ROW_NONE. Returns 0, or -1 without memory. */
int rows_add(struct rows *rows, const struct stay *stay, u32 place);

/* Merges until at most @limit stays are left, or as many as there are rows. */
void rows_shrink(struct rows *rows, u32 limit);

/* How many stays were merged into others. */
u64 rows_merged(const struct rows *rows);

#endif /* GAPP_READ_ROWS_H */
