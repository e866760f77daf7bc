/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracks of Perfetto: of each thread what it ran on and waited for, of each target its active
 * threads and critical time so far, of each CPU where records were lost.
 */
#ifndef GAPP_READ_PERFETTO_TRACKS_H
#define GAPP_READ_PERFETTO_TRACKS_H

#include "input/tallies.h"
#include "perfetto_interned.h"

/* A target that has tracks. */
struct track_target {
	struct {
		u32 target;
	} key;
	double critical_ns;
};

/* What was last written of a thread. */
struct track_thread {
	bool known;
	u8 comm[GAPP_COMM_LEN];
};

/* A process that was written. */
struct track_process {
	struct {
		s32 tgid;
	} key;
};

/**
 * struct tracks - the tracks of a recording
 * @packets: where to
 * @recorded: the recording
 * @stays: threads
 * @commands: command lines of processes, or NULL
 * @asked: what --counters asked for
 * @apart: each process is a target
 * @interned: texts and call paths
 * @targets: targets that have tracks
 * @processes: processes that were written
 * @threads: threads by number
 * @thread_room: elements of @threads
 * @lost: CPUs that have a track: whether they do, by number
 * @lost_room: elements of @lost
 * @any_lost: one of them has one
 * @waits: numbers of names of waits; 0: has none yet
 * @ran: number of the name of slices without a call path
 * @not_known: number of the name of what is not known
 * @records_lost: number of the name of records that are lost
 */
struct tracks {
	struct packets *packets;
	const struct recorded *recorded;
	const struct stays *stays;
	const struct command_lines *commands;
	const struct tallies *asked;
	bool apart;
	struct interned interned;

	KEYED(track_target) targets;
	KEYED(track_process) processes;
	struct track_thread *threads;
	u32 thread_room;
	bool *lost;
	u32 lost_room;
	bool any_lost;
	u32 waits[GAPP_WAIT_REASONS];
	u32 ran;
	u32 not_known;
	u32 records_lost;
};

/* Each returns 0, or -1 without memory or if nothing can be written. */
int tracks_begin(struct tracks *tracks);
int tracks_take_stay(struct tracks *tracks, const struct stay *stay);
/* What a slice or wake-up says of its target. */
int tracks_take_record(struct tracks *tracks, const struct gapp_record *record);
int tracks_take_lost(struct tracks *tracks, const struct gapp_record_lost *lost);
void tracks_free(struct tracks *tracks);

#endif /* GAPP_READ_PERFETTO_TRACKS_H */
