/* SPDX-License-Identifier: GPL-2.0 */
/* What threads, processes and stays are called in files of other viewers. */
#ifndef GAPP_READ_TRACE_NAMES_H
#define GAPP_READ_TRACE_NAMES_H

#include "input/command_lines.h"
#include "timeline/stays.h"

/*
 * Numbers from here on stand for threads and processes that have none in the opener's pid
 * namespace. The kernel gives none as high.
 */
#define TRACE_MADE_UP_IDS 0x40000000

/* What a CPU is said to run while no recorded thread does. */
#define TRACE_NOT_RECORDED "idle or not recorded"

/* Ids of a thread and its process that are above 0 and, for threads without one, its own. */
static inline s32 trace_tid(const struct stays *stays, u32 thread)
{
	s32 tid = stays->threads.rows[thread].key.tid;

	return tid > 0 ? tid : TRACE_MADE_UP_IDS + (s32)thread;
}

static inline s32 trace_tgid(const struct stays *stays, u32 thread)
{
	s32 tgid = stays->threads.rows[thread].key.tgid;

	return tgid > 0 ? tgid : trace_tid(stays, thread);
}

/* Sentences that a viewer should have of a recording, each with a name; ends with a NULL name. */
struct trace_note {
	const char *name;
	const char *text;
};

extern const struct trace_note trace_notes[];

#endif /* GAPP_READ_TRACE_NAMES_H */
