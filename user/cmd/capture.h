/* SPDX-License-Identifier: GPL-2.0 */
/* Takes records from the session to a profile, or prints them. */
#ifndef GAPP_READ_CAPTURE_H
#define GAPP_READ_CAPTURE_H

#include "input/device.h"
#include "opts.h"
#include "rankings.h"
#include "report/kept_records.h"
#include "report/report.h"
#include "window/clip.h"

struct capture;

/*
 * After CONFIGURE and before START, so that nothing is missed. Without records (GAPP_LEVEL_STATS)
 * these functions do nothing. Returns NULL with a complaint made.
 */
struct capture *capture_new(struct device *dev, const struct options *options);
void capture_free(struct capture *capture);

/* To be called after a running process was added to the session; @pid is -1: every process. */
void capture_attach(struct capture *capture, pid_t pid);

/* To be called after the command's process was added, which waits for launch_go(). */
void capture_expect(struct capture *capture, pid_t pid);
/* To be called when that process has executed the command. */
void capture_executed(struct capture *capture, pid_t pid);

/* Before START: waits until the module knows what it needs, some seconds at most. */
void capture_ready(struct capture *capture);

/* Before START: records are written to @writer, too. Returns 0, or -1 with a complaint made. */
int capture_keep_records(struct capture *capture, struct blocks_writer *writer);

/* After START. */
void capture_started(struct capture *capture);

enum capture_state {
	CAPTURE_FAILED = -1, /* with a complaint made */
	CAPTURE_ON, /* there may be more records */
	CAPTURE_FULL, /* no memory for more, with a complaint made; records so far can be ranked */
	CAPTURE_UNREAD, /* what is printed has no reader any more: EPIPE */
};

/*
 * A file descriptor to poll besides the session's; -1: none. When it is readable, the caller calls
 * capture_woken(), which takes some milliseconds at most and returns what capture_drain() does.
 */
int capture_wakeup_fd(const struct capture *capture);
enum capture_state capture_woken(struct capture *capture);

/*
 * Takes the records that are old enough (see SETTLE_NS); @all: all records, because the session has
 * been stopped. After another result than CAPTURE_ON all further calls do nothing.
 */
enum capture_state capture_drain(struct capture *capture, bool all);

/*
 * Ranks the records that were taken. @cancel becomes true when the user does not want to wait for
 * names. Returns 0, or -1 with a complaint made.
 */
int capture_rank(struct capture *capture, const volatile bool *cancel, struct results *results);

/*
 * With --keep, where records are kept and not added up: makes the sums of those that are in a span
 * of time. capture_rank() then ranks these, and capture_get() has them, until the next call.
 * Returns 0, or -1 with a complaint made.
 */
int capture_window(struct capture *capture, const struct window_span *span);
/* Forgets records of a time before @time_ns. Returns 0, or -1 with a complaint made. */
int capture_window_drop(struct capture *capture, u64 time_ns);

/**
 * struct window_memory - what --keep keeps
 * @records: number of records
 * @bytes: memory that they take
 * @dropped_ns: time of the last record that went because memory was short; 0: none did
 */
struct window_memory {
	u64 records;
	u64 bytes;
	u64 dropped_ns;
};

void capture_window_memory(const struct capture *capture, struct window_memory *memory);

/*
 * Looks up the addresses of handovers, if the session counts them, while processes have them
 * mapped. Returns 0, or -1 with a complaint made.
 */
int capture_look_handovers(struct capture *capture);

/**
 * struct captured - what was recorded, which belongs to the capture
 * @profile: the sums; NULL: there are no records
 * @symbols: names that were looked up
 * @kept: its records in the recording's file; NULL: they are not kept
 * @program: the file of -x
 */
struct captured {
	struct profile *profile;
	struct symbols *symbols;
	struct kept_records *kept;
	const struct program *program;
};

/* After capture_rank(). */
void capture_get(const struct capture *capture, struct captured *captured);

/*
 * Ranks by place the records that were taken so far, while more come. The names of the results
 * belong to @capture. May be called repeatedly. Returns 0, or -1 with a complaint made.
 */
int capture_look(struct capture *capture, struct results *results);

#endif /* GAPP_READ_CAPTURE_H */
