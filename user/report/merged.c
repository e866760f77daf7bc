// SPDX-License-Identifier: GPL-2.0
#include "merged.h"

#include "util/hash_index.h"

/* Targets of a part; more make no sense. */
#define TARGETS_MAX 0x100000U

int merged_add(struct merged *merged, struct merged_part *part)
{
	if (array_grow(&merged->parts, &merged->room, merged->count, sizeof(*merged->parts))) {
		merged_part_free(part);
		return -1;
	}
	merged->parts[merged->count++] = *part;
	return 0;
}

void merged_part_free(struct merged_part *part)
{
	free(part->file);
	free(part->targets);
}

void merged_free(struct merged *merged)
{
	if (!merged)
		return;
	for (u32 i = 0; i < merged->count; i++)
		merged_part_free(&merged->parts[i]);
	free(merged->parts);
	free(merged);
}

bool merged_every_slice(const struct merged *merged)
{
	for (u32 i = 0; i < merged->count; i++)
		if (merged->parts[i].records && !merged->parts[i].every_slice)
			return false;
	return true;
}

void merged_save(const struct merged *merged, struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_MERGED);
	for (u32 i = 0; i < merged->count; i++) {
		const struct merged_part *part = &merged->parts[i];
		struct pack *pack = blocks_item(writer);

		pack_text(pack, part->file);
		pack_u64(pack, part->start_ns);
		pack_u64(pack, part->stop_ns);
		pack_u64(pack, part->records);
		pack_u64(pack, part->every_slice);
		pack_u64(pack, part->target_count);
		for (u32 j = 0; j < part->target_count; j++)
			pack_u64(pack, part->targets[j]);
		blocks_item_end(writer);
	}
}

/* Returns 0, or -1 without memory. */
static int unpack_part(struct unpack *unpack, struct merged_part *part)
{
	u64 count;

	part->file = unpack_text(unpack);
	part->start_ns = unpack_u64(unpack);
	part->stop_ns = unpack_u64(unpack);
	part->records = unpack_most(unpack, 1);
	part->every_slice = unpack_most(unpack, 1);
	count = unpack_most(unpack, TARGETS_MAX);
	if (!part->file || part->stop_ns < part->start_ns ||
	    !unpack_keep(unpack, sizeof(*part) + count * sizeof(*part->targets)))
		unpack->failed = true;
	if (unpack->failed)
		return 0;
	part->targets = calloc(count + 1, sizeof(*part->targets));
	if (!part->targets)
		return -1;
	while (part->target_count < count && !unpack->failed) {
		u32 target = unpack_most(unpack, UINT32_MAX);

		if (part->target_count && target <= part->targets[part->target_count - 1])
			unpack->failed = true;
		part->targets[part->target_count++] = target;
	}
	return 0;
}

static int take_parts(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct merged *merged = context;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		struct merged_part part = { 0 };
		int error = unpack_part(unpack, &part);

		if (merged->count >= MERGED_PARTS_MAX)
			unpack->failed = true;
		if (error || unpack->failed) {
			merged_part_free(&part);
			return error;
		}
		if (merged_add(merged, &part))
			return -1;
	}
	return 0;
}

int merged_read(struct blocks *blocks, struct merged **merged)
{
	struct merged *read = calloc(1, sizeof(*read));

	*merged = NULL;
	if (!read)
		return -1;
	if (blocks_each(blocks, BLOCK_MERGED, take_parts, read)) {
		merged_free(read);
		return -1;
	}
	if (read->count)
		*merged = read;
	else
		merged_free(read);
	return 0;
}
