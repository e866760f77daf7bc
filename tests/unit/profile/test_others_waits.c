// SPDX-License-Identifier: GPL-2.0
/* What the others waited for: as the module counts it, refined by the paths of recorded waits. */
#include <sys/syscall.h>

#include "fake_code.h"

/* Waits of @reason, as the module says, that ended slices at @path. */
static void fold_waits(u32 count, const char *path, enum gapp_wait_reason reason)
{
	struct made made = made_slice(12, 10, path_of(path), SHARE(US(1)));

	made.slice.wait = reason;
	for (u32 i = 0; i < count; i++)
		fold(profile, &made);
}

/* Code that ran while others waited, for @reason as the module says. */
static void fold_code(enum gapp_wait_reason reason)
{
	struct made made = made_slice(11, 10, path_of("pthread_mutex_lock:1 main:2"), SHARE(MS(8)));

	made_sample(&made, path_of("compact:1 main:2"), SHARE(MS(8)));
	made.samples[0].waiting[reason] = 3;
	fold(profile, &made);
}

static double others_waited(enum by by, enum gapp_wait_reason reason)
{
	struct ranking ranking = ranking_by(profile, by);
	double ns = ranking.rows[0].waiting_ns[reason];

	ranking_free(&ranking);
	return ns;
}

/* Go's idle threads wait by the call that glibc uses for barriers. */
static void paths_say_more_than_calls(void **state)
{
	(void)state;
	fold_code(GAPP_WAIT_BARRIER);
	fold_waits(19, "runtime.futex:1 runtime.futexsleep:1 runtime.notesleep:2 runtime.stopm:1",
		   GAPP_WAIT_BARRIER);
	fold_waits(1, "elsewhere:1", GAPP_WAIT_BARRIER);
	near(others_waited(BY_PATH, GAPP_WAIT_QUEUE), MS(8));
	near(others_waited(BY_PATH, GAPP_WAIT_BARRIER), 0);
	near(others_waited(BY_PLACE, GAPP_WAIT_QUEUE), MS(8));
}

/* What the loop is part of has a name, but the threads are on their CPUs. */
static void who_spins_does_not_sleep(void **state)
{
	struct ranking ranking;

	(void)state;
	fold_code(GAPP_WAIT_SPIN);
	fold_waits(20, "runtime.futexsleep:1 runtime.notesleep:2 runtime.stopm:1", GAPP_WAIT_SPIN);
	ranking = ranking_by(profile, BY_PLACE);
	near(ranking.rows[0].waiting_ns[GAPP_WAIT_SPIN], MS(8));
	assert_string_equal(ranking.rows[0].waiting_called[GAPP_WAIT_SPIN].name, "work for Go");
	ranking_free(&ranking);
}

static void a_loop_of_the_program_has_no_name(void **state)
{
	struct ranking ranking;

	(void)state;
	fold_code(GAPP_WAIT_SPIN);
	fold_waits(20, "spin_wait:1 main:2", GAPP_WAIT_SPIN);
	ranking = ranking_by(profile, BY_PLACE);
	near(ranking.rows[0].waiting_ns[GAPP_WAIT_SPIN], MS(8));
	assert_null(ranking.rows[0].waiting_called[GAPP_WAIT_SPIN].name);
	ranking_free(&ranking);
}

/* What the module said counts only if most paths say so, too. */
static void others_of_several_kinds_are_other(void **state)
{
	(void)state;
	fold_code(GAPP_WAIT_BARRIER);
	fold_waits(17, "runtime.futex:1 runtime.notesleep:2", GAPP_WAIT_BARRIER);
	fold_waits(3, "futex_wait:1 pthread_barrier_wait:2", GAPP_WAIT_BARRIER);
	near(others_waited(BY_PATH, GAPP_WAIT_OTHER), MS(8));
	fold_waits(30, "futex_wait:1 pthread_barrier_wait:2", GAPP_WAIT_BARRIER);
	near(others_waited(BY_PATH, GAPP_WAIT_BARRIER), MS(8));
}

/* Of waits without a path the module's reason is all there is: glibc waits for barriers so. */
static void without_a_path_it_is_as_the_module_says(void **state)
{
	(void)state;
	fold_code(GAPP_WAIT_BARRIER);
	near(others_waited(BY_PATH, GAPP_WAIT_BARRIER), MS(8));
	near(others_waited(BY_THREAD, GAPP_WAIT_BARRIER), MS(8));
}

static void no_rule_knows_the_path(void **state)
{
	(void)state;
	fold_code(GAPP_WAIT_LOCK);
	fold_waits(5, "spin_wait:1 main:2", GAPP_WAIT_LOCK);
	near(others_waited(BY_PATH, GAPP_WAIT_OTHER), MS(8));
	near(others_waited(BY_THREAD, GAPP_WAIT_OTHER), MS(8));
}

/* Frame pointers lose the caller: what is left is glibc's, whose values the module knows. */
static void glibc_alone_is_as_the_module_says(void **state)
{
	(void)state;
	fold_code(GAPP_WAIT_QUEUE);
	fold_waits(20, "futex_wait:1 work:2", GAPP_WAIT_QUEUE);
	near(others_waited(BY_PATH, GAPP_WAIT_QUEUE), MS(8));
	fold_code(GAPP_WAIT_BARRIER);
	fold_waits(20, "futex_wait:1 work:2", GAPP_WAIT_BARRIER);
	near(others_waited(BY_PATH, GAPP_WAIT_QUEUE), MS(8));
	near(others_waited(BY_PATH, GAPP_WAIT_BARRIER), MS(8));
}

static void the_others_wait_has_a_name(void **state)
{
	struct ranking ranking;

	(void)state;
	fold_code(GAPP_WAIT_QUEUE);
	fold_waits(9, "pthread_cond_timedwait:1 lib_?:1 lib_PyEval_RestoreThread:2",
		   GAPP_WAIT_QUEUE);
	ranking = ranking_by(profile, BY_PLACE);
	near(ranking.rows[0].waiting_ns[GAPP_WAIT_QUEUE], MS(8));
	assert_string_equal(ranking.rows[0].waiting_called[GAPP_WAIT_QUEUE].name, "condition");
	assert_true(ranking.rows[0].waiting_called[GAPP_WAIT_QUEUE].plain);
	ranking_free(&ranking);
	/* and those of two names have none */
	fold_waits(9, "sem_wait:1 main:2", GAPP_WAIT_QUEUE);
	ranking = ranking_by(profile, BY_PLACE);
	near(ranking.rows[0].waiting_ns[GAPP_WAIT_QUEUE], MS(8));
	assert_null(ranking.rows[0].waiting_called[GAPP_WAIT_QUEUE].name);
	ranking_free(&ranking);
}

/* Waits that the module has as two reasons are one by their paths. */
static void two_reasons_become_one(void **state)
{
	struct made made = made_slice(11, 10, path_of("wait:1 main:2"), SHARE(MS(8)));
	struct ranking ranking;

	(void)state;
	made_sample(&made, path_of("compact:1 main:2"), SHARE(MS(8)));
	made.samples[0].waiting[GAPP_WAIT_LOCK] = 1;
	made.samples[0].waiting[GAPP_WAIT_QUEUE] = 3;
	fold(profile, &made);
	fold_waits(9, "sem_wait:1 lib_worker:2", GAPP_WAIT_QUEUE);
	fold_waits(9, "sem_wait:1 lib_worker:2", GAPP_WAIT_LOCK);
	ranking = ranking_by(profile, BY_PLACE);
	near(ranking.rows[0].waiting_ns[GAPP_WAIT_QUEUE], MS(8));
	assert_string_equal(ranking.rows[0].waiting_called[GAPP_WAIT_QUEUE].name, "semaphore");
	ranking_free(&ranking);
}

/* A slice's end by a system call that says itself what it waits for. */
static void calls_that_are_no_futex_stay(void **state)
{
	struct made made = made_slice(12, 10, path_of("?:1 main:2"), SHARE(US(1)));

	(void)state;
	fold_code(GAPP_WAIT_JOIN);
	made.slice.wait = GAPP_WAIT_JOIN;
	made.slice.syscall = SYS_wait4;
	for (u32 i = 0; i < 5; i++)
		fold(profile, &made);
	near(others_waited(BY_PATH, GAPP_WAIT_JOIN), MS(8));
	made = made_slice(12, 10, path_of("?:3 main:2"), SHARE(US(1)));
	made.slice.wait = GAPP_WAIT_JOIN;
	made.slice.syscall = SYS_futex;
	for (u32 i = 0; i < 500; i++)
		fold(profile, &made);
	near(others_waited(BY_PATH, GAPP_WAIT_OTHER), MS(8));
}

/* The C library's waits of one reason say nothing of another, and those without a path nothing. */
static void other_reasons_stay(void **state)
{
	struct made lost = made_slice(12, 10, GAPP_PATH_NONE, SHARE(US(1)));

	(void)state;
	fold_code(GAPP_WAIT_LOCK);
	fold_waits(20, "futex_wait:1 pthread_barrier_wait:2", GAPP_WAIT_BARRIER);
	fold(profile, &lost);
	near(others_waited(BY_PATH, GAPP_WAIT_LOCK), MS(8));
}

/* Where other code waits for most futexes, the values say nothing: of the C library they do. */
static void values_of_another_library_are_no_reason(void **state)
{
	(void)state;
	fold_code(GAPP_WAIT_QUEUE);
	fold_waits(20, "runtime.futex:1 runtime.notesleep:2", GAPP_WAIT_BARRIER);
	near(others_waited(BY_PATH, GAPP_WAIT_OTHER), MS(8));
	fold_waits(21, "futex_wait:1 pthread_barrier_wait:2", GAPP_WAIT_BARRIER);
	near(others_waited(BY_PATH, GAPP_WAIT_QUEUE), MS(8));
	/* who waits for a thread to end has the kernel wake it: that is no guess */
	fold_waits(40, "runtime.futex:1 runtime.notesleep:2", GAPP_WAIT_BARRIER);
	near(others_waited(BY_PATH, GAPP_WAIT_QUEUE), 0);
	fold_code(GAPP_WAIT_JOIN);
	near(others_waited(BY_PATH, GAPP_WAIT_JOIN), MS(8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(paths_say_more_than_calls),
		TEST(who_spins_does_not_sleep),
		TEST(a_loop_of_the_program_has_no_name),
		TEST(others_of_several_kinds_are_other),
		TEST(without_a_path_it_is_as_the_module_says),
		TEST(no_rule_knows_the_path),
		TEST(glibc_alone_is_as_the_module_says),
		TEST(the_others_wait_has_a_name),
		TEST(two_reasons_become_one),
		TEST(calls_that_are_no_futex_stay),
		TEST(other_reasons_stay),
		TEST(values_of_another_library_are_no_reason),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("others_waits", tests, NULL, NULL);
}
