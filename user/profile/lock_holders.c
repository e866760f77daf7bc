// SPDX-License-Identifier: GPL-2.0
/*
 * A waiter that is woken by a thread was woken because that thread released the lock. Since when it
 * held the lock is known in two cases: it had waited for it itself, and got it in the first slice
 * behind that; or another thread began to wait since the last release, and so found it held. While
 * somebody waits each release wakes one, so what lies between two wake-ups is one hold. A wake-up
 * that fits no wait may be a release that was not seen: no hold is known to go on over that.
 */
#include "profile_private.h"

void lock_thread_init(struct lock_thread *thread)
{
	*thread = (struct lock_thread){ 0 };
	for (u32 i = 0; i < LOCKS_HELD_MAX; i++)
		thread->held[i].object = HASH_NONE;
}

static struct lock_moment moment_of(const struct wait_target *target)
{
	return (struct lock_moment){ target->until_ns, target->few_ns };
}

static struct lock_moment later_of(struct lock_moment a, struct lock_moment b)
{
	return a.ns > b.ns ? a : b;
}

static bool is_futex(const struct all_waits *waits, u32 object)
{
	return waits->objects.rows[object].key.kind == WAIT_ON_FUTEX;
}

/*
 * After a loss nothing is known of a lock. @target: of a thread that waits for it; NULL: one that
 * waited before. NULL: no memory, or no room, or threads of several targets wait for it.
 */
static struct lock *find_lock(struct all_waits *waits, u32 object, const struct wait_target *target)
{
	const struct lock_key key = { object };
	u32 id = keyed_find(&waits->holders.locks, &key);
	struct lock *lock;

	if (id == HASH_NONE && waits->holders.locks.index.count < WAIT_OBJECTS_MAX)
		id = keyed_add(&waits->holders.locks, &key);
	if (id == HASH_NONE)
		return NULL;
	lock = &waits->holders.locks.rows[id];
	if (lock->losses != waits->losses)
		*lock = (struct lock){ .key = key, .losses = waits->losses };
	if (target && !lock->target)
		lock->target = target->key.target + 1ULL;
	else if (target && lock->target != target->key.target + 1ULL)
		lock->apart = true;
	return lock->apart ? NULL : lock;
}

static struct lock_held *find_held(const struct all_waits *waits, struct lock_thread *thread,
				   u32 object)
{
	for (u32 i = 0; i < LOCKS_HELD_MAX; i++)
		if (thread->held[i].object == object && thread->held[i].losses == waits->losses)
			return &thread->held[i];
	return NULL;
}

/* The thread got a lock that it waited for on @stack. */
static void take_lock(const struct all_waits *waits, struct lock_thread *thread, u32 object,
		      u32 stack, struct lock_moment woken)
{
	struct lock_held *held = &thread->held[0];

	for (u32 i = 0; i < LOCKS_HELD_MAX; i++) {
		struct lock_held *other = &thread->held[i];

		if (other->object == HASH_NONE || other->losses != waits->losses) {
			held = other;
			break;
		}
		if (other->woken.ns < held->woken.ns)
			held = other;
	}
	*held = (struct lock_held){
		.object = object,
		.stack = stack,
		.losses = waits->losses,
		.woken = woken,
	};
}

static void add_ended(struct lock_hold *row, const struct lock_hold *more)
{
	row->waits += more->waits;
	row->waited_ns += more->waited_ns;
	row->critical += more->critical;
}

/* Adds a hold from @begin on. Sets @id to the number of its row. 0, or -1 without memory. */
static int add_hold(struct all_waits *waits, const struct lock_end *end, struct lock_moment begin,
		    u32 *id)
{
	u64 ns = end->at.ns > begin.ns ? end->at.ns - begin.ns : 0;
	u64 few_ns = end->at.few_ns > begin.few_ns ? end->at.few_ns - begin.few_ns : 0;
	struct lock_hold_key key = end->row.key;
	struct lock_hold *row;

	if (few_ns > ns)
		few_ns = ns;
	key.critical = few_ns || end->was_few;
	*id = keyed_find(&waits->holders.holds, &key);
	if (*id == HASH_NONE) {
		if (waits->holders.holds.index.count >= LOCK_HOLDS_MAX) {
			waits->without_room++;
			return 0;
		}
		*id = keyed_add(&waits->holders.holds, &key);
		if (*id == HASH_NONE)
			return -1;
	}
	row = &waits->holders.holds.rows[*id];
	row->holds++;
	*(end->waited ? &row->own_ns : &row->seen_ns) += ns;
	*(end->waited ? &row->own_few_ns : &row->seen_few_ns) += few_ns;
	add_ended(row, &end->row);
	return 0;
}

/* A thread that was woken ran from @begin_ns on. */
static struct lock_moment begin_of(struct lock_moment woken, u64 begin_ns)
{
	if (begin_ns > woken.ns) {
		/* few threads were active in all the time up to then, at most */
		woken.few_ns += begin_ns - woken.ns;
		woken.ns = begin_ns;
	}
	return woken;
}

/* The end of a hold waits for the slice that it began in, from @begin_ns on; 0: not known. */
static int end_in_slice(struct all_waits *waits, struct lock_thread *thread, u64 begin_ns)
{
	const struct lock_end *end = &thread->end;
	struct lock_moment begin = end->at;
	u32 id;

	if (!thread->ends)
		return 0;
	thread->ends = false;
	if (begin_ns && end->losses == waits->losses)
		begin = later_of(begin_of(end->woken, begin_ns), end->floor);
	return add_hold(waits, end, begin, &id);
}

int lock_slice_ends(struct all_waits *waits, struct lock_thread *thread,
		    const struct gapp_record_slice *slice, u32 stack)
{
	int failed = end_in_slice(waits, thread, slice->begin_ns);

	for (u32 i = 0; i < LOCKS_HELD_MAX; i++) {
		struct lock_held *held = &thread->held[i];

		if (held->began)
			continue;
		held->began = true;
		held->begin = begin_of(held->woken, slice->begin_ns);
	}
	thread->ran_ns = slice->head.time_ns;
	thread->ran_stack = stack;
	thread->ran_losses = waits->losses;
	if (slice->then == GAPP_THEN_EXITED)
		for (u32 i = 0; i < LOCKS_HELD_MAX; i++)
			thread->held[i].object = HASH_NONE;
	return failed;
}

void lock_wait_begins(struct all_waits *waits, struct wait_target *target,
		      struct lock_thread *thread, u32 object)
{
	struct lock *lock = is_futex(waits, object) ? find_lock(waits, object, target) : NULL;
	struct lock_held *held = find_held(waits, thread, object);

	if (held)
		held->object = HASH_NONE;
	if (!lock)
		return;
	if (!lock->waiting++)
		lock->contended = moment_of(target);
	if (!lock->first.ns)
		lock->first = moment_of(target);
}

static void leave(struct lock *lock)
{
	if (lock->waiting && !--lock->waiting)
		lock->contended = (struct lock_moment){ 0 };
}

void lock_wait_dropped(struct all_waits *waits, u32 object)
{
	struct lock *lock = is_futex(waits, object) ? find_lock(waits, object, NULL) : NULL;

	if (lock)
		leave(lock);
}

void lock_doubt(struct wait_target *target)
{
	target->doubt = moment_of(target);
}

/* One release woke several: the last one, if nobody has waited for the lock since. */
static bool is_last_release(const struct lock *lock, const struct gapp_record_wake *wake)
{
	return !lock->first.ns && lock->releaser && lock->releaser == wake->waker_tid &&
	       lock->releaser_tgid == wake->waker_tgid;
}

static void add_to_last(struct all_waits *waits, const struct lock *lock,
			struct lock_thread *thread, const struct lock_hold *ended)
{
	if (lock->row != HASH_NONE)
		add_ended(&waits->holders.holds.rows[lock->row], ended);
	else if (thread && thread->ends && thread->end.row.key.object == lock->key.object)
		add_ended(&thread->end.row, ended);
	else
		waits->without_room++;
}

/*
 * The lock was held up to now by the waker, whose @thread is NULL if the recording does not follow
 * it. Returns 0, or -1 without memory.
 */
static int release(struct all_waits *waits, struct wait_target *target, struct lock *lock,
		   struct lock_thread *thread, struct lock_end end)
{
	struct lock_held *held = thread ? find_held(waits, thread, lock->key.object) : NULL;
	struct lock_moment begin;

	end.floor = later_of(lock->contended, target->doubt);
	if (held) {
		end.waited = true;
		end.woken = held->woken;
		/* somebody has waited all the time: this is the hold that began with the wait */
		if (end.floor.ns <= held->woken.ns)
			end.row.key.stack = held->stack;
		held->object = HASH_NONE;
		if (!held->began) {
			int failed = end_in_slice(waits, thread, 0);

			if (end.row.key.stack == STACK_NONE)
				end.row.key.stack = end.from;
			thread->ends = true;
			thread->end = end;
			lock->row = HASH_NONE;
			return failed;
		}
		begin = later_of(held->begin, end.floor);
	} else {
		begin = lock->first.ns ? later_of(lock->first, end.floor) : end.at;
	}
	if (end.row.key.stack == STACK_NONE && thread && !end.went_on &&
	    thread->ran_losses == waits->losses && thread->ran_ns > begin.ns &&
	    thread->ran_ns <= end.at.ns)
		end.row.key.stack = thread->ran_stack;
	if (end.row.key.stack == STACK_NONE)
		end.row.key.stack = end.from;
	return add_hold(waits, &end, begin, &lock->row);
}

int lock_wait_ends(struct all_waits *waits, struct wait_target *target, struct wait_thread *woken,
		   u32 site, const struct gapp_record_wake *wake, struct lock_end end)
{
	const struct wait_site_key *key = &waits->sites.rows[site].key;
	const struct wait_thread_key who = { wake->waker_tid, wake->waker_tgid };
	struct lock *lock = is_futex(waits, key->object) ? find_lock(waits, key->object, target) :
							   NULL;
	u32 id = keyed_find(&waits->threads, &who);
	struct lock_thread *thread = id == HASH_NONE ? NULL : &waits->threads.rows[id].lock;
	int failed = 0;

	if (!lock)
		return 0;
	end.at = moment_of(target);
	end.losses = waits->losses;
	/* the record is of the wake-up's end, to which the waker waits only on its own CPU */
	end.went_on = wake->head.cpu != wake->waker_cpu;
	end.row.key = (struct lock_hold_key){ key->object, STACK_NONE, 0 };
	/* what an interrupt ended was given up, not given */
	if (wake->flags & GAPP_SLICE_WAKER && !(wake->flags & GAPP_SLICE_WOKEN_BY_IRQ)) {
		if (is_last_release(lock, wake) &&
		    !(thread && find_held(waits, thread, key->object)))
			add_to_last(waits, lock, thread, &end.row);
		else
			failed = release(waits, target, lock, thread, end);
		lock->releaser = wake->waker_tid;
		lock->releaser_tgid = wake->waker_tgid;
		lock->first = (struct lock_moment){ 0 };
		take_lock(waits, &woken->lock, key->object, key->stack, end.at);
	}
	leave(lock);
	return failed;
}

int lock_holds_finish(struct all_waits *waits)
{
	int failed = 0;

	for (u32 i = 0; i < waits->threads.index.count; i++) {
		struct lock_thread *thread = &waits->threads.rows[i].lock;

		failed |= end_in_slice(waits, thread, 0);
	}
	return failed;
}
