// SPDX-License-Identifier: GPL-2.0
/*
 * Who held locks, in made-up runs: threads with mutexes like those of the C library, whose records
 * are written as the module would. What the reader makes of them is compared with what the rules
 * give when each hold is computed anew from all records, and with the run: no hold is longer than
 * it was, and no function did not hold the lock.
 */
#include "made_locks.h"

#include <stdlib.h>
#include <string.h>

#include "profile/profile_private.h"
#include "profile/ranked_waits.h"

#define RUNS 400

/* What the rules say of one hold. */
struct naive {
	u32 lock;
	u32 path; /* or NONE */
	u32 begin;
	u32 end;
	u32 few;
	bool critical;
	bool waited;
	u32 waits;
	u64 waited_ns;
};

/* For how long few threads were active before a time, by what records said of n. */
static u32 few_before(u32 at)
{
	u32 few = 0;

	for (u32 i = 0; i < run.count && run.events[i].at < at; i++) {
		u32 until = i + 1 < run.count && run.events[i + 1].at < at ? run.events[i + 1].at :
									     at;

		if (run.events[i].n <= N_MIN)
			few += until - run.events[i].at;
	}
	return few;
}

static bool begins(const struct event *event, u32 lock)
{
	return event->what == SLICE && event->lock == lock;
}

static bool gives(const struct event *event, u32 lock)
{
	return event->what == WAKE && event->lock == lock && event->by != IRQ;
}

/* Since when somebody has waited for the lock all along before event number @at. */
static u32 contended_since(u32 at, u32 lock)
{
	u32 waiting = 0, since = 0;

	for (u32 i = 0; i < at; i++) {
		const struct event *event = &run.events[i];

		if (begins(event, lock) && !waiting++)
			since = event->at;
		if (event->what == WAKE && event->lock == lock)
			waiting--;
	}
	assert_true(waiting);
	return since;
}

/* The last event before @at by which @thread may have got the lock behind a wait, or NONE. */
static u32 got_it(u32 at, u32 lock, u32 thread)
{
	for (u32 i = at; i--;) {
		const struct event *event = &run.events[i];

		if (gives(event, lock) && event->by == thread)
			return NONE;
		if (event->thread != thread || event->lock != lock)
			continue;
		return gives(event, lock) ? i : NONE;
	}
	return NONE;
}

static u32 last_release(u32 at, u32 lock)
{
	for (u32 i = at; i--;)
		if (gives(&run.events[i], lock))
			return i;
	return NONE;
}

/* The first wait that began behind event @from and before @at, or NONE. */
static u32 first_wait(u32 from, u32 at, u32 lock)
{
	for (u32 i = from == NONE ? 0 : from + 1; i < at; i++)
		if (begins(&run.events[i], lock))
			return run.events[i].at;
	return NONE;
}

/* The first slice of a thread behind an event, or NONE. */
static u32 next_slice(u32 from, u32 thread)
{
	for (u32 i = from + 1; i < run.count; i++)
		if (run.events[i].what == SLICE && run.events[i].thread == thread)
			return i;
	return NONE;
}

static u32 last_slice(u32 at, u32 thread)
{
	for (u32 i = at; i--;)
		if (run.events[i].what == SLICE && run.events[i].thread == thread)
			return i;
	return NONE;
}

static u64 length_of(u32 at, u32 lock, u32 thread)
{
	for (u32 i = at; i--;)
		if (begins(&run.events[i], lock) && run.events[i].thread == thread)
			return (run.events[at].at - run.events[i].at) * TICK_NS;
	fail();
	return 0;
}

/* The hold that ended with event @at; false: its release is that of the hold before. */
static bool rule(u32 at, struct naive *hold)
{
	const struct event *event = &run.events[at];
	u32 lock = event->lock, holder = event->by;
	u32 got = got_it(at, lock, holder), before = last_release(at, lock);
	u32 first = first_wait(before, at, lock), since = contended_since(at, lock);
	u32 slice = last_slice(at, holder);
	s64 few_at;

	*hold = (struct naive){
		.lock = lock,
		.path = NONE,
		.end = event->at,
		.waits = 1,
		.waited_ns = length_of(at, lock, event->thread),
	};
	if (got == NONE && first == NONE && before != NONE && run.events[before].by == holder)
		return false;
	if (got != NONE) {
		u32 woken = run.events[got].at, then = next_slice(got, holder);

		hold->waited = true;
		if (since <= woken)
			hold->path = run.events[last_slice(got, holder)].path;
		/* the slice goes on at the end of the run: its begin is not known */
		if (then == NONE) {
			hold->begin = event->at;
			few_at = few_before(event->at);
		} else if (run.events[then].begin > since) {
			hold->begin = run.events[then].begin;
			few_at = few_before(woken) + hold->begin - woken;
		} else {
			hold->begin = since;
			few_at = few_before(since);
		}
	} else {
		hold->begin = first == NONE ? event->at : first > since ? first : since;
		few_at = few_before(hold->begin);
	}
	if (hold->path == NONE && slice != NONE && run.events[slice].at > hold->begin &&
	    (got == NONE || slice > got))
		hold->path = run.events[slice].path;
	if (hold->path == NONE)
		hold->path = event->from;
	if (few_before(event->at) > few_at)
		hold->few = few_before(event->at) - few_at;
	if (hold->few > hold->end - hold->begin)
		hold->few = hold->end - hold->begin;
	hold->critical = hold->few || (at && run.events[at - 1].n <= N_MIN);
	return true;
}

/* The hold was one: it lies in it, and the function had it. */
static void check_truth(const struct naive *hold, u32 holder)
{
	for (u32 i = 0; i < run.hold_count; i++) {
		const struct truth *truth = &run.holds[i];
		bool ran = false;

		if (truth->lock != hold->lock || truth->thread != holder ||
		    truth->begin > hold->begin || truth->end < hold->end)
			continue;
		for (u32 j = 0; j < SITES; j++)
			ran |= hold->path == disk_paths[j];
		for (u32 j = 0; j < LOCKS; j++)
			for (u32 k = 0; k < SITES; k++)
				ran |= j != hold->lock && hold->path == lock_paths[j][k];
		if (hold->path == NONE || hold->path == run_path || ran ||
		    hold->path == unlock_paths[hold->lock] || hold->path == truth->path)
			return;
		fail_msg("lock %u was taken at %u, not at %u", hold->lock, truth->path, hold->path);
	}
	fail_msg("thread %u did not hold lock %u from %u to %u", holder, hold->lock, hold->begin,
		 hold->end);
}

static u32 stack_of(u32 path)
{
	u32 stack;

	if (path == NONE)
		return STACK_NONE;
	assert_int_equal(profile_stack(profile, path, GAPP_PATH_NONE, 1, 0, 1, &stack), 0);
	return stack;
}

static u32 object_of(u32 lock)
{
	const struct wait_object_key key = {
		.kind = WAIT_ON_FUTEX,
		.image = 7,
		.words = { ADDRESS(lock) },
	};

	return keyed_find(&profile->waits->objects, &key);
}

static struct lock_hold *row_of_key(struct lock_holders *holders, const struct lock_hold_key *key)
{
	u32 id = keyed_find(&holders->holds, key);

	if (id == HASH_NONE)
		id = keyed_add(&holders->holds, key);
	assert_true(id != HASH_NONE);
	return &holders->holds.rows[id];
}

static struct {
	u64 holds;
	u64 known;
	u64 ns;
	u64 true_ns;
	u64 uncritical;
} seen;

static void compare(void)
{
	struct lock_holders expected = { 0 };
	const struct lock_holders *found = &profile->waits->holders;
	struct lock_hold *last[LOCKS] = { 0 };

	/* rows move when others are added */
	for (u32 pass = 0; pass < 2; pass++)
		for (u32 i = 0; i < run.count; i++) {
			u32 lock = run.events[i].lock;
			struct naive hold;
			struct lock_hold *row;

			if (lock == NONE || !gives(&run.events[i], lock))
				continue;
			if (rule(i, &hold)) {
				const struct lock_hold_key key = { object_of(lock),
								   stack_of(hold.path),
								   hold.critical };

				last[lock] = row_of_key(&expected, &key);
				if (!pass)
					continue;
				check_truth(&hold, run.events[i].by);
				row = last[lock];
				row->holds++;
				*(hold.waited ? &row->own_ns : &row->seen_ns) +=
					(hold.end - hold.begin) * TICK_NS;
				*(hold.waited ? &row->own_few_ns : &row->seen_few_ns) +=
					hold.few * TICK_NS;
				seen.holds++;
				seen.known += hold.path != NONE;
				seen.ns += hold.end - hold.begin;
				seen.uncritical += !hold.critical;
			}
			if (pass) {
				last[lock]->waits += hold.waits;
				last[lock]->waited_ns += hold.waited_ns;
			}
		}
	assert_int_equal(expected.holds.index.count, found->holds.index.count);
	for (u32 i = 0; i < expected.holds.index.count; i++) {
		const struct lock_hold *x = &expected.holds.rows[i];
		u32 id = keyed_find(&found->holds, &x->key);
		const struct lock_hold *y = &found->holds.rows[id];

		assert_true(id != HASH_NONE);
		assert_int_equal(x->holds, y->holds);
		assert_int_equal(x->own_ns, y->own_ns);
		assert_int_equal(x->own_few_ns, y->own_few_ns);
		assert_int_equal(x->seen_ns, y->seen_ns);
		assert_int_equal(x->seen_few_ns, y->seen_few_ns);
		assert_int_equal(x->waits, y->waits);
		assert_int_equal(x->waited_ns, y->waited_ns);
	}
	keyed_free(&expected.holds);
}

static void holds_are_as_the_rules_have_them(void **state)
{
	make_paths();
	for (u32 i = 1; i <= RUNS; i++) {
		made_seed = i;
		make_run();
		collect();
		for (u32 j = 0; j < run.count; j++)
			give(&run.events[j]);
		assert_int_equal(lock_holds_finish(profile->waits), 0);
		compare();
		for (u32 j = 0; j < run.hold_count; j++)
			seen.true_ns += run.holds[j].end - run.holds[j].begin;
	}
	print_message("# %llu holds, %llu with a function, %llu not critical; %llu of %llu ticks\n",
		      (unsigned long long)seen.holds, (unsigned long long)seen.known,
		      (unsigned long long)seen.uncritical, (unsigned long long)seen.ns,
		      (unsigned long long)seen.true_ns);
	assert_true(seen.holds > 8 * RUNS && seen.known > seen.holds / 3);
	assert_true(seen.uncritical && seen.uncritical < seen.holds);
}

static bool is_lost(u32 event, u32 from, u32 to)
{
	return event >= from && event < to;
}

/*
 * Some records are lost: what is said of the others is never more than what was so outside of the
 * time of the loss.
 */
static void no_hold_goes_on_over_a_loss(void **state)
{
	u64 said = 0, most = 0;

	make_paths();
	for (u32 i = 1; i <= RUNS; i++) {
		u64 held[LOCKS] = { 0 };
		u32 from, to, lost_until;

		made_seed = RUNS + i;
		make_run();
		from = draw(run.count / 2);
		to = from + 1 + draw(i % 2 ? 4 : run.count / 4);
		lost_until = run.events[to].at;
		collect();
		for (u32 j = 0; j < run.count; j++) {
			if (j == to)
				profile_waits_lost(profile);
			if (!is_lost(j, from, to))
				give(&run.events[j]);
		}
		assert_int_equal(lock_holds_finish(profile->waits), 0);
		for (u32 j = 0; j < run.hold_count; j++) {
			const struct truth *truth = &run.holds[j];
			u32 begin = truth->begin;

			if (truth->end >= lost_until && begin < lost_until)
				begin = run.events[to - 1].at;
			held[truth->lock] += (truth->end - begin) * TICK_NS;
		}
		for (u32 j = 0; j < LOCKS; j++) {
			u64 ns = 0;

			for (u32 k = 0; k < profile->waits->holders.holds.index.count; k++) {
				const struct lock_hold *row =
					&profile->waits->holders.holds.rows[k];

				if (row->key.object == object_of(j))
					ns += row->own_ns + row->seen_ns;
			}
			assert_true(ns <= held[j]);
			said += ns;
			most += held[j];
		}
	}
	print_message("# %llu of %llu ms\n", (unsigned long long)said / MS(1),
		      (unsigned long long)most / MS(1));
	assert_true(said > most / 10);
}

static void slice_at(u32 thread, u32 begin, u32 at, u32 lock, u32 path, u32 n)
{
	give(&(struct event){ .what = SLICE,
			      .at = at,
			      .thread = thread,
			      .lock = lock,
			      .path = path,
			      .begin = begin,
			      .n = n,
			      .waits = true });
}

static void wake_from(u32 from, u32 thread, u32 at, u32 by, u32 n)
{
	give(&(struct event){
		.what = WAKE, .at = at, .thread = thread, .by = by, .from = from, .n = n });
}

static void wake_at(u32 thread, u32 at, u32 by, u32 n)
{
	wake_from(NONE, thread, at, by, n);
}

static struct ranked_waits ranked(void)
{
	struct profile_options options = { .by = BY_PATH };
	struct ranked_waits waits;
	struct ranking paths;

	assert_int_equal(profile_rank(profile, NULL, &options, &paths), 0);
	assert_int_equal(profile_rank_waits(profile, NULL, &options, &paths, &waits), 0);
	ranking_free(&paths);
	return waits;
}

/* Thread 1 waits in append while thread 3 waits, too; then it holds the lock for 60 ticks. */
static void threads_hold(const char *frames)
{
	u32 path = path_of(frames);

	collect();
	slice_at(1, 0, 100, 0, path, 2);
	slice_at(3, 0, 110, 0, path, 1);
	/* thread 2 had the lock from 100 on, at least */
	wake_at(1, 150, 2, 2);
	slice_at(2, 0, 155, NONE, path_of("lib_fsync:1 commit:2 main:3"), 1);
	/* thread 1 gets a CPU at 160 */
	wake_at(3, 220, 1, 3);
	slice_at(1, 160, 230, NONE, path_of("lib_fsync:1 commit:2 main:3"), 2);
}

static void a_hold_is_from_the_slice_that_got_the_lock(void **state)
{
	const struct ranked_holder *holders;
	struct ranked_waits waits;

	threads_hold("pthread_mutex_lock:1 append:2 main:3");
	waits = ranked();
	assert_string_equal(waits.objects[0].called, "mutex");
	assert_int_equal(waits.objects[0].holder_count, 2);
	holders = waits.objects[0].holders;
	assert_string_equal(holders[0].frame->function, "append");
	assert_int_equal(holders[0].holds, 1);
	assert_int_equal(holders[0].hold_ns, 60 * TICK_NS);
	/* with two of three threads, and one, few were active */
	assert_int_equal(holders[0].few_ns, 60 * TICK_NS);
	assert_int_equal(holders[0].waits, 1);
	assert_int_equal(holders[0].waited_ns, 110 * TICK_NS);
	assert_true(holders[0].critical);
	assert_null(holders[1].frame);
	assert_int_equal(holders[1].hold_ns, 50 * TICK_NS);
	assert_int_equal(holders[1].waited_ns, 50 * TICK_NS);
	/* their parts of the critical time are all of it */
	near(holders[0].critical_ns + holders[1].critical_ns, waits.objects[0].critical_ns);
	ranked_waits_free(&waits);
}

/* Thread 2 took the lock without a wait, and was not switched out before it released it. */
static void a_hold_without_a_slice_is_where_it_was_released(void **state)
{
	struct ranked_waits waits;

	collect();
	slice_at(1, 0, 100, 0, path_of("pthread_mutex_lock:1 append:2 main:3"), 1);
	wake_from(path_of("pthread_mutex_unlock:1 flush:2 main:3"), 1, 150, 2, 2);
	waits = ranked();
	assert_int_equal(waits.objects[0].holder_count, 1);
	assert_string_equal(waits.objects[0].holders[0].frame->function, "flush");
	assert_int_equal(waits.objects[0].holders[0].hold_ns, 50 * TICK_NS);
	ranked_waits_free(&waits);
}

/* More threads than few ran all the time. */
static void holders_that_kept_nobody_are_apart(void **state)
{
	const struct ranked_holder *holders;
	struct ranked_waits waits;

	collect();
	slice_at(1, 0, 100, 0, path_of("pthread_mutex_lock:1 append:2 main:3"), 5);
	slice_at(2, 100, 130, NONE, path_of("lib_fsync:1 log_it:2 main:3"), 4);
	wake_at(2, 140, IRQ, 5);
	wake_at(1, 150, 2, 6);
	slice_at(1, 150, 200, 0, path_of("pthread_mutex_lock:1 append:2 main:3"), 2);
	wake_at(1, 260, 3, 3);
	waits = ranked();
	holders = waits.objects[0].holders;
	assert_int_equal(waits.objects[0].holder_count, 2);
	assert_true(holders[0].critical);
	assert_null(holders[0].frame);
	assert_false(holders[1].critical);
	/* thread 2 slept in it while thread 1 waited */
	assert_string_equal(holders[1].frame->function, "log_it");
	assert_int_equal(holders[1].hold_ns, 50 * TICK_NS);
	assert_int_equal(holders[1].few_ns, 0);
	ranked_waits_free(&waits);
}

/* A writer may find one reader, and another that came later may be the last to leave. */
static void a_reader_that_did_not_wait_has_no_time(void **state)
{
	struct ranked_waits waits;

	threads_hold("pthread_rwlock_wrlock:1 append:2 main:3");
	waits = ranked();
	assert_string_equal(waits.objects[0].called, "rwlock");
	assert_int_equal(waits.objects[0].holder_count, 2);
	assert_int_equal(waits.objects[0].holders[0].hold_ns, 60 * TICK_NS);
	assert_int_equal(waits.objects[0].holders[1].holds, 1);
	assert_int_equal(waits.objects[0].holders[1].hold_ns, 0);
	ranked_waits_free(&waits);
}

/*
 * Thread 4 began to wait before the recording did: thread 2 had the lock when thread 1 began to
 * wait, and gave it to thread 4.
 */
static void a_wake_up_without_a_wait_may_be_a_release(void **state)
{
	struct ranked_waits waits;

	collect();
	slice_at(1, 0, 100, 0, path_of("pthread_mutex_lock:1 append:2 main:3"), 1);
	wake_at(4, 150, 2, 2);
	wake_at(1, 200, 4, 3);
	waits = ranked();
	assert_int_equal(waits.objects[0].holder_count, 1);
	assert_int_equal(waits.objects[0].holders[0].hold_ns, 50 * TICK_NS);
	ranked_waits_free(&waits);
}

/* Thread 4 runs again, and the record of who woke it is missing: it got the lock until then. */
static void a_wait_without_a_wake_up_may_have_been_a_release(void **state)
{
	u32 path = path_of("pthread_mutex_lock:1 append:2 main:3");
	struct ranked_waits waits;

	collect();
	slice_at(4, 0, 90, 0, path, 2);
	slice_at(1, 0, 100, 0, path, 1);
	slice_at(4, 150, 160, NONE, run_path, 1);
	wake_at(1, 200, 4, 3);
	waits = ranked();
	assert_int_equal(waits.objects[0].holder_count, 1);
	assert_int_equal(waits.objects[0].holders[0].hold_ns, 40 * TICK_NS);
	ranked_waits_free(&waits);
}

/* Who posts a condition or a semaphore held nothing. */
static void only_locks_have_holders(void **state)
{
	struct ranked_waits waits;

	threads_hold("pthread_cond_wait:1 take:2 main:3");
	waits = ranked();
	assert_int_equal(waits.objects[0].waits, 2);
	assert_int_equal(waits.objects[0].holder_count, 0);
	ranked_waits_free(&waits);
}

/* A writer lets all readers go: it held the lock once. */
static void one_release_may_end_many_waits(void **state)
{
	u32 path = path_of("pthread_rwlock_rdlock:1 look_up:2 main:3");
	struct ranked_waits waits;

	collect();
	for (u32 i = 1; i < 5; i++)
		slice_at(i, 0, 100 + i, 0, path, 1);
	for (u32 i = 1; i < 5; i++)
		wake_at(i, 200 + i, 5, 1 + i);
	waits = ranked();
	assert_int_equal(waits.objects[0].holder_count, 1);
	assert_int_equal(waits.objects[0].holders[0].holds, 1);
	assert_int_equal(waits.objects[0].holders[0].waits, 4);
	assert_int_equal(waits.objects[0].holders[0].waited_ns, 400 * TICK_NS);
	ranked_waits_free(&waits);
}

/*
 * Thread 2 takes the lock again before thread 1, which it has woken, and releases it while thread 3
 * waits. The kernel has another CPU wake thread 3, which is late: thread 2 runs on without the
 * lock by then.
 */
static void what_ran_after_a_release_did_not_hold_the_lock(void **state)
{
	u32 path = path_of("pthread_mutex_lock:1 append:2 main:3");
	u32 release = path_of("pthread_mutex_unlock:1 flush:2 main:3");
	const struct event late = { .what = WAKE,
				    .at = 210,
				    .thread = 3,
				    .by = 2,
				    .from = release,
				    .n = 2,
				    .remote = true };
	struct ranked_waits waits;

	(void)state;
	collect();
	slice_at(3, 0, 90, 0, path, 2);
	slice_at(1, 0, 100, 0, path, 1);
	wake_from(release, 1, 150, 2, 2);
	/* it finds the lock held again */
	slice_at(1, 155, 160, 0, path, 1);
	/* released at 200 */
	slice_at(2, 0, 205, NONE, path_of("next_key:1 main:3"), 1);
	give(&late);
	waits = ranked();
	assert_int_equal(waits.objects[0].holder_count, 1);
	assert_string_equal(waits.objects[0].holders[0].frame->function, "flush");
	ranked_waits_free(&waits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(holds_are_as_the_rules_have_them),
		TEST(no_hold_goes_on_over_a_loss),
		TEST(a_hold_is_from_the_slice_that_got_the_lock),
		TEST(a_hold_without_a_slice_is_where_it_was_released),
		TEST(holders_that_kept_nobody_are_apart),
		TEST(a_reader_that_did_not_wait_has_no_time),
		TEST(a_wake_up_without_a_wait_may_be_a_release),
		TEST(a_wait_without_a_wake_up_may_have_been_a_release),
		TEST(only_locks_have_holders),
		TEST(one_release_may_end_many_waits),
		TEST(what_ran_after_a_release_did_not_hold_the_lock),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("lock_holders", tests, NULL, NULL);
}
