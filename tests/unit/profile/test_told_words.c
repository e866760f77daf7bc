// SPDX-License-Identifier: GPL-2.0
/* Which instructions end waits for a word, and what is known while their stores are told. */
#include "made_spins.h"

static void spins_watched(s32 tid, const struct loop *loop)
{
	spins(tid, MS(10), loop);
	watched(loop, 0, MS(100));
}

/* The address of the instruction, and in it where a watch finds that it has stored. */
#define BEGIN 0x400100
#define IN 0x400102

/* A watch finds that an instruction has stored. */
static void stores_from(s32 tid, u64 ns, const struct loop *loop, u64 value, u64 from)
{
	const struct gapp_record_store store = store_of(tid, ns, loop, value);

	spun_words_store(&words, &store, from);
}

/* A breakpoint tells of a store. */
static void is_told(s32 tid, u64 ns, const struct loop *loop, u64 value, u64 begin)
{
	struct gapp_record_store store = store_of(tid, ns, loop, value);

	store.flags = GAPP_STORE_AT_POINT;
	spun_words_store(&words, &store, begin);
}

static void is_given_up(u64 ns, u64 begin)
{
	const struct gapp_record_store store = {
		.head = { .type = GAPP_RECORD_STORE, .size = sizeof(store), .time_ns = ns },
		.flags = GAPP_STORE_AT_POINT | GAPP_STORE_LAST,
		.image = IMAGE,
		.address = begin,
	};

	spun_words_store(&words, &store, 0);
}

static struct store_site *site_of(u64 from)
{
	const struct store_site_key key = { IMAGE, from };
	const u32 number = keyed_find(&words.sites.all, &key);

	assert_int_not_equal(number, HASH_NONE);
	return &words.sites.all.rows[number];
}

/* It is known what the instruction stores, which is told from @from_ns on: 4 bytes become @with. */
static void tell(u64 from, u64 from_ns)
{
	struct store_site *site = site_of(from);

	site->point = (struct gapp_store_point){ .address = from - (IN - BEGIN),
						 .bytes = 4,
						 .how = GAPP_STORE_SETS };
	store_site_told(site, from_ns);
}

/* A watch from 0 to 20 ms has found that instructions give the lock back. */
static void learn(u64 from)
{
	spins(1, MS(1), &lock);
	watched(&lock, 0, MS(20));
	stores_from(2, MS(12), &lock, 0, from);
	ended_by(1, MS(14), 2);
}

/* Whether an instruction ended the wait of thread 1 is known without a watch. */
static bool is_seen(u64 ns)
{
	const struct gapp_record_wake wake = wake_of(1, ns);
	struct told_wake told;

	spins(1, ns - US(20), &lock);
	is_told(3, ns, &lock, 0, BEGIN);
	return spun_words_wake(&words, &wake, &told) != &wake;
}

static void which_instruction_ends_waits_is_learned(void **state)
{
	spins_watched(1, &lock);
	stores_from(2, MS(12), &lock, 0, IN);
	stores_from(1, MS(13), &lock, 1, IN + 0x10);
	stores_from(2, MS(14), &lock, 0, IN);
	/* there was no time for a path */
	stores_from(2, MS(15), &lock, 0, 0);
	/* nobody waits for that one */
	stores_from(2, MS(15), &flag, 0, IN + 0x20);
	assert_int_equal(words.sites.all.index.count, 2);
	assert_int_equal(site_of(IN)->stores, 2);
	assert_int_equal(site_of(IN)->ends, 2);
	assert_int_equal(site_of(IN)->tgid, process_of(2));
	assert_int_equal(site_of(IN + 0x10)->stores, 1);
	assert_int_equal(site_of(IN + 0x10)->ends, 0);
	assert_int_equal(words.sites.ends, 2);
	assert_int_equal(words.words.rows[0].site_count, 1);
	assert_false(words.words.rows[0].untold);
	/* what is known of instructions is kept with other words */
	spun_words_lost(&words);
	assert_int_equal(words.sites.all.index.count, 2);
}

/* Another thread has taken the lock when the word is read. */
static void a_constant_is_truer_than_the_value_seen_too_late(void **state)
{
	spins_watched(1, &lock);
	stores_from(2, MS(12), &lock, 1, IN);
	ended_by_nobody(1, MS(13));
	tell(IN, MS(90));
	store_sites_ended(&words.sites, MS(90));
	spins(1, MS(20), &lock);
	stores_from(2, MS(22), &lock, 1, IN);
	ended_by(1, MS(23), 2);
	assert_int_equal(site_of(IN)->ends, 1);
	/* and the other way */
	site_of(IN)->point.number = 3;
	spins(1, MS(30), &lock);
	stores_from(2, MS(32), &lock, 0, IN);
	ended_by_nobody(1, MS(33));
	assert_int_equal(site_of(IN)->ends, 1);
}

static void while_its_instruction_is_told_ends_need_no_watch(void **state)
{
	learn(IN);
	assert_false(is_seen(MS(30)));
	tell(IN, MS(40));
	assert_false(is_seen(MS(40) - 1));
	assert_true(is_seen(MS(40)));
	assert_true(is_seen(MS(41)));
	ended_by_nobody(1, MS(42));
	/* a store from before does not count */
	spins(1, MS(39), &lock);
	ended_by(1, MS(43), 3);
	store_sites_ended(&words.sites, MS(50));
	assert_true(is_seen(MS(50)));
	assert_false(is_seen(MS(50) + 1));
	/* with which the loop goes on */
	tell(IN, MS(60));
	spins(1, MS(61), &lock);
	is_told(3, MS(62), &lock, 0, BEGIN);
	is_told(4, MS(63), &lock, 1, BEGIN + 0x40);
	ended_by(1, MS(64), 3);
}

static void stores_before_it_is_told_do_not_count(void **state)
{
	learn(IN);
	spins(1, MS(30), &lock);
	is_told(3, MS(40) - 1, &lock, 0, BEGIN);
	tell(IN, MS(40));
	ended_by_nobody(1, MS(45));
	/* a watch that began earlier goes on */
	watched(&lock, MS(35), MS(60));
	spins(1, MS(30), &lock);
	ended_by(1, MS(45), 3);
}

static void with_two_instructions_both_must_be_told(void **state)
{
	learn(IN);
	learn(IN + 0x10);
	assert_int_equal(words.words.rows[0].site_count, 2);
	tell(IN, MS(30));
	assert_false(is_seen(MS(35)));
	tell(IN + 0x10, MS(40));
	assert_false(is_seen(MS(40) - 1));
	assert_true(is_seen(MS(40)));
	/* since the later one */
	spins(1, MS(25), &lock);
	is_told(4, MS(40) - 1, &lock, 0, BEGIN);
	ended_by_nobody(1, MS(45));
	store_site_ended(site_of(IN), STORE_SITE_KNOWN, MS(50));
	assert_true(is_seen(MS(50)));
	assert_false(is_seen(MS(50) + 1));
}

static void of_what_the_kernel_stores_nothing_is_told(void **state)
{
	struct gapp_record_store store = store_of(2, MS(13), &lock, 1);

	learn(IN);
	tell(IN, MS(30));
	store.flags = GAPP_STORE_IN_KERNEL;
	/* it goes on */
	spun_words_store(&words, &store, IN + 0x10);
	assert_true(is_seen(MS(40)));
	store.value = 0;
	spun_words_store(&words, &store, IN + 0x10);
	assert_int_equal(words.sites.all.index.count, 1);
	assert_int_equal(words.sites.ends, 3);
	assert_true(words.words.rows[0].untold);
	assert_false(is_seen(MS(50)));
}

static void of_some_instructions_a_word_can_be_told(void **state)
{
	for (u32 i = 0; i < SPUN_SITES; i++)
		learn(IN + 0x10 * i);
	for (u32 i = 0; i < SPUN_SITES; i++)
		tell(IN + 0x10 * i, MS(30));
	assert_true(is_seen(MS(40)));
	learn(IN);
	assert_true(is_seen(MS(50)));
	learn(IN + 0x10 * SPUN_SITES);
	assert_false(is_seen(MS(60)));
	tell(IN + 0x10 * SPUN_SITES, MS(30));
	assert_false(is_seen(MS(70)));
	assert_int_equal(words.words.rows[0].site_count, SPUN_SITES);
}

/* There is no room for what is known of it. */
static void of_an_instruction_too_many_nothing_is_told(void **state)
{
	learn(IN);
	tell(IN, MS(30));
	for (u32 i = 0; store_sites_note(&words.sites, IMAGE, 0x1000 + i, 1) != HASH_NONE; i++)
		;
	stores_from(2, MS(13), &lock, 1, IN + 0x10);
	assert_true(is_seen(MS(40)));
	stores_from(2, MS(13), &lock, 0, IN + 0x10);
	assert_false(is_seen(MS(50)));
}

static void a_told_store_teaches_a_word_that_was_never_watched(void **state)
{
	struct loop other = lock;

	learn(IN);
	tell(IN, MS(30));
	other.address += 64;
	spins(4, MS(31), &other);
	ended_by_nobody(4, MS(32));
	spins(4, MS(33), &other);
	/* it goes on; or is not of an instruction that is told */
	is_told(5, MS(34), &other, 1, BEGIN);
	is_told(5, MS(34), &other, 0, BEGIN + 0x40);
	is_told(5, MS(34), &other, 0, IN);
	ended_by_nobody(4, MS(35));
	spins(4, MS(36), &other);
	is_told(5, MS(37), &other, 0, BEGIN);
	ended_by(4, MS(38), 5);
	assert_int_equal(site_of(IN)->stores, 1);
}

static void what_the_module_has_given_up_is_told_no_more(void **state)
{
	learn(IN);
	learn(IN + 0x10);
	tell(IN, MS(30));
	tell(IN + 0x10, MS(30));
	is_given_up(MS(40), BEGIN + 0x20);
	assert_true(is_seen(MS(41)));
	is_given_up(MS(50), BEGIN);
	assert_int_equal(site_of(IN)->state, STORE_SITE_REFUSED);
	assert_int_equal(site_of(IN + 0x10)->state, STORE_SITE_TOLD);
	assert_true(is_seen(MS(50)));
	assert_false(is_seen(MS(50) + 1));
}

/* What it makes of the rest of the word is not known. */
static void an_instruction_must_store_all_that_is_compared(void **state)
{
	learn(IN);
	tell(IN, MS(30));
	site_of(IN)->point.bytes = 2;
	assert_false(is_seen(MS(40)));
	site_of(IN)->point.bytes = 8;
	assert_true(is_seen(MS(50)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(which_instruction_ends_waits_is_learned),
		TEST(a_constant_is_truer_than_the_value_seen_too_late),
		TEST(while_its_instruction_is_told_ends_need_no_watch),
		TEST(stores_before_it_is_told_do_not_count),
		TEST(with_two_instructions_both_must_be_told),
		TEST(of_what_the_kernel_stores_nothing_is_told),
		TEST(of_some_instructions_a_word_can_be_told),
		TEST(of_an_instruction_too_many_nothing_is_told),
		TEST(a_told_store_teaches_a_word_that_was_never_watched),
		TEST(what_the_module_has_given_up_is_told_no_more),
		TEST(an_instruction_must_store_all_that_is_compared),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("told_words", tests, NULL, NULL);
}
