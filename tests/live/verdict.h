/* SPDX-License-Identifier: GPL-2.0 */
/* What two paths of one thread come to, and how many came to what. */
#ifndef GAPP_LIVE_VERDICT_H
#define GAPP_LIVE_VERDICT_H

#include "space.h"

enum verdict {
	VERDICT_SAME, /* from top to bottom */
	VERDICT_NO_CODE, /* but for callers of libdwfl's that are no code, where the walk ended */
	VERDICT_ORACLE_WRONG, /* gdb agrees with the table */
	VERDICT_NO_CFI, /* they part or end in code without call frame information: who knows */
	VERDICT_SHORTER, /* the walk ended before, and said that it could not go on */
	VERDICT_WRONG, /* gdb agrees with libdwfl */
	VERDICT_UNKNOWN, /* three opinions, or no judge */
	VERDICTS,
};

extern const char *const verdict_names[VERDICTS];
extern const char *const end_names[GAPP_UNWIND_ENDS];

/**
 * struct counts - of all threads of a workload
 * @threads: that were stopped
 * @frames: that the walks by tables found
 * @ends: of the walks by tables
 * @by_fp: of the paths, those with a step by the frame pointer
 * @judged: that gdb was asked for
 * @verdicts: how many
 */
struct counts {
	u32 threads;
	u32 frames;
	u32 ends[GAPP_UNWIND_ENDS];
	u32 by_fp;
	u32 judged;
	u32 verdicts[VERDICTS];
};

/* Compares, asks the judge if need be, counts, and prints what is not the same. */
void verdict_on(struct counts *counts, const struct space *space, const struct thread *thread,
		const struct path *ours, const struct path *oracle);

#endif /* GAPP_LIVE_VERDICT_H */
