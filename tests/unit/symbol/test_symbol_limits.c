// SPDX-License-Identifier: GPL-2.0
/* Files made to keep the reader busy, and functions that only have the C library's names. */
#include "made_up.h"
#include "subject.h"

#include <limits.h>
#include <sys/stat.h>

#include "symbol/symbol_file.h"

#define PATIENCE_S 20

static struct code_address place_of(struct object *object, const char *symbol)
{
	return (struct code_address){ object, offset_of(object->path,
							symbol_address(object->path, symbol)) };
}

/*
 * Names in names, each of whose siblings is its own first child: with each level there is twice as
 * much to look at.
 */
static void siblings_that_lead_back(void **state)
{
	u64 begin_ns = clock_ns();
	struct symbols *symbols;
	const struct frame *frames;
	struct object *object;

	(void)state;
	run("gcc -nostdlib -shared -o libevil.so siblings.s");
	run("readelf --debug-dump=info libevil.so 2>&1 | grep -q DW_TAG_namespace");
	symbols = symbols_new(NULL);
	object = object_of("libevil.so");
	assert_int_equal(symbols_frames(symbols, place_of(object, "evil"), false, &frames), 1);
	assert_string_equal(frames[0].function, "evil");
	assert_true(clock_ns() - begin_ns < PATIENCE_S * NSEC_PER_SEC);
	symbols_free(symbols);
	object_drop(object);
}

/* As of a unit that has whole libraries in it: more than half of what is looked at for an address.
 */
static void function_with_many_parts(void **state)
{
	const struct frame *frames;
	struct symbols *symbols;
	struct code_address place;
	struct object *object;

	(void)state;
	run("gcc -nostdlib -shared -Wa,--defsym,PARTS=600000 -o libmany.so many.s");
	symbols = symbols_new(NULL);
	object = object_of("libmany.so");
	place = place_of(object, "large");
	assert_int_equal(symbols_frames(symbols, place, false, &frames), 1);
	place.offset++;
	assert_int_equal(symbols_frames(symbols, place, false, &frames), 2);
	assert_string_equal(frames[0].function, "inlined");
	assert_string_equal(frames[1].function, "large");
	symbols_free(symbols);
	object_drop(object);
}

/* Each unit, or function, has as many ranges as all of them together need bytes. */
static void ranges_that_are_empty(void **state)
{
	static const char *const flags[] = {
		"--defsym,UNITS=50000,--defsym,FUNCTIONS=1",
		"--defsym,UNITS=1,--defsym,FUNCTIONS=50000",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct symbols *symbols = symbols_new(NULL);
		const struct frame *frames;
		struct object *object;
		u64 begin_ns;

		run("gcc -nostdlib -shared -Wa,%s,--defsym,EMPTY=1000000 -o libranges.so ranges.s",
		    flags[i]);
		object = object_of("libranges.so");
		begin_ns = clock_ns();
		assert_int_equal(
			symbols_frames(symbols, place_of(object, "covered"), false, &frames), 1);
		assert_string_equal(frames[0].function, "covered");
		assert_true(clock_ns() - begin_ns < PATIENCE_S * NSEC_PER_SEC);
		symbols_free(symbols);
		object_drop(object);
	}
}

static u64 file_size(const char *name)
{
	struct stat status;

	assert_int_equal(stat(name, &status), 0);
	return status.st_size;
}

static bool has_name(const char *file, const char *symbol)
{
	struct symbols *symbols = symbols_new(NULL);
	struct object *object = object_of(file);
	const struct frame *function = symbols_function(symbols, place_of(object, symbol), false);
	bool named = function->function && !strcmp(function->function, symbol);

	symbols_free(symbols);
	object_drop(object);
	return named;
}

/* A size that is told from the chunks alone is that which xz had made it from. */
static void sizes_of_xz_streams(void **state)
{
	static const char *const options[] = {
		"-0",
		"-T2 --block-size=64KiB -C sha256",
		"-C none --x86 --lzma2=preset=1",
		"-9 -C crc32",
	};

	(void)state;
	run("cat subject.c /bin/sh > mixed && head -c 200K /dev/urandom >> mixed");
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		u8 packed[1 << 20];
		size_t size;
		FILE *file;

		run("xz -c %s mixed > mixed.xz", options[i]);
		file = fopen("mixed.xz", "re");
		assert_non_null(file);
		size = fread(packed, 1, sizeof(packed), file);
		fclose(file);
		assert_in_range(size, 1, sizeof(packed) - 1);
		assert_int_equal(inflated_xz_size(packed, size), file_size("mixed"));
		assert_true(inflated_xz_size(packed, size / 2) == UINT64_MAX);
	}
}

/* Zeroes that little is left of when they are compressed. */
static void debug_information_that_swells(void **state)
{
	(void)state;
	run("gcc -O1 -fPIC -shared -o libplain.so own_names.c");
	run("head -c 100M /dev/zero | xz -0 -T1 > some.xz");
	run("head -c 300M /dev/zero | xz -0 -T1 > much.xz");
	run("objcopy --add-section .gnu_debugdata=some.xz libplain.so libsome.so");
	run("objcopy --add-section .gnu_debugdata=much.xz libplain.so libmuch.so");
	/* a decoder stops at the end of the first stream, and would only then know of its index */
	run("cat much.xz some.xz | head -c -100 > two.xz");
	run("objcopy --add-section .gnu_debugdata=two.xz libplain.so libtwo.so");
	run("echo '.section .debug_str,\"\",@progbits\n.zero 100 << 20' > swell.s");
	run("gcc -fPIC -shared -o libswell.so own_names.c swell.s -Wl,-z,noexecstack");
	run("objcopy --compress-debug-sections libswell.so");
	run("readelf -SW libswell.so | grep -q 'debug_str .* C '");
	assert_true(has_name("libplain.so", "start_thread"));
	assert_true(has_name("libsome.so", "start_thread"));
	assert_false(has_name("libmuch.so", "start_thread"));
	assert_false(has_name("libtwo.so", "start_thread"));
	assert_false(has_name("libswell.so", "start_thread"));
}

/* Bytes that this process has read, holes of files too. */
static u64 bytes_read(void)
{
	unsigned long long bytes;
	FILE *file = fopen("/proc/self/io", "re");

	if (!file || fscanf(file, "rchar: %llu", &bytes) != 1)
		skip_for("/proc/self/io tells nothing");
	fclose(file);
	return bytes;
}

/* All of it would have to be read, to know that it is not the right one. */
static void debug_link_to_a_huge_file(void **state)
{
	struct symbols *symbols;
	const struct frame *frames;
	struct object *object;
	u64 before;

	(void)state;
	run("gcc -g -O2 -Wl,--build-id=none -o small subject.c");
	run("objcopy --only-keep-debug small huge.debug");
	run("strip -g -o linked small");
	run("objcopy --add-gnu-debuglink=huge.debug linked");
	if (!runs("truncate -s 15G huge.debug 2> /dev/null"))
		skip_for("no file of 15 GiB can be made here");
	symbols = symbols_new(NULL);
	object = object_of("linked");
	before = bytes_read();
	assert_int_equal(symbols_frames(symbols, place_of(object, "caller"), false, &frames), 1);
	assert_string_equal(frames[0].function, "caller");
	assert_null(frames[0].file);
	assert_true(bytes_read() - before < 64 << 20);
	symbols_free(symbols);
	object_drop(object);
}

#define SMALL_ONES 1000

/* One function with a thousand others in it, at each 16th address. */
static void function_around_many_others(void **state)
{
	struct function functions[SMALL_ONES + 1];
	struct symtab symtab = { .functions = functions, .count = ARRAY_SIZE(functions) };

	(void)state;
	for (u64 i = 0; i < ARRAY_SIZE(functions); i++)
		functions[i] = (struct function){ .begin = 16 * i,
						  .end = i ? 16 * i + 8 : 1 << 20,
						  .reach = 1 << 20,
						  .name = i ? "small" : "large",
						  .sized = true };
	assert_ptr_equal(symtab_find(&symtab, 16 * 3 + 4), &functions[3]);
	assert_ptr_equal(symtab_find(&symtab, 16 * 3 + 12), &functions[0]);
	/* too many of them to look through at every address */
	assert_null(symtab_find(&symtab, 16 * SMALL_ONES + 12));
}

static bool is_outermost(const char *file, const char *symbol)
{
	struct symbols *symbols = symbols_new(NULL);
	struct object *object = object_of(file);
	const struct frame *function = symbols_function(symbols, place_of(object, symbol), false);
	bool outermost = function->outermost;

	assert_string_equal(function->function, symbol);
	symbols_free(symbols);
	object_drop(object);
	return outermost;
}

static void programs_own_functions(void **state)
{
	static const char *const own[] = { "clone", "clone3", "thread_start", "start_thread" };

	(void)state;
	run("gcc -O1 -o dynamic own_names.c");
	run("gcc -O1 -fPIC -shared -o libown.so own_names.c");
	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		assert_false(is_outermost("dynamic", own[i]));
		assert_false(is_outermost("libown.so", own[i]));
	}
	assert_true(is_outermost("dynamic", "_start"));

	run("cp libown.so libc.so.6");
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		assert_true(is_outermost("libc.so.6", own[i]));
	run("cp libown.so libc-client.so");
	assert_false(is_outermost("libc-client.so", "clone"));
}

static void programs_with_their_library(void **state)
{
	static const char *const flags[] = { "-static", "-static-pie" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		run("gcc -O1 %s -DOWN_THREADS_ONLY -o whole own_names.c", flags[i]);
		assert_true(is_outermost("whole", "_start"));
		assert_true(is_outermost("whole", "__libc_start_call_main"));
		assert_false(is_outermost("whole", "thread_start"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(siblings_that_lead_back),
		cmocka_unit_test(function_with_many_parts),
		cmocka_unit_test(ranges_that_are_empty),
		cmocka_unit_test(sizes_of_xz_streams),
		cmocka_unit_test(debug_information_that_swells),
		cmocka_unit_test(debug_link_to_a_huge_file),
		cmocka_unit_test(function_around_many_others),
		cmocka_unit_test(programs_own_functions),
		cmocka_unit_test(programs_with_their_library),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("symbol limits", tests, subject_begin, subject_end);
}
