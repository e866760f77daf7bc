// SPDX-License-Identifier: GPL-2.0
#include "kept_records.h"

/**
 * struct printing - records that are being printed
 * @script: prints them
 * @records: how many
 * @buffer: the record, aligned
 */
struct printing {
	struct script *script;
	struct saved_records *records;
	union {
		struct gapp_record head;
		struct gapp_record_slice slice;
		struct gapp_record_wait wait;
		struct gapp_record_lost lost;
		struct gapp_record_wake wake;
		struct gapp_record_stack_copy copy;
		struct gapp_record_need_mapping need;
		u8 bytes[UINT16_MAX + 1];
	} buffer;
};

/* Copies a record, whose sizes fit its type. */
static void unpack_record(struct printing *printing, struct unpack *unpack)
{
	u64 size = unpack_most(unpack, UINT16_MAX);
	const u8 *bytes = unpack_bytes(unpack, size);

	if (!bytes || size < sizeof(u64)) {
		unpack->failed = true;
		return;
	}
	memcpy(&printing->buffer, bytes, size);
	if (printing->buffer.head.size != size || !record_is_whole(&printing->buffer.head, size))
		unpack->failed = true;
}

static int print_copy(struct printing *printing, struct unpack *unpack)
{
	struct gapp_record_stack_copy *copy = &printing->buffer.copy;
	u64 bytes = unpack_most(unpack, UINT32_MAX);
	u64 verdict = unpack_most(unpack, VERIFY_VERDICTS - 1);

	if (unpack->failed)
		return 0;
	copy->stack_bytes = bytes;
	return script_unwound_copy(printing->script, copy, copy->path, verdict);
}

/* Returns 0, or -1 without memory. */
static int print(struct printing *printing, struct unpack *unpack)
{
	struct script *script = printing->script;

	switch (printing->buffer.head.type) {
	case GAPP_RECORD_SLICE:
		return script_slice(script, &printing->buffer.slice);
	case GAPP_RECORD_WAIT:
		return script_wait(script, &printing->buffer.wait);
	case GAPP_RECORD_LOST:
		script_lost(script, &printing->buffer.lost);
		break;
	case GAPP_RECORD_WAKE:
		script_wake(script, &printing->buffer.wake);
		break;
	case GAPP_RECORD_STACK_COPY:
		return print_copy(printing, unpack);
	case GAPP_RECORD_NEED_MAPPING:
		script_need_mapping(script, &printing->buffer.need);
		break;
	}
	return 0;
}

static int print_records(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct printing *printing = context;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		unpack_record(printing, unpack);
		if (unpack->failed)
			return 0;
		if (print(printing, unpack) || ferror(printing->script->out))
			return -1;
		printing->records->printed += !unpack->failed;
	}
	return 0;
}

static int take_count(void *context, _unused_ u64 first, _unused_ u64 count, struct unpack *unpack)
{
	struct saved_records *records = context;

	records->recorded = unpack_u64(unpack);
	records->kept = !unpack->failed;
	return 0;
}

int saved_records_print(struct blocks *blocks, struct script *script, struct saved_records *records)
{
	_cleanup_free_ struct printing *printing = calloc(1, sizeof(*printing));

	*records = (struct saved_records){ 0 };
	if (!printing)
		return -1;
	printing->script = script;
	printing->records = records;
	if (blocks_each(blocks, BLOCK_RECORD_COUNT, take_count, records))
		return -1;
	return blocks_each(blocks, BLOCK_RECORDS, print_records, printing);
}
