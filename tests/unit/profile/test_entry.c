// SPDX-License-Identifier: GPL-2.0
/* What functions without a name are called, and how much time is in them. */
#include "fake_code.h"

#include "util/names.h"

static struct believed believed_of(u32 path)
{
	struct believed believed;

	assert_int_equal(believe(&believed, call_paths_get(NULL, path, 0, 0, 0), NULL), 0);
	return believed;
}

static void words_are(u32 path, u32 frame, const char *wanted)
{
	struct believed believed = believed_of(path);
	char words[64];

	believed_words(words, sizeof(words), &believed, frame);
	assert_string_equal(words, wanted);
	believed_free(&believed);
}

static void the_entry_names_what_has_no_name(void **state)
{
	u32 path = path_of("?x:1 ?y:1 fscanf:1 main:1");

	(void)state;
	words_are(path, 0, "fscanf in program");
	words_are(path, 1, "fscanf in program");
	words_are(path, 2, "fscanf");
	words_are(path_of("lib_x:1 main:1"), 0, "lib_x");
	/* another object comes between, or nothing else */
	words_are(path_of("?x:1 lib_call:1 main:1"), 0, "code of program");
	words_are(path_of("?x:1 ?y:1"), 0, "code of program");
}

static void libraries_without_their_versions(void **state)
{
	static const struct {
		const char *module;
		size_t length;
	} names[] = {
		{ "libc.so.6", 4 },
		{ "libstdc++.so.6.0.30", 9 },
		{ "libLLVM-14.so.1", 10 },
		{ "ld-linux-x86-64.so.2", 15 },
		{ "node", 4 },
		{ "libc.sorter", 11 },
		{ "[vdso]", 4 },
		{ ".so", 3 },
		{ "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(library_len(names[i].module), names[i].length);
}

static void paths_that_end_where_go_changes_stacks(void **state)
{
	static const struct {
		unsigned int end;
		bool whole;
	} ends[] = {
		{ GAPP_UNWIND_NO_FRAME, true }, { GAPP_UNWIND_LOOP, true },
		{ GAPP_UNWIND_NO_RULE, true },	{ GAPP_UNWIND_FULL, false },
		{ GAPP_UNWIND_LATE, false },	{ GAPP_UNWIND_UNREADABLE, false },
		{ GAPP_UNWIND_COMPLETE, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct believed believed =
			believed_of(path_by(PATH_BY_TABLE, "work:1 ^systemstack:1", ends[i].end));

		assert_int_equal(believed.complete, ends[i].whole);
		assert_int_equal(believed.count, 2);
		believed_free(&believed);
		/* it led to more */
		believed = believed_of(
			path_by(PATH_BY_TABLE, "work:1 ^systemstack:1 caller:1", ends[i].end));
		assert_int_equal(believed.complete, ends[i].end == GAPP_UNWIND_COMPLETE);
		assert_int_equal(believed.count, 3);
		believed_free(&believed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_entry_names_what_has_no_name),
		cmocka_unit_test(libraries_without_their_versions),
		TEST(paths_that_end_where_go_changes_stacks),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("entry", tests, NULL, NULL);
}
