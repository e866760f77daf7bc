// SPDX-License-Identifier: GPL-2.0
/* Which word that threads spin for is worth a watch, and how many of them there may be. */
#include "made_spins.h"
#include "starve.h"

/* As in spun_words.c. */
#define WORDS_MAX 4096
#define SPINNERS_MAX 65536
#define WORTH_NS MS(1)
#define FORGOTTEN_NS MS(60000)

/* while (!word) */
static const struct loop third = { IMAGE, 0x3000, GAPP_SPIN_WHILE_EQUAL, 1, 0 };

/* Fails unless @loop's word is worth a watch next, at @ns. */
static struct spun_word *next_is(u64 ns, const struct loop *loop, struct gapp_watch *watch)
{
	struct spun_word *word = spun_words_next(&words, ns, watch);

	assert_non_null(word);
	assert_int_equal(word->key.address, loop->address);
	assert_int_equal(word->key.image, loop->image);
	assert_int_equal(watch->address, loop->address);
	return word;
}

static void none_is_next(u64 ns)
{
	struct gapp_watch watch;

	assert_null(spun_words_next(&words, ns, &watch));
}

static void a_watch_asks_for_what_ends_the_wait(void **state)
{
	const struct gapp_watch of_flag = { .address = flag.address,
					    .pid = process_of(350),
					    .goes_on = GAPP_SPIN_WHILE_UNKNOWN,
					    .bytes = 8 };
	const struct gapp_watch of_any = { .address = any.address,
					   .pid = process_of(2),
					   .bytes = 4 };
	struct loop unknown = any;
	struct gapp_watch watch;

	memset(&watch, 0xff, sizeof(watch));
	spins(350, MS(10), &flag);
	/* the process of the first that waited */
	spins(1, MS(10), &flag);
	next_is(MS(20), &flag, &watch);
	assert_memory_equal(&watch, &of_flag, sizeof(watch));
	spun_words_lost(&words);
	spins(2, MS(30), &any);
	next_is(MS(40), &any, &watch);
	assert_memory_equal(&watch, &of_any, sizeof(watch));
	/* at least one byte can be watched */
	spun_words_lost(&words);
	unknown.address = 0x6001;
	unknown.bytes = 0;
	spins(2, MS(50), &unknown);
	next_is(MS(60), &unknown, &watch);
	assert_int_equal(watch.bytes, 1);
	assert_int_equal(watch.goes_on, 0);
}

/* Any store may end a wait of one of them. */
static void loops_that_compare_one_word_differently(void **state)
{
	const struct loop one = { IMAGE, 0x1000, GAPP_SPIN_WHILE_NOT_EQUAL, 4, 5 };
	const struct loop others[] = {
		{ IMAGE, 0x1000, GAPP_SPIN_WHILE_EQUAL, 4, 5 },
		{ IMAGE, 0x1000, GAPP_SPIN_WHILE_NOT_EQUAL, 4, 9 },
		{ IMAGE, 0x1000, GAPP_SPIN_WHILE_NOT_EQUAL, 1, 5 },
		{ IMAGE, 0x1000, GAPP_SPIN_WHILE_NOT_EQUAL, 8, 5 },
	};
	struct gapp_watch watch;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		spins(1, MS(10), &one);
		spins(2, MS(10), &one);
		spins(3, MS(11), &others[i]);
		spins(4, MS(12), &one);
		next_is(MS(20), &one, &watch);
		assert_int_equal(watch.goes_on, GAPP_SPIN_WHILE_UNKNOWN);
		assert_int_equal(watch.number, 0);
		assert_int_equal(watch.bytes, others[i].bytes > 4 ? others[i].bytes : 4);
		/* of those that wait now */
		spun_words_lost(&words);
		spins(3, MS(30), &others[i]);
		next_is(MS(40), &one, &watch);
		assert_int_equal(watch.bytes, others[i].bytes);
		end(NULL);
		begin(NULL);
	}
}

/* Of each wait its own loop says what may have ended it. */
static void each_loop_has_its_own_end(void **state)
{
	const struct loop one = { IMAGE, 0x1000, GAPP_SPIN_WHILE_NOT_EQUAL, 4, 5 };
	const struct loop other = { IMAGE, 0x1000, GAPP_SPIN_WHILE_EQUAL, 4, 5 };

	spins(1, MS(30), &one);
	spins(3, MS(30), &other);
	watched(&one, 0, MS(100));
	stores(2, MS(32), &one, 5);
	stores(5, MS(33), &one, 0);
	ended_by(3, MS(36), 5);
	ended_by(1, MS(36), 2);
}

static void times_without_active_threads_count_for_their_word(void **state)
{
	const struct gapp_record_wait waits[] = { wait_of(1, MS(10), MS(15), &flag),
						  wait_of(1, MS(20), MS(24), &lock),
						  wait_of(2, MS(30), MS(33), &lock) };
	struct gapp_watch watch;

	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		wait_ended_by_nobody(&waits[i]);
	next_is(MS(40), &lock, &watch);
	assert_int_equal(watch.bytes, 4);
	assert_int_equal(watch.goes_on, GAPP_SPIN_WHILE_UNKNOWN);
	assert_int_equal(watch.pid, process_of(1));
	next_is(MS(40), &flag, &watch);
	assert_int_equal(watch.number, 0);
	none_is_next(MS(1000));
}

/* A thread that was found in its loop counts from then on, whatever the record of its wait says. */
static void no_time_counts_twice(void **state)
{
	const struct gapp_record_wait wait = wait_of(1, MS(12), MS(20), &lock);
	struct gapp_watch watch;

	spins(1, MS(10), &lock);
	spins(2, MS(10), &flag);
	spins(3, MS(15), &flag);
	wait_ended_by_nobody(&wait);
	ended_by_nobody(1, MS(20));
	/* 10 ms of one; and 10 and 5 ms */
	next_is(MS(20), &flag, &watch);
	next_is(MS(20), &lock, &watch);
	/* it counts where the thread was found in a loop for another word, or is in none */
	spins(1, MS(30), &flag);
	wait_ended_by_nobody(&wait);
	assert_int_equal(words.words.rows[0].waited_ns, MS(8));
	ended_by_nobody(1, MS(30));
	wait_ended_by_nobody(&wait);
	assert_int_equal(words.words.rows[0].waited_ns, MS(16));
}

static void the_word_with_most_waiting_is_next(void **state)
{
	struct gapp_watch watch;

	none_is_next(MS(10));
	/* a wait that has ended, and one that goes on */
	spins(1, MS(10), &lock);
	ended_by_nobody(1, MS(17));
	spins(2, MS(10), &flag);
	next_is(MS(16), &lock, &watch);
	spins(1, MS(20), &lock);
	ended_by_nobody(1, MS(21));
	next_is(MS(22), &flag, &watch);
}

static void each_thread_that_waits_counts(void **state)
{
	struct gapp_watch watch;

	spins(1, MS(10), &flag);
	spins(2, MS(13), &lock);
	spins(3, MS(13), &lock);
	spins(4, MS(14), &lock);
	/* 10 ms of one; and 7, 7 and 6 ms */
	next_is(MS(20), &lock, &watch);
	next_is(MS(20), &flag, &watch);
	none_is_next(MS(20));
	/* one thread is left for each, until one of them ends, too */
	ended_by_nobody(2, MS(20));
	ended_by_nobody(4, MS(20));
	ended_by_nobody(1, MS(25));
	next_is(MS(26), &lock, &watch);
	assert_int_equal(words.words.rows[0].waited_ns, MS(5));
}

static void little_waiting_is_worth_no_watch(void **state)
{
	struct gapp_watch watch;

	spins(1, MS(10), &lock);
	none_is_next(MS(10) + WORTH_NS - 1);
	/* nothing of it was forgotten */
	next_is(MS(10) + WORTH_NS, &lock, &watch);
	none_is_next(MS(10) + 2 * WORTH_NS - 1);
	next_is(MS(10) + 2 * WORTH_NS, &lock, &watch);
	/* an earlier time changes nothing */
	none_is_next(MS(5));
	none_is_next(MS(10) + 3 * WORTH_NS - 1);
}

static void each_word_has_its_turn(void **state)
{
	u32 turns[3] = { 0 };
	struct gapp_watch watch;

	spins(1, 0, &lock);
	spins(2, 0, &lock);
	spins(3, 0, &lock);
	spins(4, 0, &lock);
	spins(5, 0, &flag);
	spins(6, 0, &flag);
	spins(7, 0, &third);
	for (u64 ms = 100; ms <= 7000; ms += 100) {
		const struct spun_word *word = spun_words_next(&words, MS(ms), &watch);

		assert_non_null(word);
		turns[word - words.words.rows]++;
	}
	assert_int_equal(turns[0] + turns[1] + turns[2], 70);
	assert_true(turns[0] > turns[1] && turns[1] > turns[2] && turns[2] >= 10);
}

static void what_cannot_be_watched_is_left_out(void **state)
{
	struct gapp_watch watch;

	spins(1, MS(10), &lock);
	spins(2, MS(15), &flag);
	next_is(MS(20), &lock, &watch)->refused = true;
	next_is(MS(30), &flag, &watch);
	next_is(MS(40), &flag, &watch)->refused = true;
	none_is_next(MS(50));
}

/* It has ended, or does not run any more; nobody hears of its end. */
static void a_thread_that_is_never_heard_of_again_is_forgotten(void **state)
{
	struct gapp_watch watch;

	spins(1, MS(10), &lock);
	next_is(MS(10) + FORGOTTEN_NS, &lock, &watch);
	/* once more, for the time up to now */
	next_is(MS(20) + FORGOTTEN_NS, &lock, &watch);
	none_is_next(MS(40) + FORGOTTEN_NS);
	/* even if it is heard of */
	ended_by_nobody(1, MS(50) + FORGOTTEN_NS);
	none_is_next(MS(60) + FORGOTTEN_NS);
	/* the word is not */
	spins(2, MS(100) + FORGOTTEN_NS, &lock);
	next_is(MS(110) + FORGOTTEN_NS, &lock, &watch);
	spins(3, MS(120) + FORGOTTEN_NS, &lock);
	next_is(MS(110) + 2 * FORGOTTEN_NS, &lock, &watch);
	next_is(MS(120) + 2 * FORGOTTEN_NS, &lock, &watch);
	next_is(MS(130) + 2 * FORGOTTEN_NS, &lock, &watch);
	none_is_next(3 * FORGOTTEN_NS);
}

/* As many as a machine's processes may have in a day: then it begins anew. */
static void words_are_bounded(void **state)
{
	struct loop loop = any;
	struct gapp_watch watch;

	spins(2, MS(10), &flag);
	spins(3, MS(10), &lock);
	for (u32 i = 2; i < WORDS_MAX; i++) {
		loop.address = 0x10000 + 8 * i;
		spins(1, MS(10) + i, &loop);
	}
	assert_int_equal(words.words.index.count, WORDS_MAX);
	watched(&loop, 0, MS(1000));
	stores(4, MS(15), &loop, 0);
	ended_by(1, MS(16), 4);
	/* one more, for which a thread waits that was known before */
	loop.address += 8;
	spins(3, MS(20), &loop);
	assert_int_equal(words.words.index.count, 1);
	assert_int_equal(words.spinners.index.count, 1);
	watched(&loop, 0, MS(1000));
	stores(4, MS(25), &loop, 0);
	ended_by(3, MS(30), 4);
	ended_by_nobody(2, MS(30));
	next_is(MS(40), &loop, &watch);
	none_is_next(MS(1000));
}

static void words_of_times_without_active_threads_are_bounded(void **state)
{
	struct gapp_record_wait wait;
	struct loop loop = any;

	for (u32 i = 0; i < WORDS_MAX; i++) {
		loop.address = 0x10000 + 8 * i;
		spins(1, MS(10) + i, &loop);
	}
	loop.address += 8;
	wait = wait_of(1, MS(20), MS(50), &loop);
	wait_ended_by_nobody(&wait);
	assert_int_equal(words.words.index.count, 1);
	assert_int_equal(words.words.rows[0].waited_ns, MS(30));
	ended_by_nobody(1, MS(50));
}

static void threads_are_bounded(void **state)
{
	for (s32 tid = 1; tid <= SPINNERS_MAX; tid++)
		spins(tid, MS(10), &any);
	spins(SPINNERS_MAX + 1, MS(10), &any);
	assert_int_equal(words.spinners.index.count, SPINNERS_MAX);
	assert_int_equal(words.words.rows[0].waiting, SPINNERS_MAX);
	watched(&any, 0, MS(100));
	stores(2, MS(12), &any, 0);
	ended_by(SPINNERS_MAX, MS(16), 2);
	ended_by_nobody(SPINNERS_MAX + 1, MS(16));
	assert_int_equal(words.words.rows[0].waiting, SPINNERS_MAX - 1);
}

/* Until there is enough memory each says that there is none. */
static void missing_memory_is_told(void **state)
{
	const struct gapp_record_slice slice = found_in(1, MS(10), &lock);
	const struct gapp_record_wait wait = wait_of(1, MS(10), MS(20), &flag);
	size_t slices = 0, waits = 0;
	struct told_wait told;

	for (bool starved = true; starved; slices++) {
		memory = slices;
		starved = spun_words_slice(&words, &slice);
		memory = SIZE_MAX;
		end(NULL);
		begin(NULL);
	}
	for (bool starved = true; starved; waits++) {
		const struct gapp_record_wait *of = &wait;

		memory = waits;
		starved = spun_words_wait(&words, &of, &told);
		memory = SIZE_MAX;
		assert_ptr_equal(of, &wait);
		end(NULL);
		begin(NULL);
	}
	/* an array and an index, for a word and for a thread */
	assert_int_equal(slices - 1, 4);
	assert_int_equal(waits - 1, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_watch_asks_for_what_ends_the_wait),
		TEST(loops_that_compare_one_word_differently),
		TEST(each_loop_has_its_own_end),
		TEST(times_without_active_threads_count_for_their_word),
		TEST(no_time_counts_twice),
		TEST(the_word_with_most_waiting_is_next),
		TEST(each_thread_that_waits_counts),
		TEST(little_waiting_is_worth_no_watch),
		TEST(each_word_has_its_turn),
		TEST(what_cannot_be_watched_is_left_out),
		TEST(a_thread_that_is_never_heard_of_again_is_forgotten),
		TEST(words_are_bounded),
		TEST(words_of_times_without_active_threads_are_bounded),
		TEST(threads_are_bounded),
		TEST(missing_memory_is_told),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("watched_words", tests, NULL, NULL);
}
