// SPDX-License-Identifier: GPL-2.0
/* Which busy-wait loops are timed exactly, and what follows from what the module says. */
#include "cmd/spin_exact.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "complaints.h"

#define LOOP 0x1000ULL
#define YIELD 0x7000ULL
/* A call ends there, before which there is no code. */
#define NOBODY 1
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

static struct object program = { .kind = OBJECT_FILE, .name = (char *)"prog" };

/* In place of the real one: addresses are those of a file. */
struct code_address maps_find(struct maps *maps, pid_t pid, u64 address)
{
	assert_ptr_equal(maps, &program);
	assert_int_equal(pid, 5);
	return (struct code_address){ &program, address };
}

/* In place of the real one. */
void object_keep(struct object *object)
{
	assert_ptr_equal(object, &program);
}

static void next(void)
{
	spin_exact_next(&exact, &device, (struct maps *)&program);
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
	next();
	assert_int_equal(module.calls, 0);
	found(LOOP, 0x9000, 1);
	found(LOOP + 0x100, 0x9000, 4);
	next();
	assert_int_equal(module.asked.address, LOOP + 0x100);
	assert_int_equal(module.asked.pid, 5);
	assert_int_equal(module.asked.passes, 2000);
	next();
	assert_int_equal(module.asked.address, LOOP);
	assert_int_equal(module.calls, 2);
	assert_int_equal(exact.loops, 2);
}

static void the_loop_may_be_in_the_caller(void **state)
{
	module.error_at.address = YIELD;
	module.error_at.error = ENOENT;
	found(YIELD, LOOP + 5, 3);
	next();
	assert_int_equal(module.calls, 2);
	assert_int_equal(module.asked.address, LOOP + 4);
	assert_int_equal(exact.loops, 1);
}

static void one_loop_counts_once(void **state)
{
	found(LOOP, 0x9000, 3);
	next();
	module.error = EEXIST;
	found(LOOP + 2, 0x9000, 3);
	next();
	assert_int_equal(exact.loops, 1);
	assert_int_equal(exact.too_busy, 0);
	/* the module is asked whether it has given the loop up, for the place that it began with */
	next();
	assert_int_equal(module.asked.address, LOOP);
	module.error = EDQUOT;
	next();
	assert_int_equal(exact.too_busy, 1);
	module.calls = 0;
	next();
	assert_int_equal(module.calls, 0);
	assert_int_equal(exact.too_busy, 1);
}

static void tell(void)
{
	spin_exact_tell(&exact);
}

/* The place whose loop is timed from an address, as far as that is known. */
static const struct timed_loop *timed(u64 address)
{
	for (u32 i = 0; i < exact.timed.index.count; i++)
		if (exact.timed.rows[i].key.address == address)
			return &exact.timed.rows[i];
	fail_msg("the loop at %#llx was not timed", (unsigned long long)address);
	return NULL;
}

static void how_long_loops_were_timed_is_known(void **state)
{
	found(LOOP, 0x9000, 4);
	found(LOOP + 0x100, 0x9000, 3);
	next();
	module.now_ns += 2 * SECOND;
	next();
	module.now_ns += 3 * SECOND;
	module.error_at.address = LOOP;
	module.error_at.error = EDQUOT;
	module.error = EEXIST;
	/* one loop after the other is asked for */
	next();
	next();
	module.now_ns += 4 * SECOND;
	spin_exact_end(&exact);
	spin_exact_end(&exact);
	assert_int_equal(exact.timed.index.count, 2);
	assert_int_equal(timed(LOOP)->timed_ns, 5 * SECOND);
	assert_true(timed(LOOP)->given_up);
	assert_ptr_equal(timed(LOOP)->code.object, &program);
	assert_int_equal(timed(LOOP)->code.offset, LOOP);
	assert_int_equal(timed(LOOP + 0x100)->timed_ns, 7 * SECOND);
	assert_false(timed(LOOP + 0x100)->given_up);
}

static void times_before_and_after_loops_are_chosen_again_are_one(void **state)
{
	found(LOOP, 0x9000, 3);
	next();
	module.error = ENOSPC;
	found(LOOP + 0x100, 0x9000, 3);
	next();
	module.error = 0;
	module.now_ns += 11 * SECOND;
	next();
	module.now_ns += 100 * SECOND;
	found(LOOP, 0x9000, 3);
	next();
	module.now_ns += 2 * SECOND;
	spin_exact_end(&exact);
	assert_int_equal(exact.loops, 1);
	assert_int_equal(timed(LOOP)->timed_ns, 13 * SECOND);
}

/* A program that generates code may spin in very many places. */
static void many_places_are_forgotten(void **state)
{
	found(LOOP, 0x9000, 3);
	next();
	for (u32 i = 1; i <= 9000; i++)
		found(LOOP + 0x100 * i, 0x9000, 1);
	assert_true(exact.places.index.count <= 4096);
	/* the loop that is timed is still asked for */
	module.error = EDQUOT;
	module.now_ns += SECOND;
	next();
	assert_int_equal(module.asked.address, LOOP);
	assert_true(timed(LOOP)->given_up);
	assert_int_equal(timed(LOOP)->timed_ns, SECOND);
	assert_int_equal(exact.too_busy, 1);
}

static void only_so_many_loops_are_known(void **state)
{
	for (u32 i = 1; i <= 4100; i++) {
		found(LOOP + 0x100 * i, 0x9000, 3);
		next();
	}
	spin_exact_end(&exact);
	assert_int_equal(exact.loops, 4100);
	assert_int_equal(exact.timed.index.count, 4096);
}

/* The session was stopped, or ended by its owner. */
static void ends_with_the_session(void **state)
{
	char text[400];

	found(LOOP, 0x9000, 3);
	next();
	module.error = ENOTCONN;
	module.now_ns += SECOND;
	complaints_of(next, text, sizeof(text));
	assert_string_equal(text, "");
	assert_false(exact.on);
	assert_int_equal(timed(LOOP)->timed_ns, SECOND);
	assert_false(timed(LOOP)->given_up);
	module.calls = 0;
	found(LOOP + 0x100, 0x9000, 3);
	next();
	assert_int_equal(module.calls, 0);
	/* what was timed before is still told */
	complaints_of(tell, text, sizeof(text));
	assert_string_equal(text, "gapp: --spin exact: 1 busy-wait loop was timed exactly\n");
}

/* Also when a place is asked for, and not a loop that is timed. */
static void a_session_that_ended_is_asked_for_nothing(void **state)
{
	char text[400];

	module.error = ENOTCONN;
	found(LOOP, 0x9000, 3);
	complaints_of(next, text, sizeof(text));
	assert_string_equal(text, "");
	assert_false(exact.on);
	next();
	assert_int_equal(module.calls, 1);
}

/* No loop is there, or not all of its exits are known; the process has gone. */
static void refused_places_are_not_asked_for_again(void **state)
{
	static const int errors[] = { ENOENT, ESRCH, EDQUOT };
	char text[400];

	for (u32 i = 0; i < ARRAY_SIZE(errors); i++) {
		const u64 place = LOOP + 0x100 * i;

		module.error = errors[i];
		module.calls = 0;
		found(place, NOBODY, 3);
		complaints_of(next, text, sizeof(text));
		assert_string_equal(text, "");
		assert_true(exact.on);
		assert_int_equal(module.asked.address, place);
		assert_int_equal(module.calls, 1);
		/* however often threads are found there */
		module.error = 0;
		found(place, NOBODY, 100);
		next();
		assert_int_equal(module.calls, 1);
	}
	assert_int_equal(exact.loops, 0);
	assert_int_equal(exact.too_busy, 1);
	/* others are */
	found(LOOP + 0x1000, NOBODY, 3);
	next();
	assert_int_equal(module.asked.address, LOOP + 0x1000);
	assert_int_equal(exact.loops, 1);
}

/* Nor when there is room again. */
static void refused_places_stay_refused_when_loops_are_chosen_again(void **state)
{
	module.error = ENOENT;
	found(LOOP, NOBODY, 3);
	next();
	module.error = 0;
	found(LOOP + 0x100, NOBODY, 3);
	next();
	module.error = ENOSPC;
	found(LOOP + 0x200, NOBODY, 3);
	next();
	module.error = 0;
	module.now_ns += 11 * SECOND;
	next();
	assert_int_equal(module.asked.pid, 0);
	found(LOOP, NOBODY, 50);
	found(LOOP + 0x200, NOBODY, 3);
	next();
	assert_int_equal(module.asked.address, LOOP + 0x200);
	module.calls = 0;
	module.error = EEXIST;
	next();
	assert_int_equal(module.calls, 1);
	assert_int_equal(module.asked.address, LOOP + 0x200);
}

/* A process that has ended is noticed when its loop is asked for again. */
static void a_loop_ends_with_its_process(void **state)
{
	found(LOOP, 0x9000, 3);
	next();
	module.now_ns += SECOND;
	module.error = ESRCH;
	next();
	assert_int_equal(timed(LOOP)->timed_ns, SECOND);
	assert_false(timed(LOOP)->given_up);
	module.now_ns += SECOND;
	spin_exact_end(&exact);
	assert_int_equal(timed(LOOP)->timed_ns, SECOND);
	assert_true(exact.on);
}

static void loops_are_chosen_again_where_there_is_no_room(void **state)
{
	found(LOOP, 0x9000, 3);
	next();
	module.error = ENOSPC;
	found(LOOP + 0x100, 0x9000, 3);
	next();
	assert_true(exact.full);
	module.error = EEXIST;
	module.now_ns += 10 * SECOND;
	next();
	assert_int_equal(module.asked.address, LOOP);
	module.error = 0;
	module.now_ns++;
	next();
	assert_int_equal(module.asked.pid, 0);
	assert_int_equal(module.asked.address, 0);
	assert_false(exact.full);
	found(LOOP + 0x100, 0x9000, 3);
	next();
	assert_int_equal(module.asked.address, LOOP + 0x100);
}

static void refuse(void)
{
	for (int i = 0; i < 2; i++) {
		found(LOOP + i, 0x9000, 3);
		next();
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
		TEST(only_loops_that_matter),
		TEST(the_loop_may_be_in_the_caller),
		TEST(one_loop_counts_once),
		TEST(loops_are_chosen_again_where_there_is_no_room),
		TEST(who_may_not_is_told_once),
		TEST(other_errors_are_told_once),
		TEST(what_was_timed_is_told),
		TEST(how_long_loops_were_timed_is_known),
		TEST(times_before_and_after_loops_are_chosen_again_are_one),
		TEST(many_places_are_forgotten),
		TEST(only_so_many_loops_are_known),
		TEST(ends_with_the_session),
		TEST(a_session_that_ended_is_asked_for_nothing),
		TEST(refused_places_are_not_asked_for_again),
		TEST(refused_places_stay_refused_when_loops_are_chosen_again),
		TEST(a_loop_ends_with_its_process),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("spin_exact", tests, NULL, NULL);
}
