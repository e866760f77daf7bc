// SPDX-License-Identifier: GPL-2.0
/* Folds records in; those of slices are profile_slice.c's. */
#include "profile_batch.h"

struct profile *profile_new(struct call_paths *stacks)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->stacks = stacks;
	profile->outdated_over = call_paths_outdated_until(stacks);
	profile->changes = call_paths_changes(stacks);
	if (profile_make_batches(profile)) {
		free(profile);
		return NULL;
	}
	return profile;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	hash_index_free(&profile->cell_index);
	hash_index_free(&profile->entry_index);
	hash_index_free(&profile->tally_index);
	hash_index_free(&profile->set_index);
	free(profile->seen);
	free(profile->cells);
	free(profile->entries);
	free(profile->tallies);
	free(profile->sets);
	free(profile->words);
	free(profile->batches);
	free(profile->hits);
	free(profile);
}

int profile_see(struct profile *profile, const struct call_path *stack)
{
	u32 room = profile->seen_room;

	if (array_grow(&profile->seen, &profile->seen_room, stack->id, sizeof(*profile->seen)))
		return -1;
	memset(profile->seen + room, 0, (profile->seen_room - room) * sizeof(*profile->seen));
	if (profile->seen_count <= stack->id)
		profile->seen_count = stack->id + 1;
	profile->seen[stack->id] = stack;
	profile->stack_count++;
	return 0;
}

bool record_is_leader(s32 tid, s32 tgid, u32 flags)
{
	return (flags & GAPP_SLICE_LEADER) || (tid && tid == tgid);
}

enum gapp_wait_reason record_wait_class(u32 wait)
{
	return wait < GAPP_WAIT_REASONS ? wait : GAPP_WAIT_OTHER;
}

/**
 * profile_thread() - the entry of a record's thread
 * @profile: whose
 * @key: of the thread
 * @comm: its name now
 * @entry: set to the entry's number
 *
 * Return: 0, or -1 without memory.
 */
int profile_thread(struct profile *profile, struct entry_key key, const u8 *comm, u32 *entry)
{
	if (!profile->any_group)
		profile->first_group = key.target;
	profile->any_group = true;
	profile->several_groups |= key.target != profile->first_group;
	return profile_entry(profile, key, comm, entry);
}

int profile_add_wait(struct profile *profile, const struct gapp_record_wait *wait)
{
	struct entry_key key = {
		.tid = wait->tid,
		.tgid = wait->tgid,
		.target = wait->target,
		.kind = PATH_WAITED,
		.wait = record_wait_class(wait->wait),
		.leader = record_is_leader(wait->tid, wait->tgid, wait->flags),
	};
	struct cell_key cell_key = {
		.tgid = wait->tgid,
		.target = wait->target,
		.stack = STACK_NONE,
		.kind = CELL_WAITED,
		.wait = key.wait,
		.leader = key.leader,
	};
	u32 entry, cell = HASH_NONE;
	struct figures *figures;

	profile->records++;
	if (profile_thread(profile, key, wait->comm, &entry) ||
	    profile_stack(profile, wait->path, wait->tgid, wait->begin_ns, wait->head.time_ns,
			  &cell_key.end))
		return -1;
	figures = &profile->entries[entry].figures;
	figures_add(figures, wait->wait_ns, wait->waiting, 0);
	figures->slices += wait->stretches;
	if (cell_key.end < STACK_LOST && profile_cell(profile, cell_key, &cell))
		return -1;
	if (cell == HASH_NONE) {
		profile->waited_lost_ns += wait->wait_ns;
		return 0;
	}
	profile->waited_ns += wait->wait_ns;
	figures = &profile->cells[cell].figures;
	figures_add(figures, wait->wait_ns, wait->waiting, 0);
	figures->slices += wait->stretches;
	return profile_tally_share(profile, cell, entry, wait->wait_ns);
}

void profile_add_lost(struct profile *profile, const struct gapp_record_lost *lost)
{
	profile->records++;
	profile->lost += lost->critical_share;
	profile->losses++;
	profile->waited_lost_ns += lost->wait_ns;
}

void profile_sums(struct profile *profile, struct profile_sums *sums)
{
	/* without memory they have no path */
	profile_settle(profile);
	*sums = (struct profile_sums){
		.attributed_ns = share_ns_exactly(profile->attributed),
		.waited_ns = profile->waited_ns,
		.no_path_ns = share_ns_exactly(profile->no_path),
		.table_full_ns = share_ns_exactly(profile->table_full),
		.lost_ns = share_ns_exactly(profile->lost),
		.waited_lost_ns = profile->waited_lost_ns,
		.slices = profile->slices,
		.records = profile->records,
		.unsampled = profile->unsampled,
		.stacks = profile->stack_count,
		.copies = call_paths_figures(profile->stacks),
	};
	for (size_t i = 0; i < PATH_METHODS; i++) {
		sums->complete_by_ns[i] = sums->attributed_ns * profile->complete_part[i];
		sums->complete_ns += sums->complete_by_ns[i];
	}
	for (size_t i = 0; i < PATH_ENDS; i++)
		sums->cut_ns[i] = sums->attributed_ns * profile->cut_part[i];
}
