// SPDX-License-Identifier: GPL-2.0
/* Functions, lines and inlined chains, against what addr2line says of the same addresses. */
#include "made_up.h"
#include "subject.h"

#include "symbol/symbol_file.h"

#define ADDRESSES_MAX 100000

static struct code_address place_at(struct object *object, u64 address)
{
	return (struct code_address){ object, offset_of(object->path, address) };
}

/* @name as addr2line gives it, shown as ours would be. */
static void same_name(const struct frame *frame, const char *name, u64 address)
{
	_cleanup_free_ char *shown = malloc(DEMANGLE_SIZE);

	demangle(shown, name);
	if (!frame->function || strcmp(frame->function, shown))
		fail_msg("%llx: %s instead of %s", address,
			 frame->function ? frame->function : "nothing", shown);
}

/* The same file, however the way to it is written. */
static bool same_file(const char *a, const char *b)
{
	char *x = realpath(a, NULL), *y = realpath(b, NULL);
	bool same = x && y ? !strcmp(x, y) : !strcmp(a, b);

	free(x);
	free(y);
	return same;
}

static void same_frames(const struct frame *frames, size_t count, const struct judged *judged,
			u64 address)
{
	if (count != judged->count)
		fail_msg("%llx: %zu frames instead of %zu", address, count, judged->count);
	for (size_t i = 0; i < count; i++) {
		same_name(&frames[i], judged->names[i], address);
		assert_int_equal(frames[i].inlined, i + 1 < count);
		if (frames[i].line != judged->lines[i])
			fail_msg("%llx: frame %zu in line %u instead of %u", address, i,
				 frames[i].line, judged->lines[i]);
		if (!strcmp(judged->files[i], "??"))
			assert_null(frames[i].file);
		else if (!frames[i].file || !same_file(frames[i].file, judged->files[i]))
			fail_msg("%llx: file %s instead of %s", address,
				 frames[i].file ? frames[i].file : "none", judged->files[i]);
	}
}

/* Every address of @symbol in @file, whose debug information addr2line finds in @judge_by. */
static void like_addr2line(const char *file, const char *judge_by, const char *symbol)
{
	u64 begin = symbol_address(judge_by, symbol), size = symbol_size(judge_by, symbol);
	struct judged *judged = judge(judge_by, begin, size);
	struct symbols *symbols = symbols_new(NULL);
	struct object *object = object_of(file);
	const struct frame *frames, *function = NULL, *first;
	struct code_address place;
	size_t count;

	assert_true(size && size < ADDRESSES_MAX);
	for (u64 i = 0; i < size; i++) {
		place = place_at(object, begin);
		place.offset += i;
		count = symbols_frames(symbols, place, false, &frames);
		same_frames(frames, count, &judged[i], begin + i);

		function = symbols_function(symbols, place, false);
		assert_ptr_equal(frames[count - 1].function, function->function);
		assert_string_equal(function->module, file);
		assert_null(function->file);
	}
	first = symbols_first_line(symbols, function, place.offset);
	assert_non_null(first);
	assert_int_equal(first->line, judged->lines[judged->count - 1]);
	symbols_free(symbols);
	object_drop(object);
	judged_drop(judged, size);
}

static void c_like_addr2line(const char *file)
{
	like_addr2line(file, file, "outer");
	like_addr2line(file, file, "caller");
	like_addr2line(file, file, "main");
}

static void position_independent(void **state)
{
	(void)state;
	run("gcc -g -O2 -pie -fPIE -o pie subject.c");
	c_like_addr2line("pie");
}

static void position_dependent(void **state)
{
	(void)state;
	run("gcc -g -O2 -no-pie -fno-pie -o fixed subject.c");
	c_like_addr2line("fixed");
}

static void static_program(void **state)
{
	(void)state;
	run("gcc -g -O2 -static -o static subject.c");
	c_like_addr2line("static");
}

static void unoptimized(void **state)
{
	(void)state;
	run("gcc -g -O0 -o slow subject.c");
	c_like_addr2line("slow");
}

static void older_debug_information(void **state)
{
	(void)state;
	run("gcc -gdwarf-4 -O2 -o dwarf4 subject.c");
	c_like_addr2line("dwarf4");
}

static void compressed_debug_information(void **state)
{
	(void)state;
	run("gcc -g -O2 -gz=zlib -o compressed subject.c");
	c_like_addr2line("compressed");
}

/* As clang and rustc leave it. */
static void without_the_table_of_ranges(void **state)
{
	(void)state;
	run("gcc -g -O2 -o ranged subject.c");
	run("objcopy --remove-section=.debug_aranges ranged unranged");
	like_addr2line("unranged", "ranged", "outer");
}

static void shared_library(void **state)
{
	(void)state;
	run("gcc -g -O2 -fPIC -shared -o libshared.so library.c");
	like_addr2line("libshared.so", "libshared.so", "exported");
	like_addr2line("libshared.so", "libshared.so", "internal");
}

static void linked_at_an_address(void **state)
{
	(void)state;
	run("gcc -g -O2 -fPIC -shared -Wl,-Ttext-segment=0x3400000000 -o libplaced.so library.c");
	like_addr2line("libplaced.so", "libplaced.so", "exported");
}

static void cplusplus(void **state)
{
	static const char *const functions[] = {
		"_ZN7outside6inside5applyERSt6vectorIiSaIiEE",
		"_ZNK7outside6inside3BoxIiE3getEi",
		"_ZN7outside6inside3addIiEET_RKNS0_3BoxIS2_EES6_",
		"_ZN12_GLOBAL__N_16hiddenEi",
		"main",
	};

	(void)state;
	if (!runs("command -v g++ > /dev/null"))
		skip_for("no g++");
	for (int level = 0; level < 3; level += 2) {
		run("g++ -g -O%d -fno-ipa-sra -fno-ipa-cp -o plus subject.cc", level);
		for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
			like_addr2line("plus", "plus", functions[i]);
	}
}

static void debug_link_beside(void **state)
{
	(void)state;
	run("gcc -g -O2 -Wl,--build-id=none -o whole subject.c");
	run("objcopy --only-keep-debug whole linked.debug");
	run("strip -o linked whole");
	run("objcopy --add-gnu-debuglink=linked.debug linked");
	like_addr2line("linked", "whole", "caller");

	run("mkdir .debug");
	run("mv linked.debug .debug");
	like_addr2line("linked", "whole", "caller");
}

/* The place's function must be without a name, and its offset @offset. */
static void has_no_name(const char *file, u64 address, u64 offset)
{
	struct symbols *symbols = symbols_new(NULL);
	struct object *object = object_of(file);
	struct code_address place = place_at(object, address);
	const struct frame *function = symbols_function(symbols, place, true);
	const struct frame *frames;

	assert_null(function->function);
	assert_string_equal(function->module, file);
	assert_true(function->offset == offset);
	assert_int_equal(symbols_frames(symbols, place, true, &frames), 1);
	assert_null(frames[0].function);
	assert_null(frames[0].file);
	assert_true(frames[0].offset == offset);
	symbols_free(symbols);
	object_drop(object);
}

/* Functions of @named, of which @file is the stripped form, are told apart by where they begin. */
static void begins_are_known(const char *file, const char *named, const char *function)
{
	u64 begin = symbol_address(named, function);

	has_no_name(file, begin + 1, begin);
	has_no_name(file, begin + 4, begin);
}

static void debug_link_to_another_build(void **state)
{
	(void)state;
	run("gcc -g -O2 -Wl,--build-id=none -o fresh subject.c");
	run("objcopy --only-keep-debug fresh built.debug");
	run("strip -o stale fresh");
	run("objcopy --add-gnu-debuglink=built.debug stale");
	run("printf x >> built.debug");
	begins_are_known("stale", "fresh", "caller");
}

/* Whoever opened it would wait for ever. */
static void debug_link_to_a_pipe(void **state)
{
	(void)state;
	run("gcc -g -O2 -Wl,--build-id=none -o open subject.c");
	run("objcopy --only-keep-debug open pipe.debug");
	run("strip -o piped open");
	run("objcopy --add-gnu-debuglink=pipe.debug piped");
	run("rm pipe.debug");
	run("mkfifo pipe.debug");
	begins_are_known("piped", "open", "caller");
	begins_are_known("piped", "open", "outer");
}

static void stripped(void **state)
{
	u64 address;

	(void)state;
	run("gcc -g -O2 -o named subject.c");
	run("strip -o nameless named");
	begins_are_known("nameless", "named", "outer");
	begins_are_known("nameless", "named", "caller");

	run("gcc -g -O2 -fPIC -shared -o libnamed.so library.c");
	run("strip -o libstripped.so libnamed.so");
	begins_are_known("libstripped.so", "libnamed.so", "internal");

	run("gcc -g -O2 -fno-asynchronous-unwind-tables -fno-exceptions -o plain subject.c");
	run("strip -o bare plain");
	address = symbol_address("plain", "outer") + 4;
	has_no_name("bare", address, address);
}

/* Not part of the debug link's search path, but of the system's folder by build-id. */
static void build_id(void **state)
{
	_cleanup_free_ char *id = NULL;

	(void)state;
	if (access("/usr/lib/debug", W_OK))
		skip_for("/usr/lib/debug cannot be written to");
	run("gcc -g -O2 -Wl,--build-id -o identified subject.c");
	run("strip -o separate identified");
	id = line_of("readelf -n identified | sed -n 's/.*Build ID: //p'");
	run("mkdir -p /usr/lib/debug/.build-id/%.2s", id);
	run("objcopy --only-keep-debug identified /usr/lib/debug/.build-id/%.2s/%s.debug", id,
	    id + 2);
	like_addr2line("separate", "identified", "outer");
	run("rm /usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
	run("rmdir --ignore-fail-on-non-empty -p /usr/lib/debug/.build-id/%.2s", id);
}

static void debug_information_shared_by_dwz(void **state)
{
	(void)state;
	if (!runs("command -v dwz > /dev/null"))
		skip_for("no dwz");
	run("gcc -g -O2 -gdwarf-4 -fPIC -shared -o libone.so library.c subject.c");
	run("gcc -g -O2 -gdwarf-4 -fPIC -shared -o libtwo.so subject.c library.c");
	run("cp libone.so libwhole.so");
	run("dwz -r -m common.debug libone.so libtwo.so");
	run("readelf -S libone.so | grep -q gnu_debugaltlink");
	like_addr2line("libone.so", "libwhole.so", "outer");
	like_addr2line("libone.so", "libwhole.so", "internal");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(position_independent),
		cmocka_unit_test(position_dependent),
		cmocka_unit_test(static_program),
		cmocka_unit_test(unoptimized),
		cmocka_unit_test(older_debug_information),
		cmocka_unit_test(compressed_debug_information),
		cmocka_unit_test(without_the_table_of_ranges),
		cmocka_unit_test(shared_library),
		cmocka_unit_test(linked_at_an_address),
		cmocka_unit_test(cplusplus),
		cmocka_unit_test(debug_link_beside),
		cmocka_unit_test(debug_link_to_another_build),
		cmocka_unit_test(debug_link_to_a_pipe),
		cmocka_unit_test(stripped),
		cmocka_unit_test(build_id),
		cmocka_unit_test(debug_information_shared_by_dwz),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("symbols", tests, subject_begin, subject_end);
}
