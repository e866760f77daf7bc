/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cuts a record to a span of time, so that records of a window say nothing of the time before and
 * after it.
 */
#ifndef GAPP_READ_CLIP_H
#define GAPP_READ_CLIP_H

#include <stdbool.h>

#include <gapp.h>
#include <gapp_record.h>

#include "util/util.h"

/**
 * struct window_span - a span of time
 * @begin_ns: CLOCK_MONOTONIC, nanoseconds
 * @end_ns: likewise
 */
struct window_span {
	u64 begin_ns;
	u64 end_ns;
};

/*
 * Cuts a record, whose size fits its type. Of a slice that is partly in the span stays the part of
 * its share that is the span's part of the slice's time, and its samples as far as they have that.
 * Slices that ended before it, and have no record of their own, count whole. False: nothing is
 * left.
 */
bool clip_record(struct gapp_record *record, const struct window_span *span);

#endif /* GAPP_READ_CLIP_H */
