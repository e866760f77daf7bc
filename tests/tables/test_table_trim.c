// SPDX-License-Identifier: GPL-2.0
/* Tables on disk: shared by processes, and thrown away when there are too many. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

#include "cache_rig.h"
#include "unwind-table/table_cache.h"
#include "core/table.h"
#include "subject.h"

#define WRITERS 8
#define ROUNDS 300
#define MANY_FILES 100

static bool is_there(int folder, const char *name)
{
	return !faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/**
 * struct crew - processes that write and read the same name at once, and one that throws it away
 * @folder: all in this one
 * @key: theirs
 * @tables: half of them write the one and half the other
 * @trims: it may be gone
 * @gone: how often the file was there and was thrown away; shared
 */
struct crew {
	int folder;
	struct table_key key;
	struct unwind_table tables[2];
	bool trims;
	u32 *gone;
};

static int write_and_read(const struct crew *crew, int self)
{
	const struct unwind_table *tables = crew->tables, *mine = &tables[self % 2];
	unsigned int found = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct unwind_table got = { 0 };
		bool is_one = false;

		if (table_cache_put(crew->folder, &crew->key, mine->data, mine->bytes))
			return 1;
		if (!table_cache_get(crew->folder, &crew->key, &got)) {
			if (!crew->trims)
				return 2;
			continue;
		}
		found++;
		for (int j = 0; j < 2; j++)
			is_one |= got.bytes == tables[j].bytes &&
				  !memcmp(got.data, tables[j].data, got.bytes);
		unwind_table_free_data(&got);
		if (!is_one)
			return 3;
	}
	return found ? 0 : 4;
}

/* Until it is killed. */
static void trim_on(const struct crew *crew)
{
	for (;;) {
		bool there = is_there(crew->folder, crew->key.name);

		table_trim(crew->folder, 0);
		if (there)
			__atomic_fetch_add(crew->gone, 1, __ATOMIC_RELAXED);
	}
}

static pid_t start(const struct crew *crew, int self)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child && self == WRITERS)
		trim_on(crew);
	if (!child)
		_exit(write_and_read(crew, self));
	return child;
}

static void work_at_once(struct crew *crew)
{
	_cleanup_close_ int one = subject_assemble(FUNCTION("", "56"), "-shared");
	_cleanup_close_ int other =
		subject_assemble(FUNCTION(".cfi_def_cfa_offset 80", "30000"), "-shared");
	pid_t writers[WRITERS], trimmer = 0;
	struct gapp_table table;
	int status;

	crew->key = key_of(one);
	crew->tables[0] = subject_table(one, &table);
	crew->tables[1] = subject_table(other, &table);
	if (crew->trims)
		trimmer = start(crew, WRITERS);
	for (int i = 0; i < WRITERS; i++)
		writers[i] = start(crew, i);
	for (int i = 0; i < WRITERS; i++) {
		assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
		assert_int_equal(status, 0);
	}
	if (trimmer) {
		kill(trimmer, SIGKILL);
		assert_int_equal(waitpid(trimmer, &status, 0), trimmer);
		assert_true(WIFSIGNALED(status));
	}
	unwind_table_free(&crew->tables[0]);
	unwind_table_free(&crew->tables[1]);
}

static void many_at_once(void **state)
{
	_cleanup_close_ int folder = open_cache();
	struct crew crew = { .folder = folder };

	(void)state;
	work_at_once(&crew);
	assert_int_equal(count_files(folder), 1);
}

/* What is gone is not there, what is there is whole, and nobody's unfinished file is lost or left.
 */
static void many_at_once_and_one_that_trims(void **state)
{
	_cleanup_close_ int folder = open_cache();
	struct crew crew = { .folder = folder, .trims = true };

	(void)state;
	crew.gone =
		mmap(NULL, sizeof(u32), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(crew.gone != MAP_FAILED);
	work_at_once(&crew);
	assert_true(*crew.gone > 0);
	assert_true(count_files(folder) <= 1);
	munmap(crew.gone, sizeof(u32));
}

static void made_at(int folder, const char *name, time_t seconds)
{
	struct timespec times[2] = { { .tv_sec = seconds }, { .tv_sec = seconds } };

	assert_int_equal(utimensat(folder, name, times, 0), 0);
}

static struct timespec time_of(int folder, const char *name)
{
	struct stat stat;

	assert_int_equal(fstatat(folder, name, &stat, 0), 0);
	return stat.st_mtim;
}

/* The time of a use is written once an hour at most: each writing changes the disk. */
static void a_use_is_noted_now_and_then(void **state)
{
	_cleanup_close_ int folder = open_cache();
	_cleanup_close_ int fd = subject_assemble(FUNCTION("", "56"), "-shared");
	struct table_key key = key_of(fd);
	struct unwind_table code;
	time_t now = time(NULL);

	(void)state;
	assert_int_equal(unwind_table_get(&code, fd, NULL), 0);
	unwind_table_free(&code);
	for (int old = 0; old < 2; old++) {
		time_t was = now - (old ? 3700 : 1800);

		made_at(folder, key.name, was);
		assert_true(table_cache_get(folder, &key, &code));
		unwind_table_free_data(&code);
		assert_int_equal(time_of(folder, key.name).tv_sec > was, old);
	}
}

static void not_used_for_longest_goes_first(void **state)
{
	static const char *const texts[] = { FUNCTION("", "56"),
					     FUNCTION(".cfi_def_cfa_offset 16", "56"),
					     FUNCTION(".cfi_def_cfa_offset 24", "56") };
	_cleanup_close_ int folder = open_cache();
	struct table_key keys[3];
	struct unwind_table code;
	struct stat stat;

	(void)state;
	for (int i = 0; i < 3; i++) {
		_cleanup_close_ int fd = subject_assemble(texts[i], "-shared");

		keys[i] = key_of(fd);
		assert_int_equal(unwind_table_get(&code, fd, NULL), 0);
		unwind_table_free(&code);
		made_at(folder, keys[i].name, 1000000 + i);
	}
	/* the oldest is used */
	assert_true(table_cache_get(folder, &keys[0], &code));
	unwind_table_free_data(&code);
	write_file(folder, TABLE_UNFINISHED "0", "x", 1);
	write_file(folder, TABLE_UNFINISHED "1", "x", 1);
	made_at(folder, TABLE_UNFINISHED "0", 1000000);

	assert_int_equal(fstatat(folder, keys[0].name, &stat, 0), 0);
	table_trim(folder, 3 * stat.st_blocks * 512);
	assert_int_equal(count_files(folder), 4);
	assert_false(is_there(folder, TABLE_UNFINISHED "0"));
	table_trim(folder, 3 * stat.st_blocks * 512 - 1);
	assert_true(is_there(folder, keys[0].name));
	assert_false(is_there(folder, keys[1].name));
	assert_true(is_there(folder, keys[2].name));
	table_trim(folder, stat.st_blocks * 512);
	assert_true(is_there(folder, keys[0].name));
	assert_false(is_there(folder, keys[2].name));
	assert_true(is_there(folder, TABLE_UNFINISHED "1"));
	unlinkat(folder, TABLE_UNFINISHED "1", 0);
}

static u64 bytes_in(int folder)
{
	DIR *stream = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY));
	struct dirent *entry;
	struct stat stat;
	u64 bytes = 0;

	assert_non_null(stream);
	while ((entry = readdir(stream))) {
		if (!fstatat(folder, entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(stat.st_mode))
			bytes += stat.st_blocks * 512ULL;
	}
	closedir(stream);
	return bytes;
}

/* So that what is written later is newer, whatever the clock of the file system. */
static void make_older(int folder, const char *name, int number)
{
	made_at(folder, name, 1000000 + number);
}

static const struct table_room little = {
	.bytes = 16 * TABLE_FILE_LEAST,
	.every = 4 * TABLE_FILE_LEAST,
};

/* The last ones are there, the first are not, and there never were more than may be. */
static void tables_stay_within_their_limit(void **state)
{
	_cleanup_close_ int fd = subject_assemble(FUNCTION("", "56"), "-shared");
	_cleanup_close_ int folder = open_cache();
	struct table_room usual = table_cache_room;
	struct table_key keys[MANY_FILES];
	struct gapp_table table;
	struct unwind_table code = subject_table(fd, &table);

	(void)state;
	table_cache_room = little;
	for (int i = 0; i < MANY_FILES; i++) {
		keys[i] = key_of(fd);
		snprintf(keys[i].name, sizeof(keys[i].name), "ab-%04x", i);
		table_cache_put(folder, &keys[i], code.data, code.bytes);
		assert_true(is_there(folder, keys[i].name));
		assert_true(bytes_in(folder) <= little.bytes);
		make_older(folder, keys[i].name, i);
	}
	assert_false(is_there(folder, keys[0].name));
	assert_true(is_there(folder, keys[MANY_FILES - 2].name));
	assert_true(count_files(folder) >= 12);
	table_cache_room = usual;
	unwind_table_free(&code);
}

/* Another stamp each time, as of a file that is made anew again and again. */
static void stamps_stay_within_the_limit(void **state)
{
	const struct table_key key = { .name = "ab-01", .digest = { 3 } };
	_cleanup_close_ int folder = open_cache();
	struct table_room usual = table_cache_room;
	struct table_key stamp = { 0 };
	struct table_key got;

	(void)state;
	table_cache_room = little;
	for (int i = 0; i < MANY_FILES; i++) {
		snprintf(stamp.name, sizeof(stamp.name), "file-%04x", i);
		stamp.digest[0] = i;
		table_cache_put(folder, &stamp, &key, sizeof(key));
		assert_true(table_index_get(folder, &stamp, &got));
		assert_true(bytes_in(folder) <= little.bytes);
		make_older(folder, stamp.name, i);
	}
	assert_false(is_there(folder, "file-0000"));
	assert_true(count_files(folder) >= 12);
	table_cache_room = usual;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(many_at_once, no_files),
		cmocka_unit_test_setup(many_at_once_and_one_that_trims, no_files),
		cmocka_unit_test_setup(a_use_is_noted_now_and_then, no_files),
		cmocka_unit_test_setup(not_used_for_longest_goes_first, no_files),
		cmocka_unit_test_setup(tables_stay_within_their_limit, no_files),
		cmocka_unit_test_setup(stamps_stay_within_the_limit, no_files),
	};
	int failed;

	subject_begin();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	subject_end();
	return failed;
}
