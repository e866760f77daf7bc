// SPDX-License-Identifier: GPL-2.0
/* What came of waits in busy-wait loops of made-up records: see profile/spin_ends.h. */
#include "made_waits.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "input/cpu_nodes.h"
#include "profile/profile_private.h"
#include "profile/saved_profile.h"

#define LOCK 0x1000
#define ELSEWHERE 0x2000
/* A spin in vain ends so long before its thread sleeps at most, as in spin_ends.c. */
#define AT_ONCE_NS US(100)

/* A slice of @tid from @begin to @end, which @then ended. */
static void slice_of(s32 tid, u64 begin, u64 end, struct gapp_record_slice like)
{
	struct made made = made_slice(tid, 1, like.path, SHARE(US(1)));
	u32 site;

	made.slice.head.time_ns = end;
	made.slice.begin_ns = begin;
	made.slice.image = 7;
	made.slice.n = 2;
	made.slice.slices = like.slices ?: 1;
	made.slice.flags = like.flags;
	made.slice.then = like.then;
	made.slice.wait = like.wait;
	made.slice.syscall = like.wait == GAPP_WAIT_SPIN ? -1 : SYS_futex;
	made.slice.args[0] = like.args[0];
	assert_int_equal(profile_wait_begins(profile, &made.slice, &site), 0);
}

static void spins(s32 tid, u64 begin, u64 end, u64 word)
{
	slice_of(tid, begin, end,
		 (struct gapp_record_slice){ .then = GAPP_THEN_WAIT,
					     .wait = GAPP_WAIT_SPIN,
					     .path = path_of("spin_for:1 take:2 main:3"),
					     .args = { word } });
}

static void sleeps(s32 tid, u64 begin, u64 end, u64 word)
{
	slice_of(tid, begin, end,
		 (struct gapp_record_slice){ .then = GAPP_THEN_WAIT,
					     .wait = GAPP_WAIT_FUTEX,
					     .path = path_of("lib_call:1 take:2 main:3"),
					     .args = { word } });
}

static void runs_until(s32 tid, u64 begin, u64 end, enum gapp_then then)
{
	slice_of(tid, begin, end,
		 (struct gapp_record_slice){ .then = then, .path = path_of("work:1 main:3") });
}

/* @waker stored at @stored; 0: nobody is known to. */
/* @cpu: on which the thread goes on; @waker_cpu: of the one that stored */
static void wakes_on(s32 tid, u64 ns, s32 waker, u64 stored, u32 cpu, u32 waker_cpu)
{
	const struct gapp_record_wake wake = {
		.head = { .type = GAPP_RECORD_WAKE,
			  .size = sizeof(wake),
			  .time_ns = ns,
			  .cpu = cpu },
		.waker_cpu = waker_cpu,
		.tid = tid,
		.tgid = 1,
		.n = 2,
		.flags = waker ? GAPP_SLICE_WAKER : 0,
		.waker_tid = waker,
		.waker_tgid = 1,
	};

	profile_wait_stored(profile, stored);
	assert_int_equal(profile_wait_ends(profile, &wake), 0);
}

static void wakes(s32 tid, u64 ns, s32 waker, u64 stored)
{
	wakes_on(tid, ns, waker, stored, 0, 0);
}

static void sums_are(u64 word, struct spin_sums wanted)
{
	const struct wait_object_key key = { WAIT_ON_FUTEX, 7, { word } };
	u32 id = keyed_find(&profile->waits->objects, &key);
	struct spin_sums is;

	assert_int_not_equal(id, HASH_NONE);
	is = profile->waits->objects.rows[id].spins;
	assert_int_equal(is.spins, wanted.spins);
	assert_int_equal(is.spun_ns, wanted.spun_ns);
	assert_int_equal(is.vain, wanted.vain);
	assert_int_equal(is.vain_ns, wanted.vain_ns);
	assert_int_equal(is.slept_ns, wanted.slept_ns);
	assert_int_equal(is.seen_ns, wanted.seen_ns);
	assert_int_equal(is.starved_ns, wanted.starved_ns);
	assert_memory_equal(&is.near, &wanted.near, sizeof(is.near));
	assert_memory_equal(&is.far, &wanted.far, sizeof(is.far));
}

#define SUMS(...) ((struct spin_sums){ __VA_ARGS__ })

static void who_sleeps_at_once_has_spun_in_vain(void **state)
{
	collect(true);
	spins(1, MS(1), MS(10), LOCK);
	wakes(1, MS(14), 0, 0);
	sums_are(LOCK, SUMS(.spins = 1, .spun_ns = MS(4)));
	sleeps(1, MS(14), MS(14) + AT_ONCE_NS, LOCK);
	sums_are(LOCK, SUMS(.spins = 1, .spun_ns = MS(4), .vain = 1, .vain_ns = MS(4)));
	wakes(1, MS(34) + AT_ONCE_NS, 3, 0);
	sums_are(LOCK, SUMS(.spins = 1, .spun_ns = MS(4), .vain = 1, .vain_ns = MS(4),
			    .slept_ns = MS(20)));
	/* another sleep for it is not of that spin */
	sleeps(1, MS(34) + AT_ONCE_NS, MS(34) + 2 * AT_ONCE_NS, LOCK);
	wakes(1, MS(50), 3, 0);
	sums_are(LOCK, SUMS(.spins = 1, .spun_ns = MS(4), .vain = 1, .vain_ns = MS(4),
			    .slept_ns = MS(20)));
	/* one more of each adds up, also if it is preempted on the way */
	spins(1, MS(50), MS(60), LOCK);
	wakes(1, MS(61), 0, 0);
	runs_until(1, MS(61), MS(61) + US(10), GAPP_THEN_PREEMPTED);
	sleeps(1, MS(61) + US(50), MS(61) + US(60), LOCK);
	wakes(1, MS(62) + US(60), 3, 0);
	sums_are(LOCK, SUMS(.spins = 2, .spun_ns = MS(5), .vain = 2, .vain_ns = MS(5),
			    .slept_ns = MS(21)));
}

/* Then it is not known how long it slept. */
static void a_wakeup_may_be_missing(void **state)
{
	collect(true);
	spins(1, MS(1), MS(10), LOCK);
	wakes(1, MS(14), 0, 0);
	sleeps(1, MS(14), MS(14), LOCK);
	sleeps(1, MS(20), MS(30), ELSEWHERE);
	wakes(1, MS(40), 3, 0);
	sums_are(LOCK, SUMS(.spins = 1, .spun_ns = MS(4), .vain = 1, .vain_ns = MS(4)));
	spins(1, MS(40), MS(50), LOCK);
	wakes(1, MS(54), 0, 0);
	sleeps(1, MS(54), MS(54), LOCK);
	profile_waits_lost(profile);
	wakes(1, MS(60), 3, 0);
	sums_are(LOCK, SUMS(.spins = 2, .spun_ns = MS(8), .vain = 2, .vain_ns = MS(8)));
}

static void who_gets_what_it_spins_for_has_not(void **state)
{
	const struct spin_sums none = { .spins = 1, .spun_ns = MS(4) };

	/* it works for longer than from a loop to a system call */
	collect(true);
	spins(1, MS(1), MS(10), LOCK);
	wakes(1, MS(14), 0, 0);
	sleeps(1, MS(14), MS(14) + AT_ONCE_NS + 1, LOCK);
	wakes(1, MS(20), 3, 0);
	sums_are(LOCK, none);
	/* it sleeps for something else, and then for this */
	spins(2, MS(1), MS(20), ELSEWHERE);
	wakes(2, MS(24), 0, 0);
	sleeps(2, MS(24), MS(24) + US(10), LOCK);
	wakes(2, MS(24) + US(20), 3, 0);
	sleeps(2, MS(24) + US(20), MS(24) + US(30), ELSEWHERE);
	wakes(2, MS(30), 3, 0);
	sums_are(ELSEWHERE, none);
	sums_are(LOCK, none);
	/* another thread sleeps for it, and this one spins on */
	spins(3, MS(30), MS(40), ELSEWHERE);
	wakes(3, MS(44), 0, 0);
	sleeps(4, MS(1), MS(44), ELSEWHERE);
	spins(3, MS(44), MS(44) + US(50), ELSEWHERE);
	wakes(3, MS(44) + US(60), 0, 0);
	wakes(4, MS(50), 3, 0);
	sums_are(ELSEWHERE, SUMS(.spins = 3, .spun_ns = MS(8) + US(10)));
}

/* Thread 1 spins from 10 ms on; thread 2 has the lock. */
static void an_ender_that_was_preempted_had_no_cpu(void **state)
{
	collect(true);
	runs_until(2, MS(1), MS(12), GAPP_THEN_PREEMPTED);
	spins(1, MS(1), MS(10), LOCK);
	wakes(1, MS(30), 2, MS(29));
	/* since when it has its CPU is said at the end of its slice */
	sums_are(LOCK, SUMS(.spins = 1, .spun_ns = MS(20)));
	runs_until(2, MS(20), MS(40), GAPP_THEN_PREEMPTED);
	sums_are(LOCK, SUMS(.spins = 1, .spun_ns = MS(20), .seen_ns = MS(19), .starved_ns = MS(8)));
}

/* What is before the wait, or behind the store, does not count. */
static void only_what_is_in_the_wait_counts(void **state)
{
	collect(true);
	runs_until(2, MS(1), MS(4), GAPP_THEN_PREEMPTED);
	spins(1, MS(1), MS(10), LOCK);
	runs_until(2, MS(13), MS(15), GAPP_THEN_PREEMPTED);
	runs_until(2, MS(17), MS(21), GAPP_THEN_PREEMPTED);
	wakes(1, MS(24), 2, MS(20));
	runs_until(2, MS(30), MS(40), GAPP_THEN_PREEMPTED);
	/* from 10 to 13, and from 15 to 17; it stored at 20 */
	sums_are(LOCK, SUMS(.spins = 1, .spun_ns = MS(14), .seen_ns = MS(10), .starved_ns = MS(5)));
}

static void who_is_woken_waits_for_a_cpu_too(void **state)
{
	collect(true);
	sleeps(2, MS(1), MS(5), ELSEWHERE);
	spins(1, MS(1), MS(10), LOCK);
	wakes(2, MS(12), 3, 0);
	wakes(1, MS(20), 2, MS(18));
	runs_until(2, MS(13), MS(40), GAPP_THEN_PREEMPTED);
	/* asleep it does not wait for a CPU */
	sums_are(LOCK, SUMS(.spins = 1, .spun_ns = MS(10), .seen_ns = MS(8), .starved_ns = MS(1)));
}

/* A sample finds that a thread spins no more up to a period after the store. */
static void an_ender_may_have_gone_on_since_it_stored(void **state)
{
	collect(true);
	runs_until(2, MS(1), MS(11), GAPP_THEN_PREEMPTED);
	spins(1, MS(1), MS(10), LOCK);
	spins(3, MS(1), MS(10), ELSEWHERE);
	/* it stores at 15 for the first, at 17 for the second, and sleeps */
	sleeps(2, MS(13), MS(18), LOCK);
	wakes(1, MS(19), 2, MS(15));
	sums_are(LOCK, SUMS(.spins = 1, .spun_ns = MS(9), .seen_ns = MS(5), .starved_ns = MS(2)));
	/* it is woken, and waits for a CPU, before the end for the second is found */
	wakes(2, MS(19), 4, 0);
	wakes(3, MS(20), 2, MS(17));
	sums_are(ELSEWHERE,
		 SUMS(.spins = 1, .spun_ns = MS(10), .seen_ns = MS(7), .starved_ns = MS(2)));
	/* so nobody knows that it has had a CPU since then */
	spins(1, MS(19), MS(22), LOCK);
	wakes(1, MS(32), 2, MS(30));
	runs_until(2, MS(25), MS(40), GAPP_THEN_PREEMPTED);
	sums_are(LOCK, SUMS(.spins = 2, .spun_ns = MS(19), .seen_ns = MS(13), .starved_ns = MS(5)));
}

/* A store shows that it has a CPU, and then there is nothing to wait for. */
static void a_long_slice_keeps_nothing_open(void **state)
{
	collect(true);
	runs_until(2, MS(1), MS(12), GAPP_THEN_PREEMPTED);
	for (u32 i = 0; i < 100; i++) {
		spins(1, MS(10 + 10 * i) - 1, MS(10 + 10 * i), LOCK);
		spins(3, MS(10 + 10 * i) - 1, MS(11 + 10 * i), LOCK);
		wakes(1, MS(18 + 10 * i), 2, MS(17 + 10 * i));
		wakes(3, MS(18 + 10 * i), 2, MS(17 + 10 * i));
		assert_int_equal(profile->waits->open_spins.count, 2);
	}
	sums_are(LOCK, SUMS(.spins = 200, .spun_ns = MS(1500), .seen_ns = 99 * MS(13)));
	runs_until(2, MS(13), MS(2000), GAPP_THEN_PREEMPTED);
	assert_int_equal(profile->waits->open_spins.count, 0);
	sums_are(LOCK, SUMS(.spins = 200, .spun_ns = MS(1500), .seen_ns = 100 * MS(13),
			    .starved_ns = MS(2)));
	/* a part of a slice says that it has one, too */
	runs_until(2, MS(2001), MS(2005), GAPP_THEN_ON);
	spins(1, MS(2000), MS(2002), LOCK);
	wakes(1, MS(2006), 2, MS(2006));
	assert_int_equal(profile->waits->open_spins.count, 0);
	sums_are(LOCK, SUMS(.spins = 201, .spun_ns = MS(1504), .seen_ns = 100 * MS(13) + MS(4),
			    .starved_ns = MS(2)));
}

static void what_is_not_known_does_not_count(void **state)
{
	const struct spin_sums unseen = { .spins = 1, .spun_ns = MS(10) };

	collect(true);
	/* nobody was seen to store, or somebody of whom no record came */
	spins(1, MS(1), MS(10), LOCK);
	wakes(1, MS(15), 0, 0);
	spins(1, MS(15), MS(20), LOCK);
	wakes(1, MS(25), 9, MS(24));
	/* a slice had no record: who knows when it began */
	runs_until(2, MS(1), MS(30), GAPP_THEN_PREEMPTED);
	sums_are(LOCK, SUMS(.spins = 2, .spun_ns = MS(10)));
	spins(1, MS(25), MS(31), ELSEWHERE);
	wakes(1, MS(41), 2, MS(40));
	slice_of(2, MS(38), MS(50),
		 (struct gapp_record_slice){ .then = GAPP_THEN_PREEMPTED,
					     .slices = 2,
					     .path = path_of("work:1 main:3") });
	sums_are(ELSEWHERE, unseen);
	/* nor what was lost */
	spins(1, MS(41), MS(51), ELSEWHERE + 8);
	wakes(1, MS(61), 2, MS(60));
	profile_waits_lost(profile);
	assert_int_equal(profile->waits->open_spins.count, 0);
	runs_until(2, MS(58), MS(70), GAPP_THEN_PREEMPTED);
	sums_are(ELSEWHERE + 8, unseen);
	spins(1, MS(61), MS(71), ELSEWHERE + 16);
	profile_waits_lost(profile);
	wakes(1, MS(81), 2, MS(80));
	sums_are(ELSEWHERE + 16, (struct spin_sums){ 0 });
	spins(1, MS(81), MS(82), ELSEWHERE + 16);
	wakes(1, MS(92), 2, MS(91));
	sums_are(ELSEWHERE + 16, unseen);
	assert_int_equal(profile->waits->open_spins.count, 0);
	/* nor a slice that is missing between two wake-ups, nor a store that was not seen */
	wakes(2, MS(100), 3, 0);
	spins(1, MS(92), MS(101), ELSEWHERE + 24);
	wakes(1, MS(106), 2, MS(105));
	assert_int_equal(profile->waits->open_spins.count, 1);
	wakes(2, MS(107), 3, 0);
	assert_int_equal(profile->waits->open_spins.count, 0);
	spins(1, MS(106), MS(107), ELSEWHERE + 24);
	wakes(1, MS(112), 2, 0);
	runs_until(2, MS(108), MS(110), GAPP_THEN_PREEMPTED);
	sums_are(ELSEWHERE + 24, SUMS(.spins = 2, .spun_ns = MS(10)));
}

/* The share of earlier slices is no slice. */
static void a_rest_says_nothing(void **state)
{
	collect(true);
	runs_until(2, MS(1), MS(12), GAPP_THEN_PREEMPTED);
	spins(1, MS(1), MS(10), LOCK);
	wakes(1, MS(30), 2, MS(30));
	slice_of(2, MS(50), MS(50),
		 (struct gapp_record_slice){ .then = GAPP_THEN_STOPPED,
					     .flags = GAPP_SLICE_REST,
					     .path = path_of("work:1 main:3") });
	sums_are(LOCK, SUMS(.spins = 1, .spun_ns = MS(20)));
	runs_until(2, MS(14), MS(50), GAPP_THEN_STOPPED);
	sums_are(LOCK, SUMS(.spins = 1, .spun_ns = MS(20), .seen_ns = MS(20), .starved_ns = MS(2)));
}

/* Only the last stays are remembered, and so many open waits are. */
static void memory_is_bounded(void **state)
{
	collect(true);
	spins(1, MS(1), MS(10), LOCK);
	runs_until(2, MS(1), MS(10), GAPP_THEN_PREEMPTED);
	for (u32 i = 0; i < SPIN_STAYS + 2; i++)
		runs_until(2, MS(12 + 10 * i), MS(20 + 10 * i), GAPP_THEN_PREEMPTED);
	wakes(1, MS(30 + 10 * SPIN_STAYS), 2, MS(30 + 10 * SPIN_STAYS));
	/* the open stay, from 10 ms before that on, is the last one */
	runs_until(2, MS(30 + 10 * SPIN_STAYS), MS(40 + 10 * SPIN_STAYS), GAPP_THEN_PREEMPTED);
	sums_are(LOCK, SUMS(.spins = 1, .spun_ns = MS(20 + 10 * SPIN_STAYS),
			    .seen_ns = MS(20 + 10 * SPIN_STAYS), .starved_ns = MS(2 * SPIN_STAYS)));
	for (s32 tid = 10; tid < 10 + OPEN_SPINS_MAX + 1; tid++) {
		spins(tid, MS(1), MS(1000), ELSEWHERE);
		wakes(tid, MS(1010), 2, MS(1009));
	}
	assert_int_equal(profile->waits->open_spins.count, OPEN_SPINS_MAX);
	runs_until(2, MS(1001), MS(1020), GAPP_THEN_PREEMPTED);
	sums_are(ELSEWHERE,
		 SUMS(.spins = OPEN_SPINS_MAX + 1, .spun_ns = MS(10) * (OPEN_SPINS_MAX + 1),
		      .seen_ns = MS(9) * OPEN_SPINS_MAX, .starved_ns = MS(1) * OPEN_SPINS_MAX));
}

/* Then nothing can be told of it: short slices have no record. */
static void without_every_wait_nothing_is_said(void **state)
{
	struct ranked_waits waits;

	collect(false);
	profile_waits_have_ends(profile);
	spins(1, MS(1), MS(10), LOCK);
	wakes(1, MS(14), 2, MS(13));
	sleeps(1, MS(14), MS(14) + US(10), LOCK);
	wakes(1, MS(20), 3, 0);
	waits = ranked(profile);
	assert_int_equal(waits.objects[0].spins.spins, 0);
	ranked_waits_free(&waits);
}

static void rows_of_several_objects_have_the_sum(void **state)
{
	struct ranked_waits waits;

	collect(true);
	for (u32 i = 0; i < 2; i++) {
		spins(1, MS(1), MS(100 * i + 10), LOCK + 8 * i);
		wakes(1, MS(100 * i + 14), 0, 0);
	}
	waits = ranked(profile);
	assert_int_equal(waits.object_count, 1);
	assert_int_equal(waits.objects[0].spins.spins, 2);
	assert_int_equal(waits.objects[0].spins.spun_ns, MS(8));
	assert_int_equal(waits.objects[0].waits, 2);
	ranked_waits_free(&waits);
}

/* What a file says of the spins for an object that is read again; @spins: how many they were. */
static struct spin_sums read_again(const struct spin_sums *sums)
{
	const struct wait_object_key key = { WAIT_ON_FUTEX, 7, { LOCK } };
	int fd = memfd_create("spins", 0);
	struct object_numbers numbers = { 0 };
	struct saved_objects objects = { 0 };
	struct saved_paths paths = { 0 };
	struct blocks_writer writer;
	struct spin_sums again;
	struct profile *read;
	struct blocks *blocks;
	char path[32];
	u32 id;

	profile->waits->objects.rows[keyed_find(&profile->waits->objects, &key)].spins = *sums;
	assert_int_equal(blocks_begin(&writer, fd), 0);
	assert_int_equal(profile_save(profile, &numbers, &writer), 0);
	objects_save(&numbers, &writer);
	assert_int_equal(blocks_end(&writer), 0);
	blocks_free(&writer);
	object_numbers_free(&numbers);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	blocks = blocks_open(path);
	assert_non_null(blocks);
	assert_int_equal(saved_objects_read(&objects, blocks), 0);
	assert_int_equal(saved_paths_read(&paths, blocks, &objects), 0);
	read = profile_read(blocks, &paths, NULL);
	assert_non_null(read);
	id = keyed_find(&read->waits->objects, &key);
	assert_int_not_equal(id, HASH_NONE);
	again = read->waits->objects.rows[id].spins;
	blocks_close(blocks);
	close(fd);
	profile_free(read);
	saved_paths_free(&paths);
	saved_objects_free(&objects);
	return again;
}

static void sums_are_saved(void **state)
{
	struct spin_sums sums = { 17,	  MS(70),	   12,
				  MS(60), MS(500),	   MS(40),
				  MS(30), { 5, MS(6), 7 }, { 8, MS(9), 10 } },
			 again;

	collect(true);
	spins(1, MS(1), MS(10), LOCK);
	wakes(1, MS(14), 0, 0);
	again = read_again(&sums);
	assert_memory_equal(&again, &sums, sizeof(sums));
	/* what cannot be is refused */
	sums.vain = 18;
	again = read_again(&sums);
	assert_int_equal(again.spins, 0);
	sums.vain = 12;
	sums.starved_ns = MS(41);
	again = read_again(&sums);
	assert_int_equal(again.spins, 0);
}

static void how_late_threads_of_other_nodes_go_on(void **state)
{
	struct cpu_range ranges[] = { { 0, 2, 0 }, { 2, 2, 1 } };
	const struct cpu_nodes nodes = { ranges, 2, 2 };
	const struct spin_delays near = { 2, 5000000, 17000000 }, far = { 1, 2000999, 4000000 };

	collect(true);
	profile->waits->sources.nodes = &nodes;
	spins(1, MS(1), MS(10), LOCK);
	wakes_on(1, MS(14), 2, MS(13), 0, 1);
	spins(1, MS(15), MS(20), LOCK);
	wakes_on(1, MS(24), 2, MS(20), 2, 3);
	spins(1, MS(25), MS(30), LOCK);
	wakes_on(1, MS(34), 2, MS(32) - 999, 1, 2);
	/* not seen, or on CPUs of which nothing is known */
	spins(1, MS(35), MS(40), LOCK);
	wakes_on(1, MS(44), 0, 0, 1, 2);
	spins(1, MS(45), MS(50), LOCK);
	wakes_on(1, MS(54), 2, MS(52), 1, 4);
	spins(1, MS(55), MS(60), LOCK);
	wakes_on(1, MS(64), 2, MS(62), 5, 0);
	sums_are(LOCK, SUMS(.spins = 6, .spun_ns = MS(24), .near = near, .far = far));
	profile->waits->sources.nodes = NULL;
	spins(1, MS(65), MS(70), LOCK);
	wakes_on(1, MS(74), 2, MS(72), 0, 1);
	sums_are(LOCK, SUMS(.spins = 7, .spun_ns = MS(28), .near = near, .far = far));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(how_late_threads_of_other_nodes_go_on),
		TEST(who_sleeps_at_once_has_spun_in_vain),
		TEST(a_wakeup_may_be_missing),
		TEST(who_gets_what_it_spins_for_has_not),
		TEST(an_ender_that_was_preempted_had_no_cpu),
		TEST(only_what_is_in_the_wait_counts),
		TEST(who_is_woken_waits_for_a_cpu_too),
		TEST(an_ender_may_have_gone_on_since_it_stored),
		TEST(a_long_slice_keeps_nothing_open),
		TEST(what_is_not_known_does_not_count),
		TEST(a_rest_says_nothing),
		TEST(memory_is_bounded),
		TEST(without_every_wait_nothing_is_said),
		TEST(rows_of_several_objects_have_the_sum),
		TEST(sums_are_saved),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("spin_ends", tests, NULL, NULL);
}
