// SPDX-License-Identifier: GPL-2.0
/* The tree of --tree as text. */
#include "made_up.h"

static char *const command[] = { "./prog", "-x", NULL };

static struct frame functions[] = {
	{ .function = "main", .module = "/opt/prog" },
	{ .function = "load", .module = "/opt/prog" },
	{ .function = "memcpy", .module = "/usr/lib/libc.so.6" },
	{ .module = "/usr/lib/libodd.so.6", .offset = 0x1234 },
	{ .function = "fsync", .module = "/usr/lib/libc.so.6" },
};

static struct call_tree_node nodes[] = {
	{ .frame = &functions[0], .critical_ns = MS(3000) },
	{ .frame = &functions[1], .depth = 1, .place = true, .critical_ns = MS(2000) },
	{ .frame = &functions[2], .depth = 2, .critical_ns = MS(31) },
	{ .frame = &functions[4], .depth = 2, .critical_ns = MS(29) },
	{ .frame = &functions[3], .depth = 1, .critical_ns = MS(1000) },
	{ .frame = &functions[0], .kind = PATH_WAITED, .critical_ns = MS(600) },
	{ .frame = &functions[4],
	  .kind = PATH_WAITED,
	  .depth = 1,
	  .place = true,
	  .critical_ns = MS(600) },
};

static char *tree_text(struct made *made, size_t count, bool tree, bool verbose)
{
	const struct options options = { .command = command, .tree = tree, .verbose = verbose };

	made_ranked(made);
	made->results.tree = (struct call_tree){ nodes, count };
	return print_report(report_text, &made->results, &options);
}

/* Below 1 % of all time of its kind, a function is left out. */
static void functions_have_lines(void **state)
{
	static const char ran[] =
		"\n"
		"          s      %  few threads were active while this ran (* places)\n"
		"      3.000   24.2  main\n"
		"      2.000   16.1 *  load\n"
		"      0.031    0.2      memcpy\n"
		"      1.000    8.1    libodd.so.6+0x1234\n";
	static const char waited[] = "\n"
				     "          s      %  nobody ran while this waited (* places)\n"
				     "      0.600    4.8  main\n"
				     "      0.600    4.8 *  fsync\n";
	_cleanup_free_ char *text = NULL, *one = NULL, *verbose = NULL;
	struct made made;

	(void)state;
	text = tree_text(&made, ARRAY_SIZE(nodes), true, false);
	has(text, ran);
	has(text, waited);
	has_not(text, "0.029");
	/* the report itself is as ever, and the tree is behind it */
	assert_true(strstr(text, "Checks  ") < strstr(text, "few threads were active while"));
	one = tree_text(&made, 5, true, false);
	has(one, ran);
	has_not(one, "nobody ran while");
	verbose = tree_text(&made, ARRAY_SIZE(nodes), true, true);
	has(verbose, ran);
	has(verbose, waited);
}

static void none_that_was_not_asked_for(void **state)
{
	_cleanup_free_ char *text = NULL, *empty = NULL;
	struct made made;

	(void)state;
	text = tree_text(&made, ARRAY_SIZE(nodes), false, false);
	has_not(text, "(* places)");
	empty = tree_text(&made, 0, true, false);
	has_not(empty, "(* places)");
}

/* Deep functions stay where they can be read, and long names are not cut. */
static void deep_and_long(void **state)
{
	static struct frame frame = { .module = "/opt/prog" };
	static struct call_tree_node deep[60];
	const struct options options = { .command = command, .tree = true };
	_cleanup_free_ char *text = NULL;
	static char name[160];
	size_t letters = 0;
	struct made made;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	frame.function = name;
	for (u32 i = 0; i < ARRAY_SIZE(deep); i++)
		deep[i] = (struct call_tree_node){ .frame = &functions[1],
						   .depth = i,
						   .critical_ns = MS(60 - i) };
	deep[59].frame = &frame;
	deep[59].critical_ns = MS(1);
	made_ranked(&made);
	made.results.tree = (struct call_tree){ deep, ARRAY_SIZE(deep) };
	text = print_report(report_text, &made.results, &options);
	fits_words(text, 100);
	has(text, "      0.002    0.0                                          load\n");
	has(text, "                                                           nnnn");
	for (const char *c = strstr(text, "  nnnn"); *c; c++)
		letters += *c == 'n';
	assert_int_equal(letters, sizeof(name) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_lines),
		cmocka_unit_test(none_that_was_not_asked_for),
		cmocka_unit_test(deep_and_long),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("text_tree", tests, NULL, NULL);
}
