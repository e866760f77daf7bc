// SPDX-License-Identifier: GPL-2.0
/* Functions of generated code: by the files of a process, and without any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>

#include "jit_dump_file.h"
#include "symbol/generated.h"

#define BASE 0x7f0000000000ULL

static char path[64];

/**
 * struct rig - a process that generates code
 * @symbols: names
 * @generator: the process, which is this one
 * @object: its code
 * @path: what the kernel calls its code
 */
struct rig {
	struct symbols *symbols;
	struct generator *generator;
	struct object object;
	char path[8];
};

static void write_map(const char *map)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(map, file);
	assert_int_equal(fclose(file), 0);
}

static void begin(struct rig *rig, const char *program, const char *map)
{
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	if (map)
		write_map(map);
	rig->symbols = symbols_new(NULL);
	rig->generator = generator_new(getpid(), program);
	assert_non_null(rig->generator);
	strcpy(rig->path, "[anon]");
	rig->object = (struct object){
		.kind = OBJECT_ANONYMOUS,
		.path = rig->path,
		.name = rig->path,
		.inode = BASE,
		.generator = rig->generator,
	};
}

static void end(struct rig *rig)
{
	symbols_free(rig->symbols);
	generator_release(rig->generator);
	unlink(path);
}

static const struct frame *function_at(struct rig *rig, u64 offset, bool is_return)
{
	struct code_address address = { &rig->object, BASE + offset };
	const struct frame *frame = symbols_function(rig->symbols, address, is_return), *frames;

	assert_non_null(frame);
	assert_int_equal(symbols_frames(rig->symbols, address, is_return, &frames), 1);
	assert_ptr_equal(frames, frame);
	assert_int_equal(symbols_frame_rule(rig->symbols, address, is_return), FRAME_UNKNOWN);
	assert_false(frame->outermost);
	assert_false(frame->library);
	return frame;
}

static void functions_of_a_map(void **state)
{
	const struct frame *compact, *emit;
	struct rig rig;

	(void)state;
	begin(&rig, "node",
	      "7f0000000100 40 JS:~compact /srv/app.js:12:7\n"
	      "0x7f0000000200 0x40 JS:*compact /srv/app.js:12:7\n"
	      "7f0000000300 40 JS:*compact /srv/other.js:12:7\n"
	      "7f0000000400 40 JS:*emit node:events:466:44\n");
	compact = function_at(&rig, 0x100, false);
	assert_string_equal(compact->function, "compact");
	assert_string_equal(compact->file, "/srv/app.js");
	assert_int_equal(compact->line, 12);
	assert_string_equal(compact->module, "node");
	assert_null(compact->advice);
	/* one function, wherever it was put, however it was compiled */
	assert_ptr_equal(function_at(&rig, 0x13f, false), compact);
	assert_ptr_equal(function_at(&rig, 0x200, false), compact);
	assert_ptr_equal(function_at(&rig, 0x240, true), compact);
	/* another file's */
	assert_ptr_not_equal(function_at(&rig, 0x300, false), compact);
	assert_ptr_not_equal(function_at(&rig, 0x340, false), function_at(&rig, 0x340, true));
	emit = function_at(&rig, 0x400, false);
	assert_string_equal(emit->function, "emit");
	end(&rig);
}

/* What no line names is the code of its mapping; the map is there, but not whole. */
static void code_that_a_map_leaves_out(void **state)
{
	struct rig rig;

	(void)state;
	begin(&rig, "node", "7f0000000100 40 JS:*compact /srv/app.js:12:7\n");
	assert_string_equal(function_at(&rig, 0x140, false)->function, "JIT code of node");
	/* the program was started with the option for a map */
	assert_null(function_at(&rig, 0x140, false)->advice);
	assert_string_equal(function_at(&rig, 0x100, false)->function, "compact");
	end(&rig);
}

/* Writes the perf map anew. @keep_time: it then looks as if it had not been written. */
static void rewrite(const char *map, bool keep_time)
{
	struct timespec times[2];
	struct stat before;

	assert_int_equal(stat(path, &before), 0);
	times[0] = before.st_atim;
	times[1] = before.st_mtim;
	write_map(map);
	if (keep_time)
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Of a recording that goes on: the program has compiled more since the perf map was read. */
static void code_that_is_compiled_later(void **state)
{
	const struct frame *compact, *nameless;
	struct rig rig;

	(void)state;
	begin(&rig, "node", "7f0000000100 40 JS:*compact /srv/app.js:12:7\n");
	compact = function_at(&rig, 0x100, false);
	/* no code was left out, so nothing is read again */
	rewrite("7f0000000100 40 JS:*compact /srv/app.js:12:7\n7f0000000200 40 early\n", false);
	assert_int_equal(symbols_name_generated(rig.symbols), 0);
	nameless = function_at(&rig, 0x200, false);
	assert_string_equal(nameless->function, "JIT code of node");
	assert_ptr_equal(function_at(&rig, 0x340, true), nameless);
	/* the file has changed since it was read, but nobody asks to look */
	assert_ptr_equal(function_at(&rig, 0x200, false), nameless);
	assert_int_equal(symbols_name_generated(rig.symbols), 0);
	assert_string_equal(function_at(&rig, 0x200, false)->function, "early");
	assert_ptr_equal(function_at(&rig, 0x340, true), nameless);
	assert_ptr_equal(function_at(&rig, 0x100, false), compact);
	/* it looks the same */
	rewrite("7f0000000100 40 JS:*compact /srv/app.js:12:7\n7f0000000300 40 later\n", true);
	assert_int_equal(symbols_name_generated(rig.symbols), 0);
	assert_ptr_equal(function_at(&rig, 0x340, true), nameless);
	rewrite("7f0000000100 40 JS:*compact /srv/app.js:12:7\n7f0000000300 40 later\n", false);
	assert_int_equal(symbols_name_generated(rig.symbols), 0);
	assert_string_equal(function_at(&rig, 0x340, true)->function, "later");
	/* what had a name keeps it, and what was given is valid still */
	assert_string_equal(function_at(&rig, 0x200, false)->function, "early");
	assert_string_equal(nameless->function, "JIT code of node");
	end(&rig);
}

/* The program has begun to write a perf map, and removes it at its end. */
static void a_map_that_comes_and_goes(void **state)
{
	struct rig rig;

	(void)state;
	begin(&rig, "java", NULL);
	assert_non_null(function_at(&rig, 0x100, false)->advice);
	assert_int_equal(symbols_name_generated(rig.symbols), 0);
	assert_non_null(function_at(&rig, 0x100, false)->advice);
	write_map("7f0000000100 40 run\n");
	assert_int_equal(symbols_name_generated(rig.symbols), 0);
	assert_string_equal(function_at(&rig, 0x100, false)->function, "run");
	assert_string_equal(function_at(&rig, 0x200, false)->function, "JIT code of java");
	unlink(path);
	assert_int_equal(symbols_name_generated(rig.symbols), 0);
	assert_string_equal(function_at(&rig, 0x13f, false)->function, "run");
	end(&rig);
}

/* What a JIT dump has is believed first; a perf map names the rest. */
static void functions_and_lines_of_a_dump(void **state)
{
	static const struct dump_line lines[] = { { BASE + 0x100, 12, "/srv/app.c" },
						  { BASE + 0x110, 13, "/srv/app.h" } };
	const struct frame *compact, *frames;
	struct code_address address;
	char dump[64];
	struct rig rig;
	FILE *file;

	(void)state;
	snprintf(dump, sizeof(dump), "/tmp/jit-%d.dump", getpid());
	file = fopen(dump, "w");
	assert_non_null(file);
	dump_head(file);
	dump_lines(file, BASE + 0x100, lines, ARRAY_SIZE(lines));
	dump_load(file, BASE + 0x100, 0x40, 1, "compact");
	dump_load(file, BASE + 0x200, 0x40, 2, "JS:*emit /srv/app.js:7:1");
	assert_int_equal(fclose(file), 0);
	begin(&rig, "app", "7f0000000100 40 otherwise\n7f0000000300 40 rest\n");
	assert_int_equal(generator_note_dump(rig.generator, dump), 0);
	address = (struct code_address){ &rig.object, BASE + 0x100 };
	compact = symbols_function(rig.symbols, address, false);
	assert_string_equal(compact->function, "compact");
	/* each time it is compiled its lines are others */
	assert_null(compact->file);
	address.offset = BASE + 0x11f;
	assert_ptr_equal(symbols_function(rig.symbols, address, false), compact);
	assert_int_equal(symbols_frames(rig.symbols, address, false, &frames), 1);
	assert_string_equal(frames->function, "compact");
	assert_string_equal(frames->file, "/srv/app.h");
	assert_int_equal(frames->line, 13);
	/* the call was on the line before */
	address.offset = BASE + 0x110;
	assert_int_equal(symbols_frames(rig.symbols, address, true, &frames), 1);
	assert_int_equal(frames->line, 12);
	assert_int_equal(function_at(&rig, 0x200, false)->line, 7);
	assert_string_equal(function_at(&rig, 0x300, false)->function, "rest");
	assert_string_equal(function_at(&rig, 0x400, false)->function, "JIT code of app");
	assert_null(function_at(&rig, 0x400, false)->advice);
	end(&rig);
	unlink(dump);
}

static void one_function_per_mapping(void **state)
{
	const struct frame *first;
	struct rig rig;

	(void)state;
	begin(&rig, "node", NULL);
	first = function_at(&rig, 0, false);
	assert_string_equal(first->function, "JIT code of node");
	assert_string_equal(first->module, "node");
	assert_ptr_equal(function_at(&rig, 0x100, false), first);
	assert_ptr_equal(function_at(&rig, 0x90000, true), first);
	assert_non_null(strstr(first->advice, "names of the code that node generates"));
	assert_non_null(strstr(first->advice, "--perf-basic-prof"));
	end(&rig);

	begin(&rig, "", NULL);
	assert_string_equal(function_at(&rig, 0, false)->function, "JIT code");
	assert_string_equal(function_at(&rig, 0, false)->module, "[anon]");
	end(&rig);
}

static void each_runtime_has_its_option(void **state)
{
	static const struct {
		const char *program;
		const char *option;
	} runtimes[] = {
		{ "node", "--perf-basic-prof" },
		{ "nodejs", "--perf-basic-prof" },
		{ "java", "-XX:+PreserveFramePointer" },
		{ "java", "jcmd PID Compiler.perfmap" },
		{ "python3.12", "-X perf" },
		{ "dotnet", "DOTNET_PerfMapEnabled=1" },
		{ "luajit", "/tmp/perf-PID.map" },
	};
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++) {
		begin(&rig, runtimes[i].program, NULL);
		assert_non_null(strstr(function_at(&rig, 0, false)->advice, runtimes[i].option));
		end(&rig);
	}
}

/* Processes of one program have their code at different addresses; each has its own map. */
static void processes_of_one_program(void **state)
{
	struct generator *other;
	struct object object;
	struct rig rig;

	(void)state;
	begin(&rig, "node", "7f0000000100 40 JS:*compact /srv/app.js:12:7\n");
	/* a process of that id has no map, but its name is known */
	other = generator_new(5000001, "node");
	object = rig.object;
	object.generator = other;
	assert_string_equal(function_at(&rig, 0x100, false)->function, "compact");
	assert_string_equal(symbols_function(rig.symbols,
					     (struct code_address){ &object, BASE + 0x100 }, false)
				    ->function,
			    "JIT code of node");
	object.symbols = NULL;
	end(&rig);
	generator_release(other);
}

/* It is told to name what it runs, unless it does. */
static void pythons_interpreter(void **state)
{
	struct generated *generated;
	struct frame before = { .function = "_PyEval_EvalFrameDefault" }, after = before;
	struct texts texts = { 0 };
	struct rig rig;

	(void)state;
	begin(&rig, "python3.12", "7f0000000100 40 py::run:/srv/app.py\n");
	generated = generated_new(&texts);
	generated_add_interpreter(generated, &before);
	assert_non_null(strstr(before.advice, "-X perf"));
	generated_function(generated, &rig.object, BASE);
	assert_non_null(before.advice);
	assert_string_equal(generated_function(generated, &rig.object, BASE + 0x100)->file,
			    "/srv/app.py");
	assert_null(before.advice);
	generated_add_interpreter(generated, &after);
	assert_null(after.advice);
	generated_free(generated);
	texts_free(&texts);
	end(&rig);
}

static void nothing_more_once_cancelled(void **state)
{
	volatile bool cancel = true;
	struct rig rig;
	struct symbols *symbols = symbols_new(&cancel);

	(void)state;
	begin(&rig, "node", NULL);
	assert_null(symbols_function(symbols, (struct code_address){ &rig.object, BASE }, false)
			    ->function);
	symbols_free(symbols);
	end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_a_map),
		cmocka_unit_test(code_that_a_map_leaves_out),
		cmocka_unit_test(code_that_is_compiled_later),
		cmocka_unit_test(a_map_that_comes_and_goes),
		cmocka_unit_test(functions_and_lines_of_a_dump),
		cmocka_unit_test(one_function_per_mapping),
		cmocka_unit_test(each_runtime_has_its_option),
		cmocka_unit_test(processes_of_one_program),
		cmocka_unit_test(pythons_interpreter),
		cmocka_unit_test(nothing_more_once_cancelled),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("generated", tests, NULL, NULL);
}
