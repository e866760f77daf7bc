// SPDX-License-Identifier: GPL-2.0
/* Call paths of threads that wait in the C library, from stack copies. */
#include "copied.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "input/maps.h"
#include "callpath/unwinder.h"

struct rig {
	struct objects *objects;
	struct maps *maps;
	struct symbols *symbols;
	struct unwinder *unwinder;
};

static int set_up(void **state)
{
	static struct rig rig;

	rig.objects = objects_new();
	rig.maps = maps_new(rig.objects);
	rig.symbols = symbols_new(NULL);
	rig.unwinder = unwinder_new(rig.objects);
	*state = &rig;
	return rig.unwinder ? 0 : -1;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	symbols_free(rig->symbols);
	unwinder_free(rig->unwinder);
	maps_free(rig->maps);
	objects_free(rig->objects);
	return 0;
}

static enum unwind_end unwind(struct rig *rig, const struct copied *copied,
			      struct unwinding *unwinding, u64 *frames, u16 room)
{
	maps_read(rig->maps, copied->pid);
	*unwinding = (struct unwinding){
		.mappings = maps_list(rig->maps, copied->pid),
		.registers = copied->record.registers,
		.valid = copied->record.valid,
		.stack = copied->stack,
		.stack_at = copied->record.stack_at,
		.stack_bytes = copied->record.stack_bytes,
		.frames = frames,
		.room = room,
	};
	return unwinder_unwind(rig->unwinder, unwinding);
}

/* "pause wait_here compare_two ...": "?" where there is no name. */
static char *names_of(struct rig *rig, const struct copied *copied,
		      const struct unwinding *unwinding)
{
	char *names = calloc(1, 64 * GAPP_MAX_STACK);

	assert_non_null(names);
	for (u16 i = 0; i < unwinding->count; i++) {
		struct code_address place =
			maps_find(rig->maps, copied->pid, unwinding->frames[i] - (i > 0));
		const struct frame *frame;

		place.offset += i > 0;
		frame = symbols_function(rig->symbols, place, i > 0);
		assert_non_null(frame);
		strcat(names, i ? " " : "");
		strncat(names, frame->function ? frame->function : "?", 60);
	}
	return names;
}

static void has_in_turn(const char *names, const char *wanted)
{
	char copy[512], *save = NULL;
	const char *rest = names;

	snprintf(copy, sizeof(copy), "%s", wanted);
	for (char *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
		rest = strstr(rest, one);
		if (!rest)
			fail_msg("'%s' is not in '%s' in that order", one, names);
	}
}

static void path_is(void **state, const char *name, const char *how, const char *wanted)
{
	_cleanup_free_ char *names = NULL;
	struct copied *copied = copied_start(name, how, NULL);
	u64 frames[GAPP_MAX_STACK];
	struct rig *rig = *state;
	struct unwinding found;

	assert_int_equal(unwind(rig, copied, &found, frames, GAPP_MAX_STACK), UNWIND_OUTERMOST);
	names = names_of(rig, copied, &found);
	has_in_turn(names, wanted);
	copied_end(copied);
}

static void a_callback_of_the_library(void **state)
{
	path_is(state, "dynamic", "sort", "pause wait_here compare_two qsort sort_some main");
}

static void a_thread_that_waits_for_a_condition(void **state)
{
	path_is(state, "dynamic", "thread", "pthread_cond_wait wait_for_work work");
}

static void a_handler_of_a_signal(void **state)
{
	path_is(state, "dynamic", "signal", "wait_here on_signal be_interrupted main");
}

static void a_program_without_libraries(void **state)
{
	path_is(state, "static", "sort", "pause wait_here compare_two sort_some main _start");
}

/* Maps the page of main() of a file in the folder. */
static void map_code(struct rig *rig, pid_t pid, u64 start, const char *name)
{
	static u64 code;
	struct object *object = object_of(name);

	if (!code)
		code = offset_of("dynamic", symbol_address("dynamic", "main")) & ~0xfffULL;
	maps_mmap(rig->maps, pid, start, 0x1000, code, object->dev, object->inode, object->path);
	object_drop(object);
}

/* The start code has .eh_frame, the rest .debug_frame. */
static void a_program_with_both_kinds_of_information(void **state)
{
	struct unwind_spaces *spaces;
	struct unwind_space *space;
	struct rig *rig = *state;
	Dwarf_Frame *frame;

	copied_compile("both", "-g -fno-asynchronous-unwind-tables");
	path_is(state, "both", "sort", "pause wait_here compare_two qsort sort_some main");

	map_code(rig, 5000000, 0x101000, "both");
	spaces = unwind_spaces_new(rig->objects);
	space = unwind_space_get(spaces, maps_list(rig->maps, 5000000));
	frame = unwind_space_frame(space, 0x101000 + symbol_address("both", "main") % 0x1000);
	assert_non_null(frame);
	free(frame);
	unwind_spaces_free(spaces);
}

static void a_program_at_a_fixed_address(void **state)
{
	path_is(state, "fixed", "sort", "pause wait_here compare_two qsort sort_some main");
}

/* libdwfl alone goes astray there: the rule for the address ends before the system call. */
static void one_that_waits_for_its_child_to_execute(void **state)
{
	_cleanup_free_ char *names = NULL;
	u64 frames[GAPP_MAX_STACK];
	struct rig *rig = *state;
	struct copied *copied;
	struct unwinding found;

	assert_int_equal(mkfifo("fifo", 0600), 0);
	copied = copied_start("dynamic", "spawn", "fifo");
	unwind(rig, copied, &found, frames, GAPP_MAX_STACK);
	names = names_of(rig, copied, &found);
	has_in_turn(names, "clone posix_spawn");
	copied_end(copied);
}

static void what_the_copy_has_not(void **state)
{
	struct copied *copied = copied_start("dynamic", "deep", NULL);
	u64 frames[GAPP_MAX_STACK], cut[GAPP_MAX_STACK];
	struct rig *rig = *state;
	struct unwinding whole, found;

	assert_int_equal(unwind(rig, copied, &whole, frames, GAPP_MAX_STACK), UNWIND_OUTERMOST);
	assert_true(whole.count > 40);
	copied_cut(copied, 2048);
	assert_int_equal(unwind(rig, copied, &found, cut, GAPP_MAX_STACK), UNWIND_BEYOND);
	assert_in_range(found.count, 4, 12);
	assert_memory_equal(cut, frames, found.count * sizeof(u64));
	copied_cut(copied, 0);
	assert_int_equal(unwind(rig, copied, &found, cut, GAPP_MAX_STACK), UNWIND_BEYOND);
	assert_int_equal(found.count, 1);
	assert_int_equal(cut[0], frames[0]);
	copied_end(copied);
}

static void room_ends(void **state)
{
	struct copied *copied = copied_start("dynamic", "deep", NULL);
	struct rig *rig = *state;
	struct unwinding found;
	u64 frames[7];

	assert_int_equal(unwind(rig, copied, &found, frames, 7), UNWIND_FULL);
	assert_int_equal(found.count, 7);
	copied_end(copied);
}

/* Every word of the stack, and every register, may be anything. */
static void nonsense_ends_too(void **state)
{
	struct copied *copied = copied_start("dynamic", "deep", NULL);
	u64 frames[GAPP_MAX_STACK], random = 1;
	struct rig *rig = *state;
	struct unwinding found;

	for (int i = 0; i < 300; i++) {
		for (u32 at = 0; at < copied->record.stack_bytes; at += 8) {
			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			if (random >> 60 < 2)
				memcpy(copied->stack + at, &random, 8);
			else if (random >> 60 < 4)
				memcpy(copied->stack + at, &copied->record.registers[i % 17], 8);
		}
		if (i % 3 == 1)
			copied->record.registers[random >> 32 & 15] = random;
		unwind(rig, copied, &found, frames, GAPP_MAX_STACK);
		assert_in_range(found.count, 1, GAPP_MAX_STACK);
	}
	copied->record.registers[16] = 0x1000;
	assert_int_equal(unwind(rig, copied, &found, frames, GAPP_MAX_STACK), UNWIND_UNMAPPED);
	assert_int_equal(found.count, 1);
	copied->record.valid = 0;
	assert_int_equal(unwind(rig, copied, &found, frames, GAPP_MAX_STACK), UNWIND_NO_RULE);
	assert_int_equal(found.count, 0);
	copied_end(copied);
}

/* A file that has gone, and one that has become another. */
static void files_that_are_not_there(void **state)
{
	u64 frames[GAPP_MAX_STACK];
	struct rig *rig = *state;
	struct copied *copied;
	struct unwinding found;

	run("cp dynamic gone");
	copied = copied_start("gone", "sort", NULL);
	run("rm gone && cp fixed gone");
	assert_int_equal(unwind(rig, copied, &found, frames, GAPP_MAX_STACK), UNWIND_OUTERMOST);
	run("rm gone");
	copied_end(copied);
}

static void spoil_section(const char *file, const char *section, u64 *random)
{
	_cleanup_free_ char *at =
		line_of("readelf -SW %s | sed 's/\\[ */[/' | awk '$2 == \"%s\" { print $5, $6 }'",
			file, section);
	unsigned long long offset, size;
	FILE *out = fopen(file, "r+");

	assert_non_null(out);
	assert_true(sscanf(at, "%llx %llx", &offset, &size) == 2);
	for (unsigned long long i = 0; i < size; i++) {
		*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
		if (*random >> 60)
			continue;
		assert_int_equal(fseek(out, offset + i, SEEK_SET), 0);
		putc(*random >> 40 & 0xff, out);
	}
	assert_int_equal(fclose(out), 0);
}

/* Whoever compiled it may have meant ill. */
static void hostile_files_end_too(void **state)
{
	u64 frames[GAPP_MAX_STACK], random = 7;
	struct rig *rig = *state;
	struct copied *copied;
	struct unwinding found;
	int whole = 0;

	for (int i = 0; i < 16; i++) {
		run("rm -f hostile && cp dynamic hostile");
		spoil_section("hostile", i % 2 ? ".eh_frame" : ".eh_frame_hdr", &random);
		copied = copied_start("hostile", "deep", NULL);
		whole += unwind(rig, copied, &found, frames, GAPP_MAX_STACK) == UNWIND_OUTERMOST;
		assert_in_range(found.count, 1, GAPP_MAX_STACK);
		copied_end(copied);
	}
	assert_true(whole < 16);
}

#define RESIDENT_KB_MAX (400L << 10)

/* libdw takes some 200 bytes for each of what it is told to remember. */
static void instructions_that_need_memory(void **state)
{
	static const char *const sections[] = { ".eh_frame", ".debug_frame" };
	u64 registers[17] = { 0 }, stack[64] = { 0 }, frames[8];
	struct rig *rig = *state;
	struct rusage usage;

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		u64 start = (u64)(i + 1) << 28, offset;
		struct unwinding found;
		struct object *object;
		char name[32];

		snprintf(name, sizeof(name), "libremember%zu.so", i);
		run("gcc -nostdlib -shared -Wa,--defsym,DEBUG=%zu -o %s remember.s", i, name);
		run("readelf -SW %s | grep -q '%s '", name, sections[i]);
		object = object_of(name);
		offset = offset_of(name, symbol_address(name, "remembering"));
		maps_mmap(rig->maps, 5000000, start, 0x1000, offset & ~0xfffULL, object->dev,
			  object->inode, object->path);
		registers[7] = 0x7f0000000000;
		registers[16] = start + (offset & 0xfff) + 1;
		found = (struct unwinding){
			.mappings = maps_list(rig->maps, 5000000),
			.registers = registers,
			.valid = 0x1ffff,
			.stack = stack,
			.stack_at = registers[7],
			.stack_bytes = sizeof(stack),
			.frames = frames,
			.room = ARRAY_SIZE(frames),
		};
		unwinder_unwind(rig->unwinder, &found);
		assert_int_equal(found.count, 1);
		assert_int_equal(symbols_frame_rule(rig->symbols,
						    (struct code_address){ object, offset + 1 },
						    false),
				 FRAME_UNKNOWN);
		/* the symbols belong to the test, the object does not outlive it */
		symbols_free(rig->symbols);
		rig->symbols = symbols_new(NULL);
		object_drop(object);
	}
	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	assert_true(usage.ru_maxrss < RESIDENT_KB_MAX);
}

static void is_in(struct unwind_space *space, u64 address, const char *name)
{
	Dwfl_Module *module = unwind_space_module(space, address);

	assert_non_null(module);
	assert_string_equal(dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
			    name);
}

/* What was unmapped is still known where nothing else is mapped; libdwfl has it in one piece. */
static void files_that_lie_across_others(void **state)
{
	struct rig *rig = *state;
	struct unwind_spaces *spaces = unwind_spaces_new(rig->objects);
	struct unwind_space *space;

	run("cp dynamic other");
	map_code(rig, 5000000, 0x101000, "dynamic");
	map_code(rig, 5000000, 0x103000, "other");
	space = unwind_space_get(spaces, maps_list(rig->maps, 5000000));
	assert_non_null(space);
	for (int i = 0; i < 3; i++) {
		is_in(space, 0x101010, "dynamic");
		is_in(space, 0x103010, "other");
	}
	unwind_spaces_free(spaces);
}

/* The next instruction, to which it will return, is nowhere. */
static void a_call_that_ends_a_mapping(void **state)
{
	u64 registers[17] = { [16] = 0x102000 }, stack[8] = { 0 }, frames[8];
	struct rig *rig = *state;
	struct unwinding found;

	map_code(rig, 5000000, 0x101000, "dynamic");
	found = (struct unwinding){
		.mappings = maps_list(rig->maps, 5000000),
		.registers = registers,
		.valid = 0x1ffff,
		.stack = stack,
		.stack_bytes = sizeof(stack),
		.frames = frames,
		.room = ARRAY_SIZE(frames),
	};
	assert_int_equal(unwinder_unwind(rig->unwinder, &found), UNWIND_UNMAPPED);
	found.is_return = true;
	assert_int_not_equal(unwinder_unwind(rig->unwinder, &found), UNWIND_UNMAPPED);
	assert_int_equal(frames[0], 0x102000);
}

static size_t open_files(void)
{
	size_t count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

#define FILES 150
#define PROCESSES 4

/* As many files as a limit allows are open at a time, whoever maps them. */
static void many_files(void **state)
{
	size_t before = open_files();
	struct rig *rig = *state;
	struct unwind_spaces *spaces = unwind_spaces_new(rig->objects);

	assert_non_null(spaces);
	for (u64 i = 0; i < PROCESSES * FILES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "copy%llu", i % FILES);
		if (i < FILES)
			run("cp dynamic %s", name);
		map_code(rig, 5000000 + i / FILES, (i + 1) << 20, name);
	}
	for (u64 round = 0; round < 2; round++) {
		for (u64 i = 0; i < PROCESSES * FILES; i++) {
			const struct mappings *mappings = maps_list(rig->maps, 5000000 + i / FILES);
			struct unwind_space *space = unwind_space_get(spaces, mappings);

			assert_non_null(space);
			assert_null(unwind_space_module(space, 0x1000));
			assert_non_null(unwind_space_module(space, ((i + 1) << 20) + 0x10));
			if (i % 100 == 0)
				assert_true(open_files() < before + 270 + 64);
		}
	}
	assert_true(open_files() > before + 100);
	unwind_spaces_free(spaces);
	assert_int_equal(open_files(), before);
}

/* More processes than are kept, each at its own addresses: what was forgotten comes again. */
static void many_processes(void **state)
{
	struct rig *rig = *state;
	struct copied *copied[12];
	u64 frames[GAPP_MAX_STACK];
	struct unwinding found;

	for (size_t i = 0; i < ARRAY_SIZE(copied); i++)
		copied[i] = copied_start("dynamic", "sort", NULL);
	for (size_t round = 0; round < 3; round++)
		for (size_t i = 0; i < ARRAY_SIZE(copied); i++)
			assert_int_equal(unwind(rig, copied[i], &found, frames, GAPP_MAX_STACK),
					 UNWIND_OUTERMOST);
	for (size_t i = 0; i < ARRAY_SIZE(copied); i++)
		copied_end(copied[i]);
}

static int compile(void **state)
{
	if (subject_begin(state))
		return -1;
	copied_compile("dynamic", "");
	copied_compile("static", "-static");
	copied_compile("fixed", "-no-pie");
	return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_callback_of_the_library),
		TEST(a_thread_that_waits_for_a_condition),
		TEST(a_handler_of_a_signal),
		TEST(a_program_without_libraries),
		TEST(a_program_with_both_kinds_of_information),
		TEST(a_program_at_a_fixed_address),
		TEST(one_that_waits_for_its_child_to_execute),
		TEST(what_the_copy_has_not),
		TEST(room_ends),
		TEST(nonsense_ends_too),
		TEST(files_that_are_not_there),
		TEST(hostile_files_end_too),
		TEST(instructions_that_need_memory),
		TEST(many_processes),
		TEST(files_that_lie_across_others),
		TEST(a_call_that_ends_a_mapping),
		TEST(many_files),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("unwinder", tests, compile, subject_end);
}
