// SPDX-License-Identifier: GPL-2.0
/* Loops that were timed exactly, as rows with names, and in a recording's file. */
#include "fake_code.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/exact_loops.h"

static struct timed_loop timed(const char *frame, u64 tgid, u64 timed_ns, bool given_up)
{
	return (struct timed_loop){
		.key = { .address = 0x1000, .tgid = tgid },
		.code = call_paths_get(NULL, path_of(frame), 0, 0, 0)->addresses[0],
		.timed_ns = timed_ns,
		.given_up = given_up,
	};
}

/* Loops that look alike are one row; the longest time is first. */
static void rows_have_names(void **state)
{
	const struct timed_loop loops[] = {
		timed("await:7", 70, 3, false),	 timed("lib_await:8", 70, 500, true),
		timed("await:7", 70, 40, true),	 timed("await:9", 70, 42, false),
		timed("await:7", 71, 41, false), timed("?a:3", 70, 1, false),
	};
	struct exact_loops *made = exact_loops_make(loops, ARRAY_SIZE(loops), NULL);
	static const struct {
		const char *function;
		s32 tgid;
		u32 line;
		u64 timed_ns;
		bool given_up;
	} rows[] = {
		{ "lib_await", 70, 8, 500, true }, { "await", 70, 7, 43, true },
		{ "await", 70, 9, 42, false },	   { "await", 71, 7, 41, false },
		{ NULL, 70, 3, 1, false },
	};

	assert_non_null(made);
	assert_int_equal(made->row_count, ARRAY_SIZE(rows));
	for (u32 i = 0; i < made->row_count; i++) {
		const struct exact_loop *row = &made->rows[i];

		if (rows[i].function)
			assert_string_equal(row->place.function, rows[i].function);
		else
			assert_null(row->place.function);
		assert_int_equal(row->tgid, rows[i].tgid);
		/* of made-up code each function has a thousand lines */
		assert_int_equal(row->place.line % 1000, rows[i].line);
		assert_int_equal(row->timed_ns, rows[i].timed_ns);
		assert_int_equal(row->given_up, rows[i].given_up);
	}
	exact_loops_free(made);
}

/* A line of a function that is inlined is in the function around it. */
static void functions_are_those_that_a_debugger_breaks_in(void **state)
{
	const struct timed_loop loop = timed("await:501", 70, 3, false);
	struct exact_loops *made = exact_loops_make(&loop, 1, NULL);

	assert_non_null(made);
	assert_string_equal(made->rows[0].place.function, "await");
	assert_string_equal(made->rows[0].place.file, "inline.h");
	assert_int_equal(made->rows[0].place.line, 501);
	exact_loops_free(made);
}

/* Writes a file with the loops, or with @items of numbers of their block; reads it again. */
static struct exact_loops *read_again(const struct exact_loops *loops, const u64 *items,
				      size_t count, bool *damaged)
{
	const int fd = memfd_create("loops", 0);
	struct blocks_writer writer = { 0 };
	struct exact_loops *again;
	struct blocks *blocks;
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(blocks_begin(&writer, fd), 0);
	if (loops)
		exact_loops_save(loops, &writer);
	if (count) {
		blocks_section(&writer, BLOCK_EXACT_LOOPS);
		for (size_t i = 0; i < count; i++)
			pack_u64(blocks_item(&writer), items[i]);
		blocks_item_end(&writer);
	}
	assert_int_equal(blocks_end(&writer), 0);
	blocks_free(&writer);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	blocks = blocks_open(path);
	assert_non_null(blocks);
	assert_int_equal(exact_loops_read(blocks, &again), 0);
	*damaged = blocks_health(blocks)->damaged;
	blocks_close(blocks);
	close(fd);
	return again;
}

static void a_recording_has_them(void **state)
{
	const struct timed_loop loops[] = {
		timed("await:7", 70, 3, false),
		timed("?a:0", 71, 500, true),
	};
	struct exact_loops *made = exact_loops_make(loops, ARRAY_SIZE(loops), NULL), *again;
	bool damaged;

	assert_non_null(made);
	made->count = 9;
	made->passes_per_s = 20000;
	again = read_again(made, NULL, 0, &damaged);
	assert_false(damaged);
	assert_non_null(again);
	assert_int_equal(again->count, 9);
	assert_int_equal(again->passes_per_s, 20000);
	assert_int_equal(again->row_count, 2);
	for (u32 i = 0; i < 2; i++) {
		const struct exact_loop *from = &made->rows[i], *to = &again->rows[i];

		assert_int_equal(!!from->place.function, !!to->place.function);
		if (from->place.function)
			assert_string_equal(from->place.function, to->place.function);
		assert_string_equal(from->place.module, to->place.module);
		assert_int_equal(from->place.offset, to->place.offset);
		assert_int_equal(from->place.line, to->place.line);
		assert_int_equal(from->tgid, to->tgid);
		assert_int_equal(from->timed_ns, to->timed_ns);
		assert_int_equal(from->given_up, to->given_up);
	}
	exact_loops_free(again);
	exact_loops_free(made);
}

static void a_recording_may_have_none(void **state)
{
	bool damaged;

	assert_null(read_again(NULL, NULL, 0, &damaged));
	assert_false(damaged);
}

#define SUMS 0
#define ROW 1

/* What a file has that is made up. */
static void what_makes_no_sense_is_damaged(void **state)
{
	static const struct {
		u64 items[10];
		size_t count;
		bool damaged;
		bool any;
	} cases[] = {
		{ { SUMS, 5, 20000 }, 3, false, true },
		/* rows alone */
		{ { ROW, 0, 0, 16, 0, 0, 2, 100, 1 }, 9, false, false },
		/* an item of neither kind */
		{ { 2, 5, 20000 }, 3, true, false },
		/* a text that is longer than the block; given up twice; a line beyond all files */
		{ { ROW, 5000 }, 2, true, false },
		{ { ROW, 0, 0, 16, 0, 0, 2, 100, 2 }, 9, true, false },
		{ { ROW, 0, 0, 16, 0, 0x100000000, 2, 100, 1 }, 9, true, false },
		/* too short */
		{ { SUMS, 5 }, 2, true, false },
		{ { ROW, 0, 0, 16, 0, 0, 2, 100 }, 8, true, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct exact_loops *loops;
		bool damaged;

		loops = read_again(NULL, cases[i].items, cases[i].count, &damaged);
		if (damaged != cases[i].damaged || !!loops != cases[i].any)
			fail_msg("case %zu: damaged %d, any %d", i, damaged, !!loops);
		exact_loops_free(loops);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_have_names),
		TEST(functions_are_those_that_a_debugger_breaks_in),
		TEST(a_recording_has_them),
		TEST(a_recording_may_have_none),
		TEST(what_makes_no_sense_is_damaged),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("exact_loops", tests, NULL, NULL);
}
