// SPDX-License-Identifier: GPL-2.0
/* The tables of a profile: finds or makes rows by key up to a bound; adds waits and losses. */
#include <sys/syscall.h>

#include "profile_private.h"

/*
 * Past SOFT_CELLS, keys of new cells lose the process, and those of sampled cells also the path at
 * the end. Only the guess where slices without samples ran needs these two.
 */
int profile_cell(struct profile *profile, struct cell_key key, u32 *id)
{
	u32 cells = profile->cells.index.count;

	*id = keyed_find(&profile->cells, &key);
	if (*id != HASH_NONE)
		return 0;
	if (cells >= SOFT_CELLS) {
		key.tgid = 0;
		if (key.kind == CELL_SAMPLED)
			key.end = STACK_NONE;
		*id = keyed_find(&profile->cells, &key);
		if (*id != HASH_NONE || cells >= MAX_CELLS)
			return 0;
	}
	*id = keyed_add(&profile->cells, &key);
	return *id == HASH_NONE ? -1 : 0;
}

/*
 * Past SOFT_ENTRIES, the new threads of a process share entries. When only REST_ENTRIES are free,
 * the new threads of all processes share these.
 */
int profile_thread(struct profile *profile, struct entry_key key, const u8 *comm, u32 *entry)
{
	u32 entries = profile->entries.index.count;

	if (!profile->any_target)
		profile->first_target = key.target;
	profile->any_target = true;
	profile->several_targets |= key.target != profile->first_target;

	*entry = keyed_find(&profile->entries, &key);
	if (*entry == HASH_NONE && entries >= SOFT_ENTRIES) {
		key.tid = 0;
		*entry = keyed_find(&profile->entries, &key);
	}
	if (*entry == HASH_NONE && entries >= MAX_ENTRIES - REST_ENTRIES) {
		key.tgid = 0;
		key.target = 0;
		*entry = keyed_find(&profile->entries, &key);
	}
	if (*entry == HASH_NONE)
		*entry = keyed_add(&profile->entries, &key);
	if (*entry == HASH_NONE)
		return -1;
	memcpy(profile->entries.rows[*entry].comm, comm, GAPP_COMM_LEN);
	return 0;
}

int profile_tally(struct profile *profile, u32 owner, u32 what, u64 sum)
{
	struct tally_key key = { owner, what };
	u32 id = keyed_find(&profile->tallies, &key);
	bool is_share = (what & TALLY_WHAT) == TALLY_SHARE;

	if (id == HASH_NONE) {
		if (profile->tallies.index.count >= MAX_TALLIES ||
		    (is_share && profile->cells.rows[owner].threads >= MAX_THREADS_OF_CELL))
			return 0;
		id = keyed_add(&profile->tallies, &key);
		if (id == HASH_NONE)
			return -1;
		if (is_share)
			profile->cells.rows[owner].threads++;
	}
	profile->tallies.rows[id].sum += sum;
	return 0;
}

void figures_split(struct figures *figures, u64 share, const u16 *waiting)
{
	u32 threads = 0;

	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		threads += waiting[i];
	if (!threads)
		return;
	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		if (waiting[i])
			figures->waiting[i] += (double)share * waiting[i] / threads;
}

void figures_add(struct figures *figures, u64 share, const u16 *waiting, double n)
{
	figures->critical_share += share;
	figures->n_share += n * share;
	figures_split(figures, share, waiting);
}

void span_merge(struct span *span, const struct span *more)
{
	span->cmetric += more->cmetric;
	span->share += more->share;
	span->length_ns += more->length_ns;
}

void figures_merge(struct figures *figures, const struct figures *more)
{
	figures->critical_share += more->critical_share;
	figures->samples += more->samples;
	figures->slices += more->slices;
	figures->n_share += more->n_share;
	span_merge(&figures->span, &more->span);
	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		figures->waiting[i] += more->waiting[i];
}

/* The middle of a step: at most 1/16 away from any length in it. */
u64 step_length(u32 step)
{
	u32 shift = step / 8 ? step / 8 - 1 : 0;
	u64 begin = step / 8 ? (u64)(8 + step % 8) << shift : step;

	return begin + ((1ULL << shift) >> 1);
}

struct profile *profile_for_rankings(const struct call_paths_figures *copies)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->copies = copies;
	if (!profile_make_batches(profile))
		return profile;
	free(profile);
	return NULL;
}

struct profile *profile_new(struct call_paths *stacks)
{
	struct profile *profile = profile_for_rankings(call_paths_figures(stacks));

	if (!profile)
		return NULL;
	profile->stacks = stacks;
	profile->outdated_over = call_paths_outdated_until(stacks);
	profile->changes = call_paths_changes(stacks);
	return profile;
}

void profile_show_kernel(struct profile *profile)
{
	profile->kernel = true;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	keyed_free(&profile->cells);
	for (u32 i = 0; i < profile->entries.index.count; i++)
		free(profile->entries.rows[i].open);
	keyed_free(&profile->entries);
	keyed_free(&profile->tallies);
	keyed_free(&profile->sets);
	free(profile->seen);
	free(profile->sure);
	waits_free(profile->waits);
	free(profile->batches);
	free(profile->hits);
	free(profile);
}

int profile_see(struct profile *profile, const struct call_path *stack)
{
	if (array_grow_zeroed(&profile->seen, &profile->seen_room, stack->id,
			      sizeof(*profile->seen)))
		return -1;
	profile->seen[stack->id] = stack;
	profile->stack_count++;
	return 0;
}

static bool is_futex(s32 syscall)
{
	switch (syscall) {
	case SYS_futex:
#ifdef SYS_futex_waitv
	case SYS_futex_waitv:
#endif
#ifdef SYS_futex_wait
	case SYS_futex_wait:
#endif
		return true;
	default:
		return false;
	}
}

int profile_note_wait(struct profile *profile, u32 end, s32 syscall)
{
	if (end >= STACK_LOST || syscall < 0 || is_futex(syscall))
		return 0;
	if (array_grow_zeroed(&profile->sure, &profile->sure_room, end, sizeof(*profile->sure)))
		return -1;
	profile->sure[end] = true;
	return 0;
}

bool record_is_leader(s32 tid, s32 tgid, u32 flags)
{
	return (flags & GAPP_SLICE_LEADER) || (tid && tid == tgid);
}

enum gapp_wait_reason record_wait_reason(u32 wait)
{
	return wait < GAPP_WAIT_REASONS ? wait : GAPP_WAIT_OTHER;
}

static void add_stretches(struct figures *figures, const struct gapp_record_wait *wait)
{
	figures_add(figures, wait->wait_ns, wait->waiting, 0);
	figures->slices += wait->stretches;
}

/* For what a thread slept in the kernel; who spins does not. */
static s32 waited_in(const struct gapp_record_wait *wait)
{
	if (wait->wait == GAPP_WAIT_SPIN)
		return GAPP_IN_USER;
	if (wait->syscall >= 0)
		return wait->syscall;
	return wait->wait == GAPP_WAIT_FAULT ? GAPP_IN_FAULT : GAPP_IN_UNKNOWN;
}

int profile_add_wait(struct profile *profile, const struct gapp_record_wait *wait)
{
	struct entry_key key = {
		.tid = wait->tid,
		.tgid = wait->tgid,
		.target = wait->target,
		.kind = PATH_WAITED,
		.wait = record_wait_reason(wait->wait),
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

	profile->records++;
	if (profile_thread(profile, key, wait->comm, &entry) ||
	    profile_stack(profile, wait->path, wait->kernel_path, wait->tgid, wait->begin_ns,
			  wait->head.time_ns, &cell_key.end))
		return -1;
	if (profile_note_wait(profile, cell_key.end, wait->syscall))
		return -1;
	add_stretches(&profile->entries.rows[entry].figures, wait);
	if (cell_key.end < STACK_LOST && profile_cell(profile, cell_key, &cell))
		return -1;
	if (profile_tally_in(profile, cell, entry, waited_in(wait), wait->wait_ns))
		return -1;
	if (cell == HASH_NONE) {
		profile->waited_lost_ns += wait->wait_ns;
		return 0;
	}
	profile->waited_ns += wait->wait_ns;
	add_stretches(&profile->cells.rows[cell].figures, wait);
	return profile_tally(profile, cell, TALLY_SHARE | entry, wait->wait_ns);
}

void profile_add_lost(struct profile *profile, const struct gapp_record_lost *lost)
{
	profile->records++;
	profile->lost += lost->critical_share;
	profile->losses++;
	profile_waits_lost(profile);
	profile->waited_lost_ns += lost->wait_ns;
}

void profile_sums(struct profile *profile, struct profile_sums *sums)
{
	/* without memory only tallies are lost, which no sum here needs */
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
		.copies = profile->copies,
	};
	for (size_t i = 0; i < PATH_METHODS; i++) {
		sums->complete_by_ns[i] = sums->attributed_ns * profile->complete_part[i];
		sums->complete_ns += sums->complete_by_ns[i];
	}
	for (size_t i = 0; i < PATH_ENDS; i++)
		sums->cut_ns[i] = sums->attributed_ns * profile->cut_part[i];
}
