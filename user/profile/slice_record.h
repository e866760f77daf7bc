/* SPDX-License-Identifier: GPL-2.0 */
/* What the record of a slice says. For each record, so all of it is inline. */
#ifndef GAPP_READ_SLICE_RECORD_H
#define GAPP_READ_SLICE_RECORD_H

#include "profile_private.h"

static inline u32 then_kind(const struct gapp_record_slice *slice)
{
	static const u8 kinds[] = {
		[GAPP_THEN_PREEMPTED] = THEN_PREEMPTED,
		[GAPP_THEN_EXITED] = THEN_EXITED,
		[GAPP_THEN_ON] = THEN_ON,
		[GAPP_THEN_STOPPED] = THEN_STOPPED,
	};

	if (slice->then == GAPP_THEN_WAIT || slice->then >= ARRAY_SIZE(kinds))
		return record_wait_reason(slice->wait);
	return kinds[slice->then];
}

/* Whether @slice is a part, a rest, or ended by exit or STOP: it ran on its path at the end. */
static inline bool interrupted(const struct gapp_record_slice *slice)
{
	return slice->then == GAPP_THEN_ON || slice->then == GAPP_THEN_STOPPED ||
	       slice->then == GAPP_THEN_EXITED || (slice->flags & GAPP_SLICE_REST);
}

/* The same number, less than 2^63: so this is one instruction. */
static inline double to_double(u64 number)
{
	return (double)(s64)number;
}

/* Active threads on average. */
static inline double average_n(const struct gapp_record_slice *slice)
{
	u64 end_ns = slice->head.time_ns;

	return end_ns > slice->begin_ns ?
		       to_double(slice->thread_ns) / to_double(end_ns - slice->begin_ns) :
		       slice->n;
}

/* own_share() of a record that is not of earlier slices alone. */
static inline u64 own_share_of_last(const struct gapp_record_slice *slice)
{
	return slice->own_critical_share < slice->critical_share ? slice->own_critical_share :
								   slice->critical_share;
}

/* Share of the slice alone; a record of earlier slices alone has none. */
static inline u64 own_share(const struct gapp_record_slice *slice)
{
	return slice->flags & GAPP_SLICE_REST ? 0 : own_share_of_last(slice);
}

#endif /* GAPP_READ_SLICE_RECORD_H */
