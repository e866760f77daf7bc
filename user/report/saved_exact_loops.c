// SPDX-License-Identifier: GPL-2.0
/* Loops that were timed exactly in a recording's file. */
#include "exact_loops.h"

#include "util/hash_index.h"

/* More make no sense: the reader keeps 4,096. */
#define ROWS_MAX 0x10000U

/* The first item of a block is what is said of all loops; the others are rows. */
enum item {
	ITEM_SUMS,
	ITEM_ROW,
};

void exact_loops_save(const struct exact_loops *loops, struct blocks_writer *writer)
{
	struct pack *pack;

	blocks_section(writer, BLOCK_EXACT_LOOPS);
	pack = blocks_item(writer);
	pack_u64(pack, ITEM_SUMS);
	pack_u64(pack, loops->count);
	pack_u64(pack, loops->passes_per_s);
	blocks_item_end(writer);
	for (u32 i = 0; i < loops->row_count; i++) {
		const struct exact_loop *row = &loops->rows[i];

		pack = blocks_item(writer);
		pack_u64(pack, ITEM_ROW);
		code_place_pack(pack, &row->place);
		pack_s64(pack, row->tgid);
		pack_u64(pack, row->timed_ns);
		pack_u64(pack, row->given_up);
		blocks_item_end(writer);
	}
}

/* Loops that are being read. */
struct reading {
	struct exact_loops *loops;
	bool complete;
	u32 room;
};

/* Returns 0, or -1 without memory; a row too many makes no sense. */
static int take_row(struct reading *reading, struct unpack *unpack)
{
	struct exact_loops *loops = reading->loops;
	struct exact_loop *row;

	if (loops->row_count >= ROWS_MAX || !unpack_keep(unpack, sizeof(*row))) {
		unpack->failed = true;
		return 0;
	}
	if (array_grow(&loops->rows, &reading->room, loops->row_count, sizeof(*row)))
		return -1;
	row = &loops->rows[loops->row_count++];
	*row = (struct exact_loop){ 0 };
	code_place_unpack(unpack, &row->place);
	row->tgid = unpack_s64(unpack);
	row->timed_ns = unpack_u64(unpack);
	row->given_up = unpack_most(unpack, 1);
	return 0;
}

static int take(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	int failed = 0;

	for (u64 i = 0; i < count && !failed && unpack_more(unpack); i++) {
		switch (unpack_most(unpack, ITEM_ROW)) {
		case ITEM_SUMS:
			reading->loops->count = unpack_u64(unpack);
			reading->loops->passes_per_s = unpack_u64(unpack);
			reading->complete |= !unpack->failed;
			break;
		case ITEM_ROW:
			failed = take_row(reading, unpack);
			break;
		}
	}
	return failed;
}

int exact_loops_read(struct blocks *blocks, struct exact_loops **loops)
{
	struct reading reading = { .loops = calloc(1, sizeof(*reading.loops)) };

	*loops = NULL;
	if (!reading.loops)
		return -1;
	if (blocks_each(blocks, BLOCK_EXACT_LOOPS, take, &reading)) {
		exact_loops_free(reading.loops);
		return -1;
	}
	if (reading.complete)
		*loops = reading.loops;
	else
		exact_loops_free(reading.loops);
	return 0;
}
