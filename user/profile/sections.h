/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sections of a recording, from the marks of its threads: how long each was the current one of a
 * process, how parallel the target was meanwhile, and where its critical time went.
 *
 * A section is its process's from the mark of a thread that begins it to the mark of that thread
 * that ends it. Where several are open, the one that began last is the current one.
 */
#ifndef GAPP_READ_SECTIONS_H
#define GAPP_READ_SECTIONS_H

#include <gapp_record.h>

#include "util/mark_key.h"

/* Names that are kept apart; all others are one section. */
#define SECTIONS_MAX 1024
/* Sections of a process that are open at once; those that begin beyond that have no room. */
#define SECTIONS_OPEN_MAX 4096
/* Processes with sections; those of later ones have no room. */
#define SECTION_PROCESSES_MAX 4096

/**
 * struct section_sum - what is added up for a section
 * @begins: how often it began
 * @ns: nanoseconds in which it was the current one of a process
 * @measured_ns: the part of @ns for which @thread_ns is known
 * @thread_ns: the integral of active threads of the target over @measured_ns
 * @critical_share: critical share of slices of the process meanwhile, in shares
 * @divided_share: the part of it that is divided by time: of slices that began before the section
 *	or ended behind it, and of earlier slices of a record, whose times are not known
 */
struct section_sum {
	struct mark_key key;
	u64 begins;
	u64 ns;
	u64 measured_ns;
	u64 thread_ns;
	double critical_share;
	double divided_share;
};

/**
 * struct section_path_key - a section, and a call path of the profile
 * @section: number of the section
 * @path: id of the path
 * @sampled: a sample hit it; 0: slices without a sample ended there
 */
struct section_path_key {
	u32 section;
	u32 path;
	u32 sampled;
};

struct section_path {
	struct section_path_key key;
	double critical_share;
};

struct section_id {
	s32 id;
};

struct open_section;
struct section_change;
struct section_event;

/**
 * struct section_process - a process with marks
 * @key: process id
 * @image: number of its address space: with an exec its sections end
 * @open: its sections that are open, in the order in which they began
 * @changes: the last changes of its current section, a ring
 * @change_count: changes ever
 * @since_ns: CLOCK_MONOTONIC of the last change
 * @thread_ns: S of the target then
 * @measured: @thread_ns is known
 */
struct section_process {
	struct section_id key;
	u32 image;
	struct open_section *open;
	u32 open_count;
	u32 open_room;
	struct section_change *changes;
	u64 change_count;
	u64 since_ns;
	u64 thread_ns;
	bool measured;
};

/**
 * struct section_thread - a thread of these processes
 * @key: thread id
 * @image: number of the address space in which @beyond is
 * @beyond: sections without room that it has begun and not ended
 * @last_ns: its record before: the earlier slices of its next record are of the time since
 */
struct section_thread {
	struct section_id key;
	u32 image;
	u32 beyond;
	u64 last_ns;
};

/**
 * struct sections - all of a recording; all zero: there are none
 * @sums: by the number of the section; the last of SECTIONS_MAX has those that found no room
 * @processes: processes with marks
 * @paths: critical share by section and call path
 * @threads: threads of these processes
 * @unpaired: marks that end a section which their thread has not begun
 * @without_room: sections that began where there was no room for them
 * @events: what changed the open sections of processes, in the order of time
 * @events_lost: there was no room for some of @events
 * @ended_unseen: sections that ended with a thread, as only sections_end_threads() says, before
 *	their process
 */
struct sections {
	KEYED(section_sum) sums;
	KEYED(section_process) processes;
	KEYED(section_path) paths;
	KEYED(section_thread) threads;
	u64 unpaired;
	u64 without_room;
	struct section_event *events;
	u32 event_count;
	u32 event_room;
	bool events_lost;
	u64 ended_unseen;
};

/**
 * struct section_thread_end - the end of a thread
 * @ns: CLOCK_MONOTONIC
 * @goes_on: its process went on for so long that it matters where critical time went
 */
struct section_thread_end {
	u64 ns;
	s32 tid;
	s32 tgid;
	bool goes_on;
};

/* Whether any mark has been added. */
static inline bool sections_any(const struct sections *sections)
{
	return sections->processes.index.count;
}

/* Each adds a record, in the order of time. Returns 0, or -1 without memory. */
int sections_mark(struct sections *sections, const struct gapp_record_mark *mark);
/* @path: id of the call path at the end, as of profile_path_id(); @sampled: those of the samples.
 */
int sections_slice(struct sections *sections, const struct gapp_record_slice *slice, u32 path,
		   const u32 *sampled);

/*
 * For a window of a recording, whose earlier records are given up one by one: of these the marks go
 * to sections_mark(), and slices to sections_gone(), which takes of them only whose thread or
 * address space ended. Returns 0, or -1 without memory.
 */
int sections_gone(struct sections *sections, const struct gapp_record_slice *slice);
/*
 * What is open in @before is open in @sections, which has none yet, from @ns on, CLOCK_MONOTONIC,
 * without having begun there. Returns 0, or -1 without memory.
 */
int sections_go_on(struct sections *sections, const struct sections *before, u64 ns);

/*
 * At the end of a recording, before sections_end(): no record says that these threads have ended,
 * and the times of sections become what they are if it is known. Critical time stays where it is,
 * and so do times if there were too many marks. @ends: in the order of time. Returns 0, or -1
 * without memory.
 */
int sections_end_threads(struct sections *sections, const struct section_thread_end *ends,
			 u32 count);

/* The process ended at @ns, CLOCK_MONOTONIC, and its sections with it. */
void sections_end(struct sections *sections, struct section_process *process, u64 ns);
void sections_free(struct sections *sections);

#endif /* GAPP_READ_SECTIONS_H */
