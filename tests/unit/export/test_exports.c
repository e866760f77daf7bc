// SPDX-License-Identifier: GPL-2.0
/* What the formats say of made-up results; tests/cli/test_exports.py reads them as others do. */
#include "export/exports.h"
#include "export/message.h"
#include "export/pieces.h"
#include "made_paths.h"
#include "made_up.h"
#include "starve.h"
#include "util/names.h"

typedef int (*export_function)(FILE *out, const struct results *results,
			       const struct options *options);

static const export_function exports[] = { export_folded, export_csv, export_pprof,
					   export_speedscope };

static char *print_export(export_function export, const struct results *results)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(export(out, results, NULL), 0);
	fclose(out);
	return text;
}

#define PUT "put<a, b>:\\x0a\\x1b]0:x\\x07\xef\xbf\xbd("
#define WORKER "work:er\\x0a\"1\""

static void folded_has_every_path_once(void **state)
{
	_cleanup_free_ char *text = print_export(export_folded, made_paths());

	/* 2.5 s more come from the path with another line */
	assert_string_equal(
		text, "=1+1,\\x1b[2J\xef\xbf\xbd;main;" PUT ";" PUT ";rehash_[i] 1714286\n"
		      "little;main;" PUT ";" PUT ";rehash_[i] 857143\n" WORKER ";main;" PUT ";" PUT
		      ";rehash_[i] 3428571\n" WORKER ";main;" PUT ";rehash_[i] 2500000\n"
		      "?;main;[/usr/lib/libodd.so.6+0x1234];Function 12_[j];copy_page_[k] 1500000\n"
		      "main;main;again_7;again_7 500000\n"
		      "[no call path];[run queue] 300000\n"
		      "[no call path];[lost records] 700000\n"
		      "[no call path];[no path] 200000\n"
		      "[no call path];[not ranked] 300000\n"
		      "[no thread active];main;main;fsync;[waits: disk] 3000000\n"
		      "[no thread active];[no call path];[lost records] 500000\n");
}

static void folded_wakers_stand_on_waits(void **state)
{
	const struct options options = { .view = VIEW_WAKERS };
	struct frame waits[] = { { .function = "pthread_mutex_lock", .module = "libc.so.6" },
				 { .function = "append;all", .module = "prog" },
				 { .function = "main", .module = "prog" } };
	struct frame wakes[] = { { .function = "flush", .module = "prog", .inlined = true },
				 { .function = "main", .module = "prog" } };
	struct woken_path paths[] = { { waits, ARRAY_SIZE(waits) },
				      { wakes, ARRAY_SIZE(wakes) },
				      { NULL, 0 } };
	struct object object = { 0 };
	struct woken rows[] = {
		{ .waiter = "writer 1",
		  .waited = 0,
		  .waker = "flusher",
		  .from = 1,
		  .waited_ns = 1500000 },
		{ .waiter = "writer 1",
		  .waited = 0,
		  .interrupt = true,
		  .kind = "disk",
		  .from = 2,
		  .waited_ns = 700600 },
		{ .waiter = "writer 1",
		  .waited = 2,
		  .interrupt = true,
		  .from = 2,
		  .waited_ns = 2400 },
		{ .waited = 0, .from = 2, .waited_ns = 1000 },
		/* how long is not known */
		{ .waiter = "reader", .waited = 0, .waker = "flusher", .from = 1 },
		/* the same as the first, with other lines */
		{ .waiter = "writer 1",
		  .waited = 0,
		  .waker = "flusher",
		  .from = 1,
		  .waited_ns = 500000 },
	};
	struct results results = {
		.woken = { rows, ARRAY_SIZE(rows), paths, ARRAY_SIZE(paths) },
	};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		waits[i].object = &object;
	for (size_t i = 0; i < ARRAY_SIZE(wakes); i++)
		wakes[i].object = &object;
	assert_int_equal(export_folded(out, &results, &options), 0);
	fclose(out);
	assert_string_equal(
		text, "writer_1;main;append:all;pthread_mutex_lock;--;flush_[i];main;flusher 2000\n"
		      "writer_1;main;append:all;pthread_mutex_lock;--;[disk interrupt] 701\n"
		      "writer_1;[no call path];--;[interrupt] 2\n"
		      "[not known];main;append:all;pthread_mutex_lock;--;[not known] 1\n");
	free(text);
}

static void whole_numbers_add_up(void **state)
{
	struct rounding rounding = { 0 };
	u64 sum = 0, number;

	for (int i = 0; i < 1000; i++) {
		number = rounding_next(&rounding, 0.3);
		assert_in_range(number, 0, 1);
		sum += number;
	}
	assert_int_equal(sum, 300);
	/* what cannot be does no harm */
	assert_int_equal(rounding_next(&rounding, -5), 0);
	assert_int_equal(rounding_next(&rounding, 7), 7);
}

struct sums {
	double critical_ns;
	double waited_ns;
	u64 pieces;
	u64 named;
};

static int add_piece(void *context, const struct piece *piece)
{
	struct sums *sums = context;

	sums->critical_ns += piece->critical_ns;
	sums->waited_ns += piece->waited_ns;
	sums->pieces++;
	sums->named += !!piece->comm;
	return 0;
}

static void pieces_add_up_however_they_are_made(void **state)
{
	static const enum pieces_by by[] = { PIECES_WHOLE, PIECES_BY_NAME, PIECES_BY_THREAD };
	/* of the first path's four threads two have one name, and one has no piece of its own */
	static const u64 pieces[] = { 5 + 4, 7 + 4, 8 + 4 }, named[] = { 0, 4, 4 };

	for (size_t i = 0; i < ARRAY_SIZE(by); i++) {
		struct sums sums = { 0 };

		assert_int_equal(pieces_each(made_paths(), by[i], add_piece, &sums), 0);
		assert_true(sums.critical_ns - 12e9 < 2 && 12e9 - sums.critical_ns < 2);
		assert_true(sums.waited_ns - 3.5e9 < 1 && 3.5e9 - sums.waited_ns < 1);
		assert_int_equal(sums.pieces, pieces[i]);
		assert_int_equal(sums.named, named[i]);
	}
}

static int stop(void *context, const struct piece *piece)
{
	return ++*(int *)context == 3 ? -1 : 0;
}

static void who_takes_pieces_can_end_that(void **state)
{
	int taken = 0;

	assert_int_equal(pieces_each(made_paths(), PIECES_BY_THREAD, stop, &taken), -1);
	assert_int_equal(taken, 3);
}

static void few_threads_have_pieces_of_their_own(void **state)
{
	static struct ranked rows[3 * EXPORT_THREADS_MAX];
	struct results results = { .by_thread = { rows, ARRAY_SIZE(rows) } };
	const struct ranked *threads[EXPORT_THREADS_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		rows[i].tid = i % 3 == 1 ? 0 : i + 1;
		rows[i].kind = i % 3 == 2 ? PATH_WAITED : PATH_RAN;
	}
	assert_int_equal(exported_threads(&results, threads), EXPORT_THREADS_MAX);
	assert_ptr_equal(threads[0], &rows[0]);
	assert_ptr_equal(threads[1], &rows[3]);
	results.by_thread.count = 4;
	assert_int_equal(exported_threads(&results, threads), 2);
}

static void names_become_text(void **state)
{
	static const struct {
		const char *name;
		const char *text;
	} cases[] = {
		{ "", "" },
		{ "a b\\", "a b\\" },
		{ "a\tb\x7f", "a\\x09b\\x7f" },
		{ "\xc3\xa9", "\xc3\xa9" },
		{ "\xc2\x9b\x32J", "\\xc2\\x9b2J" },
		{ "\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text = name_text(cases[i].name, strlen(cases[i].name));

		assert_string_equal(text, cases[i].text);
	}
}

static void messages_are_encoded(void **state)
{
	/* the examples of protobuf.dev/programming-guides/encoding */
	static const u8 expected[] = { 0x08, 0x96, 0x01, 0x12, 0x07, 't',  'e',	 's', 't',
				       'i',  'n',  'g',	 0x1a, 0x03, 0x08, 0x96, 0x01 };
	_cleanup_message_ struct message message = { 0 }, part = { 0 };

	message_number(&message, 1, 150);
	message_number(&message, 9, 0);
	message_bytes(&message, 2, "testing", 7);
	message_number(&part, 1, 150);
	message_part(&message, 3, &part);
	assert_int_equal(message.size, sizeof(expected));
	assert_memory_equal(message.bytes, expected, sizeof(expected));
	assert_int_equal(part.size, 0);
	message_clear(&message);
	message_varint(&message, UINT64_MAX);
	assert_int_equal(message.size, 10);
	assert_false(message.failed);
}

static void nothing_is_an_empty_export(void **state)
{
	const struct results nothing = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(exports); i++) {
		_cleanup_free_ char *text = print_export(exports[i], &nothing);

		if (exports[i] == export_folded)
			assert_string_equal(text, "");
		else if (exports[i] == export_csv)
			assert_int_equal(lines_in(text), 1);
	}
}

static void equal_results_are_equal_files(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(exports); i++) {
		char *texts[2];
		size_t sizes[2];

		for (size_t j = 0; j < 2; j++) {
			FILE *out = open_memstream(&texts[j], &sizes[j]);

			assert_int_equal(exports[i](out, made_paths(), NULL), 0);
			fclose(out);
		}
		assert_int_equal(sizes[0], sizes[1]);
		assert_memory_equal(texts[0], texts[1], sizes[0]);
		free(texts[0]);
		free(texts[1]);
	}
}

/* CSV needs no memory that can be made to run out here. */
static void without_memory_it_says_so(void **state)
{
	static const export_function starved[] = { export_folded, export_pprof, export_speedscope };

	for (size_t i = 0; i < ARRAY_SIZE(starved); i++) {
		FILE *out = fopen("/dev/null", "w");
		size_t tries = 0;
		int result;

		do {
			memory = tries++;
			result = starved[i](out, made_paths(), NULL);
			memory = SIZE_MAX;
		} while (result);
		assert_true(tries > 1);
		fclose(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_has_every_path_once),
		cmocka_unit_test(folded_wakers_stand_on_waits),
		cmocka_unit_test(whole_numbers_add_up),
		cmocka_unit_test(pieces_add_up_however_they_are_made),
		cmocka_unit_test(who_takes_pieces_can_end_that),
		cmocka_unit_test(few_threads_have_pieces_of_their_own),
		cmocka_unit_test(names_become_text),
		cmocka_unit_test(messages_are_encoded),
		cmocka_unit_test(nothing_is_an_empty_export),
		cmocka_unit_test(equal_results_are_equal_files),
		cmocka_unit_test(without_memory_it_says_so),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("exports", tests, NULL, NULL);
}
