// SPDX-License-Identifier: GPL-2.0
/* Perf maps, well formed and not, and the names in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "symbol/perf_map.h"

static struct perf_map map_of(const char *text, size_t size)
{
	int fd = memfd_create("map", MFD_CLOEXEC);
	struct perf_map map;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), size);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(perf_map_read(&map, fd), 0);
	close(fd);
	return map;
}

static void finds(const struct perf_map *map, u64 address, const char *name)
{
	const struct perf_function *found = perf_map_find(map, address);

	if (!name) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found->name, name);
}

static void lines_of_a_map(void **state)
{
	static const char text[] = "7f0000001000 20 first\n"
				   "0x7f0000002000 0x10 second with spaces\r\n"
				   "7F0000003000 1 T\n"
				   "7f0000004000 8 last without a newline";
	struct perf_map map = map_of(text, strlen(text));

	(void)state;
	assert_int_equal(map.count, 4);
	finds(&map, 0x7f0000000fff, NULL);
	finds(&map, 0x7f0000001000, "first");
	finds(&map, 0x7f000000101f, "first");
	finds(&map, 0x7f0000001020, NULL);
	finds(&map, 0x7f000000200f, "second with spaces");
	finds(&map, 0x7f0000003000, "T");
	finds(&map, 0x7f0000003001, NULL);
	finds(&map, 0x7f0000004000, "last without a newline");
	finds(&map, 0, NULL);
	finds(&map, UINT64_MAX, NULL);
	perf_map_free(&map);
}

static void lines_of_nothing(void **state)
{
	static const char text[] =
		"\n\x20\nname\n1000\n1000\x20\n1000 10\n1000 10\x20\n1000 0 empty\n"
		"-1000 10 signed\n1000 -10 signed\n+1000 10 signed\n 1000 10 x\n"
		"0x 10 x\n0x0x1000 10 x\nzz 10 x\n1000 zz x\n"
		"ffffffffffffffff 10 behind the end\n"
		"fffffffffffffffff 10 too long\n1000\t10\ttabs\n"
		"root:x:0:0:root:/root:/bin/bash\n"
		"ffffffffffffff00 ff right\n";
	struct perf_map map = map_of(text, strlen(text));

	(void)state;
	assert_int_equal(map.count, 1);
	finds(&map, 0xffffffffffffff00, "right");
	perf_map_free(&map);
	map = map_of("", 0);
	finds(&map, 0, NULL);
	perf_map_free(&map);
}

/* Also a name that is cut, and bytes that end no line. */
static void long_lines_and_any_bytes(void **state)
{
	_cleanup_free_ char *text = malloc(200000);
	struct perf_map map;
	size_t size;

	(void)state;
	assert_non_null(text);
	size = sprintf(text, "1000 10 ");
	memset(text + size, 'n', 100000);
	size += 100000;
	size += sprintf(text + size, "\n2000 10 in\x1b[31mred\n3000 10 ") + 1;
	size += sprintf(text + size, "behind a NUL\n4000 10 next\n");
	map = map_of(text, size);
	assert_int_equal(strlen(perf_map_find(&map, 0x1000)->name), PERF_MAP_NAME_MAX - 1);
	finds(&map, 0x2000, "in\x1b[31mred");
	finds(&map, 0x3000, NULL);
	finds(&map, 0x4000, "next");
	perf_map_free(&map);

	for (unsigned int seed = 1; seed < 50; seed++) {
		unsigned int random = seed;

		for (size_t i = 0; i < 4096; i++)
			text[i] = rand_r(&random) % 4 ?
					  "\n 0123456789abcdefx"[rand_r(&random) % 19] :
					  rand_r(&random);
		map = map_of(text, 4096);
		for (u64 address = 0; address < 64; address++)
			perf_map_find(&map, address);
		perf_map_free(&map);
	}
}

/* Memory is used again: what was written last is what is there. */
static void the_last_line_wins(void **state)
{
	static const char text[] = "1000 1000 old\n"
				   "1800 100 new\n"
				   "1000 100 begin\n"
				   "1880 100 newest\n"
				   "1000 80 begin again\n";
	struct perf_map map = map_of(text, strlen(text));

	(void)state;
	finds(&map, 0x1000, "begin again");
	finds(&map, 0x1080, "begin");
	finds(&map, 0x1100, "old");
	finds(&map, 0x1800, "new");
	finds(&map, 0x1880, "newest");
	finds(&map, 0x197f, "newest");
	finds(&map, 0x1980, "old");
	perf_map_free(&map);
}

static void many_lines_like_an_array(void **state)
{
	enum { LINES = 3000, ROOM = 4096 };
	_cleanup_free_ char *text = malloc(LINES * 32);
	static int owner[ROOM];
	unsigned int seed = 7;
	struct perf_map map;
	size_t size = 0;
	char name[16];

	(void)state;
	memset(owner, 0xff, sizeof(owner));
	for (int i = 0; i < LINES; i++) {
		unsigned int begin = rand_r(&seed) % ROOM, length = 1 + rand_r(&seed) % 64;

		size += sprintf(text + size, "%x %x f%d\n", begin, length, i);
		for (unsigned int k = begin; k < begin + length && k < ROOM; k++)
			owner[k] = i;
	}
	map = map_of(text, size);
	for (int i = 0; i < ROOM; i++) {
		snprintf(name, sizeof(name), "f%d", owner[i]);
		finds(&map, i, owner[i] < 0 ? NULL : name);
	}
	perf_map_free(&map);
}

static const struct {
	const char *name;
	const char *function;
	const char *file;
	u32 line;
} names[] = {
	/* V8, its newer and older form, and each tier */
	{ "JS:*compact /srv/app.js:12:7", "compact", "/srv/app.js", 12 },
	{ "JS:~compact /srv/app.js:12:7", "compact", "/srv/app.js", 12 },
	{ "JS:^compact /srv/app.js:12:7", "compact", "/srv/app.js", 12 },
	{ "JS:+compact /srv/app.js:12:7", "compact", "/srv/app.js", 12 },
	{ "LazyCompile:*compact /srv/app.js:12", "compact", "/srv/app.js", 12 },
	{ "Function:compact /srv/app.js:12", "compact", "/srv/app.js", 12 },
	{ "JS:*Pool.run /srv/my app/app.js:3:1", "Pool.run", "/srv/my app/app.js", 3 },
	{ "JS:*get size file:///srv/app.mjs:3:1", "get size", "/srv/app.mjs", 3 },
	{ "JS:* /srv/app.js:9:1", "(anonymous)", "/srv/app.js", 9 },
	{ "JS:*", "(anonymous)", "", 0 },
	{ "LazyCompile:~emit node:events:466:44", "emit", "node:events", 466 },
	{ "Script:~app.js:1:1", "app.js", "", 0 },
	{ "Builtin:ArrayPrototypeJoin", "Builtin:ArrayPrototypeJoin", "", 0 },
	{ "BytecodeHandler:Ldar", "BytecodeHandler:Ldar", "", 0 },
	/* CPython */
	{ "py::run:/srv/app.py", "run", "/srv/app.py", 0 },
	{ "py::Pool.run:/srv/app.py", "Pool.run", "/srv/app.py", 0 },
	{ "py::<module>:<frozen importlib._bootstrap>", "<module>", "<frozen importlib._bootstrap>",
	  0 },
	{ "py::run", "run", "", 0 },
	{ "py::", "py::", "", 0 },
	/* Java: jcmd Compiler.perfmap, agents */
	{ "void com.example.Index.add(int, byte[])", "com.example.Index.add", "", 0 },
	{ "java.lang.String java.lang.StringLatin1.newString(byte[], int, int)",
	  "java.lang.StringLatin1.newString", "", 0 },
	{ "Lcom/example/Index;::add", "com.example.Index::add", "", 0 },
	{ "Lcom/example/Index;add(ILjava/lang/String;)V", "com.example.Index.add", "", 0 },
	{ "LIndex;<init>()V", "Index.<init>", "", 0 },
	{ "Lcom/example/Index;", "Lcom/example/Index;", "", 0 },
	{ "Lcom/example/Index;add", "Lcom/example/Index;add", "", 0 },
	{ "com.example.Index::add", "com.example.Index::add", "", 0 },
	{ "Interpreter", "Interpreter", "", 0 },
	{ "StubRoutines (1)", "StubRoutines (1)", "", 0 },
	/* .NET */
	{ "void [app] Index::Add(int32)[OptimizedTier1]", "Index::Add", "", 0 },
	{ "void [app] Index::Add(int32)[Tier0]", "Index::Add", "", 0 },
	/* others */
	{ "compact", "compact", "", 0 },
	{ "wasm[0]::function[12]", "wasm[0]::function[12]", "", 0 },
	{ "julia_compact_123", "julia_compact_123", "", 0 },
	{ "(", "(", "", 0 },
	{ ")", ")", "", 0 },
	{ "()", "()", "", 0 },
	{ "]", "]", "", 0 },
	{ "L;:", "L;:", "", 0 },
	{ "L/;:", ".:", "", 0 },
};

static void names_of_runtimes(void **state)
{
	struct generated_name made;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		generated_name(&made, names[i].name);
		if (strcmp(made.function, names[i].function) || strcmp(made.file, names[i].file) ||
		    made.line != names[i].line)
			fail_msg("%s: %s in %s:%u", names[i].name, made.function, made.file,
				 made.line);
	}
}

/* However a name is cut, something is left and nothing is read behind its end. */
static void cut_names(void **state)
{
	struct generated_name made;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		for (size_t length = strlen(names[i].name); length; length--) {
			_cleanup_free_ char *cut = strndup(names[i].name, length);

			assert_non_null(cut);
			generated_name(&made, cut);
			assert_true(*made.function);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_a_map),
		cmocka_unit_test(lines_of_nothing),
		cmocka_unit_test(long_lines_and_any_bytes),
		cmocka_unit_test(the_last_line_wins),
		cmocka_unit_test(many_lines_like_an_array),
		cmocka_unit_test(names_of_runtimes),
		cmocka_unit_test(cut_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("perf map", tests, NULL, NULL);
}
