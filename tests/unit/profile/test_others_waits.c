// SPDX-License-Identifier: GPL-2.0
/* What the others waited for: as the module counts it, refined by the paths of recorded waits. */
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
	struct made made = made_slice(11, 10, path_of("wait:1 main:2"), SHARE(MS(8)));

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

static void others_of_several_kinds_stay(void **state)
{
	(void)state;
	fold_code(GAPP_WAIT_BARRIER);
	fold_waits(17, "runtime.futex:1 runtime.notesleep:2", GAPP_WAIT_BARRIER);
	fold_waits(3, "futex_wait:1 pthread_barrier_wait:2", GAPP_WAIT_BARRIER);
	near(others_waited(BY_PATH, GAPP_WAIT_BARRIER), MS(8));
}

/* Waits of one reason say nothing of another, and waits without a path nothing at all. */
static void other_reasons_stay(void **state)
{
	struct made lost = made_slice(12, 10, GAPP_PATH_NONE, SHARE(US(1)));

	(void)state;
	fold_code(GAPP_WAIT_LOCK);
	fold_waits(20, "runtime.futex:1 runtime.notesleep:2", GAPP_WAIT_BARRIER);
	fold(profile, &lost);
	near(others_waited(BY_PATH, GAPP_WAIT_LOCK), MS(8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(paths_say_more_than_calls),
		TEST(others_of_several_kinds_stay),
		TEST(other_reasons_stay),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("others_waits", tests, NULL, NULL);
}
