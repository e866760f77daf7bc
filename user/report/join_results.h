/* SPDX-License-Identifier: GPL-2.0 */
/* Figures of several recordings become those of one, in which each keeps its targets. */
#ifndef GAPP_READ_JOIN_RESULTS_H
#define GAPP_READ_JOIN_RESULTS_H

#include "merged.h"
#include "saved_results.h"

/**
 * struct lived - when a recording followed a process
 * @tgid: the process
 * @comm: its name
 * @begin_ns: CLOCK_MONOTONIC
 * @end_ns: CLOCK_MONOTONIC
 * @file: the recording
 */
struct lived {
	s32 tgid;
	u8 comm[GAPP_COMM_LEN];
	u64 begin_ns;
	u64 end_ns;
	const char *file;
};

/**
 * struct results_joiner - figures of several recordings
 * @results: what they come to; its lists belong to it, texts to the recordings
 * @merged: the recordings
 * @commands: command lines of all
 * @copies: what became of stack copies
 * @handovers: rows of all, whose texts are the recordings' own; NULL: no recording has any
 * @lives: processes of all, by process id
 * @life_count: elements of @lives
 * @handover_room: elements that the rows of @handovers have memory for
 * @thread_room: elements that the list of threads has memory for
 * @wait_room: the same of the list of their waits
 * @process_room: the same of processes
 * @target_room: the same of targets
 * @end_ns: CLOCK_MONOTONIC at which the last one ended
 * @counted_once: how many threads are in lists twice, but were counted once: the recordings were
 *	merged before
 */
struct results_joiner {
	struct results results;
	struct merged merged;
	struct command_lines *commands;
	struct call_paths_figures copies;
	struct handovers *handovers;
	struct lived *lives;
	size_t life_count;
	u32 handover_room;
	u32 thread_room;
	u32 wait_room;
	u32 process_room;
	u32 target_room;
	u64 end_ns;
	u64 counted_once;
};

/**
 * struct joined_recording - one of them
 * @file: its name
 * @blocks: its file
 * @figures: its figures
 * @records: it has records
 * @every_slice: it was made with every slice and wake-up
 * @targets: set to the numbers of its targets now, by their numbers in it, allocated;
 *	PROFILE_TARGET_UNKNOWN: its list of targets has no such one
 * @target_count: elements of @targets
 */
struct joined_recording {
	const char *file;
	struct blocks *blocks;
	const struct saved_figures *figures;
	bool records;
	bool every_slice;
	u32 *targets;
	u32 target_count;
};

/* More targets are not merged: each is compared with all of the recordings before. */
#define MERGED_TARGETS_MAX 0x10000U

/*
 * To be called before results_join(): whether the recordings have no more of anything than a reader
 * takes.
 */
bool results_fit(const struct results_joiner *joiner, const struct saved_figures *figures);
/*
 * Adds a recording. Its targets become targets of their own, but for a process that a former
 * recording has, too, at another time: that is one target, whose figures are added up. A target of
 * several processes is called as the one that was followed first. Returns 0, or -1 without memory.
 */
int results_join(struct results_joiner *joiner, struct joined_recording *recording);
/* Sets @again to how many threads of the list are there once more. Returns 0, or -1 without memory.
 */
int results_count_again(const struct model *model, u64 *again);
/* To be called behind the last one. Returns 0, or -1 without memory. */
int results_join_end(struct results_joiner *joiner);
void results_joiner_free(struct results_joiner *joiner);

/**
 * struct twice - a process that two recordings followed at one time
 * @tgid: the process
 * @comm: its name
 * @file: the former recording
 */
struct twice {
	s32 tgid;
	u8 comm[GAPP_COMM_LEN];
	const char *file;
};

/*
 * To be called before results_join(): sets @twice to a process that the recording and a former one
 * followed at the same time, so that its time would count twice; @twice->file is NULL if there is
 * none. Returns 0, or -1 without memory.
 */
int results_note_lives(struct results_joiner *joiner, const struct joined_recording *recording,
		       struct twice *twice);

#endif /* GAPP_READ_JOIN_RESULTS_H */
