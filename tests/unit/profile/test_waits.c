// SPDX-License-Identifier: GPL-2.0
/* Waits of made-up records: how long they take, and who ends them. */
#include "made_waits.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "profile/profile_private.h"
#include "profile/ranked_waits.h"
#include "profile/woken_paths.h"
#include "profile/saved_profile.h"

static void preempted_at(s32 tid, u64 ms, u32 n)
{
	struct made made = made_slice(tid, 1, path_of("work:1 main:2"), SHARE(MS(1)));
	u32 site;

	made.slice.head.time_ns = MS(ms);
	made.slice.n = n;
	made.slice.then = GAPP_THEN_PREEMPTED;
	snprintf((char *)made.slice.comm, sizeof(made.slice.comm), "worker-%d", tid);
	assert_int_equal(profile_wait_begins(profile, &made.slice, &site), 0);
}

static u32 unlock_path(void)
{
	return path_of("pthread_mutex_unlock:1 release:2 main:3");
}

/* From the slice's end to the wake-up, by object and site, and who ended it. */
static void a_wait_is_from_its_slice_to_its_wake(void **state)
{
	const struct ranked_object *lock;
	struct ranked_waits waits;

	collect(true);
	preempted_at(3, 1, 3);
	wait_at(1, 10, 2, SYS_futex, JOURNAL, lock_path());
	wait_at(2, 20, 1, SYS_futex, JOURNAL, lock_path());
	woken_at(1, 40, 2, GAPP_SLICE_WAKER, 3);
	woken_at(2, 70, 3, GAPP_SLICE_WOKEN_BY_IRQ, 0);
	waits = ranked(profile);
	assert_true(waits.all);
	assert_int_equal(waits.object_count, 1);
	lock = named(&waits, "mutex in append");
	assert_int_equal(lock->reason, GAPP_WAIT_LOCK);
	assert_int_equal(lock->waits, 2);
	assert_int_equal(lock->waited_ns, MS(30 + 50));
	/* n was 1 from 20 to 40 ms: the two waits share that time, and it is all the lock's */
	near(lock->critical_ns, MS(20));
	assert_false(lock->inferred);
	assert_int_equal(lock->site_count, 1);
	assert_string_equal(lock->sites[0].frame->function, "append");
	assert_int_equal(lock->ender_count, 2);
	assert_true(lock->enders[0].interrupt);
	assert_null(lock->enders[0].name);
	assert_string_equal(lock->enders[1].name, "worker-3");
	assert_int_equal(waits.pair_count, 2);
	assert_string_equal(waits.pairs[0].waiter, "worker-2");
	near(waits.pairs[0].median_ns, US(49152));
	assert_string_equal(waits.pairs[1].waker.name, "worker-3");
	assert_string_equal(ranked_waits_main(&waits, 0, GAPP_WAIT_LOCK), "mutex in append");
	ranked_waits_free(&waits);
}

/* Equal parts of the time with few active threads go to the waits that go on. */
static void waits_share_critical_time(void **state)
{
	struct ranked_waits waits;

	collect(true);
	wait_at(1, 10, 1, SYS_futex, JOURNAL, lock_path());
	wait_at(2, 20, 1, SYS_read, 3, path_of("read:1 load:2 main:3"));
	woken_at(1, 40, 1, 0, 0);
	woken_at(2, 50, 2, 0, 0);
	waits = ranked(profile);
	near(named(&waits, "mutex in append")->critical_ns, MS(10 + 10));
	near(named(&waits, "/var/log/journal")->critical_ns, MS(10 + 10));
	assert_non_null(ranked_waits_main(&waits, 0, GAPP_WAIT_LOCK));
	assert_non_null(ranked_waits_main(&waits, 0, GAPP_WAIT_PIPE));
	ranked_waits_free(&waits);
}

/* A futex is called by what a person would change: not by libraries, nor by a runtime's functions.
 */
static void names_are_of_own_code(void **state)
{
	struct ranked_waits waits;

	collect(true);
	wait_at(1, 10, 1, SYS_futex, JOURNAL,
		path_of("runtime.futex:0 runtime.notesleep:0 runtime.stopm:0 runtime.mcall:0"));
	woken_at(1, 20, 2, 0, 0);
	wait_at(1, 30, 1, SYS_futex, OTHER,
		path_of("pthread_mutex_lock:1 tbb::detail::run:500 main:3"));
	woken_at(1, 40, 2, 0, 0);
	waits = ranked(profile);
	named(&waits, "work for Go");
	named(&waits, "mutex in inlined");
	ranked_waits_free(&waits);
}

/* What the module counted as one reason has the parts that critical time in waits has. */
static void what_others_waited_for_is_divided(void **state)
{
	struct made made = made_slice(4, 1, path_of("poll:1 main:2"), SHARE(MS(8)));
	struct ranking ranking;
	const struct ranked *row;

	collect(true);
	made_sample(&made, path_of("compact:1 main:2"), SHARE(MS(8)));
	made.samples[0].waiting[GAPP_WAIT_LOCK] = 3;
	fold(profile, &made);
	wait_at(1, 10, 1, SYS_futex, JOURNAL, lock_path());
	woken_at(1, 40, 2, 0, 0);
	wait_at(2, 50, 1, SYS_futex, OTHER, path_of("pthread_cond_wait:1 take:2 main:3"));
	woken_at(2, 60, 2, 0, 0);
	/* many waits, and none of them in critical time */
	for (u32 i = 0; i < 50; i++) {
		wait_at(3, 70 + i, 2, SYS_futex, OTHER, path_of("sem_wait:1 idle:2 main:3"));
		woken_at(3, 71 + i, 3, 0, 0);
	}
	ranking = ranking_by(profile, BY_PLACE);
	row = row_of(&ranking, PATH_RAN, "compact");
	assert_non_null(row);
	near(row->waiting_ns[GAPP_WAIT_LOCK], MS(6));
	near(row->waiting_ns[GAPP_WAIT_QUEUE], MS(2));
	assert_string_equal(row->waiting_called[GAPP_WAIT_LOCK].name, "mutex");
	assert_string_equal(row->waiting_called[GAPP_WAIT_QUEUE].name, "condition");
	ranking_free(&ranking);
}

static void lost_records_cut_waits(void **state)
{
	const struct gapp_record_lost lost = { .records = 1 };
	struct ranked_waits waits;

	collect(true);
	wait_at(1, 10, 1, SYS_futex, JOURNAL, lock_path());
	profile_add_lost(profile, &lost);
	woken_at(1, 40, 2, 0, 0);
	/* its wake-up is missing */
	wait_at(1, 50, 1, SYS_futex, JOURNAL, lock_path());
	wait_at(1, 60, 1, SYS_futex, JOURNAL, lock_path());
	waits = ranked(profile);
	/* the lost one, the one whose wake-up is missing, and the one that goes on */
	assert_int_equal(waits.cut, 3);
	assert_int_equal(waits.object_count, 0);
	ranked_waits_free(&waits);
}

/* A stranger's name is looked up; whom nothing is known of stays unknown. */
static void wakers_have_names(void **state)
{
	struct ranked_waits waits;

	collect(true);
	wait_at(1, 10, 1, SYS_futex, JOURNAL, lock_path());
	woken_at(1, 20, 2, GAPP_SLICE_WAKER, 77);
	wait_at(1, 30, 1, SYS_futex, JOURNAL, lock_path());
	woken_at(1, 50, 2, GAPP_SLICE_WAKER, 78);
	waits = ranked(profile);
	assert_int_equal(waits.pair_count, 2);
	assert_null(waits.pairs[0].waker.name);
	assert_false(waits.pairs[0].waker.interrupt);
	assert_string_equal(waits.pairs[1].waker.name, "stranger");
	ranked_waits_free(&waits);
}

/* Without every wait, an object has its part of what others waited for its reason. */
static void at_critical_time_is_inferred(void **state)
{
	struct gapp_record_wait alone = made_wait(1, 1, lock_path(), MS(5), GAPP_WAIT_LOCK);
	struct made made = made_slice(3, 1, path_of("work:1 main:2"), SHARE(MS(100)));
	const struct ranked_object *lock;
	struct ranked_waits waits;

	collect(false);
	made.slice.then = GAPP_THEN_PREEMPTED;
	made.slice.waiting[GAPP_WAIT_LOCK] = 1;
	fold(profile, &made);
	for (u32 i = 0; i < 3; i++)
		wait_at(1, 10 + i, 1, SYS_futex, JOURNAL, lock_path());
	alone.syscall = SYS_futex;
	alone.args[0] = OTHER;
	alone.image = 7;
	alone.flags = GAPP_SLICE_WOKEN_BY_IRQ;
	assert_int_equal(profile_wait_alone(profile, &alone), 0);
	waits = ranked(profile);
	assert_false(waits.all);
	assert_int_equal(waits.object_count, 2);
	lock = &waits.objects[0];
	assert_true(lock->inferred);
	assert_int_equal(lock->waits, 3);
	near(lock->critical_ns, MS(75));
	near(waits.objects[1].critical_ns, MS(25));
	near(waits.objects[1].idle_ns, MS(5));
	assert_int_equal(waits.pair_count, 1);
	assert_true(waits.pairs[0].waker.interrupt);
	ranked_waits_free(&waits);
}

/* Others waited @ms for locks in a target, while a thread of @tgid ran. */
static void others_waited(u32 target, s32 tgid, u64 ms)
{
	struct made made = made_slice(100 + tgid, tgid, path_of("work:1 main:2"), SHARE(MS(ms)));

	made.slice.target = target;
	made.slice.then = GAPP_THEN_PREEMPTED;
	made.slice.waiting[GAPP_WAIT_LOCK] = 1;
	fold(profile, &made);
}

/* A thread of @tgid in @target begins to wait for a futex, and the end of that is not recorded. */
static void waits_at(u32 target, s32 tgid, u64 address, u32 path)
{
	struct made made = made_slice(10 + tgid, tgid, path, SHARE(MS(1)));
	u32 site;

	made.slice.target = target;
	made.slice.head.time_ns = MS(10);
	made.slice.image = 10 + tgid;
	made.slice.syscall = SYS_futex;
	made.slice.args[0] = address;
	made.slice.wait = GAPP_WAIT_LOCK;
	assert_int_equal(profile_wait_begins(profile, &made.slice, &site), 0);
	fold(profile, &made);
}

static void waits_in(u32 target, s32 tgid, u64 address)
{
	waits_at(target, tgid, address, lock_path());
}

/* Conditions of one function are one row, but not if two targets have a function of that name. */
static void functions_of_one_name_are_of_two_targets(void **state)
{
	const u32 path = path_of("pthread_cond_wait:1 pool_take:2 main:3");
	struct ranked_waits waits;

	collect(false);
	others_waited(0, 1, 100);
	others_waited(1, 2, 8);
	for (u32 i = 0; i < 4; i++) {
		waits_at(0, 1, JOURNAL + 4 * i, path);
		waits_at(1, 2, OTHER + 4 * i, path);
	}
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 2);
	assert_int_equal(waits.objects[0].waits, 4);
	assert_int_equal(waits.objects[1].waits, 4);
	ranked_waits_free(&waits);
}

/* What others waited for in one target is not for what threads of another one wait for. */
static void each_target_has_its_own(void **state)
{
	struct ranked_waits waits;

	collect(false);
	others_waited(0, 1, 100);
	others_waited(1, 2, 8);
	for (u32 i = 0; i < 4; i++)
		waits_in(0, 1, JOURNAL);
	for (u32 i = 0; i < 40; i++)
		waits_in(1, 2, OTHER);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 2);
	assert_int_equal(waits.objects[0].waits, 4);
	near(waits.objects[0].critical_ns, MS(100));
	near(waits.objects[1].critical_ns, MS(8));
	assert_int_equal(waits.main_count, 2);
	assert_int_equal(waits.main[0].object + waits.main[1].object, 1);
	assert_non_null(ranked_waits_main(&waits, 0, GAPP_WAIT_LOCK));
	assert_non_null(ranked_waits_main(&waits, 1, GAPP_WAIT_LOCK));
	assert_null(ranked_waits_main(&waits, 2, GAPP_WAIT_LOCK));
	ranked_waits_free(&waits);
}

/* A file that both targets wait for has the critical time of each. */
static void what_targets_share_has_parts_of_both(void **state)
{
	struct made made = made_slice(11, 1, path_of("read:1 load:2 main:3"), SHARE(MS(1)));
	struct ranked_waits waits;
	u32 site;

	collect(false);
	others_waited(0, 1, 100);
	others_waited(1, 2, 8);
	for (u32 i = 0; i < 2; i++) {
		if (i)
			made = made_slice(12, 2, path_of("read:1 store:2 main:3"), SHARE(MS(1)));
		made.slice.target = i;
		made.slice.syscall = SYS_read;
		made.slice.args[0] = 3;
		made.slice.image = 10 + i;
		made.slice.wait = GAPP_WAIT_PIPE;
		assert_int_equal(profile_wait_begins(profile, &made.slice, &site), 0);
		made.slice.waiting[GAPP_WAIT_PIPE] = 1;
		fold(profile, &made);
	}
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 1);
	assert_int_equal(waits.objects[0].waits, 2);
	near(waits.objects[0].critical_ns, MS(2));
	ranked_waits_free(&waits);
}

/* Merged with a recording that has not every wait, what was measured is as it was. */
static void what_was_measured_stays(void **state)
{
	struct ranked_waits waits;

	collect(true);
	others_waited(0, 1, 100);
	others_waited(1, 2, 8);
	wait_at(1, 10, 1, SYS_futex, JOURNAL, lock_path());
	woken_at(1, 40, 2, 0, 0);
	profile->waits->all = false;
	for (u32 i = 0; i < 4; i++)
		waits_in(1, 2, OTHER);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 2);
	near(waits.objects[0].critical_ns, MS(30));
	assert_false(waits.objects[0].inferred);
	near(waits.objects[1].critical_ns, MS(8));
	assert_true(waits.objects[1].inferred);
	ranked_waits_free(&waits);
}

/* Three waits for a lock and one that takes longer, for a post, of one object; @n threads run. */
static struct ranked_waits of_two_kinds(bool all, u32 n)
{
	collect(all);
	for (u32 i = 0; i < 3; i++) {
		wait_at(1, 10 + 2 * i, n, SYS_futex, JOURNAL, lock_path());
		woken_at(1, 11 + 2 * i, n + 1, GAPP_SLICE_WAKER, 3);
	}
	wait_at(2, 20, n, SYS_futex, JOURNAL, path_of("sem_wait:1 take:2 main:3"));
	woken_at(2, 50, n + 1, GAPP_SLICE_WAKER, 3);
	return ranked(profile);
}

static void is_what_took_longest(const struct ranked_waits *waits)
{
	assert_int_equal(waits->object_count, 1);
	assert_int_equal(waits->objects[0].reason, GAPP_WAIT_QUEUE);
	assert_string_equal(waits->objects[0].called, "semaphore");
	assert_int_equal(waits->pair_count, 2);
	assert_int_equal(waits->pairs[0].kind.reason, GAPP_WAIT_QUEUE);
	assert_int_equal(waits->pairs[1].kind.reason, GAPP_WAIT_LOCK);
	assert_string_equal(waits->pairs[1].kind.name, "mutex");
}

/* Most critical time says what an object is waited for, and not most waits. */
static void critical_time_says_the_reason(void **state)
{
	struct ranked_waits waits = of_two_kinds(true, 1);

	near(waits.objects[0].critical_ns, MS(33));
	is_what_took_longest(&waits);
	ranked_waits_free(&waits);
}

static void time_waited_says_the_reason(void **state)
{
	struct ranked_waits waits = of_two_kinds(true, 5);

	near(waits.objects[0].critical_ns, 0);
	is_what_took_longest(&waits);
	ranked_waits_free(&waits);
}

/* Where the begin of a wait alone is known, there is nothing but their number. */
static void most_waits_say_the_reason(void **state)
{
	struct ranked_waits waits = of_two_kinds(false, 1);

	assert_int_equal(waits.objects[0].waited_ns, 0);
	assert_int_equal(waits.objects[0].reason, GAPP_WAIT_LOCK);
	assert_string_equal(waits.objects[0].called, "mutex");
	ranked_waits_free(&waits);
}

/* Two places of one thread are two enders; one whose path was left out has none. */
static void a_waker_has_a_place(void **state)
{
	const struct ranked_object *lock;
	struct ranked_waits waits;

	collect(true);
	preempted_at(3, 1, 3);
	for (u32 i = 0; i < 3; i++) {
		wait_at(1, 10 + 10 * i, 1, SYS_futex, JOURNAL, lock_path());
		woken_from(1, 15 + 10 * i,
			   i == 2 ? GAPP_PATH_NONE :
			   i	  ? path_of("pthread_mutex_unlock:1 hand:2 main:3") :
				    unlock_path());
	}
	wait_at(1, 50, 1, SYS_futex, JOURNAL, lock_path());
	woken_from(1, 57, unlock_path());
	waits = ranked(profile);
	lock = named(&waits, "mutex in append");
	assert_int_equal(lock->waits, 4);
	assert_int_equal(lock->ender_count, 3);
	assert_int_equal(waits.pair_count, 3);
	assert_string_equal(waits.pairs[0].waker.frame->function, "release");
	assert_int_equal(waits.pairs[0].waker.waits, 2);
	assert_int_equal(waits.pairs[0].waker.waited_ns, MS(5 + 7));
	assert_string_equal(waits.pairs[0].frame->function, "append");
	assert_string_equal(lock->enders[0].frame->function, "release");
	assert_string_equal(lock->enders[0].name, "worker-3");
	assert_int_equal(waits.left_out, 1);
	ranked_waits_free(&waits);
}

static void frames_are(const struct woken_path *path, const char *const *functions, size_t count)
{
	assert_int_equal(path->count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(path->frames[i].function, functions[i]);
}

static void waits_are_joined_with_their_ends(void **state)
{
	static const char *const waited[] = { "pthread_mutex_lock", "append", "main" };
	static const char *const woke[] = { "pthread_mutex_unlock", "hand", "main" };
	struct woken_paths woken;

	collect(true);
	preempted_at(3, 1, 3);
	wait_at(1, 10, 1, SYS_futex, JOURNAL, path_of("pthread_mutex_lock:1 append:2 main:3"));
	woken_from(1, 15, path_of("pthread_mutex_unlock:1 hand:2 main:3"));
	wait_at(1, 20, 1, SYS_futex, JOURNAL, path_of("pthread_mutex_lock:1 append:2 main:3"));
	woken_at(1, 27, 1, GAPP_SLICE_WOKEN_BY_IRQ | GAPP_SLICE_IRQ_TIMER, 0);
	assert_int_equal(profile_woken_paths(profile, NULL, &woken), 0);
	assert_int_equal(woken.count, 2);
	assert_true(woken.rows[0].interrupt);
	assert_string_equal(woken.rows[0].kind, "timer");
	assert_int_equal(woken.paths[woken.rows[0].from].count, 0);
	assert_int_equal(woken.rows[0].waited_ns, MS(7));
	assert_string_equal(woken.rows[1].waiter, "worker-1");
	assert_string_equal(woken.rows[1].waker, "worker-3");
	assert_int_equal(woken.rows[1].waited_ns, MS(5));
	frames_are(&woken.paths[woken.rows[1].waited], waited, ARRAY_SIZE(waited));
	frames_are(&woken.paths[woken.rows[1].from], woke, ARRAY_SIZE(woke));
	woken_paths_free(&woken);
}

static void interrupts_have_kinds(void **state)
{
	static const struct {
		u32 flag;
		const char *kind;
	} kinds[] = {
		{ 0, NULL },
		{ GAPP_SLICE_IRQ_TIMER, "timer" },
		{ GAPP_SLICE_IRQ_DISK, "disk" },
		{ GAPP_SLICE_IRQ_NETWORK, "network" },
	};
	struct ranked_waits waits;

	collect(true);
	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) {
		wait_at(1, 100 * i, 1, SYS_futex, JOURNAL, lock_path());
		woken_at(1, 100 * i + 10 - i, 2, GAPP_SLICE_WOKEN_BY_IRQ | kinds[i].flag, 0);
	}
	waits = ranked(profile);
	assert_int_equal(waits.pair_count, ARRAY_SIZE(kinds));
	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) {
		assert_true(waits.pairs[i].waker.interrupt);
		if (kinds[i].kind)
			assert_string_equal(waits.pairs[i].waker.kind, kinds[i].kind);
		else
			assert_null(waits.pairs[i].waker.kind);
	}
	assert_int_equal(waits.objects[0].ender_count, ARRAY_SIZE(kinds));
	ranked_waits_free(&waits);
}

/* With the ends of recorded waits: their length and who ended them, once, also if nobody ran. */
static void at_critical_ends_may_be_recorded(void **state)
{
	struct gapp_record_wait alone = made_wait(1, 1, lock_path(), MS(5), GAPP_WAIT_LOCK);
	const struct gapp_record_lost lost = { .records = 1 };
	struct ranked_waits waits;

	collect(false);
	profile_waits_have_ends(profile);
	wait_at(1, 10, 1, SYS_futex, JOURNAL, lock_path());
	woken_from(1, 40, unlock_path());
	/* a wait whose begin has no record */
	woken_from(1, 45, unlock_path());
	wait_at(1, 50, 0, SYS_futex, JOURNAL, lock_path());
	alone.syscall = SYS_futex;
	alone.args[0] = JOURNAL;
	alone.image = 7;
	alone.flags = GAPP_SLICE_WAKER;
	alone.waker_tid = 3;
	alone.waker_tgid = 1;
	assert_int_equal(profile_wait_alone(profile, &alone), 0);
	woken_from(1, 70, unlock_path());
	wait_at(1, 80, 1, SYS_futex, JOURNAL, lock_path());
	profile_add_lost(profile, &lost);
	woken_from(1, 90, unlock_path());
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 1);
	assert_int_equal(waits.objects[0].waits, 3);
	assert_int_equal(waits.objects[0].waited_ns, MS(30 + 20));
	near(waits.objects[0].idle_ns, MS(5));
	assert_int_equal(waits.pair_count, 1);
	assert_int_equal(waits.pairs[0].waker.waits, 2);
	assert_string_equal(waits.pairs[0].waker.frame->function, "release");
	assert_int_equal(waits.cut, 0);
	ranked_waits_free(&waits);
}

static void as_a_ranking(void **state)
{
	struct ranked_waits waits;
	struct ranking ranking;

	collect(true);
	wait_at(1, 10, 1, SYS_read, 3, path_of("read:1 load:2 main:3"));
	woken_at(1, 40, 2, 0, 0);
	waits = ranked(profile);
	assert_int_equal(ranked_waits_as_ranking(&waits, &ranking), 0);
	assert_int_equal(ranking.count, 1);
	assert_string_equal(ranking.rows[0].frames[0].function, "/var/log/journal");
	near(ranking.rows[0].critical_ns, MS(30));
	ranking_free(&ranking);
	ranked_waits_free(&waits);
}

/* What others waited for while threads ran is another time than that in which none ran. */
static void both_times_of_an_object_are_rows(void **state)
{
	struct ranked_object objects[] = {
		{ .name = (char *)"log_lock",
		  .critical_ns = 40,
		  .idle_ns = 10,
		  .inferred = true,
		  .reason = GAPP_WAIT_LOCK,
		  .waits = 3 },
		{ .name = (char *)"/srv/log", .idle_ns = 20, .reason = GAPP_WAIT_DISK, .waits = 1 },
		{ .name = (char *)"/srv/data", .reason = GAPP_WAIT_DISK, .waits = 2 },
	};
	const struct ranked_waits waits = { .objects = objects,
					    .object_count = ARRAY_SIZE(objects) };
	static const struct {
		const char *name;
		enum path_kind kind;
		double critical_ns, inferred_ns;
		u64 waits;
	} rows[] = {
		{ "log_lock", PATH_RAN, 40, 40, 3 },
		{ "/srv/log", PATH_WAITED, 20, 0, 1 },
		{ "log_lock", PATH_WAITED, 10, 0, 3 },
		{ "/srv/data", PATH_RAN, 0, 0, 2 },
	};
	struct ranking ranking;

	assert_int_equal(ranked_waits_as_ranking(&waits, &ranking), 0);
	assert_int_equal(ranking.count, ARRAY_SIZE(rows));
	for (size_t i = 0; i < ranking.count; i++) {
		const struct ranked *row = &ranking.rows[i];

		assert_string_equal(row->frames[0].function, rows[i].name);
		assert_int_equal(row->kind, rows[i].kind);
		near(row->critical_ns, rows[i].critical_ns);
		near(row->inferred_ns, rows[i].inferred_ns);
		assert_int_equal(row->slices, rows[i].waits);
	}
	ranking_free(&ranking);
}

static void same(const struct ranked_waits *a, const struct ranked_waits *b)
{
	assert_int_equal(a->all, b->all);
	assert_int_equal(a->cut, b->cut);
	assert_int_equal(a->left_out, b->left_out);
	assert_int_equal(a->object_count, b->object_count);
	for (size_t i = 0; i < a->object_count; i++) {
		const struct ranked_object *x = &a->objects[i], *y = &b->objects[i];

		assert_string_equal(x->name, y->name);
		assert_int_equal(x->waits, y->waits);
		assert_int_equal(x->waited_ns, y->waited_ns);
		assert_int_equal(x->site_count, y->site_count);
		assert_int_equal(x->ender_count, y->ender_count);
		assert_true(x->critical_ns == y->critical_ns);
		assert_int_equal(x->holder_count, y->holder_count);
		for (size_t j = 0; j < x->holder_count; j++) {
			const struct ranked_holder *one = &x->holders[j], *other = &y->holders[j];

			assert_int_equal(one->critical, other->critical);
			assert_int_equal(one->holds, other->holds);
			assert_int_equal(one->hold_ns, other->hold_ns);
			assert_int_equal(one->few_ns, other->few_ns);
			assert_int_equal(one->waits, other->waits);
			assert_int_equal(one->waited_ns, other->waited_ns);
			assert_true(one->critical_ns == other->critical_ns);
			assert_int_equal(!one->frame, !other->frame);
		}
	}
	assert_int_equal(a->pair_count, b->pair_count);
	for (size_t i = 0; i < a->pair_count; i++) {
		assert_string_equal(a->pairs[i].waiter, b->pairs[i].waiter);
		assert_int_equal(a->pairs[i].object, b->pairs[i].object);
		assert_int_equal(a->pairs[i].median_ns, b->pairs[i].median_ns);
		assert_int_equal(a->pairs[i].waker.interrupt, b->pairs[i].waker.interrupt);
		assert_int_equal(!a->pairs[i].waker.kind, !b->pairs[i].waker.kind);
		if (a->pairs[i].waker.kind)
			assert_string_equal(a->pairs[i].waker.kind, b->pairs[i].waker.kind);
		assert_int_equal(!a->pairs[i].waker.frame, !b->pairs[i].waker.frame);
		if (a->pairs[i].waker.frame)
			assert_string_equal(a->pairs[i].waker.frame->function,
					    b->pairs[i].waker.frame->function);
	}
}

static void waits_are_saved(void **state)
{
	int fd = memfd_create("waits", 0);
	struct object_numbers numbers = { 0 };
	struct saved_objects objects = { 0 };
	struct saved_paths paths = { 0 };
	struct ranked_waits before, after;
	struct blocks_writer writer;
	struct profile *read;
	struct blocks *blocks;
	char path[32];

	collect(true);
	preempted_at(3, 1, 2);
	wait_at(1, 10, 1, SYS_futex, JOURNAL, lock_path());
	wait_at(2, 20, 1, SYS_read, 3, path_of("read:1 load:2 main:3"));
	woken_at(1, 40, 1, GAPP_SLICE_WAKER, 3);
	woken_at(2, 50, 2, GAPP_SLICE_WOKEN_BY_IRQ, 0);
	for (u32 i = 0; i < 3; i++) {
		static const u32 kinds[] = { GAPP_SLICE_IRQ_TIMER, GAPP_SLICE_IRQ_DISK,
					     GAPP_SLICE_IRQ_NETWORK };

		wait_at(2, 51 + 2 * i, 1, SYS_read, 3, path_of("read:1 load:2 main:3"));
		woken_at(2, 52 + 2 * i, 2, GAPP_SLICE_WOKEN_BY_IRQ | kinds[i], 0);
	}
	wait_at(1, 57, 1, SYS_futex, JOURNAL, lock_path());
	woken_from(1, 58, unlock_path());
	wait_at(1, 58, 1, SYS_futex, JOURNAL, lock_path());
	woken_from(1, 59, GAPP_PATH_NONE);
	wait_at(2, 60, 1, SYS_read, 4, path_of("read:1 load:2 main:3"));
	wait_at(3, 70, 1, SYS_futex, JOURNAL, lock_path());
	wait_at(4, 80, 1, SYS_futex, JOURNAL, lock_path());
	woken_at(3, 90, 1, GAPP_SLICE_WAKER, 1);
	wait_at(3, 100, 1, SYS_read, 3, path_of("read:1 load:2 main:3"));
	woken_at(4, 110, 1, GAPP_SLICE_WAKER, 3);
	before = ranked(profile);
	assert_int_equal(named(&before, "mutex in append")->holder_count, 3);
	assert_int_equal(blocks_begin(&writer, fd), 0);
	assert_int_equal(profile_save(profile, &numbers, &writer), 0);
	objects_save(&numbers, &writer);
	assert_int_equal(blocks_end(&writer), 0);
	blocks_free(&writer);
	object_numbers_free(&numbers);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	blocks = blocks_open(path);
	assert_non_null(blocks);
	assert_int_equal(saved_objects_read(&objects, blocks), 0);
	assert_int_equal(saved_paths_read(&paths, blocks, &objects), 0);
	read = profile_read(blocks, &paths, NULL);
	assert_non_null(read);
	assert_int_equal(blocks_health(blocks)->damaged, 0);
	blocks_close(blocks);
	close(fd);
	after = ranked(read);
	same(&before, &after);
	ranked_waits_free(&before);
	ranked_waits_free(&after);
	profile_free(read);
	saved_paths_free(&paths);
	saved_objects_free(&objects);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_wait_is_from_its_slice_to_its_wake),
		TEST(waits_share_critical_time),
		TEST(names_are_of_own_code),
		TEST(what_others_waited_for_is_divided),
		TEST(lost_records_cut_waits),
		TEST(wakers_have_names),
		TEST(at_critical_time_is_inferred),
		TEST(each_target_has_its_own),
		TEST(functions_of_one_name_are_of_two_targets),
		TEST(what_targets_share_has_parts_of_both),
		TEST(what_was_measured_stays),
		TEST(critical_time_says_the_reason),
		TEST(time_waited_says_the_reason),
		TEST(most_waits_say_the_reason),
		TEST(a_waker_has_a_place),
		TEST(waits_are_joined_with_their_ends),
		TEST(interrupts_have_kinds),
		TEST(at_critical_ends_may_be_recorded),
		TEST(as_a_ranking),
		TEST(both_times_of_an_object_are_rows),
		TEST(waits_are_saved),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("waits", tests, NULL, NULL);
}
