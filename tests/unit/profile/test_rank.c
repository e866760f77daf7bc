// SPDX-License-Identifier: GPL-2.0
/* Rows: which paths are one, what is shown of them, and in which order. */
#include "fake_code.h"

#include "profile/profile_private.h"

/* A slice all of whose share is on @frames. */
static struct made sampled(s32 tid, s32 tgid, const char *frames, u64 ns)
{
	struct made made = made_slice(tid, tgid, path_of("wait:1 main:2"), SHARE(ns));

	made_sample(&made, path_of(frames), SHARE(ns));
	return made;
}

static void fold_sampled(s32 tid, s32 tgid, const char *frames, u64 ns)
{
	struct made made = sampled(tid, tgid, frames, ns);

	fold(profile, &made);
}

static void paths_are_told_apart_by_function(void **state)
{
	struct ranking ranking;

	(void)state;
	fold_sampled(11, 10, "hash:4 main:2", MS(1));
	fold_sampled(11, 10, "hash:7 main:9", MS(3));
	fold_sampled(11, 10, "hash:7 other:1 main:9", MS(2));
	fold_sampled(11, 10, "?:1 main:9", US(2));
	/* code without a name by where its function begins */
	fold_sampled(11, 10, "?:2 main:9", US(1));
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 3);
	near(ranking.rows[2].critical_ns, US(3));
	near(ranking.rows[0].critical_ns, MS(4));
	assert_int_equal(ranking.rows[0].frame_count, 2);
	assert_int_equal(ranking.rows[0].line_count, 2);
	/* the frames are those of the first line */
	assert_int_equal(ranking.rows[0].lines[0].line % 1000, 7);
	assert_int_equal(ranking.rows[0].frames[0].line, ranking.rows[0].lines[0].line);
	assert_int_equal(ranking.rows[0].frames[1].line % 1000, 9);
	near(ranking.rows[0].lines[0].critical_ns, MS(3));
	assert_int_equal(ranking.rows[0].lines[1].samples, 1);
	near(ranking.rows[1].critical_ns, MS(2));
	assert_null(ranking.rows[2].frames[0].function);
	ranking_free(&ranking);
}

/* Of the same functions, and of a return address the byte before it. */
static void paths_are_told_apart_by_address(void **state)
{
	const struct ranked *rows;
	struct ranking ranking;

	(void)state;
	fold_sampled(11, 10, "hash:4 main:2", MS(1));
	fold_sampled(12, 10, "hash:507 main:2", MS(3));
	fold_sampled(13, 10, "hash:507 main:2", MS(5));
	fold_sampled(11, 10, "main:2", US(1));
	ranking = ranking_by(profile, BY_ADDRESSES);
	assert_int_equal(ranking.count, 3);
	rows = ranking.rows;
	near(rows[0].critical_ns, MS(8));
	assert_int_equal(rows[0].member_count, 2);
	assert_int_equal(rows[0].members[0].tid, 13);
	near(rows[0].members[0].critical_ns, MS(5));
	assert_int_equal(rows[0].frame_count, 3);
	assert_true(rows[0].frames[0].inlined);
	assert_ptr_equal(rows[0].addresses[0].object, rows[0].frames[0].object);
	assert_int_equal(rows[0].addresses[1].offset, rows[0].addresses[0].offset);
	assert_int_equal(rows[0].addresses[2].offset, rows[1].addresses[1].offset);
	assert_int_not_equal(rows[0].addresses[0].offset, rows[1].addresses[0].offset);
	assert_int_equal(rows[2].addresses[0].offset, rows[1].addresses[1].offset + 1);
	ranking_free(&ranking);
}

/* However little share it has. */
static void each_path_by_address_has_inlined_functions(void **state)
{
	struct ranking ranking;
	char path[32];

	(void)state;
	fold_sampled(11, 10, "hash:4 main:2", SECONDS(10));
	for (int i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), "f%d:500 main:2", i);
		fold_sampled(11, 10, path, US(10));
	}
	ranking = ranking_by(profile, BY_ADDRESSES);
	assert_int_equal(ranking.count, 301);
	for (size_t i = 1; i < ranking.count; i++)
		assert_int_equal(ranking.rows[i].frame_count, 3);
	ranking_free(&ranking);
}

/* Its first line is that of two paths together, neither of which has most share. */
static void frames_are_those_of_the_first_line(void **state)
{
	struct ranking ranking;

	(void)state;
	fold_sampled(11, 10, "hash:4 main:2", MS(5));
	fold_sampled(11, 10, "hash:7 main:5", MS(3));
	fold_sampled(11, 10, "hash:7 main:9", MS(4));
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 1);
	assert_int_equal(ranking.rows[0].lines[0].line % 1000, 7);
	near(ranking.rows[0].lines[0].critical_ns, MS(7));
	assert_int_equal(ranking.rows[0].frames[0].line, ranking.rows[0].lines[0].line);
	assert_int_equal(ranking.rows[0].frames[1].line % 1000, 9);
	ranking_free(&ranking);
}

/* Unless they are asked for, rows are of the program's code. */
static void kernel_paths_tell_no_rows_apart(void **state)
{
	struct made made = sampled(11, 10, "hash:1 main:2", MS(1));
	struct ranking ranking;

	(void)state;
	fold(profile, &made);
	made.slice.kernel_path = path_of("schedule:1 syscall:2");
	made.samples[0].kernel_path = path_of("fault:1");
	fold(profile, &made);
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 1);
	near(ranking.rows[0].critical_ns, MS(2));
	assert_int_equal(ranking.rows[0].frame_count, 2);
	ranking_free(&ranking);
}

static void fold_in_kernel(const char *frames, const char *in_kernel, u64 ns)
{
	struct made made = sampled(11, 10, frames, ns);

	made.samples[0].kernel_path = kernel_path_of(in_kernel);
	fold(profile, &made);
}

static void paths_go_on_in_the_kernel(void **state)
{
	static const char *const copy[] = { "k_copy", "k_read", "read", "main" };
	static const char *const fault[] = { "k_fault", "hash", "main" };
	struct ranking ranking;

	(void)state;
	profile_show_kernel(profile);
	fold_in_kernel("read:1 main:2", "k_copy:1 k_read:2", MS(4));
	/* the same functions: one row */
	fold_in_kernel("read:1 main:2", "k_copy:7 k_read:2", MS(3));
	fold_in_kernel("read:1 main:2", "k_lookup:1 k_read:2", MS(2));
	fold_in_kernel("hash:1 main:2", "k_fault:1", MS(5));
	fold_sampled(11, 10, "hash:1 main:2", MS(1));
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 4);
	near(ranking.rows[0].critical_ns, MS(7));
	is_path(&ranking.rows[0], copy, ARRAY_SIZE(copy));
	assert_true(ranking.rows[0].complete);
	assert_true(ranking.rows[0].frames[1].kernel);
	assert_false(ranking.rows[0].frames[2].kernel);
	near(ranking.rows[1].critical_ns, MS(5));
	is_path(&ranking.rows[1], fault, ARRAY_SIZE(fault));
	near(ranking.rows[3].critical_ns, MS(1));
	assert_string_equal(ranking.rows[3].frames[0].function, "hash");
	ranking_free(&ranking);

	ranking = ranking_by(profile, BY_FUNCTION);
	assert_int_equal(ranking.count, 4);
	assert_string_equal(ranking.rows[0].frames[0].function, "k_copy");
	ranking_free(&ranking);
}

/* Where slices and waits end, too; and these are found again by path, not by the user's number. */
static void ends_go_on_in_the_kernel(void **state)
{
	struct made made = made_slice(11, 10, path_of("futex_wait:1 main:2"), SHARE(MS(3)));
	struct gapp_record_wait wait =
		made_wait(11, 10, path_of("fdatasync:1 main:2"), MS(7), GAPP_WAIT_DISK);
	struct ranking ranking;

	(void)state;
	profile_show_kernel(profile);
	made.slice.kernel_path = kernel_path_of("k_sched:1 k_futex:1");
	fold(profile, &made);
	fold(profile, &made);
	made.slice.kernel_path = kernel_path_of("k_preempt:1");
	fold(profile, &made);
	wait.kernel_path = kernel_path_of("k_sched:1 k_sched_io:1 k_ext4_sync:1");
	fold_wait(profile, &wait);
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 3);
	/* without what puts every thread to sleep */
	near(row_of(&ranking, PATH_WAITED, "k_ext4_sync")->critical_ns, MS(7));
	near(row_of(&ranking, PATH_RAN, "k_futex")->critical_ns, MS(6));
	near(row_of(&ranking, PATH_RAN, "k_preempt")->critical_ns, MS(3));
	ranking_free(&ranking);
}

/* Frames of the kernel do not hide the function that tells what a futex is for. */
static void the_program_tells_the_reason(void **state)
{
	char in_kernel[200] = "k_f:1";
	struct gapp_record_wait wait = made_wait(
		11, 10, path_of("futex_wait:1 pthread_join:1 main:2"), MS(7), GAPP_WAIT_FUTEX);
	struct ranking ranking;

	(void)state;
	profile_show_kernel(profile);
	for (u32 i = 0; i < 14; i++)
		strcat(in_kernel, " k_g:1");
	wait.kernel_path = kernel_path_of(in_kernel);
	fold_wait(profile, &wait);
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.rows[0].wait, GAPP_WAIT_JOIN);
	ranking_free(&ranking);
}

/* A thread that the program has just begun comes from where the kernel begins threads. */
static void a_new_thread_is_a_programs(void **state)
{
	static const char *const names[] = { "k_fault", "k_start", "child", "main" };
	struct ranking ranking;

	(void)state;
	profile_show_kernel(profile);
	fold_in_kernel("child:1 main:2", "k_fault:1 k_start:2", MS(4));
	ranking = ranking_by(profile, BY_PATH);
	is_path(&ranking.rows[0], names, ARRAY_SIZE(names));
	ranking_free(&ranking);
}

static void threads_of_the_kernel_have_paths(void **state)
{
	struct made made = made_slice(2, 2, GAPP_PATH_NONE, SHARE(MS(5)));
	struct ranking ranking;

	(void)state;
	profile_show_kernel(profile);
	made_sample(&made, GAPP_PATH_NONE, SHARE(MS(3)));
	made.samples[0].kernel_path = kernel_path_of("k_crunch:1 k_worker:2 k_start:1");
	made_sample(&made, GAPP_PATH_NONE, SHARE(MS(2)));
	/* a program's, whose own frames were not found */
	made.samples[1].kernel_path = kernel_path_of("k_crunch:1 k_syscall:1");
	fold(profile, &made);
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 2);
	near(ranking.rows[0].critical_ns, MS(3));
	assert_int_equal(ranking.rows[0].frame_count, 2);
	assert_true(ranking.rows[0].complete);
	assert_false(ranking.rows[1].complete);
	ranking_free(&ranking);
}

static void inlined_functions_are_shown(void **state)
{
	struct ranking ranking;

	(void)state;
	fold_sampled(11, 10, "hash:600 main:2", MS(1));
	fold_sampled(11, 10, "hash:3 main:2", US(1));
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 1);
	assert_int_equal(ranking.rows[0].frame_count, 3);
	assert_string_equal(ranking.rows[0].frames[0].function, "inlined");
	assert_true(ranking.rows[0].frames[0].inlined);
	assert_string_equal(ranking.rows[0].frames[1].function, "hash");
	assert_string_equal(ranking.rows[0].lines[0].file, "inline.h");
	assert_string_equal(ranking.rows[0].lines[1].file, "code.c");
	ranking_free(&ranking);

	ranking = ranking_by(profile, BY_FUNCTION);
	assert_int_equal(ranking.count, 1);
	assert_int_equal(ranking.rows[0].frame_count, 1);
	assert_string_equal(ranking.rows[0].frames[0].function, "hash");
	ranking_free(&ranking);

	ranking = ranking_by(profile, BY_LINE);
	assert_int_equal(ranking.count, 2);
	assert_string_equal(ranking.rows[0].frames[0].file, "inline.h");
	assert_int_equal(ranking.rows[0].frames[0].line, 600);
	ranking_free(&ranking);
}

static void libraries_are_left_out(void **state)
{
	struct profile_options options = { .by = BY_PATH, .no_libs = true };
	struct ranking ranking;

	(void)state;
	fold_sampled(11, 10, "lib_sort:1 lib_call:2 work:3 lib_pool:4 main:5 _start:1", MS(4));
	fold_sampled(11, 10, "lib_copy:1 work:3 lib_pool:4 main:5 _start:1", MS(2));
	fold_sampled(11, 10, "lib_only:1 _start_thread:1", MS(1));
	ranking = ranking_with(profile, &options);
	assert_int_equal(ranking.count, 2);
	near(ranking.rows[0].critical_ns, MS(6));
	assert_string_equal(ranking.rows[0].frames[0].function, "work");
	assert_int_equal(ranking.rows[0].frame_count, 3);
	assert_int_equal(ranking.rows[0].line_count, 1);
	assert_string_equal(ranking.rows[1].frames[0].function, "lib_only");
	ranking_free(&ranking);

	options.program = "/usr/lib/libsome.so";
	ranking = ranking_with(profile, &options);
	assert_string_equal(ranking.rows[0].frames[0].function, "lib_sort");
	ranking_free(&ranking);

	/* by another name, as in a container */
	options.by = BY_FUNCTION;
	options.program = "/rootfs/program";
	options.program_dev = 1;
	options.program_inode = 7;
	ranking = ranking_with(profile, &options);
	assert_string_equal(ranking.rows[0].frames[0].function, "work");
	near(ranking.rows[0].critical_ns, MS(6));
	ranking_free(&ranking);
}

static void waits_are_ranked_with_sleeps_last(void **state)
{
	struct gapp_record_wait sleep =
		made_wait(11, 10, path_of("doze:1 main:1"), SECONDS(9), GAPP_WAIT_SLEEP);
	struct gapp_record_wait disk =
		made_wait(11, 10, path_of("commit:1 main:2"), MS(5), GAPP_WAIT_DISK);
	struct gapp_record_wait join =
		made_wait(12, 10, path_of("futex_wait:1 pthread_clockjoin_ex:1 main:2"), MS(2),
			  GAPP_WAIT_FUTEX);
	struct gapp_record_wait none = made_wait(11, 10, GAPP_PATH_NONE, 77, GAPP_WAIT_DISK);
	struct profile_sums sums;
	struct ranking ranking;

	(void)state;
	disk.waiting[GAPP_WAIT_QUEUE] = 3;
	disk.waiting[GAPP_WAIT_LOCK] = 1;
	fold_wait(profile, &sleep);
	fold_wait(profile, &disk);
	fold_wait(profile, &disk);
	fold_wait(profile, &join);
	fold_wait(profile, &none);
	fold_sampled(11, 10, "commit:1 main:2", MS(4));
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 4);
	assert_int_equal(ranking.rows[0].kind, PATH_WAITED);
	near(ranking.rows[0].critical_ns, MS(10));
	assert_int_equal(ranking.rows[0].wait, GAPP_WAIT_DISK);
	assert_int_equal(ranking.rows[0].slices, 2);
	near(ranking.rows[0].waiting_ns[GAPP_WAIT_QUEUE], MS(7.5));
	assert_false(ranking.rows[0].lines[0].stack_top);
	assert_string_equal(ranking.rows[0].comm, "sleeper");
	assert_int_equal(ranking.rows[1].kind, PATH_RAN);
	assert_int_equal(ranking.rows[2].wait, GAPP_WAIT_JOIN);
	assert_int_equal(ranking.rows[3].wait, GAPP_WAIT_SLEEP);
	profile_sums(profile, &sums);
	near(sums.waited_ns, SECONDS(9) + MS(12));
	near(sums.waited_lost_ns, 77);
	ranking_free(&ranking);
}

static void reasons_are_split_by_what_waits(void **state)
{
	struct made made = made_slice(11, 10, path_of("pthread_mutex_lock:1 main:2"), SHARE(MS(8)));
	struct made unsampled =
		made_slice(11, 10, path_of("pthread_mutex_lock:1 main:2"), SHARE(MS(2)));
	struct ranking ranking;

	(void)state;
	for (u32 i = 0; i < 8; i++) {
		made_sample(&made, path_of("hash:1 main:2"), SHARE(MS(1)));
		made.samples[i].waiting[GAPP_WAIT_LOCK] = 3;
		made.samples[i].waiting[GAPP_WAIT_JOIN] = 1;
	}
	made.slice.waiting[GAPP_WAIT_DISK] = 9;
	unsampled.slice.waiting[GAPP_WAIT_PIPE] = 65535;
	fold(profile, &made);
	fold(profile, &unsampled);
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 1);
	near(ranking.rows[0].waiting_ns[GAPP_WAIT_LOCK], MS(6));
	near(ranking.rows[0].waiting_ns[GAPP_WAIT_JOIN], MS(2));
	near(ranking.rows[0].waiting_ns[GAPP_WAIT_DISK], 0);
	near(ranking.rows[0].waiting_ns[GAPP_WAIT_PIPE], MS(2));
	ranking_free(&ranking);
}

/* A slice counts once in each row, however many of its samples are there. */
static void slices_count_once_in_a_row(void **state)
{
	struct made made = made_slice(11, 10, path_of("futex_wait:1 pthread_cond_wait:1 main:2"),
				      SHARE(MS(9)));
	struct made short_one = made_slice(11, 10, made.slice.path, SHARE(MS(1)));
	struct ranking ranking;

	(void)state;
	made.slice.wait = GAPP_WAIT_FUTEX;
	short_one.slice.wait = GAPP_WAIT_FUTEX;
	made_sample(&short_one, path_of("parse:2 main:3"), SHARE(MS(1)));
	for (u32 i = 0; i < 3; i++) {
		made_sample(&made, path_of("hash:1 main:2"), SHARE(MS(1)));
		made_sample(&made, path_of("hash:2 main:2"), SHARE(MS(1)));
		made_sample(&made, path_of("parse:2 main:3"), SHARE(MS(1)));
	}
	fold(profile, &made);
	fold(profile, &made);
	fold(profile, &short_one);
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 2);
	/* two slices ran in both rows, the short one only in the second */
	for (u32 i = 0; i < 2; i++) {
		assert_int_equal(ranking.rows[i].slices, 2 + i);
		assert_int_equal(ranking.rows[i].then[GAPP_WAIT_QUEUE], 2 + i);
	}
	assert_int_equal(ranking.rows[0].samples, 12);
	ranking_free(&ranking);

	ranking = ranking_by(profile, BY_SLICE_END);
	assert_int_equal(ranking.count, 1);
	assert_int_equal(ranking.rows[0].slices, 3);
	ranking_free(&ranking);
}

/* ...whichever of its paths was seen first. */
static void slices_count_once_in_the_only_row(void **state)
{
	static const enum by bys[] = { BY_PATH, BY_FUNCTION };
	struct made made = made_slice(11, 10, GAPP_PATH_NONE, SHARE(MS(6)));

	(void)state;
	for (u32 line = 1; line <= 3; line++) {
		char path[32];

		snprintf(path, sizeof(path), "hash:%u main:2", line);
		made_sample(&made, path_of(path), SHARE(MS(2)));
	}
	fold(profile, &made);
	for (size_t i = 0; i < ARRAY_SIZE(bys); i++) {
		struct ranking ranking = ranking_by(profile, bys[i]);

		assert_int_equal(ranking.count, 1);
		near(ranking.rows[0].critical_ns, MS(6));
		assert_int_equal(ranking.rows[0].slices, 1);
		assert_int_equal(ranking.rows[0].then[GAPP_WAIT_LOCK], 1);
		ranking_free(&ranking);
	}
}

/* ...and a path that few of many samples hit has its slice too. */
static void many_samples_hide_no_path(void **state)
{
	struct made made = sampled(11, 10, "rare:1 main:2", US(1));
	struct ranking ranking;

	(void)state;
	for (u32 i = 0; i < 30; i++)
		made_sample(&made, path_of("hash:1 main:2"), SHARE(MS(1)));
	made.slice.critical_share = SHARE(MS(30) + US(1));
	made.slice.own_critical_share = made.slice.critical_share;
	fold(profile, &made);
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(row_of(&ranking, PATH_RAN, "rare")->slices, 1);
	assert_int_equal(row_of(&ranking, PATH_RAN, "hash")->slices, 1);
	ranking_free(&ranking);
}

/* GAPP's table: the path at the end, and the sampled lines under it. */
static void by_slice_end(void **state)
{
	u32 at = path_of("wait:1 main:2");
	struct made made = sampled(11, 10, "hash:4 main:2", MS(6));
	struct made unsampled = made_slice(11, 10, at, SHARE(MS(2)));
	struct made no_end = sampled(11, 10, "hash:4 main:2", MS(1));
	struct ranking ranking;

	(void)state;
	no_end.slice.path = GAPP_PATH_NONE;
	fold(profile, &made);
	fold(profile, &unsampled);
	fold(profile, &no_end);
	ranking = ranking_by(profile, BY_SLICE_END);
	assert_int_equal(ranking.count, 1);
	assert_string_equal(ranking.rows[0].frames[0].function, "wait");
	near(ranking.rows[0].critical_ns, MS(8));
	near(ranking.rows[0].inferred_ns, MS(2));
	assert_int_equal(ranking.rows[0].line_count, 2);
	assert_int_equal(ranking.rows[0].lines[0].line % 1000, 4);
	assert_false(ranking.rows[0].lines[0].stack_top);
	assert_true(ranking.rows[0].lines[1].stack_top);
	assert_string_equal(ranking.rows[0].lines[1].frame->function, "wait");
	assert_int_equal(ranking.rows[0].slices, 2);
	ranking_free(&ranking);
}

static void by_thread_and_process(void **state)
{
	struct made leader = sampled(10, 10, "hash:4 main:2", MS(1));
	struct made worker = sampled(11, 10, "hash:4 main:2", MS(6));
	struct made reused = sampled(11, 20, "hash:4 main:2", MS(3));
	struct ranking ranking;

	(void)state;
	memcpy(leader.slice.comm, "0123456789abcdef", GAPP_COMM_LEN);
	leader.slice.flags = GAPP_SLICE_LEADER;
	fold(profile, &leader);
	fold(profile, &worker);
	fold(profile, &reused);
	ranking = ranking_by(profile, BY_THREAD);
	assert_int_equal(ranking.count, 3);
	assert_int_equal(ranking.rows[0].tid, 11);
	assert_int_equal(ranking.rows[0].tgid, 10);
	near(ranking.rows[0].critical_ns, MS(6));
	near(ranking.rows[0].running, 2);
	assert_int_equal(ranking.rows[1].tgid, 20);
	assert_int_equal(ranking.rows[0].frame_count, 0);
	ranking_free(&ranking);

	ranking = ranking_by(profile, BY_PROCESS);
	assert_int_equal(ranking.count, 2);
	near(ranking.rows[0].critical_ns, MS(7));
	assert_string_equal(ranking.rows[0].comm, "0123456789abcdef");
	assert_int_equal(ranking.rows[0].threads, 2);
	assert_int_equal(ranking.rows[0].slices, 2);
	assert_string_equal(ranking.rows[1].comm, "worker");
	ranking_free(&ranking);
}

static void rows_know_their_threads(void **state)
{
	struct made small = sampled(12, 10, "hash:4 main:2", MS(1));
	struct ranking ranking;

	(void)state;
	memcpy(small.slice.comm, "small", 6);
	small.slice.thread_ns = MS(16);
	small.slice.begin_ns = SECONDS(1) - MS(4);
	fold(profile, &small);
	fold_sampled(11, 10, "hash:9 main:2", MS(2));
	fold_sampled(11, 10, "hash:4 main:2", MS(1));
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.rows[0].threads, 2);
	assert_string_equal(ranking.rows[0].comm, "worker");
	/* 2 threads on average for 3 ms, 4 for one */
	near(ranking.rows[0].running, 2.5);
	assert_int_equal(ranking.rows[0].median_ns, step_length(length_step(MS(1))));
	assert_int_equal(ranking.rows[0].tgid, 0);
	ranking_free(&ranking);
}

static void leaders_are_left_out_or_alone(void **state)
{
	struct made leader = made_slice(10, 10, path_of("wait:1 main:2"), SHARE(MS(4)));
	struct profile_options options = { .by = BY_PATH, .threads_only = true };
	struct ranking ranking;

	(void)state;
	fold(profile, &leader);
	fold_sampled(11, 10, "hash:4 main:2", MS(1));
	ranking = ranking_with(profile, &options);
	assert_int_equal(ranking.count, 1);
	assert_string_equal(ranking.rows[0].frames[0].function, "hash");
	near(ranking.rows[0].critical_ns, MS(1));
	ranking_free(&ranking);

	/* no leader's slice was sampled */
	options = (struct profile_options){ .by = BY_PATH, .process_only = true };
	ranking = ranking_with(profile, &options);
	assert_int_equal(ranking.count, 1);
	assert_string_equal(ranking.rows[0].frames[0].function, "wait");
	ranking_free(&ranking);

	options.by = BY_THREAD;
	ranking = ranking_with(profile, &options);
	assert_int_equal(ranking.count, 1);
	assert_int_equal(ranking.rows[0].tid, 10);
	ranking_free(&ranking);
}

static void targets_are_ranked_apart(void **state)
{
	struct made made = sampled(21, 20, "hash:4 main:2", MS(1));
	struct ranking ranking;

	(void)state;
	made.slice.target = 1;
	fold_sampled(11, 10, "hash:4 main:2", MS(2));
	fold(profile, &made);
	/* the row shows the process with the most share, not the last one */
	fold_sampled(31, 30, "hash:4 main:2", US(1));
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 2);
	assert_int_equal(ranking.rows[0].tgid, 10);
	assert_int_equal(ranking.rows[1].tgid, 20);
	assert_int_equal(ranking.rows[1].slices, 1);
	ranking_free(&ranking);
}

static void nothing_ranks_nothing(void **state)
{
	(void)state;
	for (enum by by = BY_PATH; by <= BY_PROCESS; by++) {
		struct ranking ranking = ranking_by(profile, by);

		assert_int_equal(ranking.count, 0);
		ranking_free(&ranking);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(paths_are_told_apart_by_function),
		TEST(paths_are_told_apart_by_address),
		TEST(each_path_by_address_has_inlined_functions),
		TEST(frames_are_those_of_the_first_line),
		TEST(kernel_paths_tell_no_rows_apart),
		TEST(paths_go_on_in_the_kernel),
		TEST(ends_go_on_in_the_kernel),
		TEST(the_program_tells_the_reason),
		TEST(a_new_thread_is_a_programs),
		TEST(threads_of_the_kernel_have_paths),
		TEST(inlined_functions_are_shown),
		TEST(libraries_are_left_out),
		TEST(waits_are_ranked_with_sleeps_last),
		TEST(reasons_are_split_by_what_waits),
		TEST(slices_count_once_in_a_row),
		TEST(slices_count_once_in_the_only_row),
		TEST(many_samples_hide_no_path),
		TEST(by_slice_end),
		TEST(by_thread_and_process),
		TEST(rows_know_their_threads),
		TEST(leaders_are_left_out_or_alone),
		TEST(targets_are_ranked_apart),
		TEST(nothing_ranks_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("rank", tests, NULL, NULL);
}
