/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The flight recorder (--keep): which dump of the last seconds is due, and the figures of the span
 * that it is about. The module's figures are of the whole session, so they are read at intervals,
 * and a window begins at one of those moments.
 */
#ifndef GAPP_READ_KEEP_H
#define GAPP_READ_KEEP_H

#include "capture.h"

/* The module's figures are read so often in the time of --keep, but no more often than so. */
#define KEEP_STEPS 10
#define KEEP_STEP_LEAST_NS (NSEC_PER_SEC / 10)

/* Dumps that conditions ask for, at most, as each is a file. */
#define KEEP_TRIGGERED_MAX 100

/* Memory for records, if --keep does not say it; what it can be at least and at most. */
#define KEEP_BYTES (64ULL << 20)
#define KEEP_BYTES_LEAST 0x100000ULL
#define KEEP_BYTES_MOST (64ULL << 30)
#define KEEP_LEAST_NS NSEC_PER_SEC
#define KEEP_MOST_NS (3600 * NSEC_PER_SEC)

struct keep;

/* After CONFIGURE. NULL: no memory, with a complaint made. */
struct keep *keep_new(const struct options *options, struct device *dev, struct capture *capture);
void keep_free(struct keep *keep);

/* How long the caller may wait from one keep_tick() to the next. */
u64 keep_tick_ns(const struct keep *keep);

/*
 * Reads figures, forgets records that are too old, and looks whether the condition holds. Returns
 * 0, above 0 if the caller is to make a dump now, or -1 with a complaint made.
 */
int keep_tick(struct keep *keep);

/* @cause: who asks for a dump, in words that outlive @keep. Two that are asked for at once are one.
 * Returns 0, or -1 with a complaint made.
 */
int keep_ask(struct keep *keep, const char *cause);
/* Whether a dump was asked for and is not made yet. */
bool keep_is_asked(const struct keep *keep);

/*
 * Sets the figures of the window, and makes the capture's sums of its records. @ended: the session
 * has been stopped, and all records are there; else it is the dump that is due. Returns 0, or -1
 * with a complaint made.
 */
int keep_window(struct keep *keep, bool ended, struct results *results);

/* How many dumps were made, without the one at the end. */
u32 keep_dumps(const struct keep *keep);

#endif /* GAPP_READ_KEEP_H */
