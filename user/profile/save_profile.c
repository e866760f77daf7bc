// SPDX-License-Identifier: GPL-2.0
/* Writes a profile to a recording's file. */
#include "saved_profile.h"

#include "profile_private.h"
#include "saved_waits.h"

static void pack_waiting(struct pack *pack, const double *waiting)
{
	u32 used = 0;

	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++)
		used |= (waiting[i] ? 1U : 0) << i;
	pack_u64(pack, used);
	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++)
		if (waiting[i])
			pack_double(pack, waiting[i]);
}

static void pack_figures(struct pack *pack, const struct figures *figures)
{
	pack_u64(pack, figures->critical_share);
	pack_u64(pack, figures->samples);
	pack_u64(pack, figures->slices);
	pack_double(pack, figures->n_share);
	pack_waiting(pack, figures->waiting);
}

static void save_sums(const struct profile *profile, struct blocks_writer *writer)
{
	const u64 sums[] = {
		profile->attributed,	 profile->waited_ns,   profile->no_path,
		profile->table_full,	 profile->lost,	       profile->losses,
		profile->waited_lost_ns, profile->slices,      profile->records,
		profile->unsampled,	 profile->stack_count,
	};
	struct pack *pack;

	blocks_section(writer, BLOCK_SUMS);
	pack = blocks_item(writer);
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		pack_u64(pack, sums[i]);
	pack_u64(pack, profile->several_targets);
	pack_u64(pack, profile->any_target);
	pack_u64(pack, profile->first_target);
	blocks_item_end(writer);
}

static void save_cells(const struct profile *profile, struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_CELLS);
	for (u32 i = 0; i < profile->cells.index.count; i++) {
		const struct cell *cell = &profile->cells.rows[i];
		struct pack *pack = blocks_item(writer);

		pack_s64(pack, cell->key.tgid);
		pack_u64(pack, cell->key.target);
		pack_u64(pack, cell->key.end);
		pack_u64(pack, cell->key.stack);
		pack_u64(pack, cell->key.kind);
		pack_u64(pack, cell->key.wait);
		pack_u64(pack, cell->key.leader);
		pack_u64(pack, cell->threads);
		pack_figures(pack, &cell->figures);
		blocks_item_end(writer);
	}
}

static void save_entries(const struct profile *profile, struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_ENTRIES);
	for (u32 i = 0; i < profile->entries.index.count; i++) {
		const struct entry *entry = &profile->entries.rows[i];
		struct pack *pack = blocks_item(writer);

		pack_s64(pack, entry->key.tid);
		pack_s64(pack, entry->key.tgid);
		pack_u64(pack, entry->key.target);
		pack_u64(pack, entry->key.kind);
		pack_u64(pack, entry->key.wait);
		pack_u64(pack, entry->key.leader);
		pack_sized(pack, entry->comm, sizeof(entry->comm));
		pack_figures(pack, &entry->figures);
		blocks_item_end(writer);
	}
}

/* @counted: those of TALLY_COUNTED, which have a section of their own, for older readers. */
static void save_tallies(const struct profile *profile, enum block_type type, bool counted,
			 struct blocks_writer *writer)
{
	blocks_section(writer, type);
	for (u32 i = 0; i < profile->tallies.index.count; i++) {
		const struct tally *tally = &profile->tallies.rows[i];
		struct pack *pack;

		if (counted != ((tally->key.what & TALLY_WHAT) == TALLY_COUNTED))
			continue;
		pack = blocks_item(writer);
		pack_u64(pack, tally->key.owner);
		pack_u64(pack, tally->key.what);
		pack_u64(pack, tally->sum);
		blocks_item_end(writer);
	}
}

static void save_sets(const struct profile *profile, struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_SETS);
	for (u32 i = 0; i < profile->sets.index.count; i++) {
		const struct set *set = &profile->sets.rows[i];
		struct pack *pack = blocks_item(writer);
		u32 count = 0;

		while (count < MAX_STACKS_OF_SET && set->key.stacks[count] != STACK_NONE)
			count++;
		pack_u64(pack, set->key.target);
		pack_u64(pack, set->key.end);
		pack_u64(pack, set->key.then);
		pack_u64(pack, set->key.leader);
		pack_u64(pack, set->slices);
		pack_u64(pack, count);
		for (u32 j = 0; j < count; j++) {
			pack_u64(pack, set->key.stacks[j]);
			pack_u64(pack, set->shares[j]);
		}
		blocks_item_end(writer);
	}
}

static void save_span(const struct span *span, u32 owner, struct blocks_writer *writer)
{
	struct pack *pack = blocks_item(writer);

	if (!span->length_ns)
		return;
	pack_u64(pack, owner);
	pack_u64(pack, span->share);
	pack_u64(pack, span->length_ns);
	pack_u64(pack, span_beyond(span));
	blocks_item_end(writer);
}

static void save_spans(const struct profile *profile, struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_SPANS);
	for (u32 i = 0; i < profile->cells.index.count; i++)
		save_span(&profile->cells.rows[i].figures.span, i, writer);
	for (u32 i = 0; i < profile->sets.index.count; i++)
		save_span(&profile->sets.rows[i].span, TALLY_SET | i, writer);
}

static void save_sure(const struct profile *profile, struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_SURE_PATHS);
	for (u32 i = 0; i < profile->sure_room; i++) {
		if (!profile->sure[i] || !profile_has(profile, i))
			continue;
		pack_u64(blocks_item(writer), i);
		blocks_item_end(writer);
	}
}

int profile_save(struct profile *profile, struct object_numbers *numbers,
		 struct blocks_writer *writer)
{
	if (profile_settle(profile))
		return -1;
	save_sums(profile, writer);
	save_cells(profile, writer);
	save_entries(profile, writer);
	save_tallies(profile, BLOCK_TALLIES, false, writer);
	save_tallies(profile, BLOCK_COUNTED, true, writer);
	save_sets(profile, writer);
	save_sure(profile, writer);
	save_spans(profile, writer);
	if (profile->waits)
		waits_save(profile->waits, writer);
	blocks_section(writer, BLOCK_PATHS);
	for (u32 i = 0; i < profile->seen_room; i++)
		if (profile->seen[i] && call_path_save(profile->seen[i], numbers, writer))
			return -1;
	return 0;
}

int profile_number(const struct profile *profile, struct object_numbers *numbers)
{
	for (u32 i = 0; i < profile->seen_room; i++)
		if (profile->seen[i] && call_path_number(profile->seen[i], numbers))
			return -1;
	return 0;
}

bool profile_has(const struct profile *profile, u32 path)
{
	return path < profile->seen_room && profile->seen[path];
}

int profile_name_all(const struct profile *profile, struct symbols *symbols)
{
	for (u32 i = 0; i < profile->seen_room; i++) {
		const struct call_path *path = profile->seen[i];
		const struct frame *frames;

		for (u32 j = 0; path && j < path->count; j++)
			if (!symbols_frames(symbols, path->addresses[j],
					    call_path_is_return(path, j), &frames))
				return -1;
	}
	return 0;
}
