// SPDX-License-Identifier: GPL-2.0
/* Paths that copies of stacks finish, or are compared with. */
#include "call_paths_rig.h"

#include "copied.h"
#include "made_tables.h"
#include "starve.h"
#include "callpath/call_paths_private.h"
#include "callpath/unwinder.h"

#define IP 16
#define SP 7
#define PATH 3

/* A thread that waits, forty calls deep, and all of its path. */
static struct copied *thread;
static u64 all_frames[GAPP_MAX_STACK];
static u16 all_count;

static void find_frames(struct rig *rig)
{
	struct unwinder *unwinder = unwinder_new(rig->objects);
	struct unwinding walk = {
		.registers = thread->record.registers,
		.valid = thread->record.valid,
		.stack = thread->stack,
		.stack_at = thread->record.stack_at,
		.stack_bytes = thread->record.stack_bytes,
		.frames = all_frames,
		.room = GAPP_MAX_STACK,
	};

	assert_non_null(unwinder);
	maps_read(rig->maps, thread->pid);
	walk.mappings = maps_list(rig->maps, thread->pid);
	assert_int_equal(unwinder_unwind(unwinder, &walk), UNWIND_OUTERMOST);
	all_count = walk.count;
	unwinder_free(unwinder);
}

static int copy(void **state)
{
	if (set_up(state))
		return -1;
	thread = copied_start("dynamic", "deep", NULL);
	find_frames(*state);
	return 0;
}

static int copy_end(void **state)
{
	copied_end(thread);
	return tear_down(state);
}

static const struct call_path *stack_of(struct rig *rig, u32 path)
{
	u64 time_ns = thread->record.head.time_ns;

	return call_paths_get(rig->paths, path, thread->pid, time_ns, time_ns);
}

/* Takes the copy in, as number @number. */
static const struct call_path *add(struct rig *rig, u32 number)
{
	thread->record.copy = number;
	assert_int_equal(call_paths_add_copy(rig->paths, &thread->record), 0);
	return stack_of(rig, GAPP_PATH_COPY | number);
}

/* The module has found the first @count frames; the copy begins at the last of them. */
static void found_so_far(struct rig *rig, u16 count, u16 flags)
{
	u32 at = 0;
	u64 word;

	fake_path(&rig->fake, PATH, flags, all_frames, count);
	thread->record.path = PATH;
	if (count == 1)
		return;
	for (u16 i = 1; i < count; i++) {
		do {
			assert_true(at + 8 <= thread->record.stack_bytes);
			memcpy(&word, thread->stack + at, 8);
			at += 8;
		} while (word != all_frames[i]);
	}
	thread->record.registers[IP] = all_frames[count - 1];
	thread->record.registers[SP] += at;
	thread->record.valid = 1U << IP | 1U << SP;
	thread->record.stack_at += at;
	memmove(thread->stack, thread->stack + at, thread->record.stack_bytes - at);
	copied_cut(thread, thread->record.stack_bytes - at);
}

static void is_whole(const struct call_path *stack)
{
	assert_non_null(stack);
	assert_int_equal(stack->count, all_count);
	assert_int_equal(call_path_end(stack), GAPP_UNWIND_COMPLETE);
	assert_int_equal(stack->method, PATH_BY_COPY);
}

static void a_copy_alone_is_a_path(void **state)
{
	struct rig *rig = *state;
	const struct call_path *stack = add(rig, 7);

	is_whole(stack);
	for (u16 i = 0; i < stack->count; i++)
		assert_int_equal(stack->addresses[i].object->kind, OBJECT_FILE);
	assert_int_equal(call_paths_figures(rig->paths)->copies, 1);
	assert_int_equal(call_paths_figures(rig->paths)->whole, 1);
	/* the same again is the same */
	assert_ptr_equal(add(rig, 8), stack);
	assert_ptr_equal(stack_of(rig, GAPP_PATH_COPY | 7), stack);
}

static void what_the_module_found_comes_first(void **state)
{
	struct rig *rig = *state;
	const struct call_path *whole = add(rig, 1), *joined;

	found_so_far(rig, 1, GAPP_UNWIND_NO_RULE | GAPP_PATH_BY_TABLE);
	assert_ptr_equal(add(rig, 2), whole);
	found_so_far(rig, 20, GAPP_UNWIND_UNMAPPED | GAPP_PATH_BY_TABLE);
	joined = add(rig, 3);
	is_whole(joined);
	assert_ptr_equal(joined, whole);
	assert_int_equal(call_paths_figures(rig->paths)->longer, 3);
}

/* So the rule is that of the call, not that of the address where it returns to. */
static void a_call_may_end_a_function(void **state)
{
	struct rig *rig = *state;
	const struct call_path *whole;

	copied_end(thread);
	thread = copied_start("tight", "last", NULL);
	find_frames(rig);
	whole = add(rig, 1);
	/* pause, wait_here, wait_and_exit, end_with_a_call */
	found_so_far(rig, 4, GAPP_UNWIND_NO_RULE | GAPP_PATH_BY_TABLE);
	assert_ptr_equal(add(rig, 2), whole);
	is_whole(whole);
}

static void what_finds_nothing_leaves_the_path(void **state)
{
	struct rig *rig = *state;
	const struct call_path *cut, *same;

	found_so_far(rig, 20, GAPP_UNWIND_NO_RULE | GAPP_PATH_BY_TABLE);
	copied_cut(thread, 0);
	cut = add(rig, 1);
	assert_non_null(cut);
	assert_int_equal(cut->count, 20);
	assert_int_equal(call_path_end(cut), GAPP_UNWIND_NO_RULE);
	assert_int_equal(cut->method, PATH_BY_TABLE);
	same = stack_of(rig, PATH);
	assert_ptr_equal(same, cut);
	assert_int_equal(call_paths_figures(rig->paths)->longer, 0);
	assert_int_equal(call_paths_figures(rig->paths)->whole, 0);
}

static void a_copy_that_is_too_short(void **state)
{
	struct rig *rig = *state;
	const struct call_path *stack;

	copied_cut(thread, 4096);
	stack = add(rig, 1);
	assert_non_null(stack);
	assert_in_range(stack->count, 5, 20);
	assert_int_equal(call_path_end(stack), PATH_END_COPY);
	assert_int_equal(stack->method, PATH_BY_COPY);
}

/* What has called the second function is in a file without rules. */
static void a_copy_that_ends_without_a_rule(void **state)
{
	const u64 begin = 0x10000;
	struct rig *rig = *state;
	const struct call_path *stack;
	u32 at = 0;

	maps_mmap(rig->maps, thread->pid, begin, 0x1000, 0, 1, 2, "/nowhere/file");
	while (memcmp(thread->stack + at, &all_frames[2], 8)) {
		at += 8;
		assert_true(at + 8 <= thread->record.stack_bytes);
	}
	memcpy(thread->stack + at, &(u64){ begin + 0x10 }, 8);
	stack = add(rig, 1);
	assert_non_null(stack);
	assert_int_equal(stack->count, 3);
	assert_string_equal(stack->addresses[2].object->name, "file");
	assert_int_equal(call_path_end(stack), GAPP_UNWIND_NO_RULE);
	assert_int_equal(stack->method, PATH_BY_COPY);
	assert_int_equal(call_paths_figures(rig->paths)->whole, 0);
}

static void a_path_by_tables_is_not_one_by_copies(void **state)
{
	struct rig *rig = *state;
	const struct call_path *by_copy = add(rig, 1), *by_table;

	fake_path(&rig->fake, 9, GAPP_UNWIND_COMPLETE | GAPP_PATH_BY_TABLE, all_frames, all_count);
	by_table = stack_of(rig, 9);
	assert_ptr_not_equal(by_table, by_copy);
	assert_int_equal(by_table->method, PATH_BY_TABLE);
	fake_path(&rig->fake, 10, GAPP_UNWIND_COMPLETE | GAPP_PATH_BY_TABLE | GAPP_PATH_BY_FP,
		  all_frames, all_count);
	assert_int_equal(stack_of(rig, 10)->method, PATH_BY_FP);
	/* of a module that knows more than we do */
	fake_path(&rig->fake, 11, 200 | GAPP_PATH_BY_TABLE, all_frames, 3);
	assert_int_equal(call_path_end(stack_of(rig, 11)), GAPP_UNWIND_NO_RULE);
}

static void copies_that_are_not_there(void **state)
{
	struct rig *rig = *state;
	struct gapp_record_stack_copy *tail = &thread->record;

	assert_null(stack_of(rig, GAPP_PATH_COPY | 1));
	assert_null(stack_of(rig, GAPP_PATH_NONE));
	assert_null(stack_of(rig, GAPP_PATH_LOST));
	assert_non_null(add(rig, 0));
	assert_int_equal(call_paths_figures(rig->paths)->unknown, 1);
	/* its number, but too long ago */
	assert_non_null(add(rig, STACK_COPIES_MAX));
	assert_null(stack_of(rig, GAPP_PATH_COPY));
	/* the path that it goes on with is not known */
	tail->path = 1234;
	assert_null(add(rig, 2));
	tail->path = GAPP_PATH_LOST;
	assert_null(add(rig, 3));
	/* the record is shorter than it says */
	tail->path = GAPP_PATH_NONE;
	tail->head.size -= 8;
	assert_null(add(rig, 4));
}

static void begin_tables(struct rig *rig, struct made_tables *made)
{
	made_tables_begin(made, rig->objects, maps_list(rig->maps, thread->pid));
	call_paths_set_tables(rig->paths, &made->tables);
}

static void tables_finish_copies(void **state)
{
	struct rig *rig = *state;
	const struct call_path *whole;
	struct made_tables made;

	begin_tables(rig, &made);
	whole = add(rig, 1);
	is_whole(whole);
	found_so_far(rig, 20, GAPP_UNWIND_UNMAPPED | GAPP_PATH_BY_TABLE);
	assert_ptr_equal(add(rig, 2), whole);
	assert_null(rig->paths->unwinder);
	/* what libdwfl finds is the same path */
	call_paths_set_tables(rig->paths, NULL);
	assert_ptr_equal(add(rig, 3), whole);
	assert_non_null(rig->paths->unwinder);
	assert_int_equal(call_paths_figures(rig->paths)->longer, 3);
	assert_int_equal(call_paths_figures(rig->paths)->whole, 3);
	made_tables_end(&made);
}

static void same_frames(const struct call_path *path, const struct call_path *other)
{
	assert_int_equal(path->count, other->count);
	assert_int_equal(call_path_end(path), call_path_end(other));
	assert_int_equal(path->method, other->method);
	assert_memory_equal(path->addresses, other->addresses,
			    path->count * sizeof(*path->addresses));
}

#define IN_KERNEL 1000

static void copies_wait_for_libdwfl(void **state)
{
	struct rig *rig = *state;
	const struct call_path *whole = add(rig, 1), *kept, *kept_too, *joined;
	const u64 in_kernel = 0xffffffff81000010;
	struct made_tables made;

	begin_tables(rig, &made);
	made_tables_drop(&made, "dynamic");
	/* at once */
	assert_ptr_equal(add(rig, 2), whole);

	call_paths_may_keep_copies(rig->paths);
	kept = add(rig, 3);
	assert_non_null(kept);
	assert_int_equal(kept->count, 1);
	assert_ptr_equal(stack_of(rig, GAPP_PATH_COPY | 3), kept);
	found_so_far(rig, 20, GAPP_UNWIND_NO_RULE | GAPP_PATH_BY_TABLE);
	kept_too = add(rig, 4);
	assert_int_equal(kept_too->count, 20);
	assert_ptr_not_equal(kept, kept_too);
	assert_int_equal(call_paths_figures(rig->paths)->longer, 2);
	assert_int_equal(call_paths_figures(rig->paths)->whole, 2);

	fake_path(&rig->fake, IN_KERNEL, GAPP_UNWIND_COMPLETE | GAPP_PATH_KERNEL, &in_kernel, 1);
	joined = call_paths_join(rig->paths, IN_KERNEL, kept);
	assert_int_equal(joined->count, 1 + 1);

	/* the process ends meanwhile, and its id gets another owner */
	maps_exec(rig->maps, thread->pid);
	assert_int_equal(call_paths_finish_copies(rig->paths), 0);
	same_frames(kept, whole);
	same_frames(kept_too, whole);
	assert_int_not_equal(kept->id, kept_too->id);
	assert_int_equal(joined->count, 1 + whole->count);
	assert_int_equal(call_path_end(joined), call_path_end(whole));
	assert_memory_equal(joined->addresses + 1, whole->addresses,
			    whole->count * sizeof(*whole->addresses));
	assert_int_equal(call_paths_figures(rig->paths)->longer, 4);
	assert_int_equal(call_paths_figures(rig->paths)->whole, 4);
	assert_int_equal(call_paths_finish_copies(rig->paths), 0);
	assert_int_equal(call_paths_figures(rig->paths)->whole, 4);
	made_tables_end(&made);
}

/* Without its process it could not be opened. */
static void copies_of_files_that_are_gone_do_not_wait(void **state)
{
	struct rig *rig = *state;
	struct made_tables made;

	begin_tables(rig, &made);
	made_tables_drop(&made, "dynamic");
	call_paths_may_keep_copies(rig->paths);
	run("cp dynamic copy && rm dynamic && mv copy dynamic");
	is_whole(add(rig, 1));
	made_tables_end(&made);
}

static void copies_that_wait_are_bounded(void **state)
{
	struct rig *rig = *state;
	const struct call_path *first, *last;
	struct made_tables made;
	u32 count = 1;

	begin_tables(rig, &made);
	made_tables_drop(&made, "dynamic");
	call_paths_may_keep_copies(rig->paths);
	copied_cut(thread, 2048);
	first = add(rig, 1);
	do {
		last = add(rig, ++count);
		assert_true(rig->paths->kept_bytes < 9 << 20 && count < 6000);
	} while (rig->paths->kept_count);
	assert_in_range(count, 1000, 6000);
	assert_true(first->count > 1 && call_path_end(first) == PATH_END_COPY);
	same_frames(last, first);
	/* from now on at once, and a path that is the same is the same */
	last = add(rig, ++count);
	assert_ptr_equal(add(rig, ++count), last);
	same_frames(last, first);
	assert_int_equal(rig->paths->kept_count, 0);
	made_tables_end(&made);
}

static const struct verify *compare(struct rig *rig, u16 flags, const u64 *frames, u16 count)
{
	static u32 path = 20;

	fake_path(&rig->fake, ++path, flags | GAPP_PATH_BY_TABLE, frames, count);
	thread->record.path = path;
	thread->record.flags = GAPP_STACK_COPY_VERIFY;
	assert_null(add(rig, 5));
	return &call_paths_figures(rig->paths)->verify;
}

static void comparisons_are_counted(void **state)
{
	struct rig *rig = *state;
	const struct verify *verify;
	u64 wrong[GAPP_MAX_STACK];

	memcpy(wrong, all_frames, sizeof(wrong));
	wrong[30] += 4;
	verify = compare(rig, GAPP_UNWIND_COMPLETE, all_frames, all_count);
	assert_int_equal(verify->verdicts[VERIFY_EQUAL], 1);
	verify = compare(rig, GAPP_UNWIND_FULL, all_frames, 16);
	assert_int_equal(verify->verdicts[VERIFY_EQUAL], 2);
	assert_int_equal(verify->case_count, 0);
	compare(rig, GAPP_UNWIND_COMPLETE, wrong, all_count);
	verify = compare(rig, GAPP_UNWIND_COMPLETE, wrong, all_count);
	assert_int_equal(verify->verdicts[VERIFY_DIFFERS], 2);
	assert_int_equal(verify->case_count, 1);
	assert_int_equal(verify->cases[0].times, 2);
	assert_int_equal(verify->cases[0].equal, 30);
	assert_int_equal(verify->cases[0].count, all_count);
	assert_int_equal(verify->cases[0].libdwfl_count, all_count);
	assert_int_equal(verify->cases[0].addresses[30].offset,
			 verify->cases[0].libdwfl_addresses[30].offset + 4);
	verify = compare(rig, GAPP_UNWIND_NO_RULE, all_frames, 16);
	assert_int_equal(verify->verdicts[VERIFY_SHORTER], 1);
	assert_int_equal(verify->case_count, 2);
	copied_cut(thread, 2048);
	verify = compare(rig, GAPP_UNWIND_COMPLETE, all_frames, all_count);
	assert_int_equal(verify->verdicts[VERIFY_BEYOND], 1);
	/* a path that ends where it should not, is longer, or is not there */
	assert_int_equal(call_paths_figures(rig->paths)->copies, 0);
	thread->record.path = GAPP_PATH_LOST;
	add(rig, 6);
	assert_int_equal(verify->verdicts[VERIFY_UNCHECKED], 1);
}

/* What became of the copy with number 1: a path, or a comparison. */
static bool has_result(struct rig *rig)
{
	const struct verify *verify = &call_paths_figures(rig->paths)->verify;
	u64 compared = 0;

	for (size_t i = 0; i < VERIFY_VERDICTS; i++)
		compared += verify->verdicts[i];
	return compared || stack_of(rig, GAPP_PATH_COPY | 1);
}

/*
 * Each time another request finds no memory, until there are no more. Without it libdwfl may find
 * less, but if nothing becomes of the copy, that is a failure. Returns the number of failures.
 */
static size_t starve(void **state, u16 flags)
{
	size_t failures = 0;
	bool starved = true;

	thread->record.flags = flags;
	thread->record.copy = 1;
	for (size_t requests = 0; starved; requests++) {
		struct rig *rig = *state;
		bool failed;

		found_so_far(rig, 1, GAPP_UNWIND_NO_RULE | GAPP_PATH_BY_TABLE);
		memory = requests;
		failed = call_paths_add_copy(rig->paths, &thread->record);
		starved = memory > requests;
		memory = SIZE_MAX;
		assert_true(failed || has_result(rig));
		failures += failed;
		tear_down(state);
		assert_int_equal(set_up(state), 0);
	}
	return failures;
}

static void no_memory_for_copies(void **state)
{
	struct made_tables made;
	struct rig *rig = *state;

	/* the unwinder's three, and the list of copies' paths; or of paths that differ */
	assert_true(starve(state, 0) >= 4);
	assert_true(starve(state, GAPP_STACK_COPY_VERIFY) >= 4);

	maps_read(rig->maps, thread->pid);
	begin_tables(rig, &made);
	made_tables_drop(&made, "dynamic");
	call_paths_may_keep_copies(rig->paths);
	thread->record.flags = 0;
	thread->record.path = GAPP_PATH_NONE;
	assert_non_null(add(rig, 1));
	memory = 0;
	assert_int_equal(call_paths_finish_copies(rig->paths), -1);
	memory = SIZE_MAX;
	assert_int_equal(call_paths_finish_copies(rig->paths), 0);
	is_whole(stack_of(rig, GAPP_PATH_COPY | 1));
	made_tables_end(&made);
}

static void a_few_cases_are_kept(void **state)
{
	struct rig *rig = *state;
	const struct verify *verify = NULL;
	u64 wrong[GAPP_MAX_STACK];

	for (u16 i = 1; i < 20; i++) {
		memcpy(wrong, all_frames, sizeof(wrong));
		wrong[i] ^= 4;
		verify = compare(rig, GAPP_UNWIND_COMPLETE, wrong, all_count);
	}
	assert_int_equal(verify->verdicts[VERIFY_DIFFERS], 19);
	assert_in_range(verify->case_count, 3, VERIFY_KEPT);
}

/* Each with another last frame that is equal. What is not kept is counted nevertheless. */
static void cases_are_kept_while_there_is_room(void **state)
{
	struct verify_case one = { .verdict = VERIFY_SHORTER, .count = 1, .equal = 1 };
	struct verify verify = { 0 };

	(void)state;
	for (u64 i = 0; i < 2 * VERIFY_KEPT; i++) {
		one.addresses[0].offset = i;
		assert_int_equal(verify_note(&verify, &one), 0);
	}
	assert_int_equal(verify.case_count, VERIFY_KEPT / 2);
	one.verdict = VERIFY_DIFFERS;
	for (u64 i = 0; i < 2 * VERIFY_KEPT; i++) {
		one.addresses[0].offset = i;
		assert_int_equal(verify_note(&verify, &one), 0);
	}
	assert_int_equal(verify.case_count, VERIFY_KEPT);
	assert_int_equal(verify.verdicts[VERIFY_SHORTER], 2 * VERIFY_KEPT);
	assert_int_equal(verify.verdicts[VERIFY_DIFFERS], 2 * VERIFY_KEPT);
	/* one that is kept is counted there, too */
	one.addresses[0].offset = 0;
	assert_int_equal(verify_note(&verify, &one), 0);
	assert_int_equal(verify.cases[VERIFY_KEPT / 2].times, 2);
	verify_free(&verify);
}

static void verdicts_of_all_kinds(void **state)
{
	static const u64 one[] = { 1, 2, 3, 4 }, other[] = { 1, 2, 5, 4 };
	static const struct {
		u16 count, libdwfl_count;
		const u64 *libdwfl;
		enum gapp_unwind_end end;
		enum unwind_end libdwfl_end;
		enum verify_verdict verdict;
	} cases[] = {
		{ 4, 4, one, GAPP_UNWIND_COMPLETE, UNWIND_OUTERMOST, VERIFY_EQUAL },
		{ 4, 4, other, GAPP_UNWIND_COMPLETE, UNWIND_OUTERMOST, VERIFY_DIFFERS },
		{ 4, 4, one, GAPP_UNWIND_NO_FRAME, UNWIND_NO_RULE, VERIFY_EQUAL },
		{ 4, 4, one, GAPP_UNWIND_COMPLETE, UNWIND_BEYOND, VERIFY_BEYOND },
		{ 4, 2, one, GAPP_UNWIND_COMPLETE, UNWIND_BEYOND, VERIFY_BEYOND },
		{ 4, 3, other, GAPP_UNWIND_COMPLETE, UNWIND_BEYOND, VERIFY_DIFFERS },
		{ 4, 2, one, GAPP_UNWIND_COMPLETE, UNWIND_NO_RULE, VERIFY_GAVE_UP },
		{ 4, 2, one, GAPP_UNWIND_COMPLETE, UNWIND_UNMAPPED, VERIFY_GAVE_UP },
		{ 4, 2, one, GAPP_UNWIND_COMPLETE, UNWIND_OUTERMOST, VERIFY_DIFFERS },
		{ 2, 4, one, GAPP_UNWIND_COMPLETE, UNWIND_OUTERMOST, VERIFY_DIFFERS },
		{ 2, 4, one, GAPP_UNWIND_FULL, UNWIND_OUTERMOST, VERIFY_EQUAL },
		{ 2, 4, one, GAPP_UNWIND_UNREADABLE, UNWIND_BEYOND, VERIFY_SHORTER },
		{ 2, 4, one, GAPP_UNWIND_LOOP, UNWIND_OUTERMOST, VERIFY_SHORTER },
		{ 0, 4, one, GAPP_UNWIND_UNREADABLE, UNWIND_OUTERMOST, VERIFY_UNCHECKED },
		{ 4, 0, one, GAPP_UNWIND_COMPLETE, UNWIND_NO_RULE, VERIFY_UNCHECKED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct verify_case found = { .end = cases[i].end,
					     .libdwfl_end = cases[i].libdwfl_end,
					     .count = cases[i].count,
					     .libdwfl_count = cases[i].libdwfl_count };

		verify_compare(&found, one, cases[i].libdwfl);
		if (found.verdict != cases[i].verdict)
			fail_msg("case %zu: %s, not %s", i, verify_name(found.verdict),
				 verify_name(cases[i].verdict));
	}
}

static int compile(void **state)
{
	if (subject_begin(state))
		return -1;
	copied_compile("dynamic", "");
	copied_compile("tight", "-falign-functions=1");
	return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, copy, copy_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_copy_alone_is_a_path),
		TEST(what_the_module_found_comes_first),
		TEST(a_call_may_end_a_function),
		TEST(what_finds_nothing_leaves_the_path),
		TEST(a_copy_that_is_too_short),
		TEST(a_copy_that_ends_without_a_rule),
		TEST(a_path_by_tables_is_not_one_by_copies),
		TEST(copies_that_are_not_there),
		TEST(comparisons_are_counted),
		TEST(a_few_cases_are_kept),
		cmocka_unit_test(cases_are_kept_while_there_is_room),
		cmocka_unit_test(verdicts_of_all_kinds),
		TEST(no_memory_for_copies),
		TEST(tables_finish_copies),
		TEST(copies_wait_for_libdwfl),
		TEST(copies_that_wait_are_bounded),
		TEST(copies_of_files_that_are_gone_do_not_wait),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("tails", tests, compile, subject_end);
}
