// SPDX-License-Identifier: GPL-2.0
/* How much of a place's time was in the kernel, and for which system calls. */
#include "fake_code.h"

#include <sys/syscall.h>

#include "profile/profile_private.h"
#include "report/kernel_names.h"

static void fold_in(s32 tid, const char *frames, u64 ns, s32 in)
{
	struct made made = made_slice(tid, 10, path_of("wait:1 main:2"), SHARE(ns));

	made_sample(&made, path_of(frames), SHARE(ns));
	made_in(&made, &in);
	fold(profile, &made);
}

static double kernel_ns(const struct ranked *row, s32 in)
{
	for (size_t i = 0; i < row->kernel_count; i++)
		if (row->kernel[i].in == in)
			return row->kernel[i].ns;
	return 0;
}

static void samples_tell_the_part_of_each_call(void **state)
{
	static const enum by bys[] = { BY_PATH, BY_FUNCTION, BY_LINE };

	(void)state;
	fold_in(11, "read:1 main:2", MS(4), SYS_read);
	fold_in(11, "read:1 main:2", MS(1), GAPP_IN_USER);
	fold_in(12, "read:1 main:2", MS(3), SYS_openat);
	fold_in(12, "read:1 main:2", MS(2), GAPP_IN_FAULT);
	fold_in(11, "hash:1 main:2", MS(5), GAPP_IN_USER);
	for (size_t i = 0; i < ARRAY_SIZE(bys); i++) {
		struct ranking ranking = ranking_by(profile, bys[i]);
		const struct ranked *row = row_of(&ranking, PATH_RAN, "read");

		near(row->kernel_known_ns, MS(10));
		near(row->kernel_ns, MS(9));
		assert_int_equal(row->kernel_count, 3);
		assert_int_equal(row->kernel[0].in, SYS_read);
		near(row->kernel[0].ns, MS(4));
		near(row->kernel[1].ns, MS(3));
		near(kernel_ns(row, GAPP_IN_FAULT), MS(2));
		row = row_of(&ranking, PATH_RAN, "hash");
		near(row->kernel_known_ns, MS(5));
		near(row->kernel_ns, 0);
		assert_int_equal(row->kernel_count, 0);
		ranking_free(&ranking);
	}
}

static void threads_have_their_own(void **state)
{
	struct ranking ranking;

	(void)state;
	fold_in(11, "read:1 main:2", MS(4), SYS_read);
	fold_in(12, "read:1 main:2", MS(3), GAPP_IN_USER);
	/* without a path it is the thread's all the same */
	fold_in(12, "", MS(2), GAPP_IN_KTHREAD);
	ranking = ranking_by(profile, BY_THREAD);
	assert_int_equal(ranking.count, 2);
	assert_int_equal(ranking.rows[0].tid, 12);
	near(ranking.rows[0].kernel_ns, MS(2));
	near(kernel_ns(&ranking.rows[0], GAPP_IN_KTHREAD), MS(2));
	near(kernel_ns(&ranking.rows[1], SYS_read), MS(4));
	ranking_free(&ranking);
}

/* The share of slices without a sample is divided as that of the others. */
static void the_rest_is_like_what_is_known(void **state)
{
	struct made unsampled = made_slice(11, 10, path_of("wait:1 main:2"), SHARE(MS(10)));
	struct ranking ranking;

	(void)state;
	for (u32 i = 0; i < 5; i++)
		fold_in(11, "read:1 main:2", MS(2), i < 3 ? SYS_read : GAPP_IN_USER);
	fold(profile, &unsampled);
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 1);
	near(ranking.rows[0].critical_ns, MS(20));
	near(ranking.rows[0].kernel_known_ns, MS(10));
	near(ranking.rows[0].kernel_ns, MS(12));
	ranking_free(&ranking);
}

static void an_older_module_says_nothing(void **state)
{
	struct made made = made_slice(11, 10, path_of("wait:1 main:2"), SHARE(MS(3)));
	struct ranking ranking;

	(void)state;
	made_sample(&made, path_of("read:1 main:2"), SHARE(MS(3)));
	fold(profile, &made);
	ranking = ranking_by(profile, BY_PATH);
	near(ranking.rows[0].kernel_known_ns, 0);
	near(ranking.rows[0].kernel_ns, 0);
	assert_null(ranking.rows[0].kernel);
	ranking_free(&ranking);
}

static void waits_are_in_their_call(void **state)
{
	u32 at = path_of("fdatasync:1 main:2");
	struct gapp_record_wait wait = made_wait(11, 10, at, MS(7), GAPP_WAIT_DISK);
	struct gapp_record_wait fault = made_wait(11, 10, at, MS(2), GAPP_WAIT_FAULT);
	struct gapp_record_wait spin =
		made_wait(11, 10, path_of("look:1 main:3"), MS(1), GAPP_WAIT_SPIN);
	struct ranking ranking;
	const struct ranked *row;

	(void)state;
	wait.syscall = SYS_fdatasync;
	fold_wait(profile, &wait);
	fold_wait(profile, &fault);
	fault.wait = GAPP_WAIT_DISK;
	fold_wait(profile, &fault);
	fold_wait(profile, &spin);
	ranking = ranking_by(profile, BY_FUNCTION);
	row = &ranking.rows[0];
	near(row->critical_ns, MS(9));
	near(row->kernel_known_ns, MS(9));
	near(row->kernel_ns, MS(9));
	near(kernel_ns(row, SYS_fdatasync), MS(7));
	near(kernel_ns(row, GAPP_IN_UNKNOWN), MS(2));
	near(kernel_ns(&ranking.rows[1], GAPP_IN_FAULT), MS(2));
	near(ranking.rows[2].critical_ns, MS(1));
	near(ranking.rows[2].kernel_known_ns, MS(1));
	near(ranking.rows[2].kernel_ns, 0);
	ranking_free(&ranking);
}

/* What only a newer module says, and numbers that no system call has. */
static void what_is_not_known_is_called_so(void **state)
{
	struct ranking ranking;

	(void)state;
	fold_in(11, "read:1 main:2", MS(4), GAPP_IN_KTHREAD - 1);
	fold_in(11, "read:1 main:2", MS(3), INT32_MAX);
	fold_in(11, "read:1 main:2", MS(2), INT32_MIN);
	fold_in(11, "read:1 main:2", MS(1), 4711);
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.rows[0].kernel_count, 2);
	near(kernel_ns(&ranking.rows[0], GAPP_IN_UNKNOWN), MS(9));
	near(kernel_ns(&ranking.rows[0], 4711), MS(1));
	ranking_free(&ranking);
}

static void calls_have_names(void **state)
{
	static const struct {
		s32 in;
		const char *name;
		const char *words;
	} expected[] = {
		{ SYS_openat, "openat", "openat" },
		{ SYS_fdatasync, "fdatasync", "fdatasync" },
		{ SYS_futex, "futex", "futex" },
		{ 999999, "syscall_999999", "syscall_999999" },
		{ INT32_MAX, "syscall_2147483647", "syscall_2147483647" },
		{ GAPP_IN_USER, "user", "own code" },
		{ GAPP_IN_FAULT, "page_faults", "page faults" },
		{ GAPP_IN_INTERRUPT, "interrupts", "interrupts" },
		{ GAPP_IN_UNKNOWN, "unknown", "unknown" },
		{ GAPP_IN_KTHREAD, "kernel_thread", "kernel thread" },
		{ GAPP_IN_KTHREAD - 1, "unknown", "unknown" },
		{ INT32_MIN, "unknown", "unknown" },
	};
	char buffer[KERNEL_NAME_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_string_equal(kernel_name(expected[i].in, buffer), expected[i].name);
		assert_string_equal(kernel_words(expected[i].in, buffer), expected[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_tell_the_part_of_each_call),
		TEST(threads_have_their_own),
		TEST(the_rest_is_like_what_is_known),
		TEST(an_older_module_says_nothing),
		TEST(waits_are_in_their_call),
		TEST(what_is_not_known_is_called_so),
		cmocka_unit_test(calls_have_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("kernel_time", tests, NULL, NULL);
}
