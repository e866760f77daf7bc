// SPDX-License-Identifier: GPL-2.0
/* A profile that is written to a file is the same when it is read. */
#include "fake_code.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "profile/profile_private.h"
#include "profile/saved_profile.h"

#define HOURS(n) (3600 * SECONDS(n))
#define DAYS(n) (24 * HOURS(n))

struct file {
	int fd;
	char path[32];
};

/* Writes the profile of the test. @whole: with an END block, which a full disk has no room for. */
static struct file written(bool whole)
{
	struct file file = { .fd = memfd_create("profile", 0) };
	struct object_numbers numbers = { 0 };
	struct blocks_writer writer;

	assert_true(file.fd >= 0);
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	assert_int_equal(blocks_begin(&writer, file.fd), 0);
	assert_int_equal(profile_save(profile, &numbers, &writer), 0);
	objects_save(&numbers, &writer);
	if (whole)
		assert_int_equal(blocks_end(&writer), 0);
	else
		blocks_section(&writer, BLOCK_END);
	blocks_free(&writer);
	object_numbers_free(&numbers);
	return file;
}

/**
 * struct read - what was read; not to be freed before the ranking that is made of it
 * @profile: the profile
 * @damaged: blocks that made no sense
 */
struct read {
	struct profile *profile;
	struct saved_objects objects;
	struct saved_paths paths;
	u64 damaged;
};

static struct read read_again(const struct file *file)
{
	struct blocks *blocks = blocks_open(file->path);
	struct read read = { 0 };

	assert_non_null(blocks);
	assert_int_equal(saved_objects_read(&read.objects, blocks), 0);
	assert_int_equal(saved_paths_read(&read.paths, blocks, &read.objects), 0);
	read.profile = profile_read(blocks, &read.paths, NULL);
	assert_non_null(read.profile);
	read.damaged = blocks_health(blocks)->damaged;
	blocks_close(blocks);
	close(file->fd);
	return read;
}

static void read_free(struct read *read)
{
	profile_free(read->profile);
	saved_paths_free(&read->paths);
	saved_objects_free(&read->objects);
}

/* Slices, with a sample and without, that were critical for @ns with @n threads active. */
static void critical_for(u64 ns, u32 n)
{
	struct made made = made_slice(11, 10, path_of("f:1 main:1"), SHARE(ns) / 2);

	made.slice.n = n;
	made.slice.thread_ns = n * MS(1);
	made.slice.waiting[GAPP_WAIT_LOCK] = n;
	fold(profile, &made);
	made_sample(&made, path_of("g:1 main:1"), SHARE(ns) / 2);
	fold(profile, &made);
}

static void is_read_back(u64 ns, u32 n)
{
	struct ranking before, after;
	struct profile_sums sums;
	struct read read;
	struct file file;

	critical_for(ns, n);
	file = written(true);
	read = read_again(&file);
	assert_int_equal(read.damaged, 0);
	profile_sums(read.profile, &sums);
	near(sums.attributed_ns / 1e9, ns / 1e9);
	near(sums.no_path_ns, 0);
	for (enum by by = BY_PLACE; by <= BY_PROCESS; by++) {
		const struct profile_options options = { .by = by, .gain = { n, n + 1, DAYS(60) } };

		before = ranking_with(profile, &options);
		after = ranking_with(read.profile, &options);
		assert_true(after.count);
		assert_int_equal(after.count, before.count);
		for (size_t i = 0; i < after.count; i++) {
			const struct ranked *was = &before.rows[i], *is = &after.rows[i];

			assert_true(is->critical_ns == was->critical_ns);
			assert_true(is->running == was->running);
			assert_true(is->gain_ns == was->gain_ns);
			assert_true(!is->gain_ns == (by != BY_PLACE));
			near(is->running, n);
			assert_true(is->waiting_ns[GAPP_WAIT_LOCK] ==
				    was->waiting_ns[GAPP_WAIT_LOCK]);
		}
		ranking_free(&before);
		ranking_free(&after);
	}
	read_free(&read);
}

/* Slices whose length is known are bounded by that, in the file's profile too. */
static void lengths_are_read_back(void **state)
{
	const struct profile_options options = { .by = BY_PLACE, .gain = { 8, 9, DAYS(60) } };
	struct ranking ranking;
	struct read read;
	struct file file;

	(void)state;
	critical_for(US(500), 2);
	file = written(true);
	read = read_again(&file);
	ranking = ranking_with(read.profile, &options);
	assert_int_equal(ranking.count, 2);
	near(ranking.rows[0].gain_ns, MS(1));
	near(ranking.rows[1].gain_ns, MS(1));
	ranking_free(&ranking);
	read_free(&read);
}

/* For which paths the system call itself says what it waits for. */
static void sure_waits_are_read_back(void **state)
{
	struct gapp_record_wait wait =
		made_wait(11, 10, path_of("?:1 main:2"), MS(7), GAPP_WAIT_JOIN);
	struct ranking ranking;
	struct read read;
	struct file file;

	(void)state;
	wait.syscall = SYS_wait4;
	fold_wait(profile, &wait);
	file = written(true);
	read = read_again(&file);
	ranking = ranking_by(read.profile, BY_PLACE);
	assert_int_equal(ranking.rows[0].wait, GAPP_WAIT_JOIN);
	ranking_free(&ranking);
	read_free(&read);
}

static void hours_are_read_back(void **state)
{
	(void)state;
	is_read_back(HOURS(10), 64);
}

static void the_longest_recording_is_read_back(void **state)
{
	(void)state;
	is_read_back(DAYS(52), 1000);
}

/* What is missing adds up to more than a number can be, and so to the most that it can. */
static void sums_do_not_wrap(void **state)
{
	struct profile_sums sums;
	struct read read;
	struct file file;

	(void)state;
	critical_for(DAYS(52), 2);
	profile->no_path = SHARE(DAYS(40));
	/* the other half of it is in cells that are missing */
	profile_settle(profile);
	for (u32 i = 0; i < profile->cells.index.count; i++)
		profile->cells.rows[i].figures.critical_share /= 2;
	file = written(false);
	read = read_again(&file);
	profile_sums(read.profile, &sums);
	near(sums.attributed_ns / 1e9, DAYS(26) / 1e9);
	near(sums.no_path_ns, (double)UINT64_MAX / (1 << GAPP_SHARE_SHIFT));
	read_free(&read);
}

/* A file may say anything: of a tally whose kind there is not, nobody would know what it counts. */
static void tallies_of_no_kind_are_refused(void **state)
{
	const u32 no_kinds[] = { 0x20000001, 0x60000001, 0xa0000001 };
	struct ranking ranking;
	struct read read;
	struct file file;

	(void)state;
	critical_for(MS(10), 1);
	for (u32 i = 0; i < ARRAY_SIZE(no_kinds); i++)
		assert_int_equal(profile_tally(profile, 0, no_kinds[i], 1), 0);
	file = written(true);
	read = read_again(&file);
	assert_true(read.damaged);
	ranking = ranking_by(read.profile, BY_PLACE);
	ranking_free(&ranking);
	read_free(&read);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lengths_are_read_back), TEST(sure_waits_are_read_back),
		TEST(hours_are_read_back),   TEST(the_longest_recording_is_read_back),
		TEST(sums_do_not_wrap),	     TEST(tallies_of_no_kind_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("saved_profile", tests, NULL, NULL);
}
