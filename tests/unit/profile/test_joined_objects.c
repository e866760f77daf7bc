// SPDX-License-Identifier: GPL-2.0
/* What wait objects are called, and which are one row to a reader. */
#include "made_waits.h"

#include <sys/syscall.h>

#include "profile/profile_private.h"
#include "profile/ranked_waits.h"

/* A function without a name is called by its nearest caller that has one, as places are. */
static void a_caller_names_a_site(void **state)
{
	struct ranked_waits waits;

	collect(true);
	wait_at(1, 10, 1, SYS_futex, JOURNAL,
		path_of("pthread_mutex_lock:1 ?inner:2 ?middle:3 commit:4 main:5"));
	woken_from(1, 20, path_of("pthread_mutex_unlock:1 ?release:2 flush:3 main:4"));
	wait_at(1, 30, 1, SYS_read, 3, path_of("lib_read:1 ?load:2"));
	woken_at(1, 40, 2, 0, 0);
	waits = ranked(profile);
	assert_string_equal(named(&waits, "mutex in commit")->sites[0].frame->function, "commit");
	assert_string_equal(named(&waits, "mutex in commit")->enders[0].frame->function, "flush");
	assert_null(named(&waits, "/var/log/journal")->sites[0].frame->function);
	ranked_waits_free(&waits);
}

/* What a rule names in the program itself is what is waited for, and its caller is who waits. */
static void a_site_is_behind_what_waits(void **state)
{
	struct ranked_waits waits;

	collect(true);
	wait_at(1, 10, 1, SYS_futex, JOURNAL,
		path_of("sem_wait:1 PGSemaphoreLock:2 LWLockAcquire:3 flush_log:4 main:5"));
	woken_at(1, 20, 2, GAPP_SLICE_WAKER, 77);
	waits = ranked(profile);
	assert_string_equal(named(&waits, "LWLock in flush_log")->sites[0].frame->function,
			    "flush_log");
	assert_string_equal(waits.pairs[0].frame->function, "flush_log");
	ranked_waits_free(&waits);
}

/* A condition that each thread of a pool has is one row; a lock is not. */
static void conditions_of_one_function_are_one_row(void **state)
{
	const struct ranked_object *condition;
	struct ranked_waits waits;

	collect(true);
	for (u32 i = 0; i < 4; i++) {
		wait_at(1, 100 * i, 1, SYS_futex, JOURNAL + 4 * i,
			path_of("pthread_cond_wait:1 pool_take:2 main:3"));
		woken_at(1, 100 * i + 10, 2, 0, 0);
		wait_at(1, 100 * i + 20, 1, SYS_futex, OTHER + 40 * i, lock_path());
		woken_at(1, 100 * i + 30, 2, 0, 0);
	}
	wait_at(1, 500, 1, SYS_futex, JOURNAL, path_of("pthread_cond_wait:1 pool_drain:2 main:3"));
	woken_at(1, 501, 2, 0, 0);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 1 + 4);
	condition = named(&waits, "condition in pool_take, pool_drain");
	assert_int_equal(condition->waits, 5);
	assert_int_equal(condition->waited_ns, MS(41));
	assert_string_equal(condition->sites[0].frame->function, "pool_take");
	assert_int_equal(condition->sites[0].waits, 4);
	assert_int_equal(named(&waits, "mutex in append")->waits, 1);
	ranked_waits_free(&waits);
	/* a function that waits for less than a tenth is not in the name */
	for (u32 i = 0; i < 6; i++) {
		wait_at(1, 600 + 10 * i, 1, SYS_futex, JOURNAL,
			path_of("pthread_cond_wait:1 pool_take:2 main:3"));
		woken_at(1, 601 + 10 * i, 2, 0, 0);
	}
	waits = ranked(profile);
	assert_int_equal(named(&waits, "condition in pool_take")->waits, 11);
	ranked_waits_free(&waits);
}

/* Who asks one server again and again has another port each time, and is one row. */
static void connections_to_a_peer_are_one_row(void **state)
{
	const struct ranked_object *to, *from;
	struct ranked_waits waits;
	double part;

	collect(true);
	for (u32 i = 0; i < 10; i++) {
		wait_at(1, 100 * i, 1, SYS_recvfrom, TO_PEER + i, path_of("recv:1 ask:2 main:3"));
		woken_at(1, 100 * i + 20, 2, GAPP_SLICE_WOKEN_BY_IRQ, 0);
	}
	for (u32 i = 0; i < 3; i++) {
		wait_at(1, 2000 + 100 * i, 1, SYS_recvfrom, OF_CLIENTS + i,
			path_of("recv:1 serve:2 main:3"));
		woken_at(1, 2001 + 100 * i, 2, GAPP_SLICE_WAKER, 77);
	}
	wait_at(1, 3000, 1, SYS_read, 3, path_of("read:1 load:2 main:3"));
	woken_at(1, 3001, 2, 0, 0);
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 2 + 3);
	assert_null(ranked_waits_idle(&waits, GAPP_WAIT_PIPE, &part));
	to = named(&waits, "tcp to 10.0.0.2:80");
	assert_ptr_equal(to, waits.objects);
	assert_int_equal(to->waits, 10);
	assert_int_equal(to->waited_ns, MS(200));
	near(to->critical_ns, MS(200));
	assert_int_equal(to->site_count, 1);
	assert_int_equal(to->sites[0].waits, 10);
	assert_int_equal(to->ender_count, 1);
	assert_int_equal(to->enders[0].waited_ns, MS(200));
	/* one of a server's clients may be the slow one */
	from = named(&waits, "tcp 10.0.0.1:80 to 10.0.0.3:61");
	assert_int_equal(from->waits, 1);
	assert_string_equal(from->enders[0].name, "stranger");
	/* who woke whom, and the sites of the critical path, know the row */
	assert_int_equal(waits.pair_count, 2 + 3);
	assert_int_equal(waits.pairs[0].object, 0);
	assert_int_equal(waits.pairs[0].waker.waits, 10);
	for (u32 i = 0; i < 10; i++)
		assert_int_equal(waits.object_of_site[i], 0);
	/* 10 of 14 are no nine tenths */
	assert_null(ranked_waits_main(&waits, 0, GAPP_WAIT_PIPE));
	ranked_waits_free(&waits);
}

/* What each process has one of is one row where the processes have one name; a lock is not. */
static void what_processes_of_a_name_have_is_one_row(void **state)
{
	struct ranked_waits waits;

	collect(true);
	for (image_now = 1; image_now < 4; image_now++) {
		wait_at(1, 100 * image_now, 1, SYS_read, 5, path_of("read:1 loop:2 main:3"));
		woken_at(1, 100 * image_now + 20, 2, 0, 0);
		wait_at(1, 100 * image_now + 30, 1, SYS_futex, JOURNAL, lock_path());
		woken_at(1, 100 * image_now + 40, 2, 0, 0);
		wait_at(1, 100 * image_now + 50, 1, SYS_read, 9, path_of("read:1 load:2 main:3"));
		woken_at(1, 100 * image_now + 55, 2, 0, 0);
	}
	waits = ranked(profile);
	assert_int_equal(named(&waits, "eventfd 5 of worker-1")->waits, 3);
	assert_int_equal(named(&waits, "mutex in append")->waits, 1);
	assert_int_equal(named(&waits, "descriptor 9 of process 1")->waits, 1);
	assert_int_equal(waits.object_count, 1 + 3 + 3);
	ranked_waits_free(&waits);
}

/* Thread 1 of process 1 ended a time with no thread active, of @ms, by a wait for @fd. */
static void nobody_ran(u64 ms, u64 fd, u32 wait)
{
	struct gapp_record_wait record =
		made_wait(1, 1, path_of("read:1 load:2 main:3"), MS(ms), wait);

	record.image = image_now;
	record.syscall = wait == GAPP_WAIT_SLEEP ? SYS_nanosleep : SYS_read;
	record.args[0] = fd;
	record.stretches = 1;
	assert_int_equal(profile_wait_alone(profile, &record), 0);
}

/* What most of the time with no thread active was waited for, of one wait reason. */
static void most_of_the_idle_time_has_an_object(void **state)
{
	const struct ranked_object *most;
	struct ranked_waits waits;
	double part;

	collect(false);
	nobody_ran(30, 3, GAPP_WAIT_PIPE);
	nobody_ran(30, TO_PEER, GAPP_WAIT_PIPE);
	nobody_ran(20, TO_PEER + 1, GAPP_WAIT_PIPE);
	nobody_ran(90, 0, GAPP_WAIT_SLEEP);
	waits = ranked(profile);
	/* the two connections are one row */
	most = ranked_waits_idle(&waits, GAPP_WAIT_PIPE, &part);
	assert_ptr_equal(most, named(&waits, "tcp to 10.0.0.2:80"));
	near(part * 1000, 625);
	/* a timer says no more than that it was a sleep */
	assert_null(ranked_waits_idle(&waits, GAPP_WAIT_SLEEP, &part));
	assert_null(ranked_waits_idle(&waits, GAPP_WAIT_DISK, &part));
	ranked_waits_free(&waits);
	/* nor what is called by the function that waits, which stands beside it */
	wait_at(1, 500, 0, SYS_futex, JOURNAL, lock_path());
	waits = ranked(profile);
	named(&waits, "mutex in append");
	assert_null(ranked_waits_idle(&waits, GAPP_WAIT_LOCK, &part));
	ranked_waits_free(&waits);
	nobody_ran(50, 9, GAPP_WAIT_PIPE);
	waits = ranked(profile);
	/* half is not most */
	assert_null(ranked_waits_idle(&waits, GAPP_WAIT_PIPE, &part));
	ranked_waits_free(&waits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_caller_names_a_site),
		TEST(a_site_is_behind_what_waits),
		TEST(conditions_of_one_function_are_one_row),
		TEST(connections_to_a_peer_are_one_row),
		TEST(what_processes_of_a_name_have_is_one_row),
		TEST(most_of_the_idle_time_has_an_object),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("joined_objects", tests, NULL, NULL);
}
