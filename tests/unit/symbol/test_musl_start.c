// SPDX-License-Identifier: GPL-2.0
/* Where programs with musl begin, and their threads: by programs that say it of themselves. */
#include "made_up.h"
#include "subject.h"

#include "symbol/symbol_file.h"

static void need_musl(void)
{
	if (!runs("command -v musl-gcc > /dev/null"))
		skip_for("no musl-gcc: install musl-tools");
}

/* Whether the frame at a return address is one that begins a program or thread. */
static bool is_outermost(char *path, u64 offset)
{
	struct object object = { .path = path, .name = strrchr(path, '/') + 1 };
	struct symbols *symbols = symbols_new(NULL);
	const struct frame *frame =
		symbols_function(symbols, (struct code_address){ &object, offset }, true);
	bool outermost = frame->outermost;

	symbols_free(symbols);
	return outermost;
}

/* Of all that the program says of itself. */
static void begins_are_found(const char *program)
{
	char command[64], what[16], path[256], *line = NULL;
	unsigned long long offset;
	int begins = 0, others = 0, found;
	size_t room = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "./%s", program);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while (getline(&line, &room, pipe) > 0) {
		found = sscanf(line, "%15s %255s %llx", what, path, &offset);
		assert_int_equal(found, 3);
		if (strcmp(what, "callback")) {
			begins++;
			if (!is_outermost(path, offset))
				fail_msg("%s of %s does not begin at %s+%llx", what, program, path,
					 offset);
		} else {
			others++;
			assert_false(is_outermost(path, offset));
		}
	}
	pclose(pipe);
	free(line);
	assert_int_equal(begins, 3);
	assert_int_equal(others, 1);
}

static void built_with(const char *flags)
{
	need_musl();
	run("musl-gcc -O2 %s -o begins starts.c", flags);
	begins_are_found("begins");
	run("strip -o stripped begins");
	begins_are_found("stripped");
}

static void shared_library(void **state)
{
	(void)state;
	built_with("");
}

static void static_program(void **state)
{
	(void)state;
	built_with("-static");
}

static void program_that_relocates_itself(void **state)
{
	(void)state;
	built_with("-static-pie -fPIE");
}

/* Its code and the C library's may lie in any order. */
static void program_without_frame_descriptions(void **state)
{
	(void)state;
	built_with("-static -fno-asynchronous-unwind-tables -fno-unwind-tables");
}

/* One of a program's functions may be called so, too. */
static void another_function_called_start(void **state)
{
	struct symbols *symbols = symbols_new(NULL);
	struct object *object;
	u64 address;

	(void)state;
	need_musl();
	run("echo 'int start(int x) { return x; } int main(void) { return start(0); }' > own.c");
	run("musl-gcc -O0 -static -o own_start own.c");
	object = object_of("own_start");
	address = symbol_address("own_start", "start");
	assert_false(
		symbols_function(symbols,
				 (struct code_address){ object, offset_of("own_start", address) },
				 false)
			->outermost);
	symbols_free(symbols);
	object_drop(object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shared_library),
		cmocka_unit_test(static_program),
		cmocka_unit_test(program_that_relocates_itself),
		cmocka_unit_test(program_without_frame_descriptions),
		cmocka_unit_test(another_function_called_start),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("musl", tests, subject_begin, subject_end);
}
