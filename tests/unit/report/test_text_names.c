// SPDX-License-Identifier: GPL-2.0
/* How the text report calls code. */
#include "made_up.h"

#include "report/text_private.h"

static void called(const char *function, const char *expected)
{
	struct frame frame = { .function = function, .module = "/opt/prog" };
	char cell[TEXT_CELL_SIZE];

	text_function(cell, &frame, 1);
	assert_string_equal(cell, expected);
}

static void names_are_whole(void **state)
{
	(void)state;
	called("compact_journal", "compact_journal");
	called("do_fold.part.0", "do_fold.part.0");
	called("main.(*Pool).run", "main.(*Pool).run");
	called("main.main.func1", "main.main.func1");
	called("com.example.Map::put", "com.example.Map::put");
}

static void what_tells_only_overloads_apart_is_left_out(void **state)
{
	(void)state;
	called("ns::Map::put(int, char const*)", "ns::Map::put");
	called("ns::Map<int, std::pair<int, char> >::put(int)", "ns::Map<>::put");
	called("void ns::sort<int*>(int*, int*) [clone .cold]", "ns::sort<>");
	called("unsigned long ns::hash<char>(char const*) const", "ns::hash<>");
	called("(anonymous namespace)::work(int)", "(anonymous namespace)::work");
	called("ns::(anonymous namespace)::work(int)", "ns::(anonymous namespace)::work");
	called("operator<<(std::ostream&, Row const&)", "operator<<");
	called("Row::operator()(int) const", "Row::operator()");
	called("Row::operator->()", "Row::operator->");
	called("bool operator< <int>(Row<int>, Row<int>)", "operator< <>");
	called("run()::{lambda(int)#1}::operator()(int) const",
	       "run()::{lambda(int)#1}::operator()");
	called("<prog::Row as core::cmp::Ord>::cmp", "<prog::Row as core::cmp::Ord>::cmp");
	called("std::vector<int>::~vector()", "std::vector<>::~vector");
	called("void (anonymous namespace)::work<int>(int)", "(anonymous namespace)::work<>");
	called("StubRoutines (1)", "StubRoutines");
	/* of what is cut off in the middle nothing more is left out */
	called("a<b", "a<>");
	called("", "");
}

static void code_without_a_name_is_called_by_its_entry(void **state)
{
	static const struct frame frames[] = {
		{ .module = "/usr/lib/libc.so.6", .offset = 0x85e50 },
		{ .module = "/usr/lib/libc.so.6", .offset = 0x85e90 },
		{ .function = "fscanf", .module = "/usr/lib/libc.so.6" },
		{ .function = "main", .module = "/opt/prog" },
	};
	char cell[TEXT_CELL_SIZE];

	(void)state;
	text_function(cell, frames, 4);
	assert_string_equal(cell, "fscanf in libc");
	text_function(cell, frames, 2);
	assert_string_equal(cell, "libc.so.6+0x85e50");
	text_function(cell, frames + 2, 2);
	assert_string_equal(cell, "fscanf");
	text_function(
		cell,
		&(struct frame){ .function = "ext4_sync_file", .module = "[ext4]", .kernel = true },
		1);
	assert_string_equal(cell, "ext4_sync_file [ext4]");
	text_module(cell, "/usr/lib/libLLVM-14.so.1");
	assert_string_equal(cell, "libLLVM-14");
	text_module(cell, "[vdso]");
	assert_string_equal(cell, "vdso");
	text_module(cell, "/opt/prog");
	assert_string_equal(cell, "prog");
}

/* The text of a report on a run with the first place of @frames, innermost first. */
static char *report_on(struct frame *frames, size_t count)
{
	struct options options = { 0 };
	struct made made;

	made_ranked(&made);
	made.rows[0].frames = frames;
	made.rows[0].frame_count = count;
	made.rows[0].line_count = 0;
	return print_report(report_text, &made.results, &options);
}

/* The sentence takes several lines. */
static void sentence_has(char *text, const char *part)
{
	for (char *c = text; (c = strchr(c, '\n')) && c[1] != '\n';)
		*c = ' ';
	has(text, part);
}

/* The call site of a place without a name is outside what the place is called by. */
static void a_place_is_not_called_from_itself(void **state)
{
	struct frame frames[] = {
		{ .module = "/opt/prog", .offset = 0x5e50 },
		{ .module = "/opt/prog", .offset = 0x4e90 },
		{ .function = "commit", .module = "/opt/prog" },
		{ .function = "handle", .module = "/opt/prog" },
		{ .module = "/opt/prog", .offset = 0x3e90 },
	};
	_cleanup_free_ char *text = report_on(frames, ARRAY_SIZE(frames));

	(void)state;
	/* on the path, where its callers stand too, each has a name of its own */
	has(text, "prog+0x3e90 > handle > commit > prog+0x4e90 > prog+0x5e50\n");
	sentence_has(text, "mostly in commit in prog called from handle, ");
}

/* Nor is a call site in what has no name: what is named there called it. */
static void a_call_site_has_a_name(void **state)
{
	struct frame frames[] = {
		{ .module = "/opt/prog", .offset = 0x5e50 },
		{ .function = "commit", .module = "/opt/prog" },
		{ .module = "/opt/prog", .offset = 0x4e90 },
		{ .function = "handle", .module = "/opt/prog" },
	};
	_cleanup_free_ char *text = report_on(frames, ARRAY_SIZE(frames));

	(void)state;
	sentence_has(text, "mostly in commit in prog called from handle, ");
}

/* Java's interpreter calls what has been compiled. */
static void an_interpreter_is_no_call_site(void **state)
{
	struct frame frames[] = {
		{ .function = "Journal::compact", .module = "java" },
		{ .function = "Interpreter", .module = "java" },
		{ .function = "StubRoutines (1)", .module = "java" },
		{ .function = "Server::handle", .module = "java" },
	};
	_cleanup_free_ char *text = report_on(frames, 4), *outermost = report_on(frames, 3);

	(void)state;
	has(text, "Server::handle > StubRoutines > Interpreter > Journal::compact\n");
	sentence_has(text, "mostly in Journal::compact called from Server::handle, ");
	sentence_has(outermost, "mostly in Journal::compact, ");
}

static void places_of_an_interpreter_say_whose_they_are(void **state)
{
	struct frame frame = { .function = "interpret", .module = "python3.11" };
	struct ranked row = { .frames = &frame, .frame_count = 1 };
	char cell[TEXT_CELL_SIZE];

	(void)state;
	text_code(cell, &row);
	assert_string_equal(cell, "interpret");
	row.of = OF_MAIN_THREADS;
	text_code(cell, &row);
	assert_string_equal(cell, "interpret of the main thread");
	row.of = OF_STARTED_THREADS;
	text_code_in_words(cell, &row);
	assert_string_equal(cell, "interpret of started threads");
}

static void shortened(const char *command, unsigned int columns, const char *expected)
{
	char cell[TEXT_CELL_SIZE];

	text_command(cell, command, columns);
	assert_string_equal(cell, expected);
}

/* Which of several compilers it is, options do not tell. */
static void command_lines_lose_their_options_first(void **state)
{
	(void)state;
	shortened("cc1 -quiet big.c -o big.s", 60, "cc1 -quiet big.c -o big.s");
	shortened(
		"cc1 -quiet -imultiarch x86_64-linux-gnu src/big.c -quiet -dumpbase src/big.c -O2",
		60, "cc1 ... x86_64-linux-gnu src/big.c");
	shortened("cc1 -quiet -O2 a/very/long/folder/with/many/parts/and/a/file.c -o out.s", 40,
		  "cc1 ... a/very/long/fold~ts/and/a/file.c");
	shortened("cc1 -quiet -O2 big.c -dumpdir /tmp/ -o /tmp/big.s", 24, "cc1 ... big.c /tmp/");
	shortened("serve -a -b -c -d", 12, "serve ~-c -d");
	shortened("a_name_of_a_program_that_is_long x", 20, "a_name_of_~is_long x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_whole),
		cmocka_unit_test(what_tells_only_overloads_apart_is_left_out),
		cmocka_unit_test(code_without_a_name_is_called_by_its_entry),
		cmocka_unit_test(a_place_is_not_called_from_itself),
		cmocka_unit_test(a_call_site_has_a_name),
		cmocka_unit_test(an_interpreter_is_no_call_site),
		cmocka_unit_test(places_of_an_interpreter_say_whose_they_are),
		cmocka_unit_test(command_lines_lose_their_options_first),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("text_names", tests, NULL, NULL);
}
