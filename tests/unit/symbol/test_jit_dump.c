// SPDX-License-Identifier: GPL-2.0
/* JIT dumps, well formed and not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "jit_dump_file.h"
#include "symbol/jit_dump.h"

#define CODE 0x7f0000001000ULL

static FILE *begin(void)
{
	FILE *file = fdopen(memfd_create("dump", MFD_CLOEXEC), "w+");

	assert_non_null(file);
	return file;
}

static struct perf_map end(FILE *file)
{
	struct perf_map map;

	fflush(file);
	assert_int_equal(jit_dump_read(&map, fileno(file)), 0);
	fclose(file);
	return map;
}

/* @name: NULL: no function is there. @source: NULL: no line is known. */
static void finds(const struct perf_map *map, u64 address, const char *name, const char *source,
		  u32 number)
{
	const struct perf_function *found = perf_map_find(map, address);
	const struct perf_line *line;

	if (!name) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found->name, name);
	line = perf_map_line(map, found, address);
	if (!source) {
		assert_null(line);
		return;
	}
	assert_non_null(line);
	assert_string_equal(line->file, source);
	assert_int_equal(line->line, number);
}

static void functions_and_their_lines(void **state)
{
	static const struct dump_line lines[] = {
		{ CODE + 0x10, 12, "/srv/b.c" },  { CODE, 10, "/srv/a.c" },
		{ CODE + 0x8, 40, "\xff" },	  { CODE + 0x8, 11, "\xff" },
		{ CODE - 1, 9, "/srv/before.c" },
	};
	FILE *file = begin();
	struct perf_map map;

	(void)state;
	dump_head(file);
	dump_load(file, CODE + 0x100, 0x20, 1, "without lines");
	dump_lines(file, CODE, lines, ARRAY_SIZE(lines));
	dump_load(file, CODE, 0x20, 2, "with lines");
	dump_record(file, DUMP_CLOSE, 0);
	map = end(file);
	assert_int_equal(map.count, 2);
	finds(&map, CODE - 1, NULL, NULL, 0);
	finds(&map, CODE, "with lines", "/srv/a.c", 10);
	finds(&map, CODE + 0x7, "with lines", "/srv/a.c", 10);
	/* the same file as the entry before */
	finds(&map, CODE + 0x8, "with lines", "/srv/a.c", 11);
	finds(&map, CODE + 0x1f, "with lines", "/srv/b.c", 12);
	finds(&map, CODE + 0x20, NULL, NULL, 0);
	finds(&map, CODE + 0x100, "without lines", NULL, 0);
	perf_map_free(&map);
}

/* They are of the function that is loaded next, at the address that they say. */
static void lines_of_something_else(void **state)
{
	static const struct dump_line line = { CODE, 10, "/srv/a.c" };
	FILE *file = begin();
	struct perf_map map;

	(void)state;
	dump_head(file);
	dump_lines(file, CODE, &line, 1);
	dump_load(file, CODE + 0x40, 0x40, 1, "elsewhere");
	dump_load(file, CODE, 0x40, 2, "too late");
	dump_lines(file, CODE + 0x80, &line, 1);
	dump_lines(file, CODE + 0x80, &(struct dump_line){ CODE + 0x80, 20, "/srv/b.c" }, 1);
	dump_load(file, CODE + 0x80, 0x40, 3, "told twice");
	dump_lines(file, CODE + 0xc0, &line, 1);
	map = end(file);
	finds(&map, CODE + 0x40, "elsewhere", NULL, 0);
	finds(&map, CODE, "too late", NULL, 0);
	finds(&map, CODE + 0x80, "told twice", "/srv/b.c", 20);
	assert_int_equal(map.line_count, 1);
	perf_map_free(&map);
}

/* Names of files are kept once, also where they alternate, as inlined code has them. */
static void files_that_alternate(void **state)
{
	FILE *file = begin();
	struct perf_map map;

	(void)state;
	dump_head(file);
	for (u32 i = 0; i < 100; i++) {
		const struct dump_line lines[] = { { CODE + 64 * i, 2 * i, "/srv/a.js" },
						   { CODE + 64 * i + 8, 2 * i + 1, "/srv/b.js" } };

		dump_lines(file, CODE + 64 * i, lines, 2);
		dump_load(file, CODE + 64 * i, 64, i, "f");
	}
	map = end(file);
	assert_int_equal(map.count, 100);
	assert_int_equal(map.bytes, 2 * sizeof("/srv/a.js") + 100 * sizeof("f"));
	finds(&map, CODE + 64 * 99, "f", "/srv/a.js", 198);
	finds(&map, CODE + 64 * 99 + 63, "f", "/srv/b.js", 199);
	perf_map_free(&map);
}

static void the_last_one_wins_and_moves(void **state)
{
	static const struct dump_line lines[] = { { CODE, 10, "/srv/a.c" },
						  { CODE + 0x10, 11, "/srv/a.c" } };
	FILE *file = begin();
	struct perf_map map;

	(void)state;
	dump_head(file);
	dump_lines(file, CODE, lines, 2);
	dump_load(file, CODE, 0x20, 7, "first");
	dump_move(file, CODE, CODE + 0x1000, 0x20, 7);
	dump_load(file, CODE, 0x20, 8, "second");
	dump_move(file, CODE + 0x1000, CODE + 0x2000, 0x20, 7);
	dump_move(file, CODE, CODE + 0x3000, 0x20, 9);
	/* the number is used again */
	dump_load(file, CODE + 0x100, 0x20, 7, "third");
	dump_move(file, CODE + 0x100, CODE + 0x4000, 0x20, 7);
	map = end(file);
	finds(&map, CODE, "second", NULL, 0);
	finds(&map, CODE + 0x1010, "first", "/srv/a.c", 11);
	finds(&map, CODE + 0x2000, "first", "/srv/a.c", 10);
	finds(&map, CODE + 0x2010, "first", "/srv/a.c", 11);
	finds(&map, CODE + 0x3000, NULL, NULL, 0);
	finds(&map, CODE + 0x4000, "third", NULL, 0);
	perf_map_free(&map);
}

/* V8 has all lines 64 bytes behind where they are, most functions one at their begin. */
static void lines_as_v8_has_them(void **state)
{
	static const struct dump_line first[] = { { CODE + 64, 10, "/srv/app.js" },
						  { CODE + 80, 11, "/srv/app.js" } };
	static const struct dump_line second = { CODE + 0x100 + 70, 20, "/srv/app.js" };
	struct perf_map map;

	(void)state;
	for (int other = 0; other < 2; other++) {
		FILE *file = begin();

		dump_head(file);
		dump_lines(file, CODE, first, 2);
		dump_load(file, CODE, 0x60, 1, "JS:*first /srv/app.js:9:1");
		dump_lines(file, CODE + 0x100, &second, 1);
		dump_load(file, CODE + 0x100, 0x80, 2, "JS:*second /srv/app.js:19:1");
		if (other) {
			dump_lines(file, CODE + 0x200,
				   &(struct dump_line){ CODE + 0x200, 30, "/srv/a.c" }, 1);
			dump_load(file, CODE + 0x200, 0x20, 3, "not of V8");
		}
		map = end(file);
		finds(&map, CODE, "JS:*first /srv/app.js:9:1", other ? NULL : "/srv/app.js", 10);
		finds(&map, CODE + 16, "JS:*first /srv/app.js:9:1", other ? NULL : "/srv/app.js",
		      11);
		finds(&map, CODE + 64, "JS:*first /srv/app.js:9:1", "/srv/app.js", other ? 10 : 11);
		finds(&map, CODE + 0x106, "JS:*second /srv/app.js:19:1",
		      other ? NULL : "/srv/app.js", 20);
		perf_map_free(&map);
	}
}

/* Its program is still writing it, or has died meanwhile. */
static void a_file_that_ends_anywhere(void **state)
{
	static const struct dump_line lines[] = { { CODE, 10, "/srv/a.c" },
						  { CODE + 0x8, 11, "/srv/b.c" } };
	FILE *file = begin(), *cut;
	char bytes[4096];
	struct perf_map map;
	size_t size;

	(void)state;
	dump_head(file);
	dump_load(file, CODE + 0x100, 0x20, 1, "first");
	dump_lines(file, CODE, lines, 2);
	dump_load(file, CODE, 0x20, 2, "second");
	dump_move(file, CODE, CODE + 0x200, 0x20, 2);
	rewind(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	assert_true(size > 200 && size < sizeof(bytes));
	fclose(file);
	for (size_t end_at = 0; end_at <= size; end_at++) {
		cut = begin();
		fwrite(bytes, end_at, 1, cut);
		map = end(cut);
		assert_in_range(map.count, 0, 3);
		for (u32 i = 0; i < map.count; i++)
			assert_true(!strcmp(map.functions[i].name, "first") ||
				    !strcmp(map.functions[i].name, "second"));
		if (end_at == size)
			assert_int_equal(map.count, 3);
		perf_map_free(&map);
	}
}

static void what_is_no_dump(void **state)
{
	FILE *file = begin();
	struct perf_map map;
	u32 magic = 0x4454694a;

	(void)state;
	map = end(file);
	assert_int_equal(map.count, 0);
	file = begin();
	fputs("7f0000001000 20 a line of a perf map, and some more of it\n", file);
	map = end(file);
	assert_int_equal(map.count, 0);
	/* another byte order */
	file = begin();
	dump_head(file);
	dump_load(file, CODE, 0x20, 1, "f");
	rewind(file);
	fwrite(&magic, sizeof(magic), 1, file);
	map = end(file);
	assert_int_equal(map.count, 0);
	/* functions without bytes or a name, behind the end, and a record that is too short */
	file = begin();
	dump_head(file);
	dump_load(file, CODE, 0, 1, "no bytes");
	dump_load(file, CODE, 8, 1, "");
	dump_record(file, DUMP_LOAD, 4);
	fwrite(&magic, sizeof(magic), 1, file);
	dump_load(file, UINT64_MAX - 4, 8, 1, "behind the end");
	dump_load(file, CODE, 8, 1, "f");
	dump_record(file, 77, 0);
	dump_record(file, DUMP_LOAD, -8);
	dump_load(file, CODE + 8, 8, 1, "not reached");
	map = end(file);
	assert_int_equal(map.count, 1);
	assert_false(map.cut);
	finds(&map, CODE, "f", NULL, 0);
	perf_map_free(&map);
}

/* Whatever the bytes are. */
static void any_bytes(void **state)
{
	struct perf_map map;

	(void)state;
	for (unsigned int seed = 1; seed < 200; seed++) {
		unsigned int random = seed;
		FILE *file = begin();

		dump_head(file);
		for (int i = 0; i < 50; i++) {
			u32 bytes = rand_r(&random) % 200;

			dump_record(file, rand_r(&random) % 4, bytes);
			for (u32 j = 0; j < bytes; j++)
				fputc(rand_r(&random) % 3 ? 0 : rand_r(&random), file);
		}
		map = end(file);
		for (u64 address = 0; address < 0x300; address++) {
			const struct perf_function *found = perf_map_find(&map, address);

			if (found)
				perf_map_line(&map, found, address);
		}
		perf_map_free(&map);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_and_their_lines),
		cmocka_unit_test(lines_of_something_else),
		cmocka_unit_test(files_that_alternate),
		cmocka_unit_test(the_last_one_wins_and_moves),
		cmocka_unit_test(lines_as_v8_has_them),
		cmocka_unit_test(a_file_that_ends_anywhere),
		cmocka_unit_test(what_is_no_dump),
		cmocka_unit_test(any_bytes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("jit dump", tests, NULL, NULL);
}
