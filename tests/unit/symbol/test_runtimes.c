// SPDX-License-Identifier: GPL-2.0
/* Perf maps that runtimes write, read after their end. */
#include "made_up.h"
#include "subject.h"

#include "symbol/perf_map.h"

#define ADDRESSES_MAX 64

/* Addresses of the lines of a perf map that have @text in their names. */
static size_t addresses_of(const char *map, const char *text, u64 *addresses)
{
	char *line = NULL;
	size_t count = 0, room = 0;
	FILE *file = fopen(map, "r");

	assert_non_null(file);
	while (count < ADDRESSES_MAX && getline(&line, &room, file) > 0)
		if (strstr(line, text))
			addresses[count++] = strtoull(line, NULL, 16);
	fclose(file);
	free(line);
	return count;
}

/* Runs a command that prints its process id: all code of one function of it is one function. */
static void is_one_function(const char *command, const char *program, const char *text,
			    const struct frame *wanted)
{
	_cleanup_free_ char *printed = line_of("%s", command);
	pid_t pid = atoi(printed);
	struct generator *generator = generator_new(pid, program);
	struct object object = { .kind = OBJECT_ANONYMOUS,
				 .name = "[anon]",
				 .generator = generator };
	struct symbols *symbols = symbols_new(NULL);
	const struct frame *first = NULL;
	u64 addresses[ADDRESSES_MAX];
	size_t count, found = 0;
	char map[32];

	snprintf(map, sizeof(map), "/tmp/perf-%d.map", pid);
	count = addresses_of(map, text, addresses);
	for (size_t i = 0; i < count; i++) {
		const struct frame *frame = symbols_function(
			symbols, (struct code_address){ &object, addresses[i] }, false);

		/* something else may have been put there since */
		if (strcmp(frame->function, wanted->function))
			continue;
		if (found++)
			assert_ptr_equal(frame, first);
		first = frame;
	}
	assert_true(found > 1);
	assert_string_equal(first->module, program);
	assert_int_equal(first->line, wanted->line);
	if (wanted->file)
		assert_string_equal(strrchr(first->file, '/') + 1, wanted->file);
	symbols_free(symbols);
	generator_release(generator);
	unlink(map);
}

static void node(void **state)
{
	const struct frame compact = { .function = "compact", .file = "compact.js", .line = 3 };

	(void)state;
	if (!runs("command -v node > /dev/null"))
		skip_for("no node");
	is_one_function("node --perf-basic-prof compact.js", "node", "compact ", &compact);
}

static void java(void **state)
{
	const struct frame compact = { .function = "Compact.compact" };

	(void)state;
	if (!runs("command -v javac java > /dev/null"))
		skip_for("no JDK");
	run("java -XX:+UnlockDiagnosticVMOptions -XX:+PrintFlagsFinal -version > flags 2>&1");
	if (!runs("grep -q DumpPerfMapAtExit flags"))
		skip_for("the JDK writes no perf maps: it is older than 17");
	run("javac Compact.java");
	is_one_function("java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit Compact",
			"java", "Compact.compact(", &compact);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(node),
		cmocka_unit_test(java),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("runtimes", tests, subject_begin, subject_end);
}
