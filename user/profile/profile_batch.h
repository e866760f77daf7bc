/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slices of one thread that end alike, added up before they go to the tables:
 * nearly every slice is like one that was not long ago, and then nothing needs
 * to be looked up for it. Of slices with samples only what earlier ones left is
 * among them.
 */
#ifndef GAPP_READ_PROFILE_BATCH_H
#define GAPP_READ_PROFILE_BATCH_H

#include "profile_int.h"

/* Pairs of them, a power of two, at first and at most; a batch is of some 350 bytes. */
#define BATCH_PAIRS 128
#define MAX_BATCH_PAIRS 16384
/* In the last word of a key: it has the stack's id for the path's number. */
#define BATCH_BY_STACK 0x4000000000000000ULL
/* An octave of lengths. */
#define BATCH_STEPS 8

/**
 * struct batch - what slices that are alike come to
 * @key: what they have in common, see batch_key(); its last word is 0 where the batch is free
 * @until_ns: so long the path's number in @key means @end, unless something is stale or mapped
 *	elsewhere; 0: @key has that stack's id instead
 * @changes: call_paths_changes() when that was so
 * @tgid: process of them
 * @target: their target
 * @entry: of the thread
 * @cell: of what there is no sample of; HASH_NONE: there is none
 * @end: stack at the end, STACK_NONE or STACK_LOST
 * @then: why they ended
 * @kind: of their cell
 * @ends: a slice ended with each record that has any, and not only earlier ones
 * @leader: the thread is its process's leader
 * @has_cell: @cell is known
 * @uses: how often it was wanted, of late
 * @figures: sums; but of what others waited for meanwhile
 * @waiting: it was this with
 * @waiting_share: so much of the share, which is not in @figures.waiting yet
 * @ended: slices that @then counts
 * @steps: steps of length
 * @lengths: slices of these
 */
struct batch {
	u64 key[3];
	u64 until_ns;
	u64 changes;
	s32 tgid;
	u32 target;
	u32 entry;
	u32 cell;
	u32 end;
	u8 then;
	u8 kind;
	bool ends;
	u8 leader;
	bool has_cell;
	u64 uses;
	struct figures figures;
	u16 waiting[GAPP_WAIT_REASONS];
	u64 waiting_share;
	u64 ended;
	u16 steps[BATCH_STEPS];
	u64 lengths[BATCH_STEPS];
};

/* What slices that are alike have in common; the last word is never 0. */
static inline void batch_key(u64 *key, const struct gapp_record_slice *slice, u32 path)
{
	/* in one go */
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

/* Looks up the path, and what is not known. */
struct batch *profile_find_batch(struct profile *profile, const struct gapp_record_slice *slice);

/* The batch of a slice; NULL: it is not known. */
static inline struct batch *batch_known(const struct profile *profile,
					const struct gapp_record_slice *slice)
{
	u64 time_ns = slice->head.time_ns, key[3];
	struct batch *batch;

	batch_key(key, slice, slice->path);
	batch = batch_pair(profile, key);
	if (!batch_is(batch, key) && !batch_is(++batch, key))
		return NULL;
	return time_ns < batch->until_ns && batch->changes == *profile->changes &&
			       time_ns > *profile->outdated_over ?
		       batch :
		       NULL;
}

/* Likewise, until the next one is wanted; NULL: no memory. */
static inline struct batch *profile_batch(struct profile *profile,
					  const struct gapp_record_slice *slice)
{
	struct batch *batch = batch_known(profile, slice);

	if (!batch)
		return profile_find_batch(profile, slice);
	batch->uses++;
	return batch;
}

int profile_make_batches(struct profile *profile);
int batch_find_cell(struct profile *profile, struct batch *batch);
void batch_change_waiting(struct batch *batch, const u16 *waiting);

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

static inline void batch_sum(struct batch *batch, u64 share, double n, u32 slices, u32 ended)
{
	struct figures *figures = &batch->figures;

	figures->critical_share += share;
	figures->n_share += n * share;
	figures->slices += slices;
	batch->waiting_share += share;
	batch->ended += ended;
}

/* Adds @share of slices to it, @ended of which count as ended. Returns 0, or -1 without memory. */
static inline int batch_add(struct profile *profile, struct batch *batch,
			    const struct gapp_record_slice *slice, u64 share, double n, u32 slices,
			    u32 ended)
{
	if (!batch->has_cell && batch_find_cell(profile, batch))
		return -1;
	if (!batch_waits_so(batch, slice->waiting))
		batch_change_waiting(batch, slice->waiting);
	batch_sum(batch, share, n, slices, ended);
	return 0;
}

int batch_change_step(struct profile *profile, struct batch *batch, u32 step);

/* Counts a slice by its length. Returns 0, or -1 without memory. */
static inline int batch_count_length(struct profile *profile, struct batch *batch, u64 length)
{
	u32 step = length_step(length), i = step % BATCH_STEPS;

	if (batch->steps[i] != step && batch_change_step(profile, batch, step))
		return -1;
	batch->lengths[i]++;
	return 0;
}

/* A slice of this step of length, whole and without a sample, is summed up by adding alone. */
static inline bool batch_is_like(const struct batch *batch, const struct gapp_record_slice *slice,
				 u32 step)
{
	return batch->has_cell && batch->ends && slice->slices && !slice->sample_count &&
	       batch->steps[step % BATCH_STEPS] == step && batch_waits_so(batch, slice->waiting);
}

#endif /* GAPP_READ_PROFILE_BATCH_H */
