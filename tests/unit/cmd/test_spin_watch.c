// SPDX-License-Identifier: GPL-2.0
/* Which word is watched when, and what follows from what the module says. */
#include "cmd/spin_watch.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "complaints.h"
#include "input/rings.h"

#define MS(n) (1000000ULL * (n))
/* How old records are when they are taken; and how long the module takes to begin a watch. */
#define SETTLED MS(100)
#define ASKING MS(3)

/**
 * struct module - what the module was asked for, and what it says
 * @watches: it can watch words
 * @error: why it refuses, or 0
 * @calls: how often it was asked
 * @asked: the last time
 * @now_ns: CLOCK_MONOTONIC
 */
static struct module {
	bool watches;
	int error;
	unsigned int calls;
	struct gapp_watch asked;
	u64 now_ns;
} module;

static struct device device;
static struct spin_watch watch;

/* In place of libc's. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	now->tv_sec = module.now_ns / NSEC_PER_SEC;
	now->tv_nsec = module.now_ns % NSEC_PER_SEC;
	return 0;
}

/* In place of the real one. */
bool device_watches(const struct device *dev)
{
	assert_ptr_equal(dev, &device);
	return module.watches;
}

/* In place of the real one. */
int device_watch(struct device *dev, const struct gapp_watch *asked)
{
	assert_ptr_equal(dev, &device);
	module.calls++;
	module.asked = *asked;
	module.now_ns += ASKING;
	errno = module.error;
	return module.error ? -1 : 0;
}

static int begin(void **state)
{
	module = (struct module){ .watches = true };
	watch = (struct spin_watch){ 0 };
	spin_watch_begin(&watch, &device);
	return 0;
}

static int end(void **state)
{
	spin_watch_free(&watch);
	return 0;
}

/* The thread is found in a loop that waits for the word, and stays there. */
static void spins(s32 tid, u64 ns, u64 address)
{
	const struct gapp_record_slice slice = {
		.head = { .type = GAPP_RECORD_SLICE, .size = sizeof(slice), .time_ns = ns },
		.tid = tid,
		.tgid = 1,
		.image = 7,
		.wait = GAPP_WAIT_SPIN,
		.args = { address, GAPP_SPIN_COMPARED(GAPP_SPIN_WHILE_ABOVE, 2), 9 },
	};

	assert_int_equal(spun_words_slice(&watch.words, &slice), 0);
}

/* A drain has taken the records up to @ms. */
static void drained(u64 ms)
{
	module.now_ns = MS(ms) + SETTLED;
	spin_watch_next(&watch, &device, MS(ms));
}

/* After a drain up to @ms that address is watched from now on; 0: nothing new is. */
static void begins_at(u64 ms, u64 address)
{
	const unsigned int calls = module.calls;

	drained(ms);
	assert_int_equal(module.calls, calls + !!address);
	if (address)
		assert_int_equal(module.asked.address, address);
}

static void a_watch_is_bounded(void **state)
{
	spins(1, MS(10), 0x1000);
	begins_at(20, 0x1000);
	/* see the comment in spin_watch.c on what stores cost */
	assert_int_equal(module.asked.stores, 50);
	assert_int_equal(module.asked.time_ns, MS(100));
	assert_in_range(module.asked.stores, 1, GAPP_WATCH_MAX_STORES);
	assert_in_range(module.asked.time_ns, 1, GAPP_WATCH_MAX_NS);
	assert_int_equal(module.asked.pid, 1);
	assert_int_equal(module.asked.bytes, 2);
	/* the reader leaves out the values with which loops go on */
	assert_int_equal(module.asked.number, 0);
	assert_int_equal(module.asked.goes_on, GAPP_SPIN_WHILE_UNKNOWN);
	assert_int_equal(module.asked.reserved, 0);
}

static void one_word_is_watched_after_the_other(void **state)
{
	begins_at(10, 0);
	spins(1, MS(10), 0x1000);
	spins(2, MS(10), 0x1000);
	spins(3, MS(12), 0x2000);
	begins_at(20, 0x1000);
	/* until it has ended */
	begins_at(119, 0);
	begins_at(120, 0x1000);
	begins_at(219, 0);
	/* 200 ms of two threads since then, and 208 ms of one */
	begins_at(220, 0x2000);
	begins_at(319, 0);
	begins_at(330, 0x1000);
	begins_at(420, 0);
	/* what was waited for until then has its turn still */
	spun_words_lost(&watch.words);
	begins_at(500, 0x2000);
	begins_at(700, 0);
	/* as soon as there is one again */
	spins(4, MS(705), 0x3000);
	begins_at(710, 0x3000);
}

/* Whether a store at @stored_ns is known to have ended the wait of thread 1 at @end_ns. */
static bool is_seen(u64 stored_ns, u64 end_ns)
{
	const struct gapp_record_store store = {
		.head = { .type = GAPP_RECORD_STORE, .size = sizeof(store), .time_ns = stored_ns },
		.tid = 2,
		.tgid = 1,
		.image = 7,
		.address = 0x1000,
	};
	const struct gapp_record_wake wake = {
		.head = { .type = GAPP_RECORD_WAKE, .size = sizeof(wake), .time_ns = end_ns },
		.tid = 1,
		.tgid = 1,
	};
	struct told_wake told;

	spins(1, MS(10), 0x1000);
	spun_words_store(&watch.words, &store, 0);
	return spun_words_wake(&watch.words, &wake, &told) != &wake;
}

/* From when the module has said that it watches, and as long as it was asked to. */
static void ends_are_seen_while_a_watch_goes_on(void **state)
{
	const u64 from_ns = MS(20) + SETTLED + ASKING, to_ns = MS(20) + SETTLED + MS(100);

	spins(1, MS(10), 0x1000);
	begins_at(20, 0x1000);
	assert_false(is_seen(from_ns - 1, from_ns - 1));
	assert_true(is_seen(from_ns, from_ns));
	assert_true(is_seen(to_ns, to_ns));
	assert_false(is_seen(to_ns, to_ns + 1));
	/* not where it was refused */
	spins(1, MS(10), 0x1000);
	module.error = EBUSY;
	begins_at(500, 0x1000);
	assert_false(is_seen(MS(600) + ASKING, MS(600) + ASKING));
}

static void nothing_is_watched_where_the_session_cannot(void **state)
{
	module.watches = false;
	spin_watch_begin(&watch, &device);
	spins(1, MS(10), 0x1000);
	begins_at(1000, 0);
}

static void ask_twice(void)
{
	spins(1, MS(10), 0x1000);
	spins(2, MS(10), 0x1000);
	spins(3, MS(10), 0x2000);
	begins_at(20, 0x1000);
	drained(200);
}

/* Asks twice where the module refuses with @error; what is complained of is @complaint. */
static void refuse(int error, const char *complaint)
{
	char text[512];

	end(NULL);
	begin(NULL);
	module.error = error;
	complaints_of(ask_twice, text, sizeof(text));
	assert_string_equal(text, complaint);
}

static void what_is_in_use_is_tried_again(void **state)
{
	static const struct {
		int error;
		const char *complaint;
	} cases[] = {
		/* said once */
		{ .complaint =
			  "gapp: a debugger uses the processor's breakpoints: who ended some waits in busy-wait loops is not seen\n",
		  .error = ENOSPC },
		{ .complaint = "", .error = EBUSY },
		{ .complaint = "", .error = ENOMEM },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		refuse(cases[i].error, cases[i].complaint);
		assert_int_equal(module.calls, 2);
		module.error = 0;
		/* that one has had its turns, at 20 and 200 ms */
		begins_at(350, 0x2000);
		begins_at(450, 0x1000);
	}
}

static void a_word_that_cannot_be_watched_is_left_out(void **state)
{
	static const int errors[] = { EINVAL, ESRCH };

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		refuse(errors[i], "");
		assert_int_equal(module.calls, 2);
		assert_int_equal(module.asked.address, 0x2000);
		module.error = 0;
		begins_at(1000, 0);
		spins(4, MS(1000), 0x3000);
		begins_at(1010, 0x3000);
	}
}

/* Then nothing is asked for any more. */
static void a_session_that_may_not_watch_is_told_of(void **state)
{
	static const struct {
		int error;
		const char *complaint;
	} cases[] = {
		{ .complaint =
			  "gapp: this machine does not tell who stores into a word: who ended waits in busy-wait loops is not known\n",
		  .error = EOPNOTSUPP },
		{ .complaint =
			  "gapp: who ended waits in busy-wait loops cannot be watched: Input/output error\n",
		  .error = EIO },
		/* who may not profile the machine, and a session that root has ended */
		{ .complaint = "", .error = EPERM },
		{ .complaint = "", .error = ENOTCONN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		refuse(cases[i].error, cases[i].complaint);
		assert_int_equal(module.calls, 1);
		begins_at(1000, 0);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_watch_is_bounded),
		TEST(one_word_is_watched_after_the_other),
		TEST(ends_are_seen_while_a_watch_goes_on),
		TEST(nothing_is_watched_where_the_session_cannot),
		TEST(what_is_in_use_is_tried_again),
		TEST(a_word_that_cannot_be_watched_is_left_out),
		TEST(a_session_that_may_not_watch_is_told_of),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("spin_watch", tests, NULL, NULL);
}
