// SPDX-License-Identifier: GPL-2.0
/*
 * Adds slices to a profile. Nearly every slice is like one that came shortly before, so slices of
 * one thread that end alike are summed up in a batch: no table needs to be searched for them. A
 * batch goes to the tables when another one needs its room, and before a ranking. The record of a
 * slice with samples may stand for earlier slices, too: of these, only the earlier go to a batch.
 */
#include "profile_private.h"
#include "slice_record.h"

/* A key has two possible batches: a pair. Pairs at first and at most; a batch takes 350 bytes. */
#define BATCH_PAIRS 128
#define MAX_BATCH_PAIRS 4096
/* In the last word of a key: the key has the id of a call path, not the number in the record. */
#define BATCH_BY_STACK 0x4000000000000000ULL
/* Steps of length from a power of two to the next. */
#define BATCH_STEPS 8

/**
 * struct batch - the sums of slices that are alike
 * @key: what the slices have in common, see batch_key(); the last word of a free batch is 0
 * @until_ns: until then the path's number in @key means the path at the end, see
 *	call_paths_until(); 0: @key has the id of the call path instead of the number
 * @changes: call_paths_changes() when @until_ns was found
 * @entry: number of the thread's entry
 * @cell: number of the cell for share without samples; HASH_NONE: there is none
 * @cell_key: key of @cell; its @end may be STACK_LOST
 * @then: why the slices ended
 * @ends: each record with slices is of a slice that ended, not only of earlier slices
 * @has_cell: @cell is known
 * @simple: @has_cell and @ends
 * @uses: how often the batch was used lately, without @alike
 * @figures: sums; @figures.slices is without @alike
 * @waiting: how many other threads waited during the share that is not in @figures.waiting yet, by
 *	wait reason
 * @split_share: share that is in @figures.waiting
 * @ended: slices that are known to have ended as @then says, without @alike
 * @alike: slices that were added by profile_add_slice() itself: one count instead of four
 * @steps: steps of critical time, see length_step()
 * @lengths: slices with a critical time in the step of the same number
 */
struct batch {
	u64 key[3];
	u64 until_ns;
	u64 changes;
	u32 entry;
	u32 cell;
	struct cell_key cell_key;
	u8 then;
	bool ends;
	bool has_cell;
	bool simple;
	u64 uses;
	struct figures figures;
	u16 waiting[GAPP_WAIT_REASONS];
	u64 split_share;
	u64 ended;
	u64 alike;
	u16 steps[BATCH_STEPS];
	u64 lengths[BATCH_STEPS];
};

/* Slices with the same key are alike. The last word of a key is never 0. */
static inline void batch_key(u64 *key, const struct gapp_record_slice *slice, u32 path)
{
	u64 end = (u64)slice->sample_count << 48 | (u64)slice->wait << 40 | (u64)slice->then << 32 |
		  slice->flags;

	key[0] = (u64)(u32)slice->tgid << 32 | (u32)slice->tid;
	key[1] = (u64)path << 32 | slice->target;
	key[2] = 1ULL << 63 | (end & (0xffffULL << 32 | GAPP_SLICE_LEADER | GAPP_SLICE_REST));
}

static inline struct batch *batch_pair(const struct profile *profile, const u64 *key)
{
	u64 mixed = (key[0] ^ key[1] >> 16 ^ key[2] << 16) * 0x9e3779b97f4a7c15ULL;

	return profile->batches + 2 * (mixed >> 40 & profile->batch_mask);
}

static inline bool batch_is(const struct batch *batch, const u64 *key)
{
	return batch->key[0] == key[0] && batch->key[1] == key[1] && batch->key[2] == key[2];
}

static void batch_change_waiting(struct batch *batch, const u16 *waiting)
{
	struct figures *figures = &batch->figures;

	figures_split(figures, figures->critical_share - batch->split_share, batch->waiting);
	batch->split_share = figures->critical_share;
	memcpy(batch->waiting, waiting, sizeof(batch->waiting));
}

static int batch_find_cell(struct profile *profile, struct batch *batch)
{
	batch->cell = HASH_NONE;
	if (batch->cell_key.end < STACK_LOST &&
	    profile_cell(profile, batch->cell_key, &batch->cell))
		return -1;
	batch->has_cell = true;
	batch->simple = batch->ends;
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

static int batch_change_step(struct profile *profile, struct batch *batch, u32 step)
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

	if (batch->cell_key.end == STACK_NONE) {
		profile->no_path += share;
		return 0;
	}
	if (cell == HASH_NONE) {
		profile->table_full += share;
		return 0;
	}
	profile->attributed += share;
	figures_merge(&profile->cells.rows[cell].figures, &batch->figures);
	if (profile_tally(profile, cell, TALLY_SHARE | batch->entry, share))
		return -1;
	return batch->ended ? profile_tally(profile, cell, TALLY_THEN | batch->then, batch->ended) :
			      0;
}

static void batch_count_alike(struct profile *profile, struct batch *batch)
{
	profile->records += batch->alike;
	batch->uses += batch->alike;
	batch->figures.slices += batch->alike;
	batch->ended += batch->alike;
	batch->alike = 0;
}

/* Moves the sums of a batch to the tables; without memory, some counts are missing there. */
static int settle_batch(struct profile *profile, struct batch *batch)
{
	u32 entry = TALLY_ENTRY | batch->entry;
	int failed = 0;

	batch_count_alike(profile, batch);
	batch_change_waiting(batch, batch->waiting);
	figures_merge(&profile->entries.rows[batch->entry].figures, &batch->figures);
	profile->slices += batch->figures.slices;
	failed |= settle_cell(profile, batch);
	if (batch->ended)
		failed |= profile_tally(profile, entry, TALLY_THEN | batch->then, batch->ended);
	for (u32 i = 0; i < BATCH_STEPS; i++)
		failed |= settle_step(profile, batch, i);
	batch->figures = (struct figures){ 0 };
	batch->split_share = 0;
	batch->ended = 0;
	return failed;
}

/* Puts the sums of all batches into the tables. */
int profile_settle(struct profile *profile)
{
	int failed = 0;

	for (u32 i = 0; i < 2 * (profile->batch_mask + 1); i++)
		if (profile->batches[i].uses)
			failed |= settle_batch(profile, &profile->batches[i]);
	return failed;
}

int profile_make_batches(struct profile *profile)
{
	profile->batch_mask = BATCH_PAIRS - 1;
	profile->batches = calloc(2 * BATCH_PAIRS, sizeof(*profile->batches));
	return profile->batches ? 0 : -1;
}

/* If many batches lost their place to others: settles all and makes twice as many empty ones. */
static int make_more_batches(struct profile *profile)
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

/* Settles the less used batch of the key's pair and sets @room to it. */
static int make_batch_room(struct profile *profile, const u64 *key, struct batch **room)
{
	struct batch *pair, *stays;

	if (make_more_batches(profile))
		return -1;
	pair = batch_pair(profile, key);
	batch_count_alike(profile, &pair[0]);
	batch_count_alike(profile, &pair[1]);
	*room = pair[0].uses <= pair[1].uses ? &pair[0] : &pair[1];
	stays = *room == pair ? pair + 1 : pair;
	stays->uses = (stays->uses + 1) / 2;
	if (!(*room)->uses)
		return 0;
	profile->batches_gone++;
	return settle_batch(profile, *room);
}

static struct batch *make_batch(struct profile *profile, const u64 *key,
				const struct gapp_record_slice *slice, u32 end)
{
	struct entry_key entry = {
		.tid = slice->tid,
		.tgid = slice->tgid,
		.target = slice->target,
		.kind = PATH_RAN,
		.leader = record_is_leader(slice->tid, slice->tgid, slice->flags),
	};
	struct batch *batch;

	if (make_batch_room(profile, key, &batch))
		return NULL;
	*batch = (struct batch){
		.cell = HASH_NONE,
		.cell_key = {
			.tgid = slice->tgid,
			.target = slice->target,
			.end = end,
			.stack = STACK_NONE,
			.kind = interrupted(slice) ? CELL_INTERRUPTED : CELL_UNSAMPLED,
			.leader = entry.leader,
		},
		.then = then_kind(slice),
		.ends = slice->then != GAPP_THEN_ON && !(slice->flags & GAPP_SLICE_REST),
	};
	if (profile_thread(profile, entry, slice->comm, &batch->entry))
		return NULL;
	memcpy(batch->key, key, sizeof(batch->key));
	return batch;
}

static inline struct batch *find_batch(const struct profile *profile, const u64 *key)
{
	struct batch *batch = batch_pair(profile, key);

	return batch_is(batch, key) || batch_is(++batch, key) ? batch : NULL;
}

/* Finds or makes a batch; with the call path's id if the path's number may change its meaning. */
static struct batch *profile_find_batch(struct profile *profile,
					const struct gapp_record_slice *slice)
{
	u64 time_ns = slice->head.time_ns, changes = *profile->changes, until_ns, key[3];
	struct batch *batch;
	u32 end;

	profile->outdated_over = call_paths_outdated_until(profile->stacks);
	if (profile_stack(profile, slice->path, slice->kernel_path, slice->tgid, time_ns, time_ns,
			  &end) ||
	    (slice->then == GAPP_THEN_WAIT && profile_note_wait(profile, end, slice->syscall)))
		return NULL;
	until_ns = slice->path < GAPP_PATH_LOST ? call_paths_until(profile->stacks, slice->path) :
						  UINT64_MAX;
	if (time_ns <= *profile->outdated_over || profile->kernel)
		until_ns = 0;
	batch_key(key, slice, until_ns ? slice->path : end);
	if (!until_ns)
		key[2] |= BATCH_BY_STACK;
	batch = find_batch(profile, key);
	if (batch && batch->cell_key.end != end) {
		if (settle_batch(profile, batch))
			return NULL;
		batch->cell_key.end = end;
		batch->has_cell = false;
		batch->simple = false;
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

/*
 * The batch of a slice; NULL: there is none, or its path's number may mean another path now. (With
 * frames of the kernel a key has no number, so none is found.)
 */
static inline struct batch *batch_known(const struct profile *profile,
					const struct gapp_record_slice *slice)
{
	u64 time_ns = slice->head.time_ns, key[3];
	struct batch *batch;

	batch_key(key, slice, slice->path);
	batch = find_batch(profile, key);
	if (!batch || time_ns >= batch->until_ns || batch->changes != *profile->changes ||
	    time_ns <= *profile->outdated_over)
		return NULL;
	return batch;
}

/* The batch of a slice, valid until the next call; NULL: no memory. */
static inline struct batch *profile_batch(struct profile *profile,
					  const struct gapp_record_slice *slice)
{
	struct batch *batch = batch_known(profile, slice);

	if (!batch)
		return profile_find_batch(profile, slice);
	batch->uses++;
	return batch;
}

static inline u64 four_waits(const u16 *waiting)
{
	u64 four;

	memcpy(&four, waiting, sizeof(four));
	return four;
}

static inline bool batch_waits_so(const struct batch *batch, const u16 *waiting)
{
	_Static_assert(GAPP_WAIT_REASONS == 16, "all are compared");
	return four_waits(batch->waiting) == four_waits(waiting) &&
	       four_waits(batch->waiting + 4) == four_waits(waiting + 4) &&
	       four_waits(batch->waiting + 8) == four_waits(waiting + 8) &&
	       four_waits(batch->waiting + 12) == four_waits(waiting + 12);
}

static inline void batch_sum(struct batch *batch, u64 share, double n)
{
	batch->figures.critical_share += share;
	batch->figures.n_share += n * to_double(share);
}

/*
 * Adds a slice, or a part of one, with @own critical share; without any it says nothing. For each
 * record, so nothing is checked here.
 */
static inline void span_add(struct span *span, const struct gapp_record_slice *slice, u64 own)
{
	if (!own)
		return;
	span->length_ns += slice->head.time_ns - slice->begin_ns;
	span->cmetric += slice->cmetric;
	span->share += own;
}

/*
 * Adds @share of @slices slices; @ended of them ended as the batch says, or go on. Returns 0, or -1
 * without memory.
 */
static inline int batch_add(struct profile *profile, struct batch *batch,
			    const struct gapp_record_slice *slice, u64 share, double n, u32 slices,
			    u32 ended)
{
	if (!batch->has_cell && batch_find_cell(profile, batch))
		return -1;
	if (!batch_waits_so(batch, slice->waiting))
		batch_change_waiting(batch, slice->waiting);
	batch_sum(batch, share, n);
	batch->figures.slices += slices;
	batch->ended += ended;
	return 0;
}

/* The step of a slice's own critical time. */
static inline u32 critical_step(u64 share)
{
	return length_step(share_ns(share));
}

/* Counts @count slices by their critical time, @share each. Returns 0, or -1 without memory. */
static inline int batch_count_length(struct profile *profile, struct batch *batch, u64 share,
				     u32 count)
{
	u32 step = critical_step(share), i = step % BATCH_STEPS;

	if (batch->steps[i] != step && batch_change_step(profile, batch, step))
		return -1;
	batch->lengths[i] += count;
	return 0;
}

/* Whether @slice is alone, and the batch has its critical time and waits. */
static inline bool batch_is_like(const struct batch *batch, const struct gapp_record_slice *slice,
				 u32 step)
{
	return slice->slices == 1 && batch->steps[step % BATCH_STEPS] == step &&
	       batch_waits_so(batch, slice->waiting);
}

/**
 * struct fold - a slice's record that is being added
 * @slice: the record
 * @batch: batch of slices that are like this one
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
	u32 end = fold->batch->cell_key.end;

	return end == STACK_LOST ? STACK_NONE : end;
}

/* Adds a sample's share to its call path; sets @cell to its cell, or HASH_NONE. */
static int add_sample(struct profile *profile, const struct fold *fold, u32 stack, u64 share,
		      const u16 *waiting, u32 *cell)
{
	struct cell_key key = fold->batch->cell_key;
	u32 entry = fold->batch->entry;

	key.end = known_end(fold);
	key.stack = stack;
	key.kind = CELL_SAMPLED;
	*cell = HASH_NONE;
	figures_add(&profile->entries.rows[entry].figures, share, waiting, fold->n);
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
	figures_add(&profile->cells.rows[*cell].figures, share, waiting, fold->n);
	return profile_tally(profile, *cell, TALLY_SHARE | entry, share);
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

/* Splits @own: each sample gets the growth before it, and the last one also the growth after it. */
static int add_samples(struct profile *profile, const struct fold *fold, u64 own)
{
	const struct gapp_record_slice *slice = fold->slice;
	const struct gapp_sample *samples = (const struct gapp_sample *)(slice + 1);
	const s32 *in = record_samples_in(slice);

	profile->hit_count = 0;
	for (u32 i = 0; i < slice->sample_count; i++) {
		bool last = i + 1 == slice->sample_count;
		u64 share = last || samples[i].critical_share > own ? own :
								      samples[i].critical_share;
		u32 stack, cell;

		own -= share;
		if (profile_stack(profile, samples[i].path, samples[i].kernel_path, slice->tgid,
				  slice->begin_ns, slice->head.time_ns, &stack) ||
		    add_sample(profile, fold, stack, share, samples[i].waiting, &cell) ||
		    (in && profile_tally_in(profile, cell, fold->batch->entry, in[i], share)))
			return -1;
		if (cell == HASH_NONE)
			continue;
		profile->cells.rows[cell].figures.samples++;
		if (note_hit(profile, stack, cell, share))
			return -1;
	}
	return 0;
}

static int larger_hit(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return three_way(y->critical_share, x->critical_share) ?: three_way(x->stack, y->stack);
}

static int smaller_stack(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return three_way(x->stack, y->stack);
}

/*
 * Counts the slice, or the part of one, with its set of paths: a place with several of the paths
 * counts it once. Sets @owner to what the slice's length belongs to: the set, or if there is no
 * room for it, the cell of the path with most share.
 */
static int count_set(struct profile *profile, const struct fold *fold, u32 *owner)
{
	const struct batch *batch = fold->batch;
	struct set_key key = {
		.target = batch->cell_key.target,
		.end = known_end(fold),
		.then = batch->then,
		.leader = batch->cell_key.leader,
	};
	u32 stacks = profile->hit_count, id;

	if (stacks > MAX_STACKS_OF_SET)
		stacks = MAX_STACKS_OF_SET;
	qsort(profile->hits, profile->hit_count, sizeof(*profile->hits), larger_hit);
	*owner = profile->hits[0].cell;
	qsort(profile->hits, stacks, sizeof(*profile->hits), smaller_stack);
	for (u32 i = 0; i < MAX_STACKS_OF_SET; i++)
		key.stacks[i] = i < stacks ? profile->hits[i].stack : STACK_NONE;

	id = keyed_find(&profile->sets, &key);
	if (id == HASH_NONE && profile->sets.index.count >= MAX_SETS) {
		profile->cells.rows[*owner].figures.slices += fold->own_slices;
		return profile_tally(profile, *owner, TALLY_THEN | batch->then, 1);
	}
	if (id == HASH_NONE)
		id = keyed_add(&profile->sets, &key);
	if (id == HASH_NONE)
		return -1;
	profile->sets.rows[id].slices++;
	for (u32 i = 0; i < stacks; i++)
		profile->sets.rows[id].shares[i] += profile->hits[i].critical_share;
	*owner = TALLY_SET | id;
	return 0;
}

/* Keeps the sampled paths of a part for the end of its slice; those without room are forgotten. */
static int keep_hits(struct profile *profile, struct entry *entry)
{
	u32 j;

	if (!entry->open)
		entry->open = calloc(MAX_STACKS_OF_SET, sizeof(*entry->open));
	if (!entry->open)
		return -1;
	for (u32 i = 0; i < profile->hit_count; i++) {
		const struct hit *hit = &profile->hits[i];

		for (j = 0; j < entry->open_count && entry->open[j].stack != hit->stack;)
			j++;
		if (j < entry->open_count)
			entry->open[j].critical_share += hit->critical_share;
		else if (j < MAX_STACKS_OF_SET)
			entry->open[entry->open_count++] = *hit;
	}
	return 0;
}

/* Adds the sampled paths of the slice's parts to those of its last record. */
static int take_hits(struct profile *profile, struct entry *entry)
{
	for (u32 i = 0; i < entry->open_count; i++)
		if (note_hit(profile, entry->open[i].stack, entry->open[i].cell,
			     entry->open[i].critical_share))
			return -1;
	entry->open_count = 0;
	return 0;
}

/*
 * Several records may be of one slice: notes whether the slice goes on or ends with this record.
 * Sets @sampled if any of its records has a sample.
 */
static void follow_slice(const struct profile *profile, struct entry *entry, bool goes_on,
			 bool own_slices, bool *sampled)
{
	/* the end of the open slice may be lost, so that after a loss a record begins another one
	 */
	if (entry->losses != profile->losses) {
		entry->losses = profile->losses;
		entry->parts = false;
		entry->sampled = false;
		entry->open_count = 0;
		entry->open_share = 0;
		entry->open_span = (struct span){ 0 };
	}
	*sampled |= entry->sampled;
	if (goes_on) {
		entry->parts = true;
		entry->sampled = *sampled;
	} else if (own_slices) {
		entry->parts = false;
		entry->sampled = false;
	}
}

/* Counts a sampled slice, or a part of one, at its paths and its thread. */
static int count_sampled(struct profile *profile, const struct fold *fold, u64 own)
{
	const struct gapp_record_slice *slice = fold->slice;
	struct entry *entry = &profile->entries.rows[fold->batch->entry];
	u32 owner = TALLY_ENTRY | fold->batch->entry, set = owner;
	bool goes_on = fold->batch->then == THEN_ON;

	entry->figures.samples += slice->sample_count;
	entry->figures.slices += fold->own_slices;
	profile->slices += fold->own_slices;
	entry->open_share += own;
	span_add(slice->sample_count ? &entry->open_span : &fold->batch->figures.span, slice, own);
	if (fold->own_slices && take_hits(profile, entry))
		return -1;
	if (profile->hit_count && (fold->own_slices || goes_on) && count_set(profile, fold, &set))
		return -1;
	if (fold->own_slices) {
		if ((set & (TALLY_SET | TALLY_ENTRY)) == TALLY_SET)
			span_merge(&profile->sets.rows[set & ~TALLY_SET].span, &entry->open_span);
		entry->open_span = (struct span){ 0 };
	}
	if (goes_on)
		return keep_hits(profile, entry) ?:
			       profile_tally(profile, owner, TALLY_THEN | THEN_ON, 1);
	if (!fold->own_slices)
		return 0;
	own = entry->open_share;
	entry->open_share = 0;
	if ((profile->hit_count &&
	     profile_tally(profile, set, TALLY_LENGTH | critical_step(own), 1)) ||
	    profile_tally(profile, owner, TALLY_LENGTH | critical_step(own), 1))
		return -1;
	return profile_tally(profile, owner, TALLY_THEN | fold->batch->then, 1);
}

/* Counts earlier slices of the record by their critical time on average. */
static int count_rest(struct profile *profile, struct batch *batch,
		      const struct gapp_record_slice *slice, u32 rest)
{
	u64 share = slice->critical_share - own_share(slice);

	return rest ? batch_count_length(profile, batch, share / rest, rest) : 0;
}

/* The slice's own share goes to the sampled paths, share of earlier ones to the path at its end. */
static _attribute_(noinline) int add_sampled(struct profile *profile, const struct fold *fold)
{
	const struct gapp_record_slice *slice = fold->slice;
	u64 own = slice->sample_count ? own_share(slice) : 0;
	u32 rest = slice->slices - fold->own_slices;

	if (add_samples(profile, fold, own) ||
	    profile_count(profile, slice, fold->batch->cell, fold->batch->entry))
		return -1;
	if ((own < slice->critical_share || rest) &&
	    (batch_add(profile, fold->batch, slice, slice->critical_share - own, fold->n, rest,
		       0) ||
	     count_rest(profile, fold->batch, slice, rest)))
		return -1;
	return count_sampled(profile, fold, own_share(slice));
}

/*
 * Adds a slice without samples, all of whose share goes to the path at its end. Why earlier slices
 * of the record ended is not known.
 */
static int add_unsampled(struct profile *profile, const struct fold *fold)
{
	const struct gapp_record_slice *slice = fold->slice;
	struct entry *entry = &profile->entries.rows[fold->batch->entry];
	bool goes_on = fold->batch->then == THEN_ON;
	u64 own = own_share(slice);

	if (batch_add(profile, fold->batch, slice, slice->critical_share, fold->n, slice->slices,
		      goes_on ? 1 : fold->own_slices) ||
	    count_rest(profile, fold->batch, slice, slice->slices - fold->own_slices))
		return -1;
	if (profile_count(profile, slice, fold->batch->cell, fold->batch->entry))
		return -1;
	span_add(&fold->batch->figures.span, slice, own);
	if (goes_on)
		entry->open_share += own;
	if (!fold->own_slices)
		return 0;
	own += entry->open_share;
	entry->open_share = 0;
	return batch_count_length(profile, fold->batch, own, 1);
}

/* Adds any slice. */
static _attribute_(noinline) int add_any_slice(struct profile *profile,
					       const struct gapp_record_slice *slice)
{
	struct batch *batch = profile_batch(profile, slice);
	bool sampled = slice->sample_count, own_slices;
	struct entry *entry;
	double n;

	profile->records++;
	if (!batch)
		return -1;
	n = average_n(slice);
	own_slices = batch->ends && slice->slices;
	entry = &profile->entries.rows[batch->entry];
	memcpy(entry->comm, slice->comm, sizeof(entry->comm));
	follow_slice(profile, entry, batch->then == THEN_ON, own_slices, &sampled);
	if (slice->critical_share)
		profile->unsampled += slice->slices - (sampled && own_slices);
	/* the paths of its parts may have been sampled */
	if (slice->sample_count || (own_slices && entry->open_count))
		return add_sampled(profile, &(struct fold){ slice, batch, n, own_slices });
	return add_unsampled(profile, &(struct fold){ slice, batch, n, own_slices });
}

/*
 * Nearly all slices are whole, have no sample and are like an earlier one. For these, this function
 * does what add_any_slice() would do, without a call.
 */
int profile_add_slice(struct profile *profile, const struct gapp_record_slice *slice)
{
	struct batch *batch = batch_known(profile, slice);
	struct entry *entry;
	u64 own;
	u32 step;

	if (!batch || !batch->simple || slice->sample_count || slice->flags & GAPP_SLICE_TALLIES)
		return add_any_slice(profile, slice);
	own = own_share_of_last(slice);
	step = critical_step(own);
	if (!batch_is_like(batch, slice, step))
		return add_any_slice(profile, slice);
	entry = &profile->entries.rows[batch->entry];
	if (entry->parts || entry->losses != profile->losses)
		return add_any_slice(profile, slice);
	memcpy(entry->comm, slice->comm, sizeof(entry->comm));
	profile->unsampled += slice->critical_share != 0;
	batch->alike++;
	batch_sum(batch, slice->critical_share, average_n(slice));
	span_add(&batch->figures.span, slice, own);
	batch->lengths[step % BATCH_STEPS]++;
	return 0;
}
