// SPDX-License-Identifier: GPL-2.0
#include "wait_store.h"

#include <math.h>
#include <string.h>

/* What 48 bits can tell: 78 hours. */
#define TIME_MAX ((1ULL << 48) - 1)
/* Holes beyond are one. */
#define HOLES_MAX 65536

void wait_store_init(struct wait_store *store, u64 begin_ns, u32 limit)
{
	*store = (struct wait_store){ .begin_ns = begin_ns, .limit = limit };
}

void wait_store_free_times(struct wait_store *store)
{
	free(store->slices);
	free(store->waits);
	free(store->holes);
	store->slices = NULL;
	store->waits = NULL;
	store->holes = NULL;
	store->slice_count = 0;
	store->slice_room = 0;
	store->wait_count = 0;
	store->wait_room = 0;
	store->hole_count = 0;
	store->hole_room = 0;
}

void wait_store_free(struct wait_store *store)
{
	wait_store_free_times(store);
	keyed_free(&store->threads);
}

u64 wait_store_time(const struct wait_store *store, u64 ns)
{
	return ns > store->begin_ns ? ns - store->begin_ns : 0;
}

/* The number of a thread, which is added if it is new; STORE_NONE: no memory. */
static u32 thread_of(struct wait_store *store, s32 tid, s32 tgid)
{
	const struct stored_thread_key key = { .tid = tid, .tgid = tgid };
	u32 id = keyed_find(&store->threads, &key);

	if (id != HASH_NONE)
		return id;
	id = keyed_add(&store->threads, &key);
	if (id != HASH_NONE)
		store->threads.rows[id].last = STORE_NONE;
	return id;
}

static bool has_room_for(const struct wait_store *store, s32 tid, s32 tgid)
{
	const struct stored_thread_key key = { .tid = tid, .tgid = tgid };

	return store->threads.index.count < STORE_THREADS_MAX ||
	       keyed_find(&store->threads, &key) != HASH_NONE;
}

static int add_hole(struct wait_store *store, u64 begin, u64 end)
{
	if (store->hole_count == HOLES_MAX) {
		struct stored_hole *last = &store->holes[HOLES_MAX - 1];

		last->begin = begin < last->begin ? begin : last->begin;
		last->end = end > last->end ? end : last->end;
		return 0;
	}
	if (array_grow(&store->holes, &store->hole_room, store->hole_count, sizeof(*store->holes)))
		return -1;
	store->holes[store->hole_count++] = (struct stored_hole){ begin, end };
	return 0;
}

/* Whether a slice that is to be dropped is still needed: its wait, or its thread, goes on. */
static bool is_needed(const struct wait_store *store, u32 id, u64 from)
{
	const struct stored_slice *slice = &store->slices[id];
	u64 wake = stored_wake(store, slice);

	return store->threads.rows[slice->thread].last == id || (wake != UINT64_MAX && wake > from);
}

static void renumber(u32 *number, const u32 *numbers)
{
	if (*number != STORE_NONE)
		*number = numbers[*number];
}

/* Drops the waits of slices that went, and renumbers those of the others. */
static void drop_waits(struct wait_store *store, const u32 *slices)
{
	u32 kept = 0, unnamed = 0;

	for (u32 i = 0; i < store->wait_count; i++) {
		struct stored_wait wait = store->waits[i];
		u32 slice = slices[wait.slice];

		if (slice == STORE_NONE)
			continue;
		for (u32 j = 0; j < store->unnamed_count; j++)
			if (store->unnamed[j].wait == i)
				store->unnamed[unnamed++] =
					(struct unnamed_waker){ store->unnamed[j].cpu, kept };
		wait.slice = slice;
		store->slices[slice].wait = kept;
		store->waits[kept++] = wait;
	}
	store->wait_count = kept;
	store->unnamed_count = unnamed;
}

/* Drops the older half. Returns 0, or -1 without memory. */
static int drop_half(struct wait_store *store)
{
	_cleanup_free_ u32 *numbers = reallocarray(NULL, store->slice_count, sizeof(*numbers));
	u32 half = store->slice_count / 2, kept = 0;
	u64 from = store->slices[half - 1].end;

	if (!numbers)
		return -1;
	for (u32 i = 0; i < store->slice_count; i++) {
		numbers[i] = STORE_NONE;
		if (i < half && !is_needed(store, i, from)) {
			store->dropped++;
			continue;
		}
		numbers[i] = kept;
		renumber(&store->slices[i].before, numbers);
		store->slices[kept++] = store->slices[i];
	}
	store->slice_count = kept;
	for (u32 i = 0; i < store->threads.index.count; i++)
		renumber(&store->threads.rows[i].last, numbers);
	drop_waits(store, numbers);
	store->known_from = from;
	return 0;
}

/* Adds a slice as the last one of its thread. Returns 0, or -1 without memory. */
static int push(struct wait_store *store, struct stored_slice slice)
{
	u32 *last = &store->threads.rows[slice.thread].last;

	if (store->slice_count >= store->limit && drop_half(store))
		return -1;
	if (array_grow(&store->slices, &store->slice_room, store->slice_count,
		       sizeof(*store->slices)))
		return -1;
	slice.before = *last;
	slice.wait = STORE_NONE;
	*last = store->slice_count;
	store->slices[store->slice_count++] = slice;
	return 0;
}

/* New threads that were made on @cpu while @thread ran there are its own. */
static void name_wakers(struct wait_store *store, u32 cpu, u32 thread, u64 begin, u64 end)
{
	u32 kept = 0;

	for (u32 i = 0; i < store->unnamed_count; i++) {
		struct unnamed_waker unnamed = store->unnamed[i];
		struct stored_wait *wait = &store->waits[unnamed.wait];

		if (unnamed.cpu != cpu || wait->end > end) {
			store->unnamed[kept++] = unnamed;
		} else if (wait->end >= begin) {
			wait->waker = thread;
			wait->by = ENDED_BY_THREAD;
		}
	}
	store->unnamed_count = kept;
}

/* The share of a sample, for the length of its part; the last one has what came behind it, too. */
static u64 sample_share(const struct gapp_record_slice *slice, u32 i, u64 *left)
{
	const struct gapp_sample *samples = (const struct gapp_sample *)(slice + 1);
	u64 share = samples[i].critical_share;

	if (i + 1 == slice->sample_count || share > *left)
		share = *left;
	*left -= share;
	return share;
}

/*
 * Divides the slice among its samples: each stands for the time since the one before, which is in
 * proportion to its share. Returns 0, or -1 without memory.
 */
static int push_samples(struct wait_store *store, const struct gapp_record_slice *record,
			struct stored_slice slice, const u32 *sample_paths)
{
	u32 count = record->sample_count, then = slice.then;
	u64 whole = record->own_critical_share, left = whole, taken = 0;
	u64 begin = slice.begin, length = slice.end - slice.begin, end = slice.end;

	for (u32 i = 0; i < count; i++) {
		bool last = i + 1 == count;

		taken += whole ? sample_share(record, i, &left) : 1;
		slice.end = begin + (u64)((double)length * taken / (whole ?: count));
		if (last || slice.end > end)
			slice.end = end;
		slice.then = last ? then : GAPP_THEN_ON;
		slice.path = sample_paths[i];
		slice.how = STORED_HIT;
		if (push(store, slice))
			return -1;
		slice.begin = slice.end;
	}
	return 0;
}

/*
 * For how long few threads were active during a slice, nanoseconds of @length. Its record has the
 * integrals of n and of 1/n, and the part of the latter in which few were active. That fits two
 * values of n, one for each part of the slice: they have the same mean and variance.
 */
static u64 critical_length(const struct gapp_record_slice *record, u64 length)
{
	double unit = 1ULL << GAPP_SHARE_SHIFT, all = record->cmetric / unit;
	double few = record->own_critical_share / unit, many = all - few;
	double mean, variance, critical;

	if (all <= 0 || many <= 0)
		return length;
	if (few <= 0)
		return 0;
	mean = length / all;
	variance = record->thread_ns / all - mean * mean;
	critical = few * (mean - sqrt(variance > 0 ? variance * many / few : 0));
	if (critical < few)
		critical = few;
	return critical < length ? (u64)(critical + 0.5) : length;
}

/* Whether a slice that ended so was interrupted: it ran on its path at the end. */
static bool is_interrupted(u32 then)
{
	return then == GAPP_THEN_PREEMPTED || then == GAPP_THEN_ON || then == GAPP_THEN_STOPPED;
}

/*
 * Adds a slice in two parts: first that in which many threads were active, as when others began to
 * wait during the slice. Returns 0, or -1 without memory.
 */
static int push_parts(struct wait_store *store, const struct gapp_record_slice *record,
		      struct stored_slice slice, const u32 *sample_paths)
{
	bool sampled = record->sample_count && sample_paths;
	u64 length = slice.end - slice.begin, critical = critical_length(record, length);
	struct stored_slice many = slice;

	if (!sampled && is_interrupted(slice.then))
		return push(store, slice);
	slice.how = STORED_INFERRED;
	many.how = STORED_MANY;
	if (!critical && !sampled)
		return push(store, many);
	if (critical < length) {
		many.end = slice.end - critical;
		many.then = GAPP_THEN_ON;
		slice.begin = many.end;
		if (push(store, many))
			return -1;
	}
	return sampled ? push_samples(store, record, slice, sample_paths) : push(store, slice);
}

/*
 * The earliest moment at which the next slice of a thread can begin, and *late: the record came
 * after a later one.
 */
static u64 earliest(const struct wait_store *store, u32 thread, u64 end, bool *late)
{
	u32 last = store->threads.rows[thread].last;
	u64 wake;

	if (last == STORE_NONE)
		return 0;
	wake = stored_wake(store, &store->slices[last]);
	*late = end < store->slices[last].end;
	return wake != UINT64_MAX && wake <= end ? wake : store->slices[last].end;
}

int wait_store_slice(struct wait_store *store, const struct gapp_record_slice *record, u32 path,
		     u32 site, const u32 *sample_paths)
{
	struct stored_slice slice = {
		.then = record->then,
		.reason = record->wait < GAPP_WAIT_REASONS ? record->wait : GAPP_WAIT_OTHER,
		.path = path,
	};
	u64 begin = wait_store_time(store, record->begin_ns);
	u64 end = wait_store_time(store, record->head.time_ns), first;
	bool late = false;

	/* the record is not of a slice, but of the shares of earlier ones */
	if (record->flags & GAPP_SLICE_REST)
		return 0;
	if (!has_room_for(store, record->tid, record->tgid))
		return add_hole(store, begin, end);
	slice.thread = thread_of(store, record->tid, record->tgid);
	if (slice.thread == HASH_NONE)
		return -1;
	if (end > TIME_MAX) {
		store->beyond = true;
		return 0;
	}
	memcpy(store->threads.rows[slice.thread].comm, record->comm, sizeof(record->comm));
	first = earliest(store, slice.thread, end, &late);
	if (late) {
		store->late++;
		return add_hole(store, begin, end);
	}
	if (site > STORE_SITE_NONE)
		site = STORE_SITE_NONE;
	slice.site_low = site & 0xffff;
	slice.site_high = site >> 16;
	slice.begin = begin < first ? first : begin > end ? end : begin;
	slice.end = end;
	name_wakers(store, record->head.cpu, slice.thread, slice.begin, end);
	return push_parts(store, record, slice, sample_paths);
}

/*
 * The thread has no wait that the wake-up could end: it is new, or what it did before is not known.
 * Adds an empty slice before the wait. Returns 0, or -1 without memory.
 */
static int push_empty(struct wait_store *store, u32 thread, u64 time, bool created)
{
	bool first = store->threads.rows[thread].last == STORE_NONE;
	u64 at = first && !created ? 0 : time;

	return push(store, (struct stored_slice){
				   .begin = at,
				   .end = at,
				   .thread = thread,
				   .then = created ? STORED_CREATED : STORED_FOUND,
				   .path = STORE_NONE,
				   .site_low = STORE_SITE_NONE & 0xffff,
				   .site_high = STORE_SITE_NONE >> 16,
			   });
}

static bool waits(const struct stored_slice *slice)
{
	return slice->then == GAPP_THEN_WAIT && slice->wait == STORE_NONE;
}

int wait_store_wake(struct wait_store *store, const struct gapp_record_wake *record)
{
	u32 thread, last, waker = STORE_NONE;
	bool named = record->flags & (GAPP_SLICE_WAKER | GAPP_SLICE_WOKEN_BY_IRQ);
	u64 time = wait_store_time(store, record->head.time_ns);
	struct stored_slice *slice;
	bool begins;

	/* of a thread whose slices have no room */
	if (!has_room_for(store, record->tid, record->tgid))
		return 0;
	thread = thread_of(store, record->tid, record->tgid);
	if (thread == HASH_NONE)
		return -1;
	if (time > TIME_MAX) {
		store->beyond = true;
		return 0;
	}
	last = store->threads.rows[thread].last;
	begins = last == STORE_NONE || store->slices[last].then == GAPP_THEN_EXITED;
	if ((begins || !waits(&store->slices[last])) &&
	    push_empty(store, thread, time, begins && !named))
		return -1;
	if (record->flags & GAPP_SLICE_WAKER &&
	    has_room_for(store, record->waker_tid, record->waker_tgid)) {
		waker = thread_of(store, record->waker_tid, record->waker_tgid);
		if (waker == HASH_NONE)
			return -1;
	}
	if (array_grow(&store->waits, &store->wait_room, store->wait_count, sizeof(*store->waits)))
		return -1;
	last = store->threads.rows[thread].last;
	slice = &store->slices[last];
	store->waits[store->wait_count] = (struct stored_wait){
		.end = time > slice->end ? time : slice->end,
		.by = record->flags & GAPP_SLICE_WOKEN_BY_IRQ ? ENDED_BY_INTERRUPT :
		      named				      ? ENDED_BY_THREAD :
								ENDED_BY_UNKNOWN,
		.slice = last,
		.waker = waker,
	};
	slice->wait = store->wait_count;
	if (slice->then == STORED_CREATED && store->unnamed_count < UNNAMED_MAX)
		store->unnamed[store->unnamed_count++] =
			(struct unnamed_waker){ record->head.cpu, store->wait_count };
	store->wait_count++;
	return 0;
}

int wait_store_lost(struct wait_store *store, const struct gapp_record_lost *lost)
{
	u64 begin = wait_store_time(store, lost->since_ns);
	u64 end = wait_store_time(store, lost->head.time_ns);

	return begin < end ? add_hole(store, begin, end) : 0;
}

static int earlier_hole(const void *a, const void *b)
{
	const struct stored_hole *x = a, *y = b;

	return compare_by(three_way(x->begin, y->begin), three_way(x->end, y->end));
}

int wait_store_end(struct wait_store *store, u64 stop_ns)
{
	u32 kept = 0;

	if (store->beyond && add_hole(store, TIME_MAX, wait_store_time(store, stop_ns)))
		return -1;
	if (store->hole_count)
		qsort(store->holes, store->hole_count, sizeof(*store->holes), earlier_hole);
	for (u32 i = 1; i < store->hole_count; i++) {
		struct stored_hole *last = &store->holes[kept], *hole = &store->holes[i];

		if (hole->begin > last->end)
			store->holes[++kept] = *hole;
		else if (hole->end > last->end)
			last->end = hole->end;
	}
	if (store->hole_count)
		store->hole_count = kept + 1;
	return 0;
}
