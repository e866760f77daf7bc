// SPDX-License-Identifier: GPL-2.0
/*
 * The walk keeps a moment t and a thread, and each step goes back to the begin of what the thread
 * did at t. Where that began by a wake-up, the walk goes to the waker at t; a frame on the stack
 * remembers the wait that is explained so, and when the walk comes to the wait's begin it returns
 * to the thread that waited. Frames are of different threads that all wait at t, so there are never
 * more of them than threads.
 */
#include "critical_path.h"

/* Wake-ups at one moment that are followed: more say that times are not what they should be. */
#define STILL_MAX 64

/**
 * struct wait_frame - a wait that is being explained
 * @slice: the slice before the wait, where the walk returns to
 * @bound: when the wait began
 * @path: call path of the wait
 * @reason: enum gapp_wait_reason
 * @site: see stored_site()
 */
struct wait_frame {
	u32 slice;
	u64 bound;
	u32 path;
	u32 reason;
	u32 site;
};

/* Where the walk goes on. */
enum at {
	AT_TIME, /* with what @thread did at @t */
	AT_SLICE, /* in @slice, in which @t is */
	AT_GAP, /* behind @slice, which ended before @t or at it */
	AT_WAKE, /* where the wait behind @slice ends at @t */
	AT_ANY, /* with the last thread that did anything before @t */
	AT_RETURN, /* at the begin of the wait of the last frame */
	AT_BEGIN, /* at the begin of the run */
	AT_FAILED, /* there is no memory */
};

/**
 * struct walker - the walk
 * @store: what happened
 * @walk: what comes of it
 * @t: the moment, nanoseconds since the store's begin
 * @thread: number of the thread
 * @slice: number of a slice of @thread, see enum at
 * @cursors: of each thread a slice with an end at or behind @t, if it has one: the walk never goes
 *	forward
 * @last: slices that may have ended before @t
 * @any_t: @t when the walk last chose a thread without knowing what led to @t
 * @holes: holes that may lie before @t
 * @frames: waits that are being explained, the last one innermost
 * @frame_count: their number
 * @still: wake-ups that were followed without a step back in time
 * @take: takes each piece; or NULL
 * @context: handed to @take
 */
struct walker {
	const struct wait_store *store;
	struct critical_walk *walk;
	u64 t;
	u32 thread;
	u32 slice;
	u32 *cursors;
	u32 last;
	u64 any_t;
	u32 holes;
	struct wait_frame *frames;
	u32 frame_count;
	u32 frame_room;
	u32 still;
	path_piece_fn take;
	void *context;
};

static const struct stored_slice *slice_of(const struct walker *walker)
{
	return &walker->store->slices[walker->slice];
}

static struct wait_frame *top(const struct walker *walker)
{
	return walker->frame_count ? &walker->frames[walker->frame_count - 1] : NULL;
}

/* The walk does not go back beyond this moment before it returns. */
static u64 bound_of(const struct walker *walker)
{
	return walker->frame_count ? top(walker)->bound : 0;
}

static u64 later_of(u64 a, u64 b)
{
	return a > b ? a : b;
}

static int add_piece(struct walker *walker, struct path_cell_key key, u64 ns)
{
	const struct wait_frame *frame = top(walker);
	struct path_wait_key wait;
	u32 id;

	if (walker->take && walker->take(walker->context, &key, walker->t - ns, walker->t))
		return -1;
	if (key.what == PIECE_NONE) {
		walker->walk->idle_ns += ns;
		return 0;
	}
	id = keyed_find(&walker->walk->cells, &key);
	if (id == HASH_NONE)
		id = keyed_add(&walker->walk->cells, &key);
	if (id == HASH_NONE)
		return -1;
	walker->walk->cells.rows[id].ns += ns;
	if (!frame)
		return 0;
	wait = (struct path_wait_key){ frame->path, frame->reason, frame->site };
	id = keyed_find(&walker->walk->waits, &wait);
	if (id == HASH_NONE)
		id = keyed_add(&walker->walk->waits, &wait);
	if (id == HASH_NONE)
		return -1;
	walker->walk->waits.rows[id].ns += ns;
	return 0;
}

/* The walk is in a hole, or where slices were dropped: nothing is known of that time. */
static enum at skip_unknown(struct walker *walker, u64 begin)
{
	walker->walk->unknown_ns += walker->t - begin;
	walker->t = begin;
	walker->frame_count = 0;
	walker->still = 0;
	return begin ? AT_ANY : AT_BEGIN;
}

/*
 * Goes back to @from, where @then says how to go on; the time is that of a piece. Where the wait of
 * the last frame began the walk returns. Holes are left out, and the walk begins anew before them.
 */
static enum at go_back(struct walker *walker, u64 from, struct path_cell_key key, enum at then)
{
	const struct stored_hole *hole = NULL;
	u64 bound = bound_of(walker), begin = later_of(from, bound);
	u64 known = walker->store->known_from;
	bool unknown = false;

	while (walker->holes && walker->store->holes[walker->holes - 1].begin >= walker->t)
		walker->holes--;
	if (walker->holes)
		hole = &walker->store->holes[walker->holes - 1];
	if (hole && hole->end > begin) {
		begin = hole->end < walker->t ? hole->end : walker->t;
		unknown = true;
	}
	if (begin < known) {
		begin = known;
		hole = NULL;
		unknown = true;
	}
	if (begin < walker->t) {
		if (add_piece(walker, key, walker->t - begin))
			return AT_FAILED;
		walker->t = begin;
		walker->still = 0;
	}
	if (unknown)
		return skip_unknown(walker, hole ? hole->begin : 0);
	if (begin > from || (walker->frame_count && begin == bound))
		return AT_RETURN;
	return begin ? then : AT_BEGIN;
}

/* Goes to the begin of a slice, and then to what was before it. */
static enum at in_slice(struct walker *walker)
{
	const struct stored_slice *slice = slice_of(walker);
	struct path_cell_key key = {
		.what = PIECE_RAN,
		.thread = slice->thread,
		.path = slice->path,
		.how = slice->how,
	};
	bool first = slice->before == STORE_NONE || slice->then == STORED_CREATED;
	enum at then = first ? AT_ANY : AT_GAP;
	u64 begin = slice->begin;

	walker->slice = slice->before;
	return go_back(walker, begin, key, then);
}

static enum at ready_since(struct walker *walker, u64 from, enum at then)
{
	struct path_cell_key key = {
		.what = PIECE_READY,
		.thread = walker->thread,
		.path = STORE_NONE,
	};

	return from < walker->t ? go_back(walker, from, key, then) : then;
}

/* No thread is known from @from to @t. */
static enum at no_thread(struct walker *walker, u64 from)
{
	return go_back(walker, from, (struct path_cell_key){ .what = PIECE_NONE }, AT_ANY);
}

/* The thread waits at @t, and nobody is known to have ended that. */
static enum at waited(struct walker *walker, enum wait_ender by)
{
	const struct stored_slice *slice = slice_of(walker);
	struct path_cell_key key = {
		.what = PIECE_WAITED,
		.thread = slice->thread,
		.path = slice->path,
		.reason = slice->reason,
		.by = by,
		.site = stored_site(slice),
	};

	return slice->end < walker->t ? go_back(walker, slice->end, key, AT_SLICE) : AT_SLICE;
}

/* Behind a slice after which the thread slept, or had not been made. */
static enum at behind_wait(struct walker *walker)
{
	const struct stored_slice *slice = slice_of(walker);
	u64 wake = stored_wake(walker->store, slice);

	if (wake < walker->t)
		return ready_since(walker, wake, AT_WAKE);
	if (wake == walker->t)
		return AT_WAKE;
	/* who has just woken another thread sleeps already: the wake-up was on its way */
	if (walker->frame_count)
		return ready_since(walker, slice->end, AT_SLICE);
	return slice->then == GAPP_THEN_WAIT ? waited(walker, ENDED_NOT) : AT_ANY;
}

/* Behind a slice: what the thread did from its end to @t. */
static enum at in_gap(struct walker *walker)
{
	const struct stored_slice *slice = slice_of(walker);

	switch (slice->then) {
	case GAPP_THEN_WAIT:
	case STORED_FOUND:
	case STORED_CREATED:
		return behind_wait(walker);
	case GAPP_THEN_EXITED:
		if (walker->frame_count)
			return ready_since(walker, slice->end, AT_SLICE);
		/* before another thread with its number: nobody knows who made that one */
		return AT_ANY;
	}
	return ready_since(walker, slice->end, AT_SLICE);
}

/* Explains a wait from @bound on: the walk returns to the slice before it. */
static int explain(struct walker *walker, u64 bound)
{
	const struct stored_slice *slice = slice_of(walker);
	struct wait_frame *last = top(walker);
	struct wait_frame frame = {
		.slice = walker->slice,
		.bound = bound,
		.path = slice->path,
		.reason = slice->reason,
		.site = stored_site(slice),
	};

	/* the walk returns from both at once */
	if (last && last->bound == bound) {
		last->path = frame.path;
		last->reason = frame.reason;
		last->site = frame.site;
		return 0;
	}
	if (array_grow(&walker->frames, &walker->frame_room, walker->frame_count,
		       sizeof(*walker->frames)))
		return -1;
	walker->frames[walker->frame_count++] = frame;
	if (walker->frame_count > walker->walk->depth)
		walker->walk->depth = walker->frame_count;
	return 0;
}

/* The wait behind the slice ends at @t: on to the waker, or where none is known, over the wait. */
static enum at at_wake(struct walker *walker)
{
	const struct stored_slice *slice = slice_of(walker);
	const struct stored_wait *wait = &walker->store->waits[slice->wait];
	u64 bound = later_of(slice->end, bound_of(walker));

	if (!stored_is_followed(walker->store, wait->waker) || wait->waker == walker->thread ||
	    walker->still++ >= STILL_MAX)
		return waited(walker, wait->by);
	walker->walk->hops++;
	/* a new thread was nothing before: the walk does not return to it */
	if (bound < walker->t && explain(walker, bound))
		return AT_FAILED;
	if (bound == walker->t && slice->then != STORED_CREATED)
		return AT_SLICE;
	walker->thread = wait->waker;
	return AT_TIME;
}

/* Finds the thread's slice at @t, or the one before. */
static enum at at_time(struct walker *walker)
{
	const struct stored_slice *slices = walker->store->slices;
	u32 *cursor = &walker->cursors[walker->thread];
	u32 before = slices[*cursor].before;

	while (before != STORE_NONE && slices[before].end >= walker->t) {
		*cursor = before;
		before = slices[before].before;
		walker->walk->steps++;
	}
	walker->slice = *cursor;
	if (slices[*cursor].end < walker->t)
		return AT_GAP;
	if (slices[*cursor].begin < walker->t)
		return AT_SLICE;
	walker->slice = before;
	/* it was not there yet */
	return before == STORE_NONE ? AT_ANY : AT_GAP;
}

/*
 * What led to @t is not known. Of a wait that is being explained the rest stays a wait. Else the
 * walk goes on with a thread that ran at @t, or with the one that did something last.
 */
static enum at at_any(struct walker *walker)
{
	const struct wait_store *store = walker->store;
	const struct stored_slice *slices = store->slices;
	u64 end;

	if (walker->frame_count) {
		walker->slice = walker->frames[--walker->frame_count].slice;
		return waited(walker, ENDED_BY_UNKNOWN);
	}
	/* slices of what was found come late, and say nothing of when a thread did something */
	while (walker->last && (slices[walker->last - 1].end > walker->t ||
				slices[walker->last - 1].then == STORED_FOUND))
		walker->last--;
	if (walker->t == walker->any_t) {
		/* the thread that was chosen before led nowhere */
		if (walker->last)
			walker->last--;
	} else if (walker->last < store->slice_count && slices[walker->last].then != STORED_FOUND &&
		   slices[walker->last].begin < walker->t) {
		walker->any_t = walker->t;
		walker->thread = slices[walker->last].thread;
		return AT_TIME;
	}
	walker->any_t = walker->t;
	end = walker->last ? slices[walker->last - 1].end : store->known_from;
	if (!walker->last || slices[walker->last - 1].then == GAPP_THEN_EXITED ||
	    end <= store->known_from) {
		end = later_of(end, store->known_from);
		if (end < walker->t)
			return no_thread(walker, end);
		if (end == store->known_from)
			return skip_unknown(walker, 0);
	}
	walker->thread = slices[walker->last - 1].thread;
	return AT_TIME;
}

static enum at at_return(struct walker *walker)
{
	walker->slice = walker->frames[--walker->frame_count].slice;
	return AT_SLICE;
}

static enum at step(struct walker *walker, enum at at)
{
	if (at == AT_SLICE || at == AT_GAP || at == AT_WAKE)
		walker->thread = slice_of(walker)->thread;
	switch (at) {
	case AT_TIME:
		return at_time(walker);
	case AT_SLICE:
		return in_slice(walker);
	case AT_GAP:
		return in_gap(walker);
	case AT_WAKE:
		return at_wake(walker);
	case AT_RETURN:
		return at_return(walker);
	default:
		return at_any(walker);
	}
}

int critical_walk(const struct wait_store *store, u64 stop, struct critical_walk *walk)
{
	return critical_walk_each(store, stop, walk, NULL, NULL);
}

int critical_walk_each(const struct wait_store *store, u64 stop, struct critical_walk *walk,
		       path_piece_fn take, void *context)
{
	u32 threads = store->threads.index.count;
	struct walker walker = {
		.store = store,
		.walk = walk,
		.t = stop,
		.any_t = UINT64_MAX,
		.last = store->slice_count,
		.holes = store->hole_count,
		.take = take,
		.context = context,
		.cursors = reallocarray(NULL, threads + 1, sizeof(*walker.cursors)),
	};
	enum at at = stop ? AT_ANY : AT_BEGIN;

	*walk = (struct critical_walk){ 0 };
	if (!walker.cursors)
		return -1;
	for (u32 i = 0; i < threads; i++)
		walker.cursors[i] = store->threads.rows[i].last;
	while (at != AT_BEGIN && at != AT_FAILED) {
		at = step(&walker, at);
		walk->steps++;
	}
	free(walker.cursors);
	free(walker.frames);
	return at == AT_FAILED ? -1 : 0;
}

void critical_walk_free(struct critical_walk *walk)
{
	keyed_free(&walk->cells);
	keyed_free(&walk->waits);
}
