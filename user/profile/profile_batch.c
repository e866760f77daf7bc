// SPDX-License-Identifier: GPL-2.0
#include "profile_batch.h"

static u32 then_kind(const struct gapp_record_slice *slice)
{
	switch (slice->then) {
	case GAPP_THEN_PREEMPTED:
		return THEN_PREEMPTED;
	case GAPP_THEN_EXITED:
		return THEN_EXITED;
	case GAPP_THEN_ON:
		return THEN_ON;
	case GAPP_THEN_STOPPED:
		return THEN_STOPPED;
	default:
		return record_wait_class(slice->wait);
	}
}

/* The slice, or what is left of it, did not end by itself: its path at the end is where it ran. */
static bool interrupted(const struct gapp_record_slice *slice)
{
	return slice->then == GAPP_THEN_ON || slice->then == GAPP_THEN_STOPPED ||
	       slice->then == GAPP_THEN_EXITED || (slice->flags & GAPP_SLICE_REST);
}

void batch_change_waiting(struct batch *batch, const u16 *waiting)
{
	figures_split(&batch->figures, batch->waiting_share, batch->waiting);
	batch->waiting_share = 0;
	memcpy(batch->waiting, waiting, sizeof(batch->waiting));
}

int batch_find_cell(struct profile *profile, struct batch *batch)
{
	struct cell_key key = {
		.tgid = batch->tgid,
		.target = batch->target,
		.end = batch->end,
		.stack = STACK_NONE,
		.kind = batch->kind,
		.leader = batch->leader,
	};

	batch->cell = HASH_NONE;
	if (batch->end < STACK_LOST && profile_cell(profile, key, &batch->cell))
		return -1;
	batch->has_cell = true;
	return 0;
}

static int settle_step(struct profile *profile, struct batch *batch, u32 i)
{
	u32 what = TALLY_LENGTH | batch->steps[i];
	u64 count = batch->lengths[i];

	batch->lengths[i] = 0;
	if (!count)
		return 0;
	if (profile_tally(profile, TALLY_ENTRY | batch->entry, what, count))
		return -1;
	return batch->cell == HASH_NONE ? 0 : profile_tally(profile, batch->cell, what, count);
}

int batch_change_step(struct profile *profile, struct batch *batch, u32 step)
{
	u32 i = step % BATCH_STEPS;
	int failed = settle_step(profile, batch, i);

	batch->steps[i] = step;
	return failed;
}

static int settle_cell(struct profile *profile, const struct batch *batch)
{
	u64 share = batch->figures.critical_share;
	u32 cell = batch->cell;

	if (batch->end == STACK_NONE) {
		profile->no_path += share;
		return 0;
	}
	if (cell == HASH_NONE) {
		profile->table_full += share;
		return 0;
	}
	profile->attributed += share;
	figures_merge(&profile->cells[cell].figures, &batch->figures);
	if (profile_tally_share(profile, cell, batch->entry, share))
		return -1;
	return batch->ended ? profile_tally(profile, cell, TALLY_THEN | batch->then, batch->ended) :
			      0;
}

/* What it has come to goes to the tables; without memory some counts are missing there. */
static int settle(struct profile *profile, struct batch *batch)
{
	u32 entry = TALLY_ENTRY | batch->entry;
	int failed = 0;

	batch_change_waiting(batch, batch->waiting);
	figures_merge(&profile->entries[batch->entry].figures, &batch->figures);
	profile->slices += batch->figures.slices;
	failed |= settle_cell(profile, batch);
	if (batch->ended)
		failed |= profile_tally(profile, entry, TALLY_THEN | batch->then, batch->ended);
	for (u32 i = 0; i < BATCH_STEPS; i++)
		failed |= settle_step(profile, batch, i);
	batch->figures = (struct figures){ 0 };
	batch->ended = 0;
	return failed;
}

/**
 * profile_settle() - puts all that has been folded in into the tables
 * @profile: whose
 *
 * Return: 0, or -1 if there was no memory for some of it.
 */
int profile_settle(struct profile *profile)
{
	int failed = 0;

	for (u32 i = 0; i < 2 * (profile->batch_mask + 1); i++)
		if (profile->batches[i].uses)
			failed |= settle(profile, &profile->batches[i]);
	return failed;
}

int profile_make_batches(struct profile *profile)
{
	profile->batch_mask = BATCH_PAIRS - 1;
	profile->batches = calloc(2 * BATCH_PAIRS, sizeof(*profile->batches));
	return profile->batches ? 0 : -1;
}

/* Twice as many, once there would have been use for them; those that are known are begun anew. */
static int make_more(struct profile *profile)
{
	u32 pairs = 2 * (profile->batch_mask + 1);
	struct batch *batches;
	int failed;

	if (pairs > MAX_BATCH_PAIRS || profile->batches_gone < 2 * pairs)
		return 0;
	batches = calloc(2 * pairs, sizeof(*batches));
	if (!batches)
		return -1;
	failed = profile_settle(profile);
	free(profile->batches);
	profile->batches = batches;
	profile->batch_mask = pairs - 1;
	profile->batches_gone = 0;
	return failed;
}

/* Of a pair the one that was wanted less often goes. */
static int make_room(struct profile *profile, const u64 *key, struct batch **room)
{
	struct batch *pair, *stays;

	if (make_more(profile))
		return -1;
	pair = batch_pair(profile, key);
	*room = pair[0].uses <= pair[1].uses ? &pair[0] : &pair[1];
	stays = *room == pair ? pair + 1 : pair;
	stays->uses = (stays->uses + 1) / 2;
	if (!(*room)->uses)
		return 0;
	profile->batches_gone++;
	return settle(profile, *room);
}

static struct batch *make_batch(struct profile *profile, const u64 *key,
				const struct gapp_record_slice *slice, u32 end)
{
	bool leader = record_is_leader(slice->tid, slice->tgid, slice->flags);
	struct entry_key entry = {
		.tid = slice->tid,
		.tgid = slice->tgid,
		.target = slice->target,
		.kind = PATH_RAN,
		.leader = leader,
	};
	struct batch *batch;

	if (make_room(profile, key, &batch))
		return NULL;
	*batch = (struct batch){
		.tgid = slice->tgid,
		.target = slice->target,
		.cell = HASH_NONE,
		.end = end,
		.then = then_kind(slice),
		.kind = interrupted(slice) ? CELL_INTERRUPTED : CELL_UNSAMPLED,
		.ends = slice->then != GAPP_THEN_ON && !(slice->flags & GAPP_SLICE_REST),
		.leader = leader,
	};
	if (profile_thread(profile, entry, slice->comm, &batch->entry))
		return NULL;
	memcpy(batch->key, key, sizeof(batch->key));
	return batch;
}

static struct batch *find(struct profile *profile, const u64 *key)
{
	struct batch *pair = batch_pair(profile, key);

	if (batch_is(&pair[0], key))
		return &pair[0];
	return batch_is(&pair[1], key) ? &pair[1] : NULL;
}

/* Of a path that may be another stack the next time, the stack is the key. */
struct batch *profile_find_batch(struct profile *profile, const struct gapp_record_slice *slice)
{
	u64 time_ns = slice->head.time_ns, changes = *profile->changes, until_ns, key[3];
	struct batch *batch;
	u32 end;

	profile->outdated_over = call_paths_outdated_until(profile->stacks);
	if (profile_stack(profile, slice->path, slice->tgid, time_ns, time_ns, &end))
		return NULL;
	until_ns = slice->path < GAPP_PATH_LOST ? call_paths_until(profile->stacks, slice->path) :
						  UINT64_MAX;
	if (time_ns <= *profile->outdated_over)
		until_ns = 0;
	batch_key(key, slice, until_ns ? slice->path : end);
	if (!until_ns)
		key[2] |= BATCH_BY_STACK;
	batch = find(profile, key);
	if (batch && batch->end != end) {
		if (settle(profile, batch))
			return NULL;
		batch->end = end;
		batch->has_cell = false;
	}
	if (!batch)
		batch = make_batch(profile, key, slice, end);
	if (!batch)
		return NULL;
	batch->until_ns = until_ns;
	batch->changes = changes;
	batch->uses++;
	return batch;
}
