// SPDX-License-Identifier: GPL-2.0
/* Where the text of a source line is looked up, and what is shown of it. */
#include <sys/stat.h>

#include "made_up.h"
#include "report/source_text.h"

static char folder[32];

static int begin(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/gapp-source.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	_cleanup_free_ char *command = NULL;

	(void)state;
	return asprintf(&command, "rm -r %s", folder) < 0 ? -1 : system(command);
}

static void put(const char *name, const char *text)
{
	_cleanup_free_ char *command = NULL, *path = NULL;
	FILE *file;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	assert_true(asprintf(&command, "mkdir -p $(dirname %s)", path) > 0);
	assert_int_equal(system(command), 0);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* The text of a line of a file that debug information names so; "": there is none. */
static const char *line_of(const char *name, u32 line)
{
	static char text[SOURCE_TEXT_SIZE];
	const char *paths[2] = { "/nonexistent" };
	const struct options options = { .source_paths = paths, .source_path_count = 2 };

	paths[1] = folder;
	memset(text, 'x', sizeof(text));
	return source_text(text, &options, name, line) ? text : "";
}

static void lines_are_shown_without_blanks(void **state)
{
	(void)state;
	put("a.c", "int main(void)\n{\n\t\tcall( 1,\t2 ); \r\n\n}");
	assert_string_equal(line_of("a.c", 1), "int main(void)");
	assert_string_equal(line_of("a.c", 3), "call( 1, 2 );");
	assert_string_equal(line_of("a.c", 4), "");
	assert_string_equal(line_of("a.c", 5), "}");
	assert_string_equal(line_of("a.c", 6), "");
	assert_string_equal(line_of("a.c", 0), "");
	assert_string_equal(line_of("b.c", 1), "");
}

/* The folder may have the whole path of the machine that compiled the file, or only its end. */
static void the_longest_end_of_a_path_counts(void **state)
{
	(void)state;
	put("c.c", "by its name\n");
	assert_string_equal(line_of("/build/app/src/c.c", 1), "by its name");
	put("src/c.c", "by two parts\n");
	assert_string_equal(line_of("/build/app/src/c.c", 1), "by two parts");
	put("build/app/src/c.c", "by its path\n");
	assert_string_equal(line_of("/build/app/src/c.c", 1), "by its path");
	assert_string_equal(line_of("build//app/src/c.c", 1), "by its path");
	assert_string_equal(line_of("/build/app/other/c.c", 1), "by its name");
}

/* Whoever made the program chose the path. */
static void no_path_leads_out_of_the_folder(void **state)
{
	_cleanup_free_ char *path = NULL;

	(void)state;
	/* others than root may have named their own files */
	if (geteuid())
		skip();
	assert_string_equal(line_of("../../../../../../etc/passwd", 1), "");
	assert_string_equal(line_of("/../etc/passwd", 1), "");
	assert_true(asprintf(&path, "%s/pipe.c", folder) > 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_string_equal(line_of("pipe.c", 1), "");
	assert_string_equal(line_of("", 1), "");
	assert_string_equal(line_of("/", 1), "");
}

static void a_long_line_is_cut(void **state)
{
	char text[4096];

	(void)state;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	put("long.c", text);
	assert_int_equal(strlen(line_of("long.c", 1)), SOURCE_TEXT_SIZE - 1);
}

/* Below the lines of the first place, where its text is found. */
static void the_report_shows_it(void **state)
{
	const char *path = folder;
	const struct options options = { .source_paths = &path, .source_path_count = 1 };
	_cleanup_free_ char *with = NULL, *crowded = NULL, *without = NULL;
	char text[200] = "";
	struct made made;

	(void)state;
	memset(text, '\n', 87);
	strcat(text, "\tmove(&table,\tfrom \033[31m);\n");
	put("src/hash.c", text);
	made_ranked(&made);
	with = print_report(report_text, &made.results, &options);
	has(with, "\n      hash.c:88  move(&table, from \\x1b[31m);\n");
	fits(with, 100);
	/* what else the first place did has no room then */
	made_crowded(&made);
	crowded = print_report(report_text, &made.results, &options);
	has(crowded, "\nMore  ");
	has_not(crowded, "    lines (");
	has(crowded, "\n      hash.c:88  move(&table, from \\x1b[31m);\n");
	without = print_report(report_text, &made.results, &(struct options){ .top = 0 });
	has_not(without, "move(&table");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_shown_without_blanks),
		cmocka_unit_test(the_longest_end_of_a_path_counts),
		cmocka_unit_test(no_path_leads_out_of_the_folder),
		cmocka_unit_test(a_long_line_is_cut),
		cmocka_unit_test(the_report_shows_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, end);
}
