// SPDX-License-Identifier: GPL-2.0
/* Folds slices in. Which path a share goes to is settled here as far as the record itself tells. */
#include "profile_batch.h"

/**
 * struct fold - a slice's record on its way in
 * @slice: the record
 * @batch: of slices like it
 * @n: active threads on average
 * @own_slices: 1 if the record is of a slice that ended, not only of earlier ones or of a part
 */
struct fold {
	const struct gapp_record_slice *slice;
	struct batch *batch;
	double n;
	u32 own_slices;
};

static u32 known_end(const struct fold *fold)
{
	return fold->batch->end == STACK_LOST ? STACK_NONE : fold->batch->end;
}

/* Adds a sample's share to its stack; @cell is its cell, or HASH_NONE where it has none. */
static int add_sample(struct profile *profile, const struct fold *fold, u32 stack, u64 share,
		      const u16 *waiting, u32 *cell)
{
	struct cell_key key = {
		.tgid = fold->slice->tgid,
		.target = fold->slice->target,
		.end = known_end(fold),
		.stack = stack,
		.kind = CELL_SAMPLED,
		.leader = fold->batch->leader,
	};
	u32 entry = fold->batch->entry;

	*cell = HASH_NONE;
	figures_add(&profile->entries[entry].figures, share, waiting, fold->n);
	if (stack == STACK_NONE) {
		profile->no_path += share;
		return 0;
	}
	if (stack != STACK_LOST && profile_cell(profile, key, cell))
		return -1;
	if (*cell == HASH_NONE) {
		profile->table_full += share;
		return 0;
	}
	profile->attributed += share;
	figures_add(&profile->cells[*cell].figures, share, waiting, fold->n);
	return profile_tally_share(profile, *cell, entry, share);
}

static int note_hit(struct profile *profile, u32 stack, u32 cell, u64 share)
{
	u32 i;

	for (i = 0; i < profile->hit_count; i++) {
		if (profile->hits[i].stack == stack) {
			profile->hits[i].critical_share += share;
			return 0;
		}
	}
	if (array_grow(&profile->hits, &profile->hit_room, i, sizeof(*profile->hits)))
		return -1;
	profile->hits[i] = (struct hit){ .stack = stack, .cell = cell, .critical_share = share };
	profile->hit_count++;
	return 0;
}

/* The samples share @own: each its growth, and the last one what came after it. */
static int add_samples(struct profile *profile, const struct fold *fold, u64 own)
{
	const struct gapp_record_slice *slice = fold->slice;
	const struct gapp_sample *samples = (const struct gapp_sample *)(slice + 1);

	profile->hit_count = 0;
	for (u32 i = 0; i < slice->sample_count; i++) {
		bool last = i + 1 == slice->sample_count;
		u64 share = last || samples[i].critical_share > own ? own :
								      samples[i].critical_share;
		u32 stack, cell;

		own -= share;
		if (profile_stack(profile, samples[i].path, slice->tgid, slice->begin_ns,
				  slice->head.time_ns, &stack) ||
		    add_sample(profile, fold, stack, share, samples[i].waiting, &cell))
			return -1;
		if (cell == HASH_NONE)
			continue;
		profile->cells[cell].figures.samples++;
		if (note_hit(profile, stack, cell, share))
			return -1;
	}
	return 0;
}

static int larger_hit(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->critical_share != y->critical_share)
		return x->critical_share < y->critical_share ? 1 : -1;
	return (x->stack > y->stack) - (x->stack < y->stack);
}

static int smaller_word(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

/* Past the bound of sets the slice counts with the path that has most of it. */
static int count_without_set(struct profile *profile, const struct fold *fold)
{
	u32 cell = profile->hits[0].cell;

	profile->cells[cell].figures.slices += fold->own_slices;
	return profile_tally(profile, cell, TALLY_THEN | fold->batch->then, 1);
}

/* The slice counts once for whatever becomes of the paths that its samples hit: as a set. */
static int count_set(struct profile *profile, const struct fold *fold)
{
	u32 words[SET_WORDS], count = SET_STACKS;
	int done;

	qsort(profile->hits, profile->hit_count, sizeof(*profile->hits), larger_hit);
	words[SET_GROUP] = fold->slice->target;
	words[SET_END] = known_end(fold);
	words[SET_THEN] = fold->batch->then | (fold->batch->leader ? SET_LEADER : 0);
	for (u32 i = 0; i < profile->hit_count && count < SET_WORDS; i++)
		words[count++] = profile->hits[i].stack;
	qsort(words + SET_STACKS, count - SET_STACKS, sizeof(*words), smaller_word);

	done = profile_count_set(profile, words, count);
	return done > 0 ? count_without_set(profile, fold) : done;
}

static u64 slice_length(const struct gapp_record_slice *slice, u64 begin_ns)
{
	return slice->head.time_ns > begin_ns ? slice->head.time_ns - begin_ns : 0;
}

static inline double average_n(const struct gapp_record_slice *slice, u64 length)
{
	return length ? (double)slice->thread_ns / length : slice->n;
}

/* The end of an open slice may be among lost records: then what comes is another one. */
static void forget_after_loss(const struct profile *profile, struct entry *entry)
{
	if (entry->losses == profile->losses)
		return;
	entry->losses = profile->losses;
	entry->parts = false;
	entry->sampled = false;
}

/*
 * The thread's slice goes on or ends: several records may be of one slice. Returns when it began;
 * @sampled becomes true if any of them has a sample.
 */
static u64 follow_slice(const struct profile *profile, struct entry *entry,
			const struct gapp_record_slice *slice, bool goes_on, bool own_slices,
			bool *sampled)
{
	u64 begin_ns;

	forget_after_loss(profile, entry);
	begin_ns = entry->parts ? entry->begin_ns : slice->begin_ns;
	*sampled |= entry->sampled;
	if (goes_on) {
		entry->begin_ns = begin_ns;
		entry->parts = true;
		entry->sampled = *sampled;
	} else if (own_slices) {
		entry->parts = false;
		entry->sampled = false;
	}
	return begin_ns;
}

/* Where most of it is; without @hit it is nowhere. */
static int count_sampled(struct profile *profile, const struct fold *fold, const struct hit *hit,
			 u64 length)
{
	const struct gapp_record_slice *slice = fold->slice;
	struct figures *figures = &profile->entries[fold->batch->entry].figures;
	u32 owner = TALLY_ENTRY | fold->batch->entry, step = TALLY_LENGTH | length_step(length);
	bool goes_on = fold->batch->then == THEN_ON;

	figures->samples += slice->sample_count;
	figures->slices += fold->own_slices;
	profile->slices += fold->own_slices;
	if (fold->own_slices && (profile_tally(profile, owner, step, 1) ||
				 (hit && profile_tally(profile, hit->cell, step, 1))))
		return -1;
	return profile_tally(profile, owner, TALLY_THEN | fold->batch->then,
			     goes_on ? 1 : fold->own_slices);
}

/* Its own share goes where its samples tell, and earlier slices' share to the path at its end. */
static _attribute_(noinline) int add_sampled(struct profile *profile, const struct fold *fold,
					     u64 length)
{
	const struct gapp_record_slice *slice = fold->slice;
	u64 own = slice->own_critical_share < slice->critical_share ? slice->own_critical_share :
								      slice->critical_share;
	u32 rest = slice->slices - fold->own_slices;
	bool goes_on = fold->batch->then == THEN_ON;

	if (add_samples(profile, fold, own))
		return -1;
	if (profile->hit_count && (fold->own_slices || goes_on) && count_set(profile, fold))
		return -1;
	if ((own < slice->critical_share || rest) &&
	    batch_add(profile, fold->batch, slice, slice->critical_share - own, fold->n, rest,
		      goes_on ? 0 : rest))
		return -1;
	return count_sampled(profile, fold, profile->hit_count ? profile->hits : NULL, length);
}

/* Any slice. */
static _attribute_(noinline) int add_slice(struct profile *profile,
					   const struct gapp_record_slice *slice)
{
	struct batch *batch = profile_batch(profile, slice);
	u64 length, begin_ns;
	bool sampled = slice->sample_count, own_slices;
	struct entry *entry;
	double n;

	if (!batch)
		return -1;
	n = average_n(slice, slice_length(slice, slice->begin_ns));
	own_slices = batch->ends && slice->slices;
	entry = &profile->entries[batch->entry];
	memcpy(entry->comm, slice->comm, sizeof(entry->comm));
	begin_ns =
		follow_slice(profile, entry, slice, batch->then == THEN_ON, own_slices, &sampled);
	length = slice_length(slice, begin_ns);
	if (slice->critical_share)
		profile->unsampled += slice->slices - (sampled && own_slices);
	if (slice->sample_count)
		return add_sampled(profile, &(struct fold){ slice, batch, n, own_slices }, length);
	if (batch_add(profile, batch, slice, slice->critical_share, n, slice->slices,
		      batch->then == THEN_ON ? 1 : slice->slices))
		return -1;
	return own_slices ? batch_count_length(profile, batch, length) : 0;
}

/*
 * Nearly all are whole, without a sample, and like one before: here is what add_slice() does with
 * these, without a call.
 */
int profile_add_slice(struct profile *profile, const struct gapp_record_slice *slice)
{
	struct batch *batch = batch_known(profile, slice);
	u64 length = slice_length(slice, slice->begin_ns);
	u32 step = length_step(length);
	struct entry *entry;

	profile->records++;
	if (!batch || !batch_is_like(batch, slice, step))
		return add_slice(profile, slice);
	entry = &profile->entries[batch->entry];
	if (entry->parts || entry->losses != profile->losses)
		return add_slice(profile, slice);
	memcpy(entry->comm, slice->comm, sizeof(entry->comm));
	profile->unsampled += slice->critical_share ? slice->slices : 0;
	batch->uses++;
	batch_sum(batch, slice->critical_share, average_n(slice, length), slice->slices,
		  slice->slices);
	batch->lengths[step % BATCH_STEPS]++;
	return 0;
}
