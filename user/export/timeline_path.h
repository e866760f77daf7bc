/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The critical path over time: its parts, made of the records of a recording with every slice, in
 * bounded memory. What it is, is said in docs/decisions/018-critical-path.md.
 */
#ifndef GAPP_READ_TIMELINE_PATH_H
#define GAPP_READ_TIMELINE_PATH_H

#include "waits/critical_path.h"

/* Instead of enum path_piece: several parts that were merged. */
#define PATH_SEVERAL 4U

/**
 * struct path_part - a part of the critical path
 * @begin: nanoseconds since the recording began
 * @end: nanoseconds since the recording began; above @begin
 * @longest_ns: of the longest part that it was made of
 * @thread: number of the thread of that part, in the store
 * @what: enum path_piece, or PATH_SEVERAL
 * @parts: how many it was made of
 */
struct path_part {
	u64 begin;
	u64 end;
	u64 longest_ns;
	u32 thread;
	u32 what;
	u32 parts;
};

/**
 * struct timeline_path - the critical path; all zero: it is not known
 * @store: what happened, until timeline_path_make(); then its threads alone
 * @limit: parts at most
 * @parts: those that are later first
 * @narrow_ns: what is narrower is merged; 0: nothing
 * @unknown_ns: time of which records are lost, or found no room
 * @known_from: nothing is known of the time before, for slices found no room
 * @known: it is known
 */
struct timeline_path {
	struct wait_store store;
	u32 limit;
	struct path_part *parts;
	u32 count;
	u32 room;
	u64 narrow_ns;
	u64 unknown_ns;
	u64 known_from;
	bool known;
};

void timeline_path_init(struct timeline_path *path, u64 start_ns, u32 limit);
void timeline_path_free(struct timeline_path *path);

/* Adds a record; they come in the order of time. Returns 0, or -1 without memory. */
int timeline_path_record(struct timeline_path *path, const struct gapp_record *record);

/* After the last record: finds the path. @stop_ns: CLOCK_MONOTONIC. Returns 0, or -1. */
int timeline_path_make(struct timeline_path *path, u64 stop_ns);

/* Merges until at most @limit parts are left. */
void timeline_path_shrink(struct timeline_path *path, u32 limit);

#endif /* GAPP_READ_TIMELINE_PATH_H */
