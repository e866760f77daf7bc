// SPDX-License-Identifier: GPL-2.0
/* Handovers in a recording's file. */
#include "handovers.h"

/* The first item of a block of handovers is what all come to; the others are rows. */
enum item {
	ITEM_SUMS,
	ITEM_ROW,
};

static void pack_end(struct pack *pack, const struct handover_end *end)
{
	pack_s64(pack, end->tid);
	pack_s64(pack, end->tgid);
	pack_sized(pack, end->comm, sizeof(end->comm));
	code_place_pack(pack, &end->entry);
	code_place_pack(pack, &end->own);
}

void handovers_save(const struct handovers *handovers, struct blocks_writer *writer)
{
	struct pack *pack;

	blocks_section(writer, BLOCK_HANDOVERS);
	pack = blocks_item(writer);
	pack_u64(pack, ITEM_SUMS);
	pack_u64(pack, handovers->count);
	pack_u64(pack, handovers->lost);
	blocks_item_end(writer);
	for (u32 i = 0; i < handovers->row_count; i++) {
		const struct handover *row = &handovers->rows[i];

		pack = blocks_item(writer);
		pack_u64(pack, ITEM_ROW);
		pack_end(pack, &row->from);
		pack_end(pack, &row->to);
		pack_u64(pack, row->count);
		pack_u64(pack, row->last_ns);
		blocks_item_end(writer);
	}
}

static void unpack_end(struct unpack *unpack, struct handover_end *end)
{
	end->tid = unpack_s64(unpack);
	end->tgid = unpack_s64(unpack);
	unpack_sized(unpack, end->comm, sizeof(end->comm));
	code_place_unpack(unpack, &end->entry);
	code_place_unpack(unpack, &end->own);
}

/* Handovers that are being read. */
struct reading {
	struct handovers *handovers;
	bool complete;
	u32 room;
};

/* Returns 0, or -1 without memory; a row too many makes no sense. */
static int take_row(struct reading *reading, struct unpack *unpack)
{
	struct handovers *handovers = reading->handovers;
	struct handover *row;

	if (handovers->row_count >= SAVED_HANDOVERS_MAX || !unpack_keep(unpack, sizeof(*row))) {
		unpack->failed = true;
		return 0;
	}
	if (array_grow(&handovers->rows, &reading->room, handovers->row_count, sizeof(*row)))
		return -1;
	row = &handovers->rows[handovers->row_count++];
	*row = (struct handover){ 0 };
	unpack_end(unpack, &row->from);
	unpack_end(unpack, &row->to);
	row->count = unpack_u64(unpack);
	row->last_ns = unpack_u64(unpack);
	return 0;
}

static int take(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	int failed = 0;

	for (u64 i = 0; i < count && !failed && unpack_more(unpack); i++) {
		switch (unpack_most(unpack, ITEM_ROW)) {
		case ITEM_SUMS:
			reading->handovers->count = unpack_u64(unpack);
			reading->handovers->lost = unpack_u64(unpack);
			reading->complete |= !unpack->failed;
			break;
		case ITEM_ROW:
			failed = take_row(reading, unpack);
			break;
		}
	}
	return failed;
}

int handovers_read(struct blocks *blocks, struct handovers **handovers)
{
	struct reading reading = { .handovers = calloc(1, sizeof(*reading.handovers)) };

	*handovers = NULL;
	if (!reading.handovers)
		return -1;
	if (blocks_each(blocks, BLOCK_HANDOVERS, take, &reading)) {
		handovers_free(reading.handovers);
		return -1;
	}
	if (reading.complete)
		*handovers = reading.handovers;
	else
		handovers_free(reading.handovers);
	return 0;
}
