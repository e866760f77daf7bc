// SPDX-License-Identifier: GPL-2.0
/* Which store ended a wait in a busy-wait loop. */
#include "made_spins.h"

#include "input/rings.h"

#define OTHER_IMAGE 8
/* As in spun_words.c. */
#define EARLIER_NS MS(10)

/* The thread is found in the loop at 10 ms, and the word is watched until 100 ms. */
static void spins_watched(s32 tid, const struct loop *loop)
{
	spins(tid, MS(10), loop);
	watched(loop, 0, MS(100));
}

static void the_last_store_before_the_end_counts(void **state)
{
	spins_watched(1, &lock);
	stores(2, MS(12), &lock, 0);
	stores(3, MS(14), &lock, 0);
	stores(4, MS(17), &lock, 0);
	ended_by(1, MS(16), 3);
	/* once */
	ended_by_nobody(1, MS(18));
	/* of another process */
	spins(1, MS(20), &lock);
	stores(150, MS(22), &lock, 0);
	ended_by(1, MS(23), 150);
}

static void only_a_store_between_begin_and_end_counts(void **state)
{
	spins_watched(1, &lock);
	ended_by_nobody(1, MS(20));
	stores(2, MS(30), &lock, 0);
	spins(1, MS(30), &lock);
	ended_by(1, MS(40), 2);
	spins(1, MS(50), &lock);
	stores(2, MS(60), &lock, 0);
	ended_by(1, MS(60), 2);
	spins(1, MS(70), &lock);
	stores(2, MS(80), &lock, 0);
	ended_by_nobody(1, MS(80) - 1);
	stores(2, MS(90) - 1, &lock, 0);
	spins(1, MS(90), &lock);
	ended_by_nobody(1, MS(95));
}

static void only_while_the_word_is_watched_ends_are_known(void **state)
{
	spins(1, MS(10), &lock);
	stores(2, MS(12), &lock, 0);
	ended_by_nobody(1, MS(15));
	watched(&lock, MS(20), MS(30));
	spins(1, MS(18), &lock);
	stores(2, MS(19), &lock, 0);
	ended_by_nobody(1, MS(20) - 1);
	spins(1, MS(18), &lock);
	stores(2, MS(20), &lock, 0);
	ended_by(1, MS(20), 2);
	spins(1, MS(20), &lock);
	stores(3, MS(30), &lock, 0);
	ended_by(1, MS(30), 3);
	spins(1, MS(30), &lock);
	ended_by_nobody(1, MS(30) + 1);
	/* between two watches another thread may have stored */
	spins(1, MS(22), &lock);
	stores(2, MS(25), &lock, 0);
	watched(&lock, MS(40), MS(50));
	ended_by_nobody(1, MS(45));
	spins(1, MS(22), &lock);
	stores(4, MS(40), &lock, 0);
	ended_by(1, MS(45), 4);
}

static void some_watches_are_remembered(void **state)
{
	spins(1, MS(10), &lock);
	for (u64 i = 1; i <= SPUN_WATCHES; i++)
		watched(&lock, MS(100) * i, MS(100) * i + MS(50));
	spins(1, MS(100), &lock);
	stores(2, MS(110), &lock, 0);
	ended_by(1, MS(120), 2);
	/* one more, and the first one is not known any more */
	watched(&lock, MS(1000), MS(1050));
	spins(1, MS(100), &lock);
	ended_by_nobody(1, MS(120));
	spins(1, MS(200), &lock);
	stores(3, MS(210), &lock, 0);
	ended_by(1, MS(220), 3);
	spins(1, MS(1000), &lock);
	stores(4, MS(1010), &lock, 0);
	ended_by(1, MS(1020), 4);
}

static void stores_as(s32 tid, u64 ns, u64 value, u32 flags)
{
	struct gapp_record_store store = store_of(tid, ns, &lock, value);

	store.flags = flags;
	spun_words_store(&words, &store, 0);
}

/* Behind it there may be others on that CPU, which nobody sees. */
static void stores_last(s32 tid, u64 ns, u64 value)
{
	stores_as(tid, ns, value, GAPP_STORE_IN_KERNEL | GAPP_STORE_LAST);
}

static void the_last_store_that_is_seen_ends_the_watch(void **state)
{
	spins(1, MS(10), &lock);
	spins(2, MS(10), &lock);
	watched(&lock, 0, MS(15));
	watched(&lock, MS(20), MS(30));
	watched(&lock, MS(40), MS(50));
	stores_last(3, MS(25), 0);
	ended_by(1, MS(25), 3);
	ended_by_nobody(2, MS(25) + 1);
	/* that watch alone */
	spins(1, MS(10), &lock);
	stores(4, MS(12), &lock, 0);
	ended_by(1, MS(15), 4);
	spins(1, MS(10), &lock);
	ended_by_nobody(1, MS(17));
	spins(1, MS(40), &lock);
	stores(5, MS(45), &lock, 0);
	ended_by(1, MS(50), 5);
	/* its value ends no wait */
	spins(1, MS(60), &lock);
	watched(&lock, MS(60), MS(70));
	stores(6, MS(62), &lock, 0);
	stores_last(7, MS(64), 1);
	ended_by(1, MS(64), 6);
	/* the end of a watch is no news to it */
	spins(1, MS(80), &lock);
	watched(&lock, MS(80), MS(90));
	stores_last(8, MS(90), 0);
	ended_by(1, MS(90), 8);
	/* one of the kernel's is like any other */
	spins(1, MS(100), &lock);
	watched(&lock, MS(100), MS(110));
	stores_as(9, MS(102), 0, GAPP_STORE_IN_KERNEL);
	ended_by(1, MS(105), 9);
}

/* It is found elsewhere after it took the lock, and perhaps gave it back. */
static void what_ended_a_wait_came_before_the_threads_own_store(void **state)
{
	spins_watched(1, &lock);
	stores(1, MS(12), &lock, 0);
	ended_by_nobody(1, MS(16));
	/* it took the lock */
	spins(1, MS(20), &lock);
	stores(2, MS(22), &lock, 0);
	stores(1, MS(23), &lock, 1);
	ended_by(1, MS(26), 2);
	/* and gave it back */
	spins(1, MS(30), &lock);
	stores(2, MS(32), &lock, 0);
	stores(1, MS(33), &lock, 1);
	stores(1, MS(34), &lock, 0);
	stores(3, MS(35), &lock, 1);
	stores(3, MS(36), &lock, 0);
	ended_by(1, MS(37), 2);
}

/* Thread 3 stores the value after a store of thread 2 that may end the wait. */
static void goes_on_with(const struct loop *loop, u64 value, bool goes_on)
{
	spins_watched(1, loop);
	stores(2, MS(12), loop, 0);
	stores(3, MS(14), loop, value);
	if (goes_on)
		ended_by(1, MS(16), 2);
	else
		ended_by(1, MS(16), 3);
	end(NULL);
	begin(NULL);
}

static void a_store_with_whose_value_the_loop_goes_on_does_not_count(void **state)
{
	const struct loop byte = { IMAGE, 0x5000, GAPP_SPIN_WHILE_ABOVE, 1, 200 };
	const struct loop negative = { IMAGE, 0x5000, GAPP_SPIN_WHILE_LESS, 2, -1 };
	struct loop wide = lock;

	goes_on_with(&lock, 1, true);
	goes_on_with(&lock, 0, false);
	/* four bytes of it are compared */
	goes_on_with(&lock, 1ULL << 32, false);
	goes_on_with(&lock, 1ULL << 31, true);
	wide.bytes = 8;
	goes_on_with(&wide, 1ULL << 32, true);
	/* with a number, and without a sign or with one */
	goes_on_with(&byte, 201, true);
	goes_on_with(&byte, 200, false);
	goes_on_with(&byte, 0x1c8, false);
	goes_on_with(&negative, 0xfffe, true);
	goes_on_with(&negative, 0xffff, false);
	goes_on_with(&negative, 5, false);
}

/* Where it is not known how the loop compares. */
static void any_store_may_have_ended_it(const struct loop *loop)
{
	spins_watched(1, loop);
	stores(2, MS(12), loop, 1);
	stores(2, MS(14), loop, 0);
	ended_by(1, MS(16), 2);
	/* of two threads nobody knows which of them it was */
	spins(1, MS(20), loop);
	stores(2, MS(22), loop, 1);
	stores(3, MS(24), loop, 1);
	ended_by_nobody(1, MS(26));
	/* but it was before its own */
	spins(1, MS(30), loop);
	stores(2, MS(32), loop, 1);
	stores(1, MS(33), loop, 1);
	stores(3, MS(34), loop, 1);
	ended_by(1, MS(36), 2);
	end(NULL);
	begin(NULL);
}

static void loops_of_which_it_is_not_known_how_they_compare(void **state)
{
	struct loop unknown = lock;

	any_store_may_have_ended_it(&any);
	unknown.bytes = 0;
	any_store_may_have_ended_it(&unknown);
	unknown.bytes = 3;
	any_store_may_have_ended_it(&unknown);
	unknown = any;
	unknown.bytes = 0;
	any_store_may_have_ended_it(&unknown);
}

static void some_stores_are_remembered(void **state)
{
	spins_watched(1, &lock);
	stores(2, MS(11), &lock, 0);
	for (u32 i = 1; i < SPUN_STORES; i++)
		stores_as(1, MS(12) + i, 1, GAPP_STORE_AT_POINT);
	ended_by(1, MS(20), 2);
	/* those with which the loop goes on take no room, where the word is watched */
	spins(1, MS(20), &lock);
	stores(2, MS(21), &lock, 0);
	for (u32 i = 0; i < SPUN_STORES; i++)
		stores(1, MS(22) + i, &lock, 1);
	ended_by(1, MS(25), 2);
	spins(1, MS(30), &lock);
	stores(2, MS(31), &lock, 0);
	for (u32 i = 0; i < SPUN_STORES; i++)
		stores_as(1, MS(32) + i, 1, GAPP_STORE_AT_POINT);
	ended_by_nobody(1, MS(40));
	/* more than once around */
	spins(1, MS(50), &lock);
	for (s32 i = 0; i < 5 * SPUN_STORES + 3; i++)
		stores(2 + i, MS(51) + i, &lock, 0);
	ended_by(1, MS(51) + 5 * SPUN_STORES - 10, 2 + 5 * SPUN_STORES - 10);
}

static void a_word_is_of_one_address_space(void **state)
{
	const struct gapp_record_wake wake = wake_of(101, MS(26)), *got;
	struct loop elsewhere = lock;
	struct told_wake told;

	elsewhere.image = OTHER_IMAGE;
	spins_watched(1, &lock);
	stores(2, MS(12), &flag, 0);
	stores(2, MS(13), &elsewhere, 0);
	ended_by_nobody(1, MS(16));
	/* each has its own */
	spins_watched(101, &elsewhere);
	spins_watched(2, &flag);
	spins(1, MS(20), &lock);
	spins(101, MS(20), &elsewhere);
	spins(2, MS(20), &flag);
	stores(4, MS(21), &elsewhere, 0);
	stores(3, MS(22), &lock, 0);
	stores(5, MS(23), &flag, 0);
	ended_by(1, MS(26), 3);
	ended_by(2, MS(26), 5);
	got = spun_words_wake(&words, &wake, &told);
	assert_int_equal(got->waker_tid, 4);
	assert_int_equal(wake_waker_path(got)->image, OTHER_IMAGE);
	/* it was before the last begin of all others */
	spins(1, MS(30), &lock);
	ended_by_nobody(1, MS(40));
}

/* Somebody else's store into the same address, for example. */
static void a_last_store_of_which_nothing_is_known_ends_the_watch(void **state)
{
	struct gapp_record_store store = {
		.head = store_of(3, MS(25), &lock, 0).head,
		.image = lock.image + 1,
		.path = GAPP_PATH_NONE,
		.flags = GAPP_STORE_LAST | GAPP_STORE_UNTOLD,
	};

	spins(1, MS(10), &lock);
	spins(2, MS(10), &lock);
	watched(&lock, MS(5), MS(50));
	stores(3, MS(20), &lock, 0);
	spun_words_store(&words, &store, 0);
	ended_by(1, MS(26), 3);
	store.image = lock.image;
	spun_words_store(&words, &store, 0);
	ended_by_nobody(2, MS(26));
}

/* Threads are numbered anew in each namespace of process ids. */
static void a_thread_is_of_one_process(void **state)
{
	struct gapp_record_store store = store_of(1, MS(22), &lock, 0);
	struct gapp_record_wake wake = wake_of(1, MS(16));
	const struct gapp_record_wake *got;
	struct told_wake told;

	spins_watched(1, &lock);
	stores(2, MS(12), &lock, 0);
	wake.tgid = 77;
	assert_ptr_equal(spun_words_wake(&words, &wake, &told), &wake);
	ended_by(1, MS(17), 2);
	/* this store is not the thread's own */
	spins(1, MS(20), &lock);
	store.tgid = 77;
	spun_words_store(&words, &store, 0);
	wake = wake_of(1, MS(26));
	got = spun_words_wake(&words, &wake, &told);
	assert_int_equal(got->waker_tid, 1);
	assert_int_equal(got->waker_tgid, 77);
}

static void stays_with_flags(u32 flags)
{
	struct gapp_record_wake wake = wake_of(1, MS(16));
	struct told_wake told;

	spins_watched(1, &lock);
	stores(2, MS(12), &lock, 0);
	wake.flags = flags;
	wake.waker_tid = 9;
	assert_ptr_equal(spun_words_wake(&words, &wake, &told), &wake);
	assert_int_equal(wake.waker_tid, 9);
	/* the wait is over all the same */
	ended_by_nobody(1, MS(17));
}

static void a_waker_of_the_modules_stays(void **state)
{
	stays_with_flags(GAPP_SLICE_WAKER);
	stays_with_flags(GAPP_SLICE_WOKEN_BY_IRQ);
}

static void is_left_alone(const struct gapp_record_slice *slice)
{
	struct gapp_watch watch;

	assert_int_equal(spun_words_slice(&words, slice), 0);
	assert_int_equal(words.words.index.count, 0);
	stores(2, MS(12), &lock, 0);
	assert_null(spun_words_next(&words, MS(1000), &watch));
	ended_by_nobody(1, MS(1000));
}

static void who_does_not_spin_for_a_word_is_left_alone(void **state)
{
	const struct gapp_record_slice spinning = found_in(1, MS(10), &lock);
	struct gapp_record_slice slice = spinning;

	slice.then = GAPP_THEN_PREEMPTED;
	is_left_alone(&slice);
	slice = spinning;
	slice.wait = GAPP_WAIT_LOCK;
	is_left_alone(&slice);
	slice = spinning;
	slice.args[0] = 0;
	is_left_alone(&slice);
	/* of a thread that never did */
	spins_watched(3, &lock);
	stores(2, MS(22), &lock, 0);
	ended_by_nobody(1, MS(26));
	ended_by(3, MS(26), 2);
}

static void a_slice_without_a_wake_up_before_it_ends_the_wait(void **state)
{
	struct gapp_record_slice slice = found_in(1, MS(20), &lock);
	struct gapp_watch watch;

	spins_watched(1, &lock);
	stores(2, MS(12), &lock, 0);
	slice.then = GAPP_THEN_ON;
	assert_int_equal(spun_words_slice(&words, &slice), 0);
	ended_by_nobody(1, MS(30));
	/* it has waited for 10 ms, and does not any more */
	spins(2, MS(30), &flag);
	ended_by_nobody(2, MS(38));
	assert_non_null(spun_words_next(&words, MS(100), &watch));
	assert_int_equal(watch.address, lock.address);
	watched(&lock, MS(100), MS(200));
	watched(&flag, MS(100), MS(200));
	/* found in a loop again: the wait begins then */
	spins(1, MS(110), &lock);
	stores(2, MS(112), &lock, 0);
	spins(1, MS(120), &lock);
	ended_by_nobody(1, MS(130));
	spins(1, MS(140), &lock);
	spins(1, MS(150), &flag);
	stores(3, MS(151), &flag, 0);
	stores(2, MS(152), &lock, 0);
	ended_by(1, MS(160), 3);
}

static void after_a_loss_nobody_is_known_to_wait(void **state)
{
	const struct gapp_record_wait wait = wait_of(1, MS(10), MS(20), &lock);
	struct gapp_watch watch;

	spins(1, MS(10), &lock);
	spins(2, MS(10), &flag);
	watched(&lock, 0, MS(2000));
	stores(3, MS(12), &lock, 0);
	spun_words_lost(&words);
	stores(3, MS(14), &lock, 0);
	ended_by_nobody(1, MS(16));
	ended_by_nobody(2, MS(16));
	assert_null(spun_words_next(&words, MS(1000), &watch));
	/* a store may be among what is lost, but not the last one before the end */
	wait_ended_by(&wait, 3);
	spun_words_lost(&words);
	wait_ended_by_nobody(&wait);
	assert_non_null(spun_words_next(&words, MS(1000), &watch));
	/* those that are found later are */
	spins(1, MS(1010), &lock);
	stores(3, MS(1012), &lock, 0);
	ended_by(1, MS(1016), 3);
	assert_non_null(spun_words_next(&words, MS(1020), &watch));
	assert_int_equal(watch.address, lock.address);
	assert_null(spun_words_next(&words, MS(2000), &watch));
}

/* As for the turns of a ticket lock, one thread after the other. */
static void what_ends_one_wait_may_not_be_what_ends_the_next(void **state)
{
	struct loop turn = lock;

	spins_watched(1, &turn);
	stores(2, MS(12), &turn, 0);
	ended_by(1, MS(14), 2);
	turn.number = 1;
	spins(1, MS(20), &turn);
	stores(3, MS(22), &turn, 1);
	ended_by(1, MS(24), 3);
	/* that another value is waited for now is known later than the store */
	stores(4, MS(32), &turn, 0);
	turn.number = 0;
	spins(1, MS(31), &turn);
	ended_by(1, MS(34), 4);
}

static void a_time_without_active_threads_has_its_end(void **state)
{
	struct gapp_record_wait wait = wait_of(1, MS(50), MS(60), &lock);

	/* nobody has waited for the word before */
	stores(2, MS(55), &lock, 0);
	wait_ended_by_nobody(&wait);
	watched(&lock, 0, MS(100));
	stores(2, MS(55), &lock, 0);
	stores(3, MS(56), &lock, 0);
	stores(4, MS(57), &lock, 1);
	stores(1, MS(58), &lock, 1);
	stores(5, MS(61), &lock, 0);
	wait_ended_by(&wait, 3);
	/* of another word, which is compared with another number */
	wait = wait_of(1, MS(50), MS(60), &flag);
	wait_ended_by_nobody(&wait);
	watched(&flag, 0, MS(100));
	stores(2, MS(55), &flag, 0);
	stores(3, MS(56), &flag, -2);
	stores(4, MS(57), &flag, -4);
	wait_ended_by(&wait, 3);
}

/* Samples have not yet met those that left their loops. */
static void a_time_without_active_threads_may_begin_late(void **state)
{
	struct gapp_record_wait wait = wait_of(1, MS(50), MS(60), &lock);

	wait_ended_by_nobody(&wait);
	watched(&lock, 0, MS(100));
	stores(2, MS(50) - EARLIER_NS - 1, &lock, 0);
	wait_ended_by_nobody(&wait);
	stores(3, MS(50) - EARLIER_NS, &lock, 0);
	wait_ended_by(&wait, 3);
	/* soon after the clock's begin */
	wait = wait_of(1, MS(4), MS(8), &flag);
	wait_ended_by_nobody(&wait);
	watched(&flag, 0, MS(100));
	stores(4, US(1), &flag, 0);
	wait_ended_by(&wait, 4);
	/* where it is known when the thread was found, that is the begin */
	spins(1, MS(20), &lock);
	stores(5, MS(20), &lock, 0);
	wait = wait_of(1, MS(50), MS(60), &lock);
	wait_ended_by(&wait, 5);
	spins(1, MS(45), &lock);
	stores(5, MS(44), &lock, 0);
	wait_ended_by_nobody(&wait);
	/* of another word than that of the record it says nothing */
	spins(1, MS(46), &flag);
	wait_ended_by(&wait, 5);
}

static void other_times_without_active_threads_are_left_alone(void **state)
{
	struct gapp_record_wait wait = wait_of(1, MS(50), MS(60), &lock);

	spins_watched(2, &lock);
	stores(3, MS(55), &lock, 0);
	wait.wait = GAPP_WAIT_LOCK;
	wait_ended_by_nobody(&wait);
	wait.wait = GAPP_WAIT_SPIN;
	wait.args[0] = 0;
	wait_ended_by_nobody(&wait);
	assert_int_equal(words.words.index.count, 1);
	wait.args[0] = lock.address;
	/* it has more to say, so the module knows who ended it */
	wait.head.size += sizeof(struct gapp_waker_path);
	wait_ended_by_nobody(&wait);
	wait.head.size = sizeof(wait);
	wait_ended_by(&wait, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_last_store_before_the_end_counts),
		TEST(only_a_store_between_begin_and_end_counts),
		TEST(only_while_the_word_is_watched_ends_are_known),
		TEST(some_watches_are_remembered),
		TEST(the_last_store_that_is_seen_ends_the_watch),
		TEST(a_last_store_of_which_nothing_is_known_ends_the_watch),
		TEST(what_ended_a_wait_came_before_the_threads_own_store),
		TEST(a_store_with_whose_value_the_loop_goes_on_does_not_count),
		TEST(loops_of_which_it_is_not_known_how_they_compare),
		TEST(some_stores_are_remembered),
		TEST(a_word_is_of_one_address_space),
		TEST(a_thread_is_of_one_process),
		TEST(a_waker_of_the_modules_stays),
		TEST(who_does_not_spin_for_a_word_is_left_alone),
		TEST(a_slice_without_a_wake_up_before_it_ends_the_wait),
		TEST(after_a_loss_nobody_is_known_to_wait),
		TEST(what_ends_one_wait_may_not_be_what_ends_the_next),
		TEST(a_time_without_active_threads_has_its_end),
		TEST(a_time_without_active_threads_may_begin_late),
		TEST(other_times_without_active_threads_are_left_alone),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("spun_words", tests, NULL, NULL);
}
