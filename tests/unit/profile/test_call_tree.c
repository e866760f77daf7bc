// SPDX-License-Identifier: GPL-2.0
/* The merged tree of all call paths. */
#include "fake_code.h"

static void ran_on(const char *frames, u64 ns)
{
	struct made made = made_slice(11, 10, path_of("wait:1 main:2"), SHARE(ns));

	made_sample(&made, path_of(frames), SHARE(ns));
	fold(profile, &made);
}

static void waited_on(const char *frames, u64 ns)
{
	struct gapp_record_wait wait = made_wait(11, 10, path_of(frames), ns, GAPP_WAIT_DISK);

	fold_wait(profile, &wait);
}

static struct call_tree made_tree(void)
{
	const struct profile_options options = { .by = BY_PLACE };
	struct call_tree tree;

	assert_int_equal(profile_tree(profile, NULL, &options, &tree), 0);
	return tree;
}

static void is_node(const struct call_tree *tree, size_t i, u32 depth, const char *name, u64 ns)
{
	assert_in_range(i, 0, tree->count - 1);
	assert_string_equal(tree->nodes[i].frame->function, name);
	assert_int_equal(tree->nodes[i].depth, depth);
	near(tree->nodes[i].critical_ns, ns);
}

/* Each before what it called, and of two the one with more time first. */
static void functions_have_the_time_of_what_they_called(void **state)
{
	struct call_tree tree;

	(void)state;
	ran_on("store:1 main:2", MS(3));
	ran_on("lib_read:1 load:2 main:4", MS(6));
	ran_on("lib_read:7 load:5 main:4", MS(1));
	ran_on("load:3 main:4", MS(2));
	tree = made_tree();
	assert_int_equal(tree.count, 4);
	is_node(&tree, 0, 0, "main", MS(12));
	is_node(&tree, 1, 1, "load", MS(9));
	is_node(&tree, 2, 2, "lib_read", MS(7));
	is_node(&tree, 3, 1, "store", MS(3));
	for (size_t i = 0; i < tree.count; i++)
		assert_int_equal(tree.nodes[i].kind, PATH_RAN);
	call_tree_free(&tree);
	assert_int_equal(tree.count, 0);
}

static void places_are_marked(void **state)
{
	struct call_tree tree;

	(void)state;
	ran_on("lib_read:1 load:2 main:4", MS(6));
	ran_on("main:4", MS(4));
	tree = made_tree();
	assert_int_equal(tree.count, 3);
	assert_true(tree.nodes[0].place);
	assert_true(tree.nodes[1].place);
	assert_false(tree.nodes[2].place);
	call_tree_free(&tree);
}

static void a_recursion_is_shown_once(void **state)
{
	struct call_tree tree;

	(void)state;
	ran_on("sort:1 main:4", MS(1));
	ran_on("sort:1 sort:2 sort:2 main:4", MS(2));
	ran_on("leaf:1 sort:1 part:2 sort:2 part:2 sort:3 main:4", MS(4));
	tree = made_tree();
	assert_int_equal(tree.count, 4);
	is_node(&tree, 0, 0, "main", MS(7));
	is_node(&tree, 1, 1, "sort", MS(7));
	is_node(&tree, 2, 2, "leaf", MS(4));
	/* the time that it had on the way to the next round is the round's */
	is_node(&tree, 3, 2, "part", 0);
	call_tree_free(&tree);
}

static void waits_are_a_tree_of_their_own(void **state)
{
	double ran = 0, waited = 0;
	struct call_tree tree;

	(void)state;
	ran_on("load:2 main:4", MS(6));
	waited_on("lib_fsync:1 load:2 main:4", MS(2));
	tree = made_tree();
	assert_int_equal(tree.count, 5);
	for (size_t i = 0; i < tree.count; i++)
		if (!tree.nodes[i].depth)
			*(tree.nodes[i].kind == PATH_RAN ? &ran : &waited) +=
				tree.nodes[i].critical_ns;
	near(ran, MS(6));
	near(waited, MS(2));
	call_tree_free(&tree);
}

/* What puts any thread to sleep says nothing. */
static void the_scheduler_is_left_out(void **state)
{
	struct gapp_record_wait wait =
		made_wait(11, 10, path_of("lib_fsync:1 load:3 main:4"), MS(2), GAPP_WAIT_DISK);
	struct call_tree tree;

	(void)state;
	profile_show_kernel(profile);
	wait.kernel_path = kernel_path_of("k_sched:1 k_sched_io:1 k_ext4_sync:1");
	fold_wait(profile, &wait);
	tree = made_tree();
	assert_int_equal(tree.count, 4);
	is_node(&tree, 3, 3, "k_ext4_sync", MS(2));
	call_tree_free(&tree);
}

static void nothing_has_no_tree(void **state)
{
	struct call_tree tree = made_tree();

	(void)state;
	assert_int_equal(tree.count, 0);
	call_tree_free(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(functions_have_the_time_of_what_they_called),
		TEST(places_are_marked),
		TEST(a_recursion_is_shown_once),
		TEST(waits_are_a_tree_of_their_own),
		TEST(the_scheduler_is_left_out),
		TEST(nothing_has_no_tree),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("call_tree", tests, NULL, NULL);
}
