/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sections over time: for each thread with marks the stretches of time between the marks that begin
 * and end its sections, in bounded memory. As in struct rows, narrow stretches are merged when
 * there are too many. Which marks make a section is said in docs/design/sections.md.
 */
#ifndef GAPP_READ_SECTION_ROWS_H
#define GAPP_READ_SECTION_ROWS_H

#include <gapp_record.h>

#include "stays.h"
#include "util/mark_key.h"

/* Names that are kept apart; the last one stands for all others. */
#define SECTION_NAMES_MAX 1024U
/* Sections of a thread that are open at once and have rows. */
#define SECTION_DEPTHS 8U
/* Instead of the number of a name: several sections, of different names. */
#define SECTION_SEVERAL 0xffffffffU

/* @ns: nanoseconds of all its sections, those within others too. */
struct section_name {
	struct mark_key key;
	u64 ns;
};

/**
 * struct section_stay - a section, or several that were merged
 * @begin: nanoseconds since the recording began
 * @end: nanoseconds since the recording began; above @begin
 * @ns: of the time between, that in sections
 * @name: number of its name, or SECTION_SEVERAL
 * @sections: how many it was made of
 */
struct section_stay {
	u64 begin;
	u64 end;
	u64 ns;
	u32 name;
	u32 sections;
};

struct section_row {
	struct section_stay *stays;
	u32 count;
	u32 room;
};

struct section_thread_id {
	s32 tid;
	s32 tgid;
};

/* @depths: sections that are in no other one of the thread, those in one other, and so on. */
struct section_thread_rows {
	struct section_thread_id key;
	struct section_row depths[SECTION_DEPTHS];
};

struct begun_section;

/* Sections of a thread that have begun since there was no room for one, and have not ended. */
struct sections_beyond {
	s32 tid;
	u64 count;
};

struct section_process_id {
	s32 tgid;
};

/**
 * struct marking_process - a process with marks
 * @image: number of its address space: with an exec its sections end
 * @open: its sections that are open, in the order in which they began
 * @beyond: of threads whose open sections found no room
 */
struct marking_process {
	struct section_process_id key;
	u32 image;
	struct begun_section *open;
	u32 open_count;
	u32 open_room;
	struct sections_beyond *beyond;
	u32 beyond_count;
	u32 beyond_room;
};

/**
 * struct section_rows - the rows
 * @start_ns: CLOCK_MONOTONIC at which the recording began
 * @spans: when targets were recorded: a section ends with its target's span; NULL: all of them all
 *	the time
 * @limit: stretches at most
 * @count: stretches
 * @used: rows that have any
 * @narrow_ns: what is narrower is merged; 0: nothing
 * @without_room: sections beyond the bounds of processes, threads, depth and open ones, and those
 *	whose records came too late
 * @marks_left_out: marks that have no record, for want of room in a ring
 */
struct section_rows {
	u64 start_ns;
	const struct stays *spans;
	u32 limit;
	u32 count;
	u32 used;
	u64 narrow_ns;
	u64 without_room;
	u64 marks_left_out;

	KEYED(section_name) names;
	KEYED(marking_process) processes;
	KEYED(section_thread_rows) threads;
};

void section_rows_init(struct section_rows *rows, u64 start_ns, u32 limit);
void section_rows_free(struct section_rows *rows);

/* To be called before the first record, of a recording whose targets have spans. */
void section_rows_set_spans(struct section_rows *rows, const struct stays *spans);

/* Adds a record; they come in the order of time. Returns 0, or -1 without memory. */
int section_rows_record(struct section_rows *rows, const struct gapp_record *record);

/*
 * After the last record: ends what is open. @stop_ns: CLOCK_MONOTONIC. Returns 0, or -1 without
 * memory.
 */
int section_rows_end(struct section_rows *rows, u64 stop_ns);

/* Merges until at most @limit stretches are left, or two for each row that has any. */
void section_rows_shrink(struct section_rows *rows, u32 limit);

/* How many sections a thread has. */
u64 section_rows_of_thread(const struct section_thread_rows *thread);

/* How many sections were merged into others. */
u64 section_rows_merged(const struct section_rows *rows);

#endif /* GAPP_READ_SECTION_ROWS_H */
