/* SPDX-License-Identifier: GPL-2.0 */
/* What capture.c and capture_window.c share. */
#ifndef GAPP_READ_CAPTURE_PRIVATE_H
#define GAPP_READ_CAPTURE_PRIVATE_H

#include "capture.h"
#include "handover_watch.h"
#include "processes.h"
#include "spin_exact.h"
#include "spin_watch.h"
#include "store_points.h"
#include "profile/profile.h"
#include "profile/sections.h"
#include "profile/waits.h"
#include "report/script.h"
#include "report/section_views.h"
#include "report/wait_views.h"
#include "util/output.h"
#include "window/record_store.h"

#define NSEC_PER_MSEC (NSEC_PER_SEC / 1000)

/* A slice with more critical time makes its process's command line worth reading. */
#define NOTED_SHARE (NSEC_PER_MSEC << GAPP_SHARE_SHIFT)

/**
 * struct capture - where records come from and where they go
 * @dev: the session
 * @options: what was asked for
 * @rings: records and paths
 * @processes: the mappings, in which addresses are looked up
 * @stacks: call paths, each frame an object and an offset
 * @commands: command lines of processes
 * @profile: the sums of the records; NULL: records are printed
 * @symbols: names; NULL: not needed yet
 * @kept: writes records to the recording's file; NULL: it does not keep them
 * @window: keeps the last records, of which @profile is made when it is asked for; NULL: the
 *	profile is made of each record as it comes
 * @window_record: a record that is being changed, with room for the largest
 * @before_window: sections, by the records that @window has no more
 * @keeps_waits: every slice and wait goes to @waits, too
 * @waits: slices and waits
 * @sample_paths: call paths of the samples of a slice
 * @sample_room: elements of @sample_paths
 * @wait_views: what they come to; NULL: not made yet, or nothing asked for it
 * @handovers: who hands the CPU to whom
 * @sections: what marks say, and slices meanwhile
 * @section_views: what became of @sections, or NULL
 * @spin_watch: who ends waits in busy-wait loops
 * @store_points: instructions whose stores are told, because they end such waits
 * @spin_exact: busy-wait loops that are timed exactly
 * @script: prints records
 * @output: where @script prints to
 * @program: the file of -x
 * @program_path: its path as mappings have it, links resolved; NULL: not known
 * @all_waits: the waits of each record are asked for
 * @only_added: usual slices are of use to the profile alone, see note_users()
 * @state: see each value
 */
struct capture {
	struct device *dev;
	const struct options *options;
	struct rings *rings;
	struct processes processes;
	struct cpu_nodes nodes;
	struct call_paths *stacks;
	struct command_lines *commands;
	struct profile *profile;
	struct symbols *symbols;
	struct kept_records *kept;
	struct record_store *window;
	struct gapp_record *window_record;
	struct sections before_window;
	bool keeps_waits;
	struct wait_store waits;
	u32 *sample_paths;
	u32 sample_room;
	struct wait_views *wait_views;
	struct handover_watch handovers;
	struct sections sections;
	struct section_views *section_views;
	struct spin_watch spin_watch;
	struct store_points store_points;
	struct spin_exact spin_exact;
	struct script script;
	struct output output;
	struct program program;
	char *program_path;
	bool all_waits;
	bool only_added;
	enum capture_state state;
};

/* Makes the profile, without any record. Returns 0, or -1 without memory. */
int capture_make_profile(struct capture *capture);

/*
 * Adds a record to the profile, and to what else is made of records; the mappings of its time are
 * known. Returns 0, or -1 without memory.
 */
int capture_add_slice(struct capture *capture, const struct gapp_record_slice *slice);
int capture_add_wait(struct capture *capture, const struct gapp_record_wait *wait);
int capture_add_other(struct capture *capture, const struct gapp_record *record);

/* Makes @capture->window. Returns 0, or -1 without memory. */
int capture_make_window(struct capture *capture);
void capture_window_free(struct capture *capture);

/* Keeps a record, with the mappings of its time, for a window. Returns 0, or -1 without memory. */
int capture_window_add(struct capture *capture, const struct gapp_record *record);

/* Sets symbols, as the options want them. Returns 0, or -1 without memory. */
int capture_make_symbols(struct capture *capture, const volatile bool *cancel);

#endif /* GAPP_READ_CAPTURE_PRIVATE_H */
