// SPDX-License-Identifier: GPL-2.0
/* Which file is opened, what is made of broken ones, and what is told beside names. */
#include "made_up.h"
#include "subject.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define FEW 16

static struct code_address place_of(struct object *object, const char *file, const char *symbol)
{
	return (struct code_address){ object, offset_of(file, symbol_address(file, symbol)) };
}

/* The name of @symbol of @file (a copy that stays) in @object, or NULL. */
static char *name_in(struct object *object, const char *file, const char *symbol)
{
	struct symbols *symbols = symbols_new(NULL);
	const struct frame *function = symbols_function(symbols, place_of(object, file, symbol), 0);
	char *name = function->function ? strdup(function->function) : NULL;

	assert_string_equal(function->module, object->name);
	symbols_free(symbols);
	assert_null(object->symbols);
	return name;
}

static void named(struct object *object, const char *symbol)
{
	_cleanup_free_ char *name = name_in(object, "kept", symbol);

	assert_non_null(name);
	assert_string_equal(name, symbol);
}

static void nameless(struct object *object, const char *symbol)
{
	assert_null(name_in(object, "kept", symbol));
}

static void replaced_file_has_no_names(void **state)
{
	struct object *object;

	(void)state;
	run("cp kept first");
	object = object_of("first");
	named(object, "outer");
	run("cp kept other");
	run("mv other first");
	nameless(object, "outer");
	run("rm first");
	nameless(object, "outer");

	/* on another machine nobody knows its inode */
	run("cp kept first");
	object->inode = 0;
	named(object, "outer");
	object_drop(object);
}

static void build_ids_are_noted(void **state)
{
	struct symbols *symbols = symbols_new(NULL);
	_cleanup_free_ char *with = NULL;
	struct object *objects[2];

	run("echo 'int main(void) { return 0; }' > main.c");
	run("gcc -Wl,--build-id -o with main.c && gcc -Wl,--build-id=none -o without main.c");
	with = line_of("readelf -n with | sed -n 's/.*Build ID: //p'");
	objects[0] = object_of("with");
	objects[1] = object_of("without");
	assert_string_equal(object_build_id(objects[0]), "");
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		struct code_address address = { objects[i], 0x1000 };

		assert_non_null(symbols_function(symbols, address, false));
	}
	assert_string_equal(object_build_id(objects[0]), with);
	assert_string_equal(object_build_id(objects[1]), "");
	symbols_free(symbols);
	object_drop(objects[0]);
	object_drop(objects[1]);
}

static void removed_file_is_found_in_its_process(void **state)
{
	struct object *object;
	void *mapping;
	int fd;

	(void)state;
	run("cp kept gone");
	object = object_of("gone");
	object->pid = getpid();
	fd = open("gone", O_RDONLY);
	mapping = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(mapping, MAP_FAILED);
	close(fd);
	run("rm gone");
	if (!geteuid())
		named(object, "outer");
	run("cp kept gone");
	if (!geteuid())
		named(object, "outer");
	munmap(mapping, 4096);
	run("rm gone");
	nameless(object, "outer");
	object_drop(object);
}

static void broken_files(void **state)
{
	static const char *const commands[] = {
		"rm broken; mkfifo broken",
		"rm broken; mkdir broken",
		"rmdir broken; ln -s /dev/zero broken",
		"rm broken; : > broken",
		"echo text > broken",
		"gcc -c -o broken subject.c",
		"ar r library.a broken 2>/dev/null; mv library.a broken",
	};

	(void)state;
	run("cp kept broken");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		struct object *object;

		run("%s", commands[i]);
		object = object_of("broken");
		nameless(object, "outer");
		object_drop(object);
	}
	run("rm broken");
}

/* Everything is asked; nothing may be made up, or end the program. */
static void ask_everything(struct symbols *symbols, struct object *object,
			   struct code_address place)
{
	const struct frame *frames;

	(void)object;
	assert_non_null(symbols_function(symbols, place, true));
	assert_true(symbols_frames(symbols, place, true, &frames) > 0);
	symbols_frame_rule(symbols, place, true);
}

static void cut_or_damaged_files(void **state)
{
	struct code_address places[] = { place_of(NULL, "kept", "outer"),
					 place_of(NULL, "kept", "caller"),
					 place_of(NULL, "kept", "main") };
	struct stat stat_of_kept;

	(void)state;
	assert_int_equal(stat("kept", &stat_of_kept), 0);
	srand(1);
	for (int round = 0; round < 150; round++) {
		struct symbols *symbols = symbols_new(NULL);
		struct object *object;
		int fd;

		run("cp kept damaged");
		fd = open("damaged", O_RDWR);
		if (round % 2) {
			assert_int_equal(ftruncate(fd, rand() % stat_of_kept.st_size), 0);
		} else {
			for (int i = 0; i < 200; i++) {
				u8 byte = rand();

				assert_int_equal(
					pwrite(fd, &byte, 1, rand() % stat_of_kept.st_size), 1);
			}
		}
		close(fd);
		object = object_of("damaged");
		for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
			places[i].object = object;
			ask_everything(symbols, object, places[i]);
		}
		symbols_free(symbols);
		object_drop(object);
	}
}

static void file_cut_while_it_is_read(void **state)
{
	struct symbols *symbols = symbols_new(NULL);
	struct object *object;
	const struct frame *frames;
	struct code_address place;

	(void)state;
	run("cp kept shrinking");
	object = object_of("shrinking");
	place = place_of(object, "kept", "outer");
	assert_string_equal(symbols_function(symbols, place, false)->function, "outer");
	assert_int_equal(truncate("shrinking", 4096), 0);
	assert_true(symbols_frames(symbols, place, false, &frames) > 0);
	symbols_frame_rule(symbols, place, false);
	place.offset++;
	assert_non_null(symbols_function(symbols, place, false));
	symbols_free(symbols);
	object_drop(object);
}

static void one_function_is_one_pointer(void **state)
{
	struct symbols *symbols = symbols_new(NULL);
	struct object *object = object_of("kept");
	struct code_address place = place_of(object, "kept", "caller");
	struct code_address other = place_of(object, "kept", "outer");
	const struct frame *first = symbols_function(symbols, place, false);

	(void)state;
	/* what returns to the begin of a function has been called by the one before
	 */
	assert_ptr_not_equal(symbols_function(symbols, place, true), first);
	place.offset++;
	assert_ptr_equal(symbols_function(symbols, place, false), first);
	assert_ptr_equal(symbols_function(symbols, place, true), first);
	assert_ptr_not_equal(symbols_function(symbols, other, false), first);
	place = place_of(object, "kept", "caller.cold");
	assert_ptr_equal(symbols_function(symbols, place, false), first);
	symbols_free(symbols);
	object_drop(object);
}

static void symbols_without_sizes_and_with_aliases(void **state)
{
	static const char *const names[] = { "first", "first", "second", "second", "second" };
	struct symbols *symbols = symbols_new(NULL);
	struct object *object;
	struct code_address place;

	(void)state;
	run("gcc -nostdlib -shared -o libbare.so bare.s");
	object = object_of("libbare.so");
	place = place_of(object, "libbare.so", "first");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++, place.offset++)
		assert_string_equal(symbols_function(symbols, place, false)->function, names[i]);
	assert_null(symbols_function(symbols, place, false)->function);
	place = place_of(object, "libbare.so", "last");
	place.offset++;
	assert_string_equal(symbols_function(symbols, place, false)->function, "last");
	place.offset++;
	assert_null(symbols_function(symbols, place, false)->function);
	symbols_free(symbols);
	object_drop(object);
}

static void more_files_than_are_kept_open(void **state)
{
	struct symbols *symbols = symbols_new(NULL);
	struct object *objects[100];
	struct code_address place = place_of(NULL, "kept", "outer");
	char name[FEW];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		snprintf(name, sizeof(name), "copy%zu", i);
		run("cp kept %s", name);
		objects[i] = object_of(name);
	}
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
			place.object = objects[i];
			place.offset += round;
			assert_string_equal(symbols_function(symbols, place, false)->function,
					    "outer");
			place.offset -= round;
		}
	}
	symbols_free(symbols);
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		object_drop(objects[i]);
	run("rm copy*");
}

/* A few stay open, so that what is asked of several in turn is not read again each time. */
static void files_stay_open(void **state)
{
	static const char *const names[] = { "one", "two", "three" };
	struct code_address place = place_of(NULL, "kept", "outer");
	struct object *objects[ARRAY_SIZE(names)];
	struct symbols *symbols = symbols_new(NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		run("cp kept %s", names[i]);
		objects[i] = object_of(names[i]);
		place.object = objects[i];
		assert_string_equal(symbols_function(symbols, place, false)->function, "outer");
	}
	run("rm one two three");
	place.offset++;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		place.object = objects[i];
		assert_non_null(symbols_function(symbols, place, false)->function);
		assert_string_equal(symbols_function(symbols, place, false)->function, "outer");
	}
	symbols_free(symbols);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		object_drop(objects[i]);
}

static void nothing_more_once_cancelled(void **state)
{
	volatile bool cancel = false;
	struct symbols *symbols = symbols_new(&cancel);
	struct object *object = object_of("kept");
	struct code_address known = place_of(object, "kept", "outer");
	struct code_address unknown = place_of(object, "kept", "caller");
	const struct frame *frames;

	(void)state;
	assert_string_equal(symbols_function(symbols, known, false)->function, "outer");
	cancel = true;
	assert_string_equal(symbols_function(symbols, known, false)->function, "outer");
	assert_null(symbols_function(symbols, unknown, false)->function);
	assert_int_equal(symbols_frames(symbols, unknown, false, &frames), 1);
	assert_int_equal(symbols_frame_rule(symbols, unknown, false), FRAME_UNKNOWN);
	symbols_free(symbols);
	object_drop(object);
}

static void what_is_no_file(void **state)
{
	char anonymous[] = "[anon]", empty[] = "";
	struct object objects[] = {
		{ .kind = OBJECT_ANONYMOUS, .path = anonymous, .name = anonymous },
		{ .kind = OBJECT_UNKNOWN, .path = empty, .name = empty },
		{ .kind = OBJECT_FILE, .path = empty, .name = empty },
	};
	static const char *const modules[] = { "[anon]", "[unknown]", "[unknown]" };
	struct symbols *symbols = symbols_new(NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		u64 offsets[] = { 0, 0x1234, UINT64_MAX };

		for (size_t k = 0; k < ARRAY_SIZE(offsets); k++) {
			struct code_address place = { &objects[i], offsets[k] };
			const struct frame *frame = symbols_function(symbols, place, true);

			assert_null(frame->function);
			assert_string_equal(frame->module, modules[i]);
			assert_true(frame->offset == offsets[k]);
			ask_everything(symbols, &objects[i], place);
		}
	}
	symbols_free(symbols);
}

static void the_kernel(void **state)
{
	_cleanup_free_ char *line = line_of("grep -w schedule /proc/kallsyms");
	char path[] = "[kernel]";
	struct object object = { .kind = OBJECT_KERNEL, .path = path, .name = path };
	struct symbols *symbols = symbols_new(NULL);
	struct code_address place = { &object, strtoull(line, NULL, 16) };
	const struct frame *frame;

	(void)state;
	frame = symbols_function(symbols, place, false);
	assert_string_equal(frame->module, "[kernel]");
	if (place.offset) {
		assert_string_equal(frame->function, "schedule");
		place.offset++;
		assert_ptr_equal(symbols_function(symbols, place, true), frame);
	} else {
		assert_null(frame->function);
	}
	symbols_free(symbols);
}

static void the_vdso(void **state)
{
	char path[] = "[vdso]";
	struct object object = { .kind = OBJECT_VDSO, .path = path, .name = path };
	struct symbols *symbols = symbols_new(NULL);
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
	const char *function = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
	struct code_address place = { &object, function - image };

	(void)state;
	if (!function)
		skip_for("the vdso has no clock_gettime");
	assert_string_equal(symbols_function(symbols, place, false)->function, "clock_gettime");
	assert_string_equal(symbols_function(symbols, place, false)->module, "[vdso]");
	assert_int_equal(symbols_frame_rule(symbols, place, false), FRAME_OTHER);
	symbols_free(symbols);
	dlclose(vdso);
}

static enum frame_rule rule_at(const char *file, const char *symbol, u64 distance)
{
	struct symbols *symbols = symbols_new(NULL);
	struct object *object = object_of(file);
	struct code_address place = place_of(object, file, symbol);
	enum frame_rule rule;

	place.offset += distance;
	rule = symbols_frame_rule(symbols, place, false);
	symbols_free(symbols);
	object_drop(object);
	return rule;
}

static void frame_rules(void **state)
{
	static const char *const variants[] = { "", "-no-pie -fno-pie", "-static",
						"-fno-asynchronous-unwind-tables" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		run("gcc -g -O1 -fcf-protection=none -fno-omit-frame-pointer %s -o framed subject.c",
		    variants[i]);
		/* push %rbp (1 byte); mov %rsp, %rbp (3 bytes) */
		assert_int_equal(rule_at("framed", "caller", 0), FRAME_OTHER);
		assert_int_equal(rule_at("framed", "caller", 1), FRAME_OTHER);
		assert_int_equal(rule_at("framed", "caller", 4), FRAME_POINTER);
		assert_int_equal(rule_at("framed", "_start", 8), FRAME_OUTERMOST);
	}
	run("gcc -O1 -fcf-protection=none -fomit-frame-pointer -o unframed subject.c");
	for (u64 at = 0; at < symbol_size("unframed", "caller"); at++)
		assert_int_equal(rule_at("unframed", "caller", at), FRAME_OTHER);
	run("gcc -O1 -fno-asynchronous-unwind-tables -fno-unwind-tables -o silent subject.c");
	assert_int_equal(rule_at("silent", "caller", 4), FRAME_UNKNOWN);
}

static bool outermost_in(const char *libc, u64 address)
{
	struct symbols *symbols = symbols_new(NULL);
	struct object *object = object_of(libc);
	struct code_address place = { object, offset_of(libc, address) };
	bool outermost = symbols_function(symbols, place, true)->outermost;
	const struct frame *frames;
	size_t count = symbols_frames(symbols, place, true, &frames);

	assert_int_equal(frames[count - 1].outermost, outermost);
	symbols_free(symbols);
	object_drop(object);
	return outermost;
}

/* In a libc without names, as distributions ship it, and in a program that has it all. */
static void begin_of_programs_and_threads(void **state)
{
	unsigned long long in_main, in_thread, in_once;
	char path[PATH_MAX];
	char *line;
	int found;

	(void)state;
	run("gcc -D_GNU_SOURCE -O1 -pthread -o begins starter.c");
	line = line_of("./begins");
	found = sscanf(line, "%llx %llx %llx %4095s", &in_main, &in_thread, &in_once, path);
	assert_int_equal(found, 4);
	free(line);
	if (path[0] != '/')
		skip_for("the C library's file is not known");
	run("strip -o libc-bare.so -R .gnu_debuglink -R .note.gnu.build-id -R .gnu_debugdata %s",
	    path);
	assert_true(outermost_in("libc-bare.so", in_main));
	assert_true(outermost_in("libc-bare.so", in_thread));
	assert_false(outermost_in("libc-bare.so", in_once));

	run("gcc -D_GNU_SOURCE -O1 -pthread -static -o begins starter.c");
	line = line_of("./begins");
	found = sscanf(line, "%llx %llx %llx", &in_main, &in_thread, &in_once);
	assert_int_equal(found, 3);
	free(line);
	assert_true(outermost_in("begins", in_main));
	assert_true(outermost_in("begins", in_thread));
	assert_false(outermost_in("begins", in_once));
}

static int begin(void **state)
{
	if (subject_begin(state))
		return -1;
	run("gcc -g -O2 -o kept subject.c");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replaced_file_has_no_names),
		cmocka_unit_test(build_ids_are_noted),
		cmocka_unit_test(removed_file_is_found_in_its_process),
		cmocka_unit_test(broken_files),
		cmocka_unit_test(cut_or_damaged_files),
		cmocka_unit_test(file_cut_while_it_is_read),
		cmocka_unit_test(one_function_is_one_pointer),
		cmocka_unit_test(symbols_without_sizes_and_with_aliases),
		cmocka_unit_test(more_files_than_are_kept_open),
		cmocka_unit_test(files_stay_open),
		cmocka_unit_test(nothing_more_once_cancelled),
		cmocka_unit_test(what_is_no_file),
		cmocka_unit_test(the_kernel),
		cmocka_unit_test(the_vdso),
		cmocka_unit_test(frame_rules),
		cmocka_unit_test(begin_of_programs_and_threads),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("symbol files", tests, begin, subject_end);
}
