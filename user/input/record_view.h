/* SPDX-License-Identifier: GPL-2.0 */
/* Records by their type: NULL where a record is of another one, or too short for it. */
#ifndef GAPP_READ_RECORD_VIEW_H
#define GAPP_READ_RECORD_VIEW_H

#include <gapp_record.h>

#include "util/util.h"

static inline const void *record_view(const struct gapp_record *record, u16 type, size_t size)
{
	return record->type == type && record->size >= size ? record : NULL;
}

static inline const struct gapp_record_slice *record_slice(const struct gapp_record *record)
{
	const struct gapp_record_slice *slice =
		record_view(record, GAPP_RECORD_SLICE, sizeof(*slice));

	if (!slice ||
	    record->size < sizeof(*slice) + slice->sample_count * sizeof(struct gapp_sample))
		return NULL;
	return slice;
}

static inline const struct gapp_sample *slice_samples(const struct gapp_record_slice *slice)
{
	return (const struct gapp_sample *)(slice + 1);
}

static inline const struct gapp_record_wait *record_wait(const struct gapp_record *record)
{
	return record_view(record, GAPP_RECORD_WAIT, sizeof(struct gapp_record_wait));
}

static inline const struct gapp_record_lost *record_lost(const struct gapp_record *record)
{
	return record_view(record, GAPP_RECORD_LOST, sizeof(struct gapp_record_lost));
}

static inline const struct gapp_record_wake *record_wake(const struct gapp_record *record)
{
	return record_view(record, GAPP_RECORD_WAKE, sizeof(struct gapp_record_wake));
}

/* With all of its stack. */
static inline const struct gapp_record_stack_copy *record_tail(const struct gapp_record *record)
{
	const struct gapp_record_stack_copy *tail =
		record_view(record, GAPP_RECORD_STACK_COPY, sizeof(struct gapp_record_stack_copy));

	return tail && record->size - sizeof(*tail) >= tail->stack_bytes ? tail : NULL;
}

static inline const struct gapp_record_need_mapping *
record_needmap(const struct gapp_record *record)
{
	return record_view(record, GAPP_RECORD_NEED_MAPPING,
			   sizeof(struct gapp_record_need_mapping));
}

#endif /* GAPP_READ_RECORD_VIEW_H */
