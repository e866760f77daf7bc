// SPDX-License-Identifier: GPL-2.0
/* Folds slices in. Which path a share goes to is settled here as far as the record itself tells. */
#include "profile_int.h"
#include "record_view.h"

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

/**
 * struct fold - a slice's record on its way in
 * @slice: the record
 * @key: of its cells; kind and stack are set for each
 * @entry: number of its thread's entry
 * @n: active threads on average
 * @then: why it ended
 * @own_slices: 1 if the record is of a slice that ended, not only of earlier ones or of a part
 */
struct fold {
	const struct gapp_record_slice *slice;
	struct cell_key key;
	u32 entry;
	double n;
	u32 then;
	u32 own_slices;
};

/* Adds @share to @stack; @cell is its cell, or HASH_NONE where it has none. */
static int add_share(struct profile *profile, struct fold *fold, enum cell_kind kind, u32 stack,
		     u64 share, const u16 *waiting, u32 *cell)
{
	*cell = HASH_NONE;
	figures_add(&profile->entries[fold->entry].figures, share, waiting, fold->n);
	if (stack == STACK_NONE) {
		profile->no_path += share;
		return 0;
	}
	if (stack == STACK_LOST) {
		profile->table_full += share;
		return 0;
	}

	fold->key.kind = kind;
	fold->key.stack = kind == CELL_SAMPLED ? stack : STACK_NONE;
	if (profile_cell(profile, fold->key, cell))
		return -1;
	if (*cell == HASH_NONE) {
		profile->table_full += share;
		return 0;
	}
	profile->attributed += share;
	figures_add(&profile->cells[*cell].figures, share, waiting, fold->n);
	return profile_tally_share(profile, *cell, fold->entry, share);
}

/* Slices that count with one cell and nothing else. */
static int add_slices(struct profile *profile, const struct fold *fold, u32 cell, u64 slices,
		      u64 ended)
{
	profile->cells[cell].figures.slices += slices;
	return ended ? profile_tally(profile, cell, TALLY_THEN | fold->then, ended) : 0;
}

static int note_hit(struct profile *profile, u32 stack, u32 cell, u64 share)
{
	u32 i;

	for (i = 0; i < profile->hit_count; i++) {
		if (profile->hits[i].stack == stack) {
			profile->hits[i].share += share;
			return 0;
		}
	}
	if (array_grow(&profile->hits, &profile->hit_room, i, sizeof(*profile->hits)))
		return -1;
	profile->hits[i] = (struct hit){ .stack = stack, .cell = cell, .share = share };
	profile->hit_count++;
	return 0;
}

/* The samples share @own: each its growth, and the last one what came after it. */
static int add_samples(struct profile *profile, struct fold *fold, u64 own)
{
	const struct gapp_record_slice *slice = fold->slice;
	const struct gapp_sample *samples = slice_samples(slice);

	profile->hit_count = 0;
	for (u32 i = 0; i < slice->sample_count; i++) {
		bool last = i + 1 == slice->sample_count;
		u64 share = last || samples[i].share > own ? own : samples[i].share;
		u32 stack, cell;

		own -= share;
		if (profile_stack(profile, samples[i].path, slice->tgid, slice->begin_ns,
				  slice->head.time_ns, &stack) ||
		    add_share(profile, fold, CELL_SAMPLED, stack, share, samples[i].waiting, &cell))
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

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return (x->stack > y->stack) - (x->stack < y->stack);
}

static int smaller_word(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

/* The slice counts once for whatever becomes of the paths that its samples hit: as a set. */
static int count_sampled(struct profile *profile, const struct fold *fold)
{
	u32 words[SET_WORDS], count = SET_STACKS;
	int done;

	qsort(profile->hits, profile->hit_count, sizeof(*profile->hits), larger_hit);
	words[SET_GROUP] = fold->key.group;
	words[SET_END] = fold->key.end;
	words[SET_THEN] = fold->then | (fold->key.leader ? SET_LEADER : 0);
	for (u32 i = 0; i < profile->hit_count && count < SET_WORDS; i++)
		words[count++] = profile->hits[i].stack;
	qsort(words + SET_STACKS, count - SET_STACKS, sizeof(*words), smaller_word);

	done = profile_count_set(profile, words, count);
	if (done > 0)
		return add_slices(profile, fold, profile->hits[0].cell, fold->own_slices, 1);
	return done;
}

static u64 slice_length(const struct gapp_record_slice *slice, u64 begin_ns)
{
	return slice->head.time_ns > begin_ns ? slice->head.time_ns - begin_ns : 0;
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
static u64 follow_slice(const struct profile *profile, struct entry *entry, const struct fold *fold,
			bool *sampled)
{
	u64 begin_ns;

	forget_after_loss(profile, entry);
	begin_ns = entry->parts ? entry->begin_ns : fold->slice->begin_ns;
	*sampled |= entry->sampled;
	if (fold->then == THEN_ON) {
		entry->begin_ns = begin_ns;
		entry->parts = true;
		entry->sampled = *sampled;
	} else if (fold->own_slices) {
		entry->parts = false;
		entry->sampled = false;
	}
	return begin_ns;
}

/* The thread's own figures, and the slice's length. @cell: where most of the slice is. */
static int count_slice(struct profile *profile, const struct fold *fold, u32 cell)
{
	const struct gapp_record_slice *slice = fold->slice;
	struct entry *entry = &profile->entries[fold->entry];
	u32 owner = TALLY_ENTRY | fold->entry, step;
	bool sampled = slice->sample_count;
	u64 begin_ns = follow_slice(profile, entry, fold, &sampled);

	entry->figures.samples += slice->sample_count;
	entry->figures.slices += slice->slices;
	profile->slices += slice->slices;
	if (slice->share)
		profile->unsampled += slice->slices - (sampled && fold->own_slices);

	step = TALLY_LENGTH | length_step(slice_length(slice, begin_ns));
	if (fold->own_slices && (profile_tally(profile, owner, step, 1) ||
				 (cell != HASH_NONE && profile_tally(profile, cell, step, 1))))
		return -1;
	return profile_tally(profile, owner, TALLY_THEN | fold->then,
			     fold->then == THEN_ON ? 1 : slice->slices);
}

static int begin_fold(struct profile *profile, struct fold *fold)
{
	const struct gapp_record_slice *slice = fold->slice;
	u64 length = slice_length(slice, slice->begin_ns);
	struct entry_key entry = {
		.tid = slice->tid,
		.tgid = slice->tgid,
		.group = slice->group,
		.kind = PATH_RAN,
		.leader = record_is_leader(slice->tid, slice->tgid, slice->flags),
	};

	fold->key.tgid = slice->tgid;
	fold->key.group = slice->group;
	fold->key.leader = entry.leader;
	fold->n = length ? (double)slice->thread_ns / length : slice->n;
	fold->then = then_kind(slice);
	fold->own_slices = slice->slices && fold->then != THEN_ON &&
			   !(slice->flags & GAPP_SLICE_REST);
	if (profile_stack(profile, slice->path, slice->tgid, slice->head.time_ns,
			  slice->head.time_ns, &fold->key.end))
		return -1;
	return profile_thread(profile, entry, slice->comm, &fold->entry);
}

/* Slices that @share of the record stands for without a sample; @cell: where they are. */
static int add_unsampled(struct profile *profile, struct fold *fold, u32 end, u64 share, u32 slices,
			 u32 *cell)
{
	enum cell_kind kind = interrupted(fold->slice) ? CELL_INTERRUPTED : CELL_UNSAMPLED;
	u64 ended = fold->then == THEN_ON ? !fold->slice->sample_count : slices;

	if (add_share(profile, fold, kind, end, share, fold->slice->waiting, cell))
		return -1;
	return *cell == HASH_NONE ? 0 : add_slices(profile, fold, *cell, slices, ended);
}

/**
 * profile_add_slice() - folds a slice in
 * @profile: where to
 * @slice: the record; its size is right
 *
 * Return: 0, or -1 without memory.
 */
int profile_add_slice(struct profile *profile, const struct gapp_record_slice *slice)
{
	u64 own = slice->own_share < slice->share ? slice->own_share : slice->share;
	struct fold fold = { .slice = slice };
	u32 end, rest, cell = HASH_NONE, rest_cell;
	u64 carried = slice->share - own;

	if (begin_fold(profile, &fold))
		return -1;
	end = fold.key.end;
	if (end == STACK_LOST)
		fold.key.end = STACK_NONE;
	if (!slice->sample_count) {
		if (add_unsampled(profile, &fold, end, slice->share, slice->slices, &cell))
			return -1;
		return count_slice(profile, &fold, cell);
	}

	if (add_samples(profile, &fold, own))
		return -1;
	if (profile->hit_count) {
		if ((fold.own_slices || fold.then == THEN_ON) && count_sampled(profile, &fold))
			return -1;
		cell = profile->hits[0].cell;
	}
	rest = slice->slices - fold.own_slices;
	if ((carried || rest) && add_unsampled(profile, &fold, end, carried, rest, &rest_cell))
		return -1;
	return count_slice(profile, &fold, cell);
}
