// SPDX-License-Identifier: GPL-2.0
#include "recorded.h"

#include "data/blocks.h"
#include "input/rings.h"

/* Copies a record, whose sizes fit its type. False: the block makes no sense from here on. */
static bool unpack_record(struct records_cursor *cursor)
{
	struct unpack *unpack = &cursor->unpack;
	u64 size = unpack_most(unpack, UINT16_MAX);
	const u8 *bytes = unpack_bytes(unpack, size);

	if (!bytes || size < sizeof(u64))
		return false;
	memcpy(&cursor->buffer, bytes, size);
	if (cursor->buffer.head.size != size || !record_is_whole(&cursor->buffer.head, size))
		return false;
	cursor->verdict = 0;
	if (cursor->buffer.head.type != GAPP_RECORD_STACK_COPY)
		return true;
	/* only the size of the stack is kept */
	cursor->buffer.copy.stack_bytes = unpack_most(unpack, UINT32_MAX);
	cursor->verdict = unpack_most(unpack, VERIFY_VERDICTS - 1);
	return !unpack->failed;
}

void records_begin(struct records_cursor *cursor, struct blocks *blocks)
{
	cursor->blocks = blocks;
	cursor->at = 0;
	cursor->unpack = (struct unpack){ 0 };
	cursor->record = NULL;
}

bool records_next(struct records_cursor *cursor)
{
	for (;;) {
		while (unpack_more(&cursor->unpack)) {
			if (unpack_record(cursor)) {
				cursor->record = &cursor->buffer.head;
				return true;
			}
			cursor->unpack.failed = true;
			blocks_refuse(cursor->blocks, cursor->at);
		}
		cursor->record = NULL;
		if (!blocks_next(cursor->blocks, BLOCK_RECORDS, &cursor->at, &cursor->unpack))
			return false;
	}
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
	_cleanup_free_ struct records_cursor *cursor = malloc(sizeof(*cursor));

	if (!cursor || recorded_kept(blocks, count))
		return -1;
	records_begin(cursor, blocks);
	while (records_next(cursor)) {
		if (take(context, cursor->record, cursor->verdict))
			return -1;
		count->taken++;
	}
	return 0;
}
