// SPDX-License-Identifier: GPL-2.0
/* Sections, from marks and slices that are made up. Times are microseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <gapp.h>

#include "profile/sections.h"

#define US(us) (1000ULL * (us))
#define SHARE(us) (US(us) << GAPP_SHARE_SHIFT)
#define PID 10
#define IMAGE 3
#define PATH 7

static struct sections sections;

static int end(void **state)
{
	(void)state;
	sections_free(&sections);
	memset(&sections, 0, sizeof(sections));
	return 0;
}

struct made_mark {
	struct gapp_record_mark mark;
	char text[GAPP_MARK_TEXT + 1];
};

static struct made_mark made(s32 tid, u64 us, u32 kind, const char *name)
{
	struct made_mark made = {
		.mark = { .head = { .type = GAPP_RECORD_MARK,
				    .size = sizeof(made),
				    .time_ns = US(us) },
			  .tid = tid,
			  .tgid = PID,
			  .image = IMAGE,
			  .kind = kind,
			  .bytes = strlen(name) },
	};

	memcpy(made.text, name, strlen(name));
	return made;
}

static void mark_measured(s32 tid, u64 us, u32 kind, const char *name, u64 thread_us)
{
	struct made_mark one = made(tid, us, kind, name);

	one.mark.flags = GAPP_MARK_INTEGRALS;
	one.mark.thread_ns = US(thread_us);
	assert_int_equal(sections_mark(&sections, &one.mark), 0);
}

static void mark(s32 tid, u64 us, u32 kind, const char *name)
{
	mark_measured(tid, us, kind, name, 0);
}

#define BEGIN(tid, us, name) mark(tid, us, GAPP_MARK_BEGIN, name)
#define END(tid, us, name) mark(tid, us, GAPP_MARK_END, name)

static struct gapp_record_slice made_slice(s32 tid, u64 begin_us, u64 end_us, u64 share_us)
{
	return (struct gapp_record_slice){
		.head = { .type = GAPP_RECORD_SLICE,
			  .size = sizeof(struct gapp_record_slice),
			  .time_ns = US(end_us) },
		.tid = tid,
		.tgid = PID,
		.image = IMAGE,
		.begin_ns = US(begin_us),
		.critical_share = SHARE(share_us),
		.own_critical_share = SHARE(share_us),
		.slices = 1,
	};
}

static void add(const struct gapp_record_slice *slice)
{
	assert_int_equal(sections_slice(&sections, slice, PATH, NULL), 0);
}

static void slice(s32 tid, u64 begin_us, u64 end_us, u64 share_us)
{
	const struct gapp_record_slice one = made_slice(tid, begin_us, end_us, share_us);

	add(&one);
}

static const struct section_sum *sum(const char *name)
{
	for (u32 i = 0; i < sections.sums.index.count; i++)
		if (!strcmp(sections.sums.rows[i].key.text, name))
			return &sections.sums.rows[i];
	fail_msg("no section %s", name);
	return NULL;
}

static void lasts(const char *name, u64 us, u64 begins)
{
	assert_int_equal(sum(name)->ns, US(us));
	assert_int_equal(sum(name)->begins, begins);
}

static void has_share(const char *name, u64 us, u64 divided_us)
{
	assert_float_equal(sum(name)->critical_share, (double)SHARE(us), 1000);
	assert_float_equal(sum(name)->divided_share, (double)SHARE(divided_us), 1000);
}

static void times(void **state)
{
	(void)state;
	assert_false(sections_any(&sections));
	BEGIN(1, 100, "a");
	assert_true(sections_any(&sections));
	END(1, 300, "a");
	BEGIN(1, 500, "a");
	END(1, 600, "");
	BEGIN(1, 600, "b");
	END(1, 601, "b");
	lasts("a", 300, 2);
	lasts("b", 1, 1);
	assert_int_equal(sections.unpaired, 0);
}

static void nested(void **state)
{
	(void)state;
	BEGIN(1, 100, "outer");
	BEGIN(1, 200, "inner");
	END(1, 250, "inner");
	BEGIN(1, 300, "inner");
	/* the outer one ends with what is in it */
	END(1, 400, "outer");
	lasts("outer", 150, 1);
	lasts("inner", 150, 2);
	END(1, 500, "inner");
	assert_int_equal(sections.unpaired, 1);
	lasts("inner", 150, 2);
}

/* The one that began last counts; each thread ends its own. */
static void of_threads(void **state)
{
	(void)state;
	BEGIN(1, 100, "one");
	BEGIN(2, 200, "two");
	END(2, 250, "one");
	assert_int_equal(sections.unpaired, 1);
	END(1, 300, "one");
	END(2, 400, "two");
	lasts("one", 100, 1);
	lasts("two", 200, 1);
}

static void parallelism(void **state)
{
	struct made_mark without = made(1, 400, GAPP_MARK_BEGIN, "b");

	(void)state;
	mark_measured(1, 100, GAPP_MARK_BEGIN, "a", -1000);
	mark_measured(1, 200, GAPP_MARK_END, "a", -750);
	mark_measured(1, 300, GAPP_MARK_BEGIN, "a", 0);
	/* another CPU has changed the integrals for long */
	assert_int_equal(sections_mark(&sections, &without.mark), 0);
	mark_measured(1, 500, GAPP_MARK_END, "b", 900);
	assert_int_equal(sum("a")->measured_ns, US(100));
	assert_int_equal(sum("a")->thread_ns, US(250));
	assert_int_equal(sum("b")->measured_ns, 0);
	lasts("a", 200, 2);
	lasts("b", 100, 1);
}

static void shares(void **state)
{
	(void)state;
	/* nothing is known before the first mark */
	slice(1, 0, 50, 50);
	BEGIN(1, 100, "a");
	slice(2, 100, 200, 80);
	slice(1, 100, 300, 40);
	END(1, 300, "a");
	slice(1, 300, 400, 30);
	has_share("a", 120, 0);
	assert_int_equal(sections.paths.index.count, 1);
	assert_int_equal(sections.paths.rows[0].key.path, PATH);
	assert_int_equal(sections.paths.rows[0].key.sampled, 0);
	assert_float_equal(sections.paths.rows[0].critical_share, (double)SHARE(120), 1000);
}

static void divided(void **state)
{
	(void)state;
	BEGIN(1, 100, "a");
	END(1, 300, "a");
	BEGIN(1, 350, "b");
	/* 100 before, 200 in a, 50 between, 50 in b */
	slice(2, 0, 400, 400);
	has_share("a", 200, 200);
	has_share("b", 50, 50);
	/* of no length */
	slice(2, 400, 400, 7);
	has_share("b", 57, 50);
	END(1, 500, "b");
	/* a record may come after marks that are later than its slice */
	slice(2, 500, 500, 9);
	slice(3, 450, 450, 9);
	has_share("b", 66, 50);
}

/* Earlier slices were since the thread's record before. */
static void earlier_slices(void **state)
{
	struct gapp_record_slice one = made_slice(1, 180, 200, 30);

	(void)state;
	BEGIN(1, 100, "a");
	slice(1, 110, 120, 5);
	one.own_critical_share = SHARE(10);
	add(&one);
	has_share("a", 35, 0);
	END(1, 300, "a");
	one = made_slice(1, 390, 400, 100);
	one.own_critical_share = SHARE(10);
	add(&one);
	/* from 200 to 390: 100 of 190 in the section */
	assert_float_equal(sum("a")->critical_share,
			   (double)SHARE(35) + (double)SHARE(90) * 100 / 190, 1000);
	assert_float_equal(sum("a")->divided_share, (double)SHARE(90) * 100 / 190, 1000);
}

struct sampled_slice {
	struct gapp_record_slice slice;
	struct gapp_sample samples[2];
};

static void samples(void **state)
{
	struct sampled_slice one = { .slice = made_slice(1, 100, 200, 100) };
	const u32 paths[] = { 21, 22 };

	(void)state;
	BEGIN(1, 50, "a");
	one.slice.sample_count = 2;
	one.samples[0].critical_share = SHARE(20);
	one.samples[1].critical_share = SHARE(60);
	assert_int_equal(sections_slice(&sections, &one.slice, PATH, paths), 0);
	has_share("a", 100, 0);
	assert_int_equal(sections.paths.index.count, 2);
	assert_int_equal(sections.paths.rows[1].key.path, 22);
	assert_int_equal(sections.paths.rows[1].key.sampled, 1);
	assert_float_equal(sections.paths.rows[1].critical_share, (double)SHARE(75), 1000);
}

static void ends_of_threads(void **state)
{
	struct gapp_record_slice one = made_slice(2, 200, 300, 10);

	(void)state;
	BEGIN(1, 100, "a");
	BEGIN(2, 150, "b");
	one.then = GAPP_THEN_EXITED;
	add(&one);
	END(1, 400, "a");
	lasts("b", 150, 1);
	lasts("a", 150, 1);
	assert_int_equal(sections.unpaired, 0);
}

static void ends_of_programs(void **state)
{
	struct made_mark next = made(1, 300, GAPP_MARK_BEGIN, "b");
	struct gapp_record_slice one = made_slice(1, 150, 160, 10);

	(void)state;
	BEGIN(1, 100, "a");
	next.mark.image = IMAGE + 1;
	assert_int_equal(sections_mark(&sections, &next.mark), 0);
	lasts("a", 200, 1);
	/* what is late is of no section */
	add(&one);
	has_share("b", 0, 0);
	BEGIN(1, 350, "a");
	lasts("a", 200, 1);
	sections_end(&sections, &sections.processes.rows[0], US(500));
	lasts("b", 200, 1);
	sections_end(&sections, &sections.processes.rows[0], US(900));
	lasts("b", 200, 1);
}

/* As many names, open sections, processes and changes as somebody likes. */
static void bounds(void **state)
{
	char name[32];
	u64 us = 100;

	(void)state;
	for (u32 i = 0; i < 3 * SECTIONS_MAX; i++) {
		snprintf(name, sizeof(name), "request %u", i);
		BEGIN(1, us++, name);
		END(1, us++, name);
	}
	assert_int_equal(sections.sums.index.count, SECTIONS_MAX);
	assert_int_equal(sections.unpaired, 0);
	lasts("request 5", 1, 1);
	lasts("(other sections)", 2 * SECTIONS_MAX + 1, 2 * SECTIONS_MAX + 1);
	for (u32 i = 0; i < 100000; i++)
		BEGIN(1, us++, "request 5");
	assert_int_equal(sections.processes.rows[0].open_count, SECTIONS_OPEN_MAX);
	assert_int_equal(sections.without_room, 100000 - SECTIONS_OPEN_MAX);
	/* more changes than are remembered: the share is somewhere, and divided */
	slice(2, 0, us, 1000);
	has_share("request 5", 1000, 1000);
	for (u32 i = 0; i < 10000; i++) {
		struct made_mark one = made(100 + i, us, GAPP_MARK_BEGIN, "x");

		one.mark.tgid = 100 + i;
		assert_int_equal(sections_mark(&sections, &one.mark), 0);
	}
	assert_true(sections.processes.index.count < 10000);
	assert_int_equal(sections.without_room,
			 100000 - SECTIONS_OPEN_MAX + 10001 - SECTION_PROCESSES_MAX);
}

/* Ends of sections that had no room end no other ones. */
static void beyond_the_bound(void **state)
{
	const u32 most = SECTIONS_OPEN_MAX;

	(void)state;
	for (u32 i = 0; i < most - 1; i++)
		BEGIN(100 + i, 1, "request");
	BEGIN(1, 100, "run");
	BEGIN(2, 110, "request");
	for (u32 i = 0; i < 300; i++)
		BEGIN(1, 120, "visit");
	/* there is room again, but not in a section that has none */
	END(100, 130, "request");
	BEGIN(1, 140, "visit");
	assert_int_equal(sections.without_room, 302);
	for (u32 i = 0; i < 301; i++)
		END(1, 150, "");
	END(2, 160, "request");
	lasts("run", 60, 1);
	BEGIN(1, 170, "visit");
	END(1, 180, "visit");
	END(1, 200, "run");
	for (u32 i = 1; i < most - 1; i++)
		END(100 + i, 300, "request");
	lasts("run", 90, 1);
	lasts("visit", 10, 1);
	lasts("request", 199, most - 1);
	assert_int_equal(sections.unpaired, 0);
	END(2, 310, "request");
	assert_int_equal(sections.unpaired, 1);
}

/* Many threads in a section each, as of a server. */
static void many_threads(void **state)
{
	(void)state;
	for (u32 i = 0; i < 320; i++)
		BEGIN(100 + i, 1, "request");
	for (u32 i = 0; i < 320; i++)
		END(100 + i, i < 256 ? 1000 : 1000000, "request");
	lasts("request", 999999, 320);
	assert_int_equal(sections.unpaired, 0);
	assert_int_equal(sections.without_room, 0);
}

/* With a thread, and with an exec, sections without room end too; in a window they go on. */
static void ends_beyond_the_bound(void **state)
{
	struct gapp_record_slice last = made_slice(2, 110, 120, 1);
	struct made_mark next = made(3, 300, GAPP_MARK_END, "");
	struct sections before;

	(void)state;
	for (u32 i = 0; i < SECTIONS_OPEN_MAX; i++)
		BEGIN(1, 100, "a");
	BEGIN(2, 100, "b");
	BEGIN(3, 100, "c");
	last.then = GAPP_THEN_EXITED;
	sections_gone(&sections, &last);
	before = sections;
	sections = (struct sections){ 0 };
	assert_int_equal(sections_go_on(&sections, &before, US(200)), 0);
	sections_free(&before);
	assert_int_equal(sections.without_room, 0);
	END(2, 210, "");
	assert_int_equal(sections.unpaired, 1);
	END(3, 210, "");
	assert_int_equal(sections.unpaired, 1);
	BEGIN(3, 220, "c");
	assert_int_equal(sections.without_room, 1);
	next.mark.image = IMAGE + 1;
	assert_int_equal(sections_mark(&sections, &next.mark), 0);
	assert_int_equal(sections.unpaired, 2);
}

static void points(void **state)
{
	(void)state;
	mark(1, 100, GAPP_MARK_POINT, "x");
	mark(1, 100, 99, "x");
	assert_false(sections_any(&sections));
}

/* A window begins at 1000; what came before has been given up. */
static void windows(void **state)
{
	struct gapp_record_slice last = made_slice(2, 200, 400, 50);
	struct sections before, window = { 0 };

	(void)state;
	BEGIN(1, 100, "outer");
	BEGIN(1, 200, "inner");
	END(1, 300, "inner");
	BEGIN(2, 300, "of a thread that ends");
	END(3, 300, "never begun");
	last.then = GAPP_THEN_EXITED;
	sections_gone(&sections, &last);
	before = sections;
	assert_int_equal(sections_go_on(&window, &before, US(1000)), 0);
	sections = window;
	assert_int_equal(sections.sums.index.count, 1);
	assert_int_equal(sections.unpaired, 0);
	lasts("outer", 0, 0);
	mark_measured(1, 1200, GAPP_MARK_BEGIN, "inner", 500);
	mark_measured(1, 1300, GAPP_MARK_END, "inner", 700);
	slice(1, 900, 1100, 60);
	mark_measured(1, 1500, GAPP_MARK_END, "outer", 1000);
	lasts("outer", 400, 0);
	lasts("inner", 100, 1);
	/* S is not known when the window begins, but since the first mark */
	assert_int_equal(sum("outer")->measured_ns, US(200));
	assert_int_equal(sum("outer")->thread_ns, US(300));
	assert_int_equal(sum("inner")->thread_ns, US(200));
	assert_int_equal(sections.unpaired, 0);
	/* what was before can begin another window */
	window = (struct sections){ 0 };
	assert_int_equal(sections_go_on(&window, &before, US(2000)), 0);
	assert_int_equal(window.processes.rows[0].open_count, 1);
	sections_free(&window);
	sections_free(&before);
}

/* Of an address space that is gone nothing is open. */
static void windows_of_programs(void **state)
{
	struct gapp_record_slice later = made_slice(1, 200, 400, 50);
	struct sections window = { 0 };

	(void)state;
	BEGIN(1, 100, "a");
	later.image++;
	sections_gone(&sections, &later);
	assert_int_equal(sections_go_on(&window, &sections, US(1000)), 0);
	assert_false(sections_any(&window));
	sections_free(&window);
}

static void threads_ended(u64 us, s32 tid)
{
	const struct section_thread_end ends[] = {
		{ .ns = US(us), .tid = tid, .tgid = PID, .goes_on = true },
		{ .ns = US(us + 1), .tid = tid, .tgid = PID + 1, .goes_on = true },
	};

	assert_int_equal(sections_end_threads(&sections, ends, ARRAY_SIZE(ends)), 0);
}

/* At level critical no record says that a thread ends; its figures do, when all is over. */
static void threads_that_ended_unseen(void **state)
{
	(void)state;
	mark_measured(1, 100, GAPP_MARK_BEGIN, "run", 0);
	mark_measured(2, 200, GAPP_MARK_BEGIN, "work", 150);
	mark_measured(1, 600, GAPP_MARK_BEGIN, "inner", 1000);
	mark_measured(1, 700, GAPP_MARK_END, "inner", 1300);
	mark_measured(1, 1000, GAPP_MARK_END, "run", 1600);
	slice(2, 650, 660, 5);
	lasts("work", 700, 1);
	/* as often as the recording is looked at */
	for (u32 i = 0; i < 2; i++) {
		threads_ended(300, 2);
		lasts("work", 100, 1);
		lasts("run", 700, 1);
		lasts("inner", 100, 1);
		assert_int_equal(sections.ended_unseen, 1);
		assert_int_equal(sections.processes.rows[0].open_count, 0);
	}
	/* S at the end of the thread is not known */
	assert_int_equal(sum("work")->measured_ns, 0);
	assert_int_equal(sum("run")->measured_ns, US(400));
	assert_int_equal(sum("run")->thread_ns, US(450));
	assert_int_equal(sum("inner")->thread_ns, US(300));
	has_share("inner", 5, 0);
}

/* It was not the current one, and what was around it ended later. */
static void threads_that_ended_around(void **state)
{
	(void)state;
	mark_measured(1, 100, GAPP_MARK_BEGIN, "a", 0);
	mark_measured(2, 200, GAPP_MARK_BEGIN, "b", 100);
	mark_measured(1, 500, GAPP_MARK_END, "a", 400);
	mark_measured(3, 600, GAPP_MARK_BEGIN, "c", 500);
	mark_measured(3, 800, GAPP_MARK_END, "c", 900);
	sections_end(&sections, &sections.processes.rows[0], US(1000));
	lasts("b", 600, 1);
	threads_ended(700, 2);
	lasts("a", 100, 1);
	lasts("b", 400, 1);
	lasts("c", 200, 1);
	assert_int_equal(sum("c")->thread_ns, US(400));
	assert_int_equal(sections.processes.rows[0].open_count, 0);
	threads_ended(300, 2);
	lasts("a", 300, 1);
	lasts("b", 100, 1);
}

/* A later thread has the number again; and a record has said that the first one ended. */
static void threads_with_one_number(void **state)
{
	struct gapp_record_slice last = made_slice(2, 180, 200, 10);

	(void)state;
	BEGIN(2, 100, "a");
	BEGIN(2, 150, "in a");
	last.then = GAPP_THEN_EXITED;
	add(&last);
	BEGIN(2, 300, "b");
	BEGIN(2, 350, "b");
	END(2, 400, "");
	threads_ended(200, 2);
	assert_int_equal(sections.ended_unseen, 0);
	sections_end(&sections, &sections.processes.rows[0], US(500));
	lasts("a", 50, 1);
	lasts("in a", 50, 1);
	lasts("b", 200, 2);
}

/* Of too many marks it is not known what was the current section then. */
static void threads_and_many_marks(void **state)
{
	u64 us = 200;

	(void)state;
	BEGIN(2, 100, "a");
	for (u32 i = 0; i < 140000; i++) {
		BEGIN(1, us++, "b");
		END(1, us++, "b");
	}
	threads_ended(150, 2);
	assert_int_equal(sections.ended_unseen, 1);
	threads_ended(150, 1);
	assert_int_equal(sections.ended_unseen, 0);
	sections_end(&sections, &sections.processes.rows[0], US(us));
	lasts("a", 140100, 1);
	lasts("b", 140000, 140000);
}

/* What an exec ended stays so, and what was open before a window is so again. */
static void threads_and_programs(void **state)
{
	struct made_mark next = made(3, 300, GAPP_MARK_BEGIN, "b");
	struct sections before;

	(void)state;
	BEGIN(1, 100, "a");
	next.mark.image++;
	assert_int_equal(sections_mark(&sections, &next.mark), 0);
	threads_ended(600, 3);
	sections_end(&sections, &sections.processes.rows[0], US(900));
	lasts("a", 200, 1);
	lasts("b", 300, 1);
	end(NULL);
	BEGIN(1, 100, "a");
	BEGIN(2, 200, "b");
	before = sections;
	sections = (struct sections){ 0 };
	assert_int_equal(sections_go_on(&sections, &before, US(1000)), 0);
	sections_free(&before);
	threads_ended(1300, 2);
	END(1, 1500, "a");
	threads_ended(1300, 2);
	lasts("b", 300, 0);
	lasts("a", 200, 0);
}

#define SECTIONS_TEST(function) cmocka_unit_test_teardown(function, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SECTIONS_TEST(times),
		SECTIONS_TEST(nested),
		SECTIONS_TEST(of_threads),
		SECTIONS_TEST(parallelism),
		SECTIONS_TEST(shares),
		SECTIONS_TEST(divided),
		SECTIONS_TEST(earlier_slices),
		SECTIONS_TEST(samples),
		SECTIONS_TEST(ends_of_threads),
		SECTIONS_TEST(ends_of_programs),
		SECTIONS_TEST(bounds),
		SECTIONS_TEST(points),
		SECTIONS_TEST(windows),
		SECTIONS_TEST(windows_of_programs),
		SECTIONS_TEST(beyond_the_bound),
		SECTIONS_TEST(many_threads),
		SECTIONS_TEST(ends_beyond_the_bound),
		SECTIONS_TEST(threads_that_ended_unseen),
		SECTIONS_TEST(threads_that_ended_around),
		SECTIONS_TEST(threads_with_one_number),
		SECTIONS_TEST(threads_and_many_marks),
		SECTIONS_TEST(threads_and_programs),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("sections", tests, NULL, NULL);
}
