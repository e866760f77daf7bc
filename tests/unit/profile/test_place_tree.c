// SPDX-License-Identifier: GPL-2.0
/* Places: which call paths are one, what it is called, and what it did. */
#include "fake_code.h"

static void ran_on(s32 tid, const char *frames, u64 ns)
{
	struct made made = made_slice(tid, 10, path_of("wait:1 main:2"), SHARE(ns));

	made_sample(&made, path_of(frames), SHARE(ns));
	fold(profile, &made);
}

static struct ranking places(void)
{
	return ranking_by(profile, BY_PLACE);
}

static const char *name_of(const struct ranked *row)
{
	return row->frames->function;
}

static double sum_of(const struct ranking *ranking)
{
	double sum = 0;

	for (size_t i = 0; i < ranking->count; i++)
		sum += ranking->rows[i].critical_ns;
	return sum;
}

static void a_place_is_the_innermost_function_of_its_own(void **state)
{
	struct ranking ranking;

	(void)state;
	ran_on(11, "lib_read:1 load:2 work:3 main:4", MS(6));
	ran_on(11, "lib_scan:1 lib_read:2 load:2 work:3 main:4", MS(3));
	ran_on(11, "load:5 work:3 main:4", MS(1));
	ranking = places();
	assert_int_equal(ranking.count, 1);
	assert_string_equal(name_of(ranking.rows), "load");
	near(ranking.rows->critical_ns, MS(10));
	/* the program's own functions, innermost first */
	assert_int_equal(ranking.rows->frame_count, 3);
	assert_string_equal(ranking.rows->frames[2].function, "main");
	/* lines are of the place, what it called is below */
	assert_int_equal(ranking.rows->lines[0].line % 1000, 2);
	near(ranking.rows->lines[0].critical_ns, MS(9));
	assert_int_equal(ranking.rows->doing_count, 2);
	assert_string_equal(ranking.rows->doing[0].frame->function, "lib_read");
	near(ranking.rows->doing[0].critical_ns, MS(9));
	assert_null(ranking.rows->doing[1].frame);
	near(ranking.rows->doing[1].critical_ns, MS(1));
	ranking_free(&ranking);
}

/* Own code without a name says less than the library's function that it called. */
static void a_place_does_what_its_nameless_callees_called(void **state)
{
	struct ranking ranking;

	(void)state;
	ran_on(11, "lib_sync:1 ?flush:2 ?log:2 put:3 main:4", MS(6));
	ran_on(11, "?flush:3 put:3 main:4", MS(3));
	ran_on(11, "lib_read:1 ?log:2 get:3 main:4", MS(1));
	ranking = places();
	assert_int_equal(ranking.count, 2);
	assert_string_equal(name_of(ranking.rows), "put");
	assert_int_equal(ranking.rows[0].doing_count, 2);
	assert_string_equal(ranking.rows[0].doing[0].frame->function, "lib_sync");
	assert_null(ranking.rows[0].doing[1].frame->function);
	assert_string_equal(ranking.rows[1].doing[0].frame->function, "lib_read");
	ranking_free(&ranking);
}

/* It has two callers, so what it does is a part of their work. */
static void a_helper_is_no_place(void **state)
{
	struct ranking ranking;

	(void)state;
	ran_on(11, "hash:1 put:2 main:4", MS(6));
	ran_on(11, "hash:1 get:2 main:4", MS(4));
	ranking = places();
	assert_int_equal(ranking.count, 2);
	assert_string_equal(name_of(&ranking.rows[0]), "put");
	assert_string_equal(name_of(&ranking.rows[1]), "get");
	assert_string_equal(ranking.rows[0].doing->frame->function, "hash");
	ranking_free(&ranking);
}

static void a_caller_with_hardly_any_time_makes_no_helper(void **state)
{
	struct ranking ranking;

	(void)state;
	ran_on(11, "hash:1 put:2 main:4", US(9990));
	ran_on(11, "hash:1 get:2 main:4", US(10));
	ranking = places();
	assert_string_equal(name_of(&ranking.rows[0]), "hash");
	near(sum_of(&ranking), MS(10));
	ranking_free(&ranking);
}

/* Which function is a place must not depend on where one sample fell. */
static void a_caller_that_one_sample_shows_makes_no_helper(void **state)
{
	struct ranking ranking;

	(void)state;
	for (int i = 0; i < 100; i++)
		ran_on(11, "hash:1 put:2 main:4", MS(1));
	ran_on(11, "hash:1 get:2 main:4", MS(4));
	ranking = places();
	assert_string_equal(name_of(&ranking.rows[0]), "hash");
	ranking_free(&ranking);
	for (int i = 0; i < 4; i++)
		ran_on(11, "hash:1 get:2 main:4", US(200));
	ranking = places();
	assert_string_equal(name_of(&ranking.rows[0]), "put");
	ranking_free(&ranking);
}

/* Of a slice without samples it is only guessed where it ran. */
static void slices_without_samples_show_no_caller(void **state)
{
	struct made unsampled = made_slice(11, 10, path_of("wait:1 main:2"), SHARE(MS(1)));
	struct ranking ranking;

	(void)state;
	for (int i = 0; i < 99; i++)
		ran_on(11, "hash:1 put:2 main:4", MS(1));
	ran_on(11, "hash:1 get:2 main:4", MS(1));
	for (int i = 0; i < 900; i++)
		fold(profile, &unsampled);
	ranking = places();
	assert_string_equal(name_of(&ranking.rows[0]), "hash");
	near(sum_of(&ranking), MS(1000));
	ranking_free(&ranking);
}

static void a_recursion_is_one_place(void **state)
{
	struct ranking ranking;

	(void)state;
	ran_on(11, "sort:1 main:4", MS(1));
	ran_on(11, "sort:1 sort:2 sort:2 main:4", MS(2));
	ran_on(11, "sort:1 part:2 sort:2 part:2 sort:3 main:4", MS(4));
	ranking = places();
	assert_int_equal(ranking.count, 1);
	assert_string_equal(name_of(ranking.rows), "sort");
	assert_int_equal(ranking.rows->frame_count, 2);
	near(ranking.rows->critical_ns, MS(7));
	ranking_free(&ranking);
}

static void small_places_are_folded_into_the_one_around(void **state)
{
	struct ranking ranking;
	char frames[64];

	(void)state;
	ran_on(11, "large:1 main:4", MS(60));
	for (int i = 0; i < 20; i++) {
		snprintf(frames, sizeof(frames), "small%d:1 many:2 main:4", i);
		ran_on(11, frames, MS(2));
	}
	ranking = places();
	assert_int_equal(ranking.count, 2);
	assert_string_equal(name_of(&ranking.rows[1]), "many");
	near(ranking.rows[1].critical_ns, MS(40));
	assert_int_equal(ranking.rows[1].doing_count, 20);
	near(sum_of(&ranking), MS(100));
	ranking_free(&ranking);
}

/* What a library calls back is the program's. */
static void libraries_between_own_functions_are_passed(void **state)
{
	struct ranking ranking;

	(void)state;
	ran_on(11, "compare:1 lib_sort:2 main:4", MS(4));
	ran_on(11, "lib_sort:2 main:4", MS(1));
	ranking = places();
	assert_int_equal(ranking.count, 2);
	assert_string_equal(name_of(&ranking.rows[0]), "compare");
	assert_string_equal(name_of(&ranking.rows[1]), "main");
	ranking_free(&ranking);
}

static void a_library_has_places_in_its_own_threads(void **state)
{
	struct ranking ranking;

	(void)state;
	ran_on(11, "lib_spin:1 lib_pool:2 _start_thread:3", MS(4));
	ranking = places();
	assert_int_equal(ranking.count, 1);
	assert_string_equal(name_of(ranking.rows), "lib_spin");
	ranking_free(&ranking);
}

/* main() may do a thread's work itself. */
static void a_thread_s_function_is_one_place_wherever_it_is_called(void **state)
{
	struct ranking ranking;

	(void)state;
	ran_on(11, "load:1 worker:2 _start_thread:3", MS(4));
	ran_on(10, "load:1 worker:2 on_threads:3 main:4", MS(2));
	ranking = places();
	assert_int_equal(ranking.count, 1);
	assert_string_equal(name_of(ranking.rows), "load");
	near(ranking.rows->critical_ns, MS(6));
	assert_int_equal(ranking.rows->frame_count, 2);
	ranking_free(&ranking);
}

static void waits_are_other_places(void **state)
{
	struct gapp_record_wait wait;
	struct ranking ranking;

	(void)state;
	ran_on(11, "load:1 main:4", MS(4));
	wait = made_wait(11, 10, path_of("lib_fsync:1 load:3 main:4"), MS(2), GAPP_WAIT_DISK);
	fold_wait(profile, &wait);
	wait.wait = GAPP_WAIT_PIPE;
	fold_wait(profile, &wait);
	ranking = places();
	assert_int_equal(ranking.count, 3);
	for (int i = 1; i < 3; i++) {
		assert_int_equal(ranking.rows[i].kind, PATH_WAITED);
		assert_string_equal(name_of(&ranking.rows[i]), "load");
		near(ranking.rows[i].critical_ns, MS(2));
	}
	assert_int_not_equal(ranking.rows[1].wait, ranking.rows[2].wait);
	ranking_free(&ranking);
}

static void threads_of_a_place_have_their_parts(void **state)
{
	struct ranking ranking;

	(void)state;
	ran_on(11, "load:1 main:4", MS(4));
	ran_on(12, "load:1 main:4", MS(5));
	ran_on(12, "load:2 main:4", MS(2));
	ranking = places();
	assert_int_equal(ranking.count, 1);
	assert_int_equal(ranking.rows->threads, 2);
	assert_int_equal(ranking.rows->member_count, 2);
	assert_int_equal(ranking.rows->members[0].tid, 12);
	near(ranking.rows->members[0].critical_ns, MS(7));
	near(ranking.rows->members[1].critical_ns, MS(4));
	ranking_free(&ranking);
}

/* Its slices are those that ran on one of its paths, each once, by their critical time. */
static void figures_of_a_place_are_its_own(void **state)
{
	struct made made = made_slice(11, 10, path_of("wait:1 main:2"), SHARE(MS(8)));
	struct ranking ranking;

	(void)state;
	made_sample(&made, path_of("lib_read:1 load:2 main:4"), SHARE(MS(2)));
	made_sample(&made, path_of("load:3 main:4"), SHARE(MS(2)));
	made_sample(&made, path_of("store:3 main:4"), SHARE(MS(4)));
	fold(profile, &made);
	fold(profile, &made);
	ranking = places();
	assert_int_equal(ranking.count, 2);
	for (int i = 0; i < 2; i++) {
		near(ranking.rows[i].critical_ns, MS(8));
		assert_int_equal(ranking.rows[i].slices, 2);
		assert_in_range(ranking.rows[i].median_ns, MS(4) * 15 / 16, MS(4) * 17 / 16);
	}
	ranking_free(&ranking);
}

static void parts_of_a_slice_are_one_slice(void **state)
{
	struct made part = made_slice(11, 10, path_of("load:1 main:2"), SHARE(MS(4)));
	struct made last = made_slice(11, 10, path_of("wait:1 main:2"), SHARE(MS(6)));
	struct ranking ranking;

	(void)state;
	part.slice.then = GAPP_THEN_ON;
	part.slice.slices = 0;
	made_sample(&part, path_of("load:3 main:4"), SHARE(MS(4)));
	made_sample(&last, path_of("store:3 main:4"), SHARE(MS(6)));
	fold(profile, &part);
	fold(profile, &part);
	fold(profile, &last);
	ranking = places();
	assert_int_equal(ranking.count, 2);
	assert_string_equal(name_of(&ranking.rows[0]), "load");
	near(ranking.rows[0].critical_ns, MS(8));
	for (int i = 0; i < 2; i++) {
		u64 ns = ranking.rows[i].critical_ns;

		assert_int_equal(ranking.rows[i].slices, 1);
		assert_in_range(ranking.rows[i].median_ns, ns * 15 / 16, ns * 17 / 16);
	}
	ranking_free(&ranking);
}

/* A record may stand for earlier slices, whose share is too small for one of their own. */
static void earlier_slices_of_a_record_have_its_share(void **state)
{
	struct made made = made_slice(11, 10, path_of("load:1 main:2"), SHARE(MS(9)));
	struct ranking ranking;

	(void)state;
	made.slice.own_critical_share = SHARE(MS(1));
	made.slice.slices = 5;
	fold(profile, &made);
	ranking = places();
	assert_int_equal(ranking.count, 1);
	assert_int_equal(ranking.rows->slices, 5);
	assert_in_range(ranking.rows->median_ns, MS(2) * 15 / 16, MS(2) * 17 / 16);
	ranking_free(&ranking);
}

/*
 * Slices of threads 11 and 12 ended alike; a tenth of their samples hit another place. That place
 * has a tenth of what thread 12 has without samples, too little to count the thread there, but the
 * parts of the place's threads add up to all of it.
 */
static void parts_of_threads_add_up_to_their_place(void **state)
{
	struct made unsampled = made_slice(12, 10, path_of("wait:1 main:2"), SHARE(MS(20)));
	struct made sampled = made_slice(11, 10, path_of("wait:1 main:2"), SHARE(MS(10)));
	struct ranking ranking;

	(void)state;
	for (int i = 0; i < 9; i++)
		made_sample(&sampled, path_of("load:1 main:4"), SHARE(MS(1)));
	made_sample(&sampled, path_of("store:1 main:4"), SHARE(MS(1)));
	fold(profile, &sampled);
	fold(profile, &unsampled);
	ranking = places();
	assert_int_equal(ranking.count, 2);
	near(ranking.rows[0].critical_ns, MS(27));
	assert_int_equal(ranking.rows[0].member_count, 2);
	assert_string_equal(name_of(&ranking.rows[1]), "store");
	near(ranking.rows[1].critical_ns, MS(3));
	assert_int_equal(ranking.rows[1].member_count, 1);
	assert_int_equal(ranking.rows[1].members[0].tid, 11);
	for (int i = 0; i < 2; i++) {
		double sum = 0;

		for (size_t j = 0; j < ranking.rows[i].member_count; j++)
			sum += ranking.rows[i].members[j].critical_ns;
		near(sum, ranking.rows[i].critical_ns);
	}
	ranking_free(&ranking);
}

static void ran_in_kernel(s32 tid, const char *frames, const char *in_kernel, u64 ns)
{
	struct made made = made_slice(tid, 10, path_of("wait:1 main:2"), SHARE(ns));

	made_sample(&made, path_of(frames), SHARE(ns));
	made.samples[0].kernel_path = kernel_path_of(in_kernel);
	fold(profile, &made);
}

/* What every system call begins with is no place, and neither is what puts threads to sleep. */
static void places_go_on_in_the_kernel(void **state)
{
	static const char *const read[] = { "k_copy", "k_read", "load", "main" };
	static const char *const sync[] = { "k_sync", "load", "main" };
	struct gapp_record_wait wait =
		made_wait(11, 10, path_of("lib_fsync:1 load:3 main:4"), MS(2), GAPP_WAIT_DISK);
	struct ranking ranking;

	(void)state;
	profile_show_kernel(profile);
	ran_in_kernel(11, "lib_read:1 load:2 main:4",
		      "k_copy:1 k_read:2 do_syscall_64:1 entry_SYSCALL_64:1", MS(6));
	wait.kernel_path = kernel_path_of("k_sched:1 k_sched_io:1 k_sync:1 x64_sys_call:1");
	fold_wait(profile, &wait);
	ranking = places();
	assert_int_equal(ranking.count, 2);
	is_path(&ranking.rows[0], read, ARRAY_SIZE(read));
	is_path(&ranking.rows[1], sync, ARRAY_SIZE(sync));
	ranking_free(&ranking);
}

/* A thread that a library runs is in the library's functions, and what these call begins no chain.
 */
static void a_library_s_system_calls_begin_no_threads(void **state)
{
	static const char *const own[] = { "load", "main" };
	static const char *const pool[] = { "lib_spin", "lib_pool" };
	struct ranking ranking;

	(void)state;
	profile_show_kernel(profile);
	ran_in_kernel(11, "load:2 main:4", "k_read:2", MS(6));
	ran_in_kernel(12, "lib_spin:1 lib_pool:2 _start_thread:3", "k_read:2", MS(1));
	ranking = places();
	assert_int_equal(ranking.count, 2);
	is_path(&ranking.rows[0], own, ARRAY_SIZE(own));
	is_path(&ranking.rows[1], pool, ARRAY_SIZE(pool));
	ranking_free(&ranking);
}

/* What any code of the kernel uses counts for who called it. */
static void the_kernel_s_helpers_are_no_places(void **state)
{
	static const char *const read[] = { "k_read", "load", "main" };
	struct ranking ranking;

	(void)state;
	profile_show_kernel(profile);
	ran_in_kernel(11, "load:2 main:4", "rep_movs:1 copy_to_iter:1 k_read:2", MS(6));
	ran_in_kernel(11, "load:2 main:4", "_raw_spin_lock:1 k_read:2", MS(3));
	ran_in_kernel(11, "load:2 main:4", "k_tick:1 asm_sysvec_timer:1 k_read:2", MS(1));
	ranking = places();
	assert_int_equal(ranking.count, 1);
	is_path(ranking.rows, read, ARRAY_SIZE(read));
	assert_int_equal(ranking.rows->doing_count, 3);
	assert_string_equal(ranking.rows->doing[0].frame->function, "copy_to_iter");
	near(ranking.rows->doing[0].critical_ns, MS(6));
	assert_string_equal(ranking.rows->doing[2].frame->function, "asm_sysvec_timer");
	ranking_free(&ranking);
}

/* Of a program whose own part is not known, too. */
static void a_path_that_says_nothing_is_what_it_is(void **state)
{
	static const char *const names[] = { "asm_sysvec_timer", "do_syscall_64" };
	struct made made = made_slice(11, 10, GAPP_PATH_NONE, SHARE(MS(4)));
	struct ranking ranking;

	(void)state;
	profile_show_kernel(profile);
	made_sample(&made, GAPP_PATH_NONE, SHARE(MS(4)));
	made.samples[0].kernel_path = kernel_path_of("asm_sysvec_timer:1 do_syscall_64:1");
	fold(profile, &made);
	ranking = places();
	assert_int_equal(ranking.count, 1);
	is_path(ranking.rows, names, ARRAY_SIZE(names));
	ranking_free(&ranking);
}

static void threads_of_the_kernel_have_places(void **state)
{
	static const char *const crunch[] = { "k_crunch", "k_worker" };
	struct made made = made_slice(20, 20, GAPP_PATH_NONE, SHARE(MS(4)));
	struct ranking ranking;

	(void)state;
	profile_show_kernel(profile);
	made_sample(&made, GAPP_PATH_NONE, SHARE(MS(4)));
	made.samples[0].kernel_path = kernel_path_of("k_crunch:1 k_worker:2 k_start:1");
	fold(profile, &made);
	ranking = places();
	assert_int_equal(ranking.count, 1);
	is_path(ranking.rows, crunch, ARRAY_SIZE(crunch));
	ranking_free(&ranking);
}

/* What it calls in its own file is a part of it, and so is what its calls come back through. */
static void an_interpreter_is_one_place(void **state)
{
	struct ranking ranking;

	(void)state;
	ran_on(11, "lib_deflate:1 zip:1 interpret:3 call:1 interpret:2 thread:1 _start:1", MS(6));
	ran_on(11, "lib_deflate:1 interpret:3 apply:1 interpret:2 thread:1 _start:1", MS(2));
	ran_on(11, "compare:1 interpret:3 call:1 interpret:2 thread:1 _start:1", MS(1));
	ran_on(12, "interpret:2 main:1 _start:1", MS(1));
	ranking = places();
	assert_int_equal(ranking.count, 2);
	assert_string_equal(name_of(ranking.rows), "interpret");
	near(ranking.rows->critical_ns, MS(9));
	assert_int_equal(ranking.rows->frame_count, 2);
	assert_string_equal(ranking.rows->frames[1].function, "thread");
	assert_int_equal(ranking.rows->doing_count, 2);
	assert_string_equal(ranking.rows->doing[0].frame->function, "lib_deflate");
	near(ranking.rows->doing[0].critical_ns, MS(8));
	assert_null(ranking.rows->doing[1].frame);
	assert_string_equal(name_of(&ranking.rows[1]), "interpret");
	ranking_free(&ranking);
}

/* Both have the interpreter's name. */
static void places_of_an_interpreter_are_told_apart(void **state)
{
	struct ranking ranking;

	(void)state;
	ran_on(11, "interpret:3 thread:1 _start:1", MS(9));
	ran_on(12, "interpret:3 thread:1 _start:1", MS(9));
	ran_on(11, "compact:1 main:1 _start:1", MS(8));
	ranking = places();
	assert_string_equal(name_of(ranking.rows), "interpret");
	assert_int_equal(ranking.rows[0].of, OF_ANY_THREADS);
	ranking_free(&ranking);

	ran_on(10, "interpret:2 main:1 _start:1", MS(7));
	ranking = places();
	assert_int_equal(ranking.count, 3);
	assert_int_equal(ranking.rows[0].of, OF_STARTED_THREADS);
	assert_int_equal(ranking.rows[1].of, OF_ANY_THREADS);
	assert_string_equal(name_of(&ranking.rows[2]), "interpret");
	assert_int_equal(ranking.rows[2].of, OF_MAIN_THREADS);
	ranking_free(&ranking);
}

static void what_is_interpreted_has_places_by_its_names(void **state)
{
	struct ranking ranking;

	(void)state;
	ran_on(11,
	       "lib_deflate:1 interpret:3 py::compact:1 interpret:2 py::work:1 interpret:1 main:1",
	       MS(6));
	ran_on(11, "interpret:3 py::read:1 interpret:2 py::work:1 interpret:1 main:1", MS(2));
	ranking = places();
	assert_int_equal(ranking.count, 2);
	assert_string_equal(name_of(ranking.rows), "py::compact");
	assert_int_equal(ranking.rows->frame_count, 3);
	assert_string_equal(ranking.rows->frames[1].function, "py::work");
	assert_string_equal(ranking.rows->frames[2].function, "main");
	assert_string_equal(name_of(&ranking.rows[1]), "py::read");
	ranking_free(&ranking);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_place_is_the_innermost_function_of_its_own),
		TEST(a_place_does_what_its_nameless_callees_called),
		TEST(a_helper_is_no_place),
		TEST(a_caller_with_hardly_any_time_makes_no_helper),
		TEST(a_caller_that_one_sample_shows_makes_no_helper),
		TEST(slices_without_samples_show_no_caller),
		TEST(a_recursion_is_one_place),
		TEST(small_places_are_folded_into_the_one_around),
		TEST(libraries_between_own_functions_are_passed),
		TEST(a_library_has_places_in_its_own_threads),
		TEST(an_interpreter_is_one_place),
		TEST(places_of_an_interpreter_are_told_apart),
		TEST(what_is_interpreted_has_places_by_its_names),
		TEST(a_thread_s_function_is_one_place_wherever_it_is_called),
		TEST(waits_are_other_places),
		TEST(threads_of_a_place_have_their_parts),
		TEST(parts_of_threads_add_up_to_their_place),
		TEST(places_go_on_in_the_kernel),
		TEST(a_library_s_system_calls_begin_no_threads),
		TEST(the_kernel_s_helpers_are_no_places),
		TEST(a_path_that_says_nothing_is_what_it_is),
		TEST(threads_of_the_kernel_have_places),
		TEST(figures_of_a_place_are_its_own),
		TEST(parts_of_a_slice_are_one_slice),
		TEST(earlier_slices_of_a_record_have_its_share),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("place_tree", tests, NULL, NULL);
}
