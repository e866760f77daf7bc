// SPDX-License-Identifier: GPL-2.0
/* When what the module knew was no longer right. */
#include "made_up.h"

#include "table-sync/outdated.h"

#define PID 4711
#define OTHER 815
#define PAGE 0x1000

static struct outdated *stale;

static int set_up(void **state)
{
	(void)state;
	stale = outdated_new();
	return stale ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	outdated_free(stale);
	return 0;
}

static void add(pid_t pid, u64 start, u64 begin_ns)
{
	outdated_add(stale, pid, start, PAGE, begin_ns, OUTDATED_OPEN);
}

static bool at(u64 address, u64 time_ns)
{
	bool is = outdated_at(stale, PID, address, time_ns, time_ns);

	assert_true(!is || outdated_any(stale, PID, time_ns, time_ns));
	return is;
}

static void until_the_module_is_told(void **state)
{
	(void)state;
	assert_false(outdated_any(stale, PID, 0, UINT64_MAX));
	add(PID, 0x5000, 100);
	assert_false(at(0x5000, 99));
	assert_true(at(0x5000, 100));
	assert_true(at(0x5fff, 1000000));
	assert_false(at(0x4fff, 100));
	assert_false(at(0x6000, 100));
	assert_false(outdated_any(stale, OTHER, 0, UINT64_MAX));
	/* what was looked at before does not count */
	outdated_sent(stale, PID, 99, 200);
	assert_true(at(0x5000, 201));
	outdated_sent(stale, OTHER, 150, 200);
	assert_true(at(0x5000, 201));
	outdated_sent(stale, PID, 100, 300);
	assert_true(at(0x5000, 300));
	assert_false(at(0x5000, 301));
	assert_false(outdated_any(stale, PID, 301, UINT64_MAX));
	/* nor does it become so again */
	outdated_sent(stale, PID, 400, 500);
	assert_false(at(0x5000, 400));
}

static void any_time_of_a_slice(void **state)
{
	(void)state;
	add(PID, 0x5000, 100);
	outdated_sent(stale, PID, 150, 200);
	assert_true(outdated_at(stale, PID, 0x5000, 0, 100));
	assert_true(outdated_at(stale, PID, 0x5000, 0, 1000));
	assert_true(outdated_at(stale, PID, 0x5000, 150, 160));
	assert_true(outdated_at(stale, PID, 0x5000, 200, 1000));
	assert_false(outdated_at(stale, PID, 0x5000, 201, 1000));
	assert_false(outdated_at(stale, PID, 0x5000, 0, 99));
}

static void one_after_the_other_at_one_address(void **state)
{
	(void)state;
	add(PID, 0x5000, 100);
	outdated_sent(stale, PID, 110, 120);
	add(PID, 0x5000, 200);
	add(PID, 0x5800, 210);
	/* of the first of two the module knows, of the second not */
	outdated_sent(stale, PID, 205, 220);
	assert_true(at(0x5000, 110));
	assert_false(at(0x5000, 150));
	assert_true(at(0x5000, 230));
	assert_true(at(0x6000, 230));
	outdated_sent(stale, PID, 240, 250);
	assert_true(at(0x6000, 250));
	assert_false(at(0x6000, 251));
	assert_false(at(0x6800, 250));
}

static void events_that_are_heard_of_late(void **state)
{
	(void)state;
	/* when the module has been told already */
	outdated_add(stale, PID, 0x5000, PAGE, 100, 200);
	assert_true(at(0x5000, 200));
	assert_false(at(0x5000, 201));
	/* and not in their order */
	add(PID, 0x5000, 400);
	add(PID, 0x9000, 300);
	outdated_add(stale, PID, 0xb000, PAGE, 250, 260);
	outdated_sent(stale, PID, 350, 360);
	assert_true(at(0x5000, 450) && at(0x9000, 450) && at(0xb000, 450));
	assert_true(at(0x9000, 300) && at(0xb000, 250));
	outdated_sent(stale, PID, 500, 510);
	assert_false(outdated_any(stale, PID, 511, 600));
	assert_true(at(0x5000, 510) && at(0x9000, 510));
}

static void children_know_no_more(void **state)
{
	(void)state;
	add(OTHER, 0x3000, 50);
	outdated_sent(stale, OTHER, 60, 70);
	add(OTHER, 0x5000, 100);
	add(OTHER, 0x7000, 220);
	/* heard of when the parent has been told, but of before */
	outdated_sent(stale, OTHER, 230, 240);
	assert_true(outdated_fork(stale, PID, OTHER, 200));
	assert_false(at(0x5000, 199));
	assert_true(at(0x5000, 1000));
	assert_false(at(0x3000, 200) || at(0x7000, 300));
	outdated_sent(stale, PID, 2000, 2001);
	assert_false(at(0x5000, 2002));
	assert_false(outdated_fork(stale, PID, OTHER, 300));
	assert_false(outdated_fork(stale, PID, OTHER + 1, 100));
}

static void more_at_once_than_are_kept_apart(void **state)
{
	(void)state;
	for (u64 i = 0; i < 1000; i++)
		add(PID, 0x100000 + i * 2 * PAGE, 100 + i);
	for (u64 i = 0; i < 1000; i++) {
		assert_true(at(0x100000 + i * 2 * PAGE, 100 + i));
		assert_true(at(0x100000 + i * 2 * PAGE, 5000));
	}
	/* others have room */
	add(OTHER, 0x5000, 100);
	assert_true(outdated_at(stale, OTHER, 0x5000, 100, 100));
	outdated_sent(stale, PID, 1098, 5100);
	assert_true(at(0x100000 + 999 * 2 * PAGE, 6000));
	outdated_sent(stale, PID, 1099, 6000);
	assert_false(outdated_any(stale, PID, 6001, UINT64_MAX));
}

static void the_oldest_are_forgotten(void **state)
{
	u64 time = 0;

	(void)state;
	for (; time < 10 * 3 * OUTDATED_MAX; time += 10) {
		add(PID, 0x5000, time);
		outdated_sent(stale, PID, time, time + 5);
		assert_true(at(0x5000, time) && at(0x5000, time + 5) && !at(0x5000, time + 6));
		if (time >= 10 * OUTDATED_MAX)
			assert_true(!at(0x5000, time - 10 * OUTDATED_MAX) &&
				    at(0x5000, time - 10 * (OUTDATED_MAX - 1)));
	}
	/* those of one process by those of others, too */
	for (pid_t pid = PID + 1; pid <= PID + OUTDATED_MAX; pid++)
		add(pid, 0x5000, time);
	assert_false(outdated_any(stale, PID, 0, UINT64_MAX));
	assert_true(outdated_any(stale, PID + 1, time, time));
	/* some while they are read */
	for (u64 i = 0; i < OUTDATED_MAX; i++)
		outdated_add(stale, OTHER, i * PAGE, PAGE, 10, 10);
	assert_true(outdated_fork(stale, PID, OTHER, 10));
	assert_true(at(100 * PAGE, 10) && at((OUTDATED_MAX - 1) * PAGE, 10));
}

/* What is asked first: whether anything at all was stale so late. */
static void when_all_was_over(void **state)
{
	const u64 *over = outdated_over(stale);

	(void)state;
	assert_true(*over == 0);
	outdated_add(stale, PID, 0x5000, PAGE, 10, 30);
	outdated_add(stale, OTHER, 0x5000, PAGE, 15, 20);
	assert_true(*over == 30);
	add(PID, 0x5000, 40);
	add(OTHER, 0x5000, 50);
	assert_true(*over == OUTDATED_OPEN);
	outdated_sent(stale, OTHER, 50, 70);
	assert_true(*over == OUTDATED_OPEN);
	outdated_sent(stale, PID, 40, 60);
	assert_true(*over == 70);
	/* one that is forgotten is not open any more */
	add(PID, 0x5000, 80);
	for (u64 i = 0; i < OUTDATED_MAX; i++)
		outdated_add(stale, OTHER, i * PAGE, PAGE, 90, 100);
	assert_true(*over == 100);
}

static void ends_of_memory(void **state)
{
	(void)state;
	outdated_add(stale, PID, UINT64_MAX - 10, 100, 1, OUTDATED_OPEN);
	assert_true(at(UINT64_MAX - 5, 1));
	assert_false(at(5, 1));
	outdated_add(stale, -1, 0, 0, 1, OUTDATED_OPEN);
	assert_false(outdated_at(stale, -1, 0, 0, UINT64_MAX));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(until_the_module_is_told),
		TEST(any_time_of_a_slice),
		TEST(one_after_the_other_at_one_address),
		TEST(events_that_are_heard_of_late),
		TEST(children_know_no_more),
		TEST(more_at_once_than_are_kept_apart),
		TEST(the_oldest_are_forgotten),
		TEST(when_all_was_over),
		TEST(ends_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stale", tests, NULL, NULL);
}
