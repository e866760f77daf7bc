// SPDX-License-Identifier: GPL-2.0
/* Which busy-wait loops are timed exactly, and what follows from what the module says. */
#include "cmd/spin_exact.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "complaints.h"

#define LOOP 0x1000ULL
#define YIELD 0x7000ULL
#define SECOND 1000000000ULL

/**
 * struct module - what the module was asked for, and what it says
 * @error: why it refuses, or 0
 * @error_at: why it refuses that address
 * @calls: how often it was asked
 * @asked: the last time
 * @now_ns: CLOCK_MONOTONIC
 */
static struct module {
	int error;
	struct {
		u64 address;
		int error;
	} error_at;
	unsigned int calls;
	struct gapp_exact asked;
	u64 now_ns;
} module;

static struct device device;
static struct spin_exact exact;
static u64 path[2];

/* In place of libc's. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	now->tv_sec = module.now_ns / SECOND;
	now->tv_nsec = module.now_ns % SECOND;
	return 0;
}

/* In place of the real one. */
int device_exact(struct device *dev, const struct gapp_exact *asked)
{
	assert_ptr_equal(dev, &device);
	module.calls++;
	module.asked = *asked;
	errno = asked->address && asked->address == module.error_at.address ?
			module.error_at.error :
			module.error;
	return errno ? -1 : 0;
}

/* In place of the real one: each path has two frames. */
const u64 *rings_path(const struct rings *rings, u32 number, u16 *count, u16 *flags)
{
	*count = 2;
	*flags = 0;
	return number == GAPP_PATH_NONE ? NULL : path;
}

static int begin(void **state)
{
	module = (struct module){ .now_ns = SECOND };
	exact = (struct spin_exact){ .on = true };
	return 0;
}

static int end(void **state)
{
	spin_exact_free(&exact);
	return 0;
}

/* Threads are found spinning so often at an address, to which code before @caller has come. */
static void found(u64 address, u64 caller, unsigned int times)
{
	const struct gapp_record_slice slice = {
		.tgid = 5,
		.then = GAPP_THEN_WAIT,
		.wait = GAPP_WAIT_SPIN,
	};

	path[0] = address;
	path[1] = caller;
	while (times--)
		assert_int_equal(spin_exact_slice(&exact, &slice, NULL), 0);
}

static void only_loops_that_matter(void **state)
{
	const struct gapp_record_slice other = { .tgid = 5, .then = GAPP_THEN_WAIT };

	found(LOOP, 0x9000, 2);
	for (int i = 0; i < 9; i++)
		assert_int_equal(spin_exact_slice(&exact, &other, NULL), 0);
	spin_exact_next(&exact, &device);
	assert_int_equal(module.calls, 0);
	found(LOOP, 0x9000, 1);
	found(LOOP + 0x100, 0x9000, 4);
	spin_exact_next(&exact, &device);
	assert_int_equal(module.asked.address, LOOP + 0x100);
	assert_int_equal(module.asked.pid, 5);
	assert_int_equal(module.asked.passes, 2000);
	spin_exact_next(&exact, &device);
	assert_int_equal(module.asked.address, LOOP);
	assert_int_equal(module.calls, 2);
	assert_int_equal(exact.loops, 2);
}

static void the_loop_may_be_in_the_caller(void **state)
{
	module.error_at.address = YIELD;
	module.error_at.error = ENOENT;
	found(YIELD, LOOP + 5, 3);
	spin_exact_next(&exact, &device);
	assert_int_equal(module.calls, 2);
	assert_int_equal(module.asked.address, LOOP + 4);
	assert_int_equal(exact.loops, 1);
}

static void one_loop_counts_once(void **state)
{
	found(LOOP, 0x9000, 3);
	spin_exact_next(&exact, &device);
	module.error = EEXIST;
	found(LOOP + 2, 0x9000, 3);
	spin_exact_next(&exact, &device);
	assert_int_equal(exact.loops, 1);
	assert_int_equal(exact.too_busy, 0);
	/* the module is asked whether it has given the loop up, for the place that it began with */
	spin_exact_next(&exact, &device);
	assert_int_equal(module.asked.address, LOOP);
	module.error = EDQUOT;
	spin_exact_next(&exact, &device);
	assert_int_equal(exact.too_busy, 1);
	module.calls = 0;
	spin_exact_next(&exact, &device);
	assert_int_equal(module.calls, 0);
	assert_int_equal(exact.too_busy, 1);
}

static void loops_are_chosen_again_where_there_is_no_room(void **state)
{
	found(LOOP, 0x9000, 3);
	spin_exact_next(&exact, &device);
	module.error = ENOSPC;
	found(LOOP + 0x100, 0x9000, 3);
	spin_exact_next(&exact, &device);
	assert_true(exact.full);
	module.error = EEXIST;
	module.now_ns += 10 * SECOND;
	spin_exact_next(&exact, &device);
	assert_int_equal(module.asked.address, LOOP);
	module.error = 0;
	module.now_ns++;
	spin_exact_next(&exact, &device);
	assert_int_equal(module.asked.pid, 0);
	assert_int_equal(module.asked.address, 0);
	assert_false(exact.full);
	found(LOOP + 0x100, 0x9000, 3);
	spin_exact_next(&exact, &device);
	assert_int_equal(module.asked.address, LOOP + 0x100);
}

static void refuse(void)
{
	for (int i = 0; i < 2; i++) {
		found(LOOP + i, 0x9000, 3);
		spin_exact_next(&exact, &device);
	}
}

static void who_may_not_is_told_once(void **state)
{
	char text[400];

	module.error = EPERM;
	complaints_of(refuse, text, sizeof(text));
	assert_string_equal(
		text,
		"gapp: --spin exact: it takes CAP_PERFMON: samples find out how long threads wait in busy-wait loops\n");
	assert_false(exact.on);
	assert_int_equal(module.calls, 1);
}

static void other_errors_are_told_once(void **state)
{
	char text[400];

	module.error = EIO;
	complaints_of(refuse, text, sizeof(text));
	assert_string_equal(
		text,
		"gapp: --spin exact: a busy-wait loop cannot be timed exactly: Input/output error\n");
	assert_true(exact.on);
	assert_int_equal(module.calls, 2);
}

static void tell(void)
{
	spin_exact_tell(&exact);
}

static void what_was_timed_is_told(void **state)
{
	char text[400];

	exact.loops = 3;
	exact.too_busy = 1;
	complaints_of(tell, text, sizeof(text));
	assert_string_equal(
		text,
		"gapp: --spin exact: 3 busy-wait loops were timed exactly\n"
		"gapp: --spin exact: 1 of them was passed too often for that: samples tell how long threads waited there\n");
	exact = (struct spin_exact){ 0 };
	complaints_of(tell, text, sizeof(text));
	assert_string_equal(text, "");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_loops_that_matter),	TEST(the_loop_may_be_in_the_caller),
		TEST(one_loop_counts_once),	TEST(loops_are_chosen_again_where_there_is_no_room),
		TEST(who_may_not_is_told_once), TEST(other_errors_are_told_once),
		TEST(what_was_timed_is_told),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("spin_exact", tests, NULL, NULL);
}
