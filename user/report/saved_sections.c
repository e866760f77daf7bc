// SPDX-License-Identifier: GPL-2.0
/* Figures by section in a recording's file. */
#include "section_views.h"

/* The first item of a block of sections is what is in none; the others are sections. */
enum item {
	ITEM_OUTSIDE,
	ITEM_SECTION,
};

void section_views_save(const struct section_views *views, struct blocks_writer *writer)
{
	struct pack *pack;

	blocks_section(writer, BLOCK_SECTIONS);
	pack = blocks_item(writer);
	pack_u64(pack, ITEM_OUTSIDE);
	pack_u64(pack, views->outside_known);
	pack_u64(pack, views->outside_ns);
	pack_u64(pack, views->outside_active_known);
	pack_double(pack, views->outside_active);
	pack_double(pack, views->outside_critical_ns);
	pack_u64(pack, views->unpaired);
	blocks_item_end(writer);
	for (u32 i = 0; i < views->count; i++) {
		const struct section_row *row = &views->rows[i];

		pack = blocks_item(writer);
		pack_u64(pack, ITEM_SECTION);
		pack_text(pack, row->name);
		pack_u64(pack, row->begins);
		pack_u64(pack, row->ns);
		pack_u64(pack, row->active_known);
		pack_double(pack, row->active);
		pack_double(pack, row->critical_ns);
		pack_double(pack, row->divided_ns);
		pack_u64(pack, row->function_count);
		for (u32 j = 0; j < row->function_count; j++) {
			pack_text(pack, row->functions[j].function);
			pack_text(pack, row->functions[j].module);
			pack_u64(pack, row->functions[j].offset);
			pack_double(pack, row->functions[j].critical_ns);
		}
		blocks_item_end(writer);
	}
	blocks_section(writer, BLOCK_SECTION_COUNTS);
	pack = blocks_item(writer);
	pack_u64(pack, views->without_room);
	pack_u64(pack, views->ended_unseen);
	blocks_item_end(writer);
}

/* Sections that are being read. */
struct reading {
	struct section_views *views;
	bool complete;
	u32 room;
};

static void take_outside(struct reading *reading, struct unpack *unpack)
{
	struct section_views *views = reading->views;

	views->outside_known = unpack_most(unpack, 1);
	views->outside_ns = unpack_u64(unpack);
	views->outside_active_known = unpack_most(unpack, 1);
	views->outside_active = unpack_double(unpack);
	views->outside_critical_ns = unpack_double(unpack);
	views->unpaired = unpack_u64(unpack);
	reading->complete |= !unpack->failed;
}

/* Returns 0, or -1 without memory; a section too many makes no sense. */
static int take_section(struct reading *reading, struct unpack *unpack)
{
	struct section_views *views = reading->views;
	struct section_row *row;
	u32 count;

	if (views->count >= SECTIONS_MAX || !unpack_keep(unpack, sizeof(*row))) {
		unpack->failed = true;
		return 0;
	}
	if (array_grow(&views->rows, &reading->room, views->count, sizeof(*row)))
		return -1;
	row = &views->rows[views->count++];
	*row = (struct section_row){ .name = unpack_text(unpack) };
	row->begins = unpack_u64(unpack);
	row->ns = unpack_u64(unpack);
	row->active_known = unpack_most(unpack, 1);
	row->active = unpack_double(unpack);
	row->critical_ns = unpack_double(unpack);
	row->divided_ns = unpack_double(unpack);
	count = unpack_most(unpack, SECTION_FUNCTIONS);
	for (u32 i = 0; i < count && !unpack->failed; i++) {
		struct section_function *function = &row->functions[row->function_count++];

		function->function = unpack_text(unpack);
		function->module = unpack_text(unpack);
		function->offset = unpack_u64(unpack);
		function->critical_ns = unpack_double(unpack);
	}
	return 0;
}

static int take(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	int failed = 0;

	for (u64 i = 0; i < count && !failed && unpack_more(unpack); i++) {
		switch (unpack_most(unpack, ITEM_SECTION)) {
		case ITEM_OUTSIDE:
			take_outside(reading, unpack);
			break;
		case ITEM_SECTION:
			failed = take_section(reading, unpack);
			break;
		}
	}
	return failed;
}

static int take_counts(void *context, _unused_ u64 first, _unused_ u64 count, struct unpack *unpack)
{
	struct reading *reading = context;

	reading->views->without_room = unpack_u64(unpack);
	reading->views->ended_unseen = unpack_u64(unpack);
	return 0;
}

int section_views_read(struct blocks *blocks, struct section_views **views)
{
	struct reading reading = { .views = calloc(1, sizeof(*reading.views)) };

	*views = NULL;
	if (!reading.views)
		return -1;
	if (blocks_each(blocks, BLOCK_SECTIONS, take, &reading) ||
	    blocks_each(blocks, BLOCK_SECTION_COUNTS, take_counts, &reading)) {
		section_views_free(reading.views);
		return -1;
	}
	if (reading.complete)
		*views = reading.views;
	else
		section_views_free(reading.views);
	return 0;
}
