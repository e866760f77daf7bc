// SPDX-License-Identifier: GPL-2.0
#include "recorded.h"

#include "data/blocks.h"
#include "input/rings.h"

/**
 * struct reading - records that are being read
 * @take: takes each
 * @context: handed to @take
 * @count: how many there are
 * @buffer: the record, aligned
 */
struct reading {
	recorded_fn take;
	void *context;
	struct recorded_count *count;
	union {
		struct gapp_record head;
		struct gapp_record_stack_copy copy;
		u8 bytes[UINT16_MAX + 1];
	} buffer;
};

/* Copies a record, whose sizes fit its type. Returns the verdict of a stack copy. */
static u32 unpack_record(struct reading *reading, struct unpack *unpack)
{
	u64 size = unpack_most(unpack, UINT16_MAX);
	const u8 *bytes = unpack_bytes(unpack, size);
	u64 verdict;

	if (!bytes || size < sizeof(u64)) {
		unpack->failed = true;
		return 0;
	}
	memcpy(&reading->buffer, bytes, size);
	if (reading->buffer.head.size != size || !record_is_whole(&reading->buffer.head, size)) {
		unpack->failed = true;
		return 0;
	}
	if (reading->buffer.head.type != GAPP_RECORD_STACK_COPY)
		return 0;
	/* only the size of the stack is kept */
	reading->buffer.copy.stack_bytes = unpack_most(unpack, UINT32_MAX);
	verdict = unpack_most(unpack, VERIFY_VERDICTS - 1);
	return verdict;
}

static int take_records(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		u32 verdict = unpack_record(reading, unpack);

		if (unpack->failed)
			return 0;
		if (reading->take(reading->context, &reading->buffer.head, verdict))
			return -1;
		reading->count->taken++;
	}
	return 0;
}

static int take_count(void *context, _unused_ u64 first, _unused_ u64 count, struct unpack *unpack)
{
	struct recorded_count *records = context;

	records->recorded = unpack_u64(unpack);
	records->kept = !unpack->failed;
	return 0;
}

int recorded_kept(struct blocks *blocks, struct recorded_count *count)
{
	*count = (struct recorded_count){ 0 };
	return blocks_each(blocks, BLOCK_RECORD_COUNT, take_count, count);
}

int recorded_each(struct blocks *blocks, recorded_fn take, void *context,
		  struct recorded_count *count)
{
	_cleanup_free_ struct reading *reading = calloc(1, sizeof(*reading));

	if (!reading || recorded_kept(blocks, count))
		return -1;
	reading->take = take;
	reading->context = context;
	reading->count = count;
	return blocks_each(blocks, BLOCK_RECORDS, take_records, reading);
}
