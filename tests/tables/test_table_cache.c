// SPDX-License-Identifier: GPL-2.0
/* Tables on disk: kept, checked and replaced. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#include "cache_rig.h"
#include "unwind-table/table_cache.h"
#include "core/table.h"
#include "subject.h"

#define SAME_ID " -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567"

static char folder_path[128];

static time_t later;

/* In place of libc's: how long files have been there is ours to say. */
time_t time(time_t *to)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (to)
		*to = now.tv_sec + later;
	return now.tv_sec + later;
}

static bool stamp_of(struct table_key *stamp, int fd)
{
	struct cfi_file file;
	bool stamped;

	assert_int_equal(cfi_file_read(&file, fd, CFI_BUILD_ID, NULL), 0);
	stamped = table_stamp_set(stamp, &unwind_table_kind, fd, &file);
	cfi_file_free(&file);
	return stamped;
}

static void digest_is_what_b2sum_says(void **state)
{
	_cleanup_free_ u8 *bytes = calloc(1, 100000);
	static const size_t sizes[] = { 0, 1, 127, 128, 129, 255, 256, 257, 100000 };
	char path[128], command[256], line[128], ours[2 * CFI_DIGEST_BYTES + 1];

	(void)state;
	if (system("b2sum --version >/dev/null 2>&1")) {
		printf("skipped: b2sum (coreutils) is not there\n");
		skip();
	}
	for (size_t i = 0; i < 100000; i++)
		bytes[i] = i * i >> 3;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 result[CFI_DIGEST_BYTES];
		const struct iovec parts[] = {
			{ bytes, sizes[i] / 3 },
			{ bytes + sizes[i] / 3, sizes[i] - sizes[i] / 3 },
		};
		FILE *file;

		snprintf(path, sizeof(path), "%s/digest", subject_folder());
		file = fopen(path, "w");
		assert_non_null(file);
		assert_int_equal(fwrite(bytes, 1, sizes[i], file), sizes[i]);
		assert_int_equal(fclose(file), 0);
		snprintf(command, sizeof(command), "b2sum -l 256 %s", path);
		file = popen(command, "r");
		assert_non_null(fgets(line, sizeof(line), file));
		pclose(file);

		cfi_digest(result, parts, ARRAY_SIZE(parts));
		for (size_t j = 0; j < sizeof(result); j++)
			sprintf(ours + 2 * j, "%02x", result[j]);
		assert_memory_equal(ours, line, sizeof(ours) - 1);
	}
}

static void kept_and_found_again(void **state)
{
	_cleanup_close_ int fd = subject_assemble(FUNCTION("", "56"), "-shared");
	_cleanup_close_ int folder = open_cache();
	struct table_key key = key_of(fd);
	struct unwind_table first, second;
	struct stat stat;

	(void)state;
	assert_int_equal(unwind_table_get(&first, fd, NULL), 0);
	assert_int_equal(fstatat(folder, key.name, &stat, 0), 0);
	assert_int_equal(stat.st_mode & 07777, 0600);
	assert_int_equal(fstat(folder, &stat), 0);
	assert_int_equal(stat.st_mode & 07777, 0700);
	assert_int_equal(unwind_table_get(&second, fd, NULL), 0);
	assert_int_equal(first.bytes, second.bytes);
	assert_memory_equal(first.data, second.data, first.bytes);
	assert_int_equal(first.segment_count, second.segment_count);
	assert_int_equal(count_files(folder), 1);
	unwind_table_free(&first);
	unwind_table_free(&second);
}

/* Damage anywhere, and what is kept of another file, is as if there were nothing. */
static void stamps_lead_to_tables(void **state)
{
	const struct table_key stamp = { .name = "file-1", .digest = { 1 } },
			       other = { .name = "file-1", .digest = { 2 } };
	const struct table_key key = { .name = "ab-01", .digest = { 3 } }, bad = { .name = "../x" };
	_cleanup_close_ int folder = open_cache();
	struct table_key got;
	struct stat stat;

	(void)state;
	assert_false(table_index_get(folder, &stamp, &got));
	table_cache_put(folder, &stamp, &key, sizeof(key));
	assert_true(table_index_get(folder, &stamp, &got));
	assert_memory_equal(&got, &key, sizeof(key));
	assert_false(table_index_get(folder, &other, &got));
	assert_int_equal(fstatat(folder, stamp.name, &stat, 0), 0);
	for (off_t i = 0; i < stat.st_size; i++) {
		_cleanup_close_ int fd = openat(folder, stamp.name, O_RDWR);
		u8 byte;

		assert_int_equal(pread(fd, &byte, 1, i), 1);
		byte ^= 1;
		assert_int_equal(pwrite(fd, &byte, 1, i), 1);
		assert_false(table_index_get(folder, &stamp, &got));
		byte ^= 1;
		assert_int_equal(pwrite(fd, &byte, 1, i), 1);
	}
	assert_true(table_index_get(folder, &stamp, &got));
	table_cache_put(folder, &stamp, &bad, sizeof(bad));
	assert_false(table_index_get(folder, &stamp, &got));
}

/* The time of a file that was just changed could be that of its next change. */
static void what_is_fresh_has_no_stamp(void **state)
{
	_cleanup_close_ int fd = subject_assemble(FUNCTION("", "56"), "-shared");
	struct table_key stamp;

	(void)state;
	assert_false(stamp_of(&stamp, fd));
}

static int forget_later(void **state)
{
	(void)state;
	later = 0;
	return 0;
}

/* Writes @from's bytes to @to's file by a mapping of it. Their size is the same. */
static void write_by_mapping(u8 *mapped, int from)
{
	size_t size;
	u8 *bytes = subject_read(from, &size);

	memcpy(mapped, bytes, size);
	free(bytes);
}

/* A file system does not see each write to a mapping: the times tell of one, and not of the next.
 */
static void changed_by_a_mapping(void **state)
{
	_cleanup_close_ int other =
		subject_assemble(FUNCTION(".cfi_def_cfa_offset 80", "56"), "-shared");
	_cleanup_close_ int third =
		subject_assemble(FUNCTION(".cfi_def_cfa_offset 96", "56"), "-shared");
	const int order[] = { other, third };
	struct table_key stamp;
	struct gapp_table table;
	_cleanup_close_ int writable = -1;
	struct unwind_table code;
	struct stat stat;
	char path[64];
	u8 *mapped;

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", other);
	writable = open(path, O_RDWR | O_CLOEXEC);
	assert_true(writable >= 0 && !fstat(third, &stat));
	mapped = mmap(NULL, stat.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, writable, 0);
	assert_true(mapped != MAP_FAILED);
	write_by_mapping(mapped, other);
	later = 60;
	if (!stamp_of(&stamp, other)) {
		printf("skipped: the files are on no device\n");
		skip();
	}
	for (int i = 0; i < 2; i++) {
		write_by_mapping(mapped, order[i]);
		for (int j = 0; j < 2; j++) {
			assert_int_equal(unwind_table_get(&code, other, NULL), 0);
			assert_true(gapp_table_open(&table, code.data, code.bytes));
			assert_int_equal(gapp_table_find(&table, SUBJECT_CODE)->cfa_offset,
					 i ? 96 : 80);
			unwind_table_free(&code);
		}
	}
	munmap(mapped, stat.st_size);
}

static void what_has_no_build_id_has_no_stamp(void **state)
{
	_cleanup_close_ int fd =
		subject_assemble(FUNCTION("", "56"), "-shared -Wl,--build-id=none");
	struct table_key stamp;

	(void)state;
	later = 60;
	assert_false(stamp_of(&stamp, fd));
}

static void found_by_stamp(void **state)
{
	_cleanup_close_ int fd = open("/bin/sh", O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int folder = open_cache();
	struct unwind_table first, second;
	struct table_key stamp;
	struct table_key key, nowhere = { .name = "0" };

	(void)state;
	assert_true(fd >= 0);
	if (!stamp_of(&stamp, fd)) {
		printf("skipped: /bin/sh is on no device, or new\n");
		skip();
	}
	assert_int_equal(unwind_table_get(&first, fd, NULL), 0);
	assert_int_equal(count_files(folder), 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(unwind_table_get(&second, fd, NULL), 0);
		assert_int_equal(first.bytes, second.bytes);
		assert_memory_equal(first.data, second.data, first.bytes);
		/* a table that the cache has is used where it lies */
		assert_false(first.cached);
		assert_true(second.cached);
		assert_ptr_equal(first.parts.rules, first.data + 1);
		assert_ptr_equal(second.parts.rules, second.data + 1);
		assert_int_equal(first.segment_count, second.segment_count);
		assert_memory_equal(first.segments, second.segments,
				    first.segment_count * sizeof(*first.segments));
		unwind_table_free(&second);
		assert_true(table_index_get(folder, &stamp, &key));
		assert_int_equal(fstatat(folder, key.name, &(struct stat){ 0 }, 0), 0);
		/* its table has gone, say */
		table_cache_put(folder, &stamp, &nowhere, sizeof(nowhere));
	}
	unwind_table_free(&first);
}

/* Each byte of a file in the cache counts, and so does its end. */
static void damage_is_noticed_and_mended(void **state)
{
	_cleanup_close_ int fd = subject_assemble(FUNCTION("", "56"), "-shared");
	_cleanup_close_ int folder = open_cache();
	struct table_key key = key_of(fd);
	_cleanup_free_ u8 *bytes = NULL;
	struct unwind_table good, again, kept = { 0 };
	size_t size;
	int file;

	(void)state;
	assert_int_equal(unwind_table_get(&good, fd, NULL), 0);
	file = openat(folder, key.name, O_RDONLY);
	bytes = subject_read(file, &size);
	close(file);
	for (size_t i = 0; i < size; i++) {
		bytes[i] ^= 0x10;
		write_file(folder, key.name, bytes, size);
		assert_false(table_cache_get(folder, &key, &kept));
		bytes[i] ^= 0x10;
		write_file(folder, key.name, bytes, i);
		assert_false(table_cache_get(folder, &key, &kept));
	}
	assert_int_equal(unwind_table_get(&again, fd, NULL), 0);
	assert_memory_equal(good.data, again.data, good.bytes);
	unwind_table_free(&again);
	again = (struct unwind_table){ 0 };
	assert_true(table_cache_get(folder, &key, &again));
	unwind_table_free(&again);
	unwind_table_free(&good);
}

/* Its sum is right, but it is no table. */
static void what_is_kept_must_be_a_table(void **state)
{
	_cleanup_close_ int fd = subject_assemble(FUNCTION("", "56"), "-shared");
	_cleanup_close_ int folder = open_cache();
	struct table_key key = key_of(fd), other = key;
	struct unwind_table good, kept = { 0 };

	(void)state;
	assert_int_equal(unwind_table_get(&good, fd, NULL), 0);
	good.data->pages++;
	assert_int_equal(table_cache_put(folder, &key, good.data, good.bytes), 0);
	assert_false(table_cache_get(folder, &key, &kept));
	good.data->pages--;
	assert_int_equal(table_cache_put(folder, &key, good.data, good.bytes), 0);
	/* the same name, but made from something else */
	other.digest[CFI_DIGEST_BYTES - 1] ^= 1;
	assert_false(table_cache_get(folder, &other, &kept));
	unwind_table_free(&good);
}

static void a_false_build_id_is_of_no_use(void **state)
{
	_cleanup_close_ int good = subject_assemble(FUNCTION("", "56"), "-shared" SAME_ID);
	_cleanup_close_ int evil =
		subject_assemble(FUNCTION(".cfi_def_cfa_offset 80", "56"), "-shared" SAME_ID);
	/* the same description, but somewhere else */
	_cleanup_close_ int moved =
		subject_assemble(FUNCTION("", "56"), "-shared -Wl,-Ttext=0x20000" SAME_ID);
	struct gapp_table table;
	struct unwind_table code;
	const int order[] = { evil, good, moved, good, evil };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		u64 at = order[i] == moved ? 2 * SUBJECT_CODE : SUBJECT_CODE;

		assert_int_equal(unwind_table_get(&code, order[i], NULL), 0);
		assert_true(gapp_table_open(&table, code.data, code.bytes));
		assert_int_equal(gapp_table_find(&table, at)->cfa_offset,
				 order[i] == evil ? 80 : 8);
		unwind_table_free(&code);
	}
}

static bool works_without_cache(int fd)
{
	_cleanup_close_ int folder = table_cache_open();
	struct unwind_table code;

	assert_int_equal(unwind_table_get(&code, fd, NULL), 0);
	assert_non_null(code.data);
	unwind_table_free(&code);
	return folder < 0;
}

static void folders_that_others_can_change(void **state)
{
	_cleanup_close_ int fd = subject_assemble(FUNCTION("", "56"), "-shared");
	char moved[160];

	(void)state;
	assert_false(works_without_cache(fd));
	assert_int_equal(chmod(folder_path, 0777), 0);
	assert_true(works_without_cache(fd));
	assert_int_equal(chmod(folder_path, 0700), 0);
	assert_false(works_without_cache(fd));
	snprintf(moved, sizeof(moved), "%s-moved", folder_path);
	assert_int_equal(rename(folder_path, moved), 0);
	assert_int_equal(symlink(moved, folder_path), 0);
	assert_true(works_without_cache(fd));
	assert_int_equal(unlink(folder_path), 0);
	assert_int_equal(rename(moved, folder_path), 0);
	assert_int_equal(setenv("XDG_CACHE_HOME", "/nowhere/at/all", 1), 0);
	assert_true(works_without_cache(fd));
	assert_int_equal(setenv("XDG_CACHE_HOME", subject_folder(), 1), 0);
}

static void files_that_others_can_change(void **state)
{
	_cleanup_close_ int fd = subject_assemble(FUNCTION("", "56"), "-shared");
	_cleanup_close_ int folder = open_cache();
	struct table_key key = key_of(fd);
	struct unwind_table code, kept = { 0 };

	(void)state;
	assert_int_equal(unwind_table_get(&code, fd, NULL), 0);
	assert_int_equal(fchmodat(folder, key.name, 0666, 0), 0);
	assert_false(table_cache_get(folder, &key, &kept));
	assert_int_equal(table_cache_put(folder, &key, code.data, code.bytes), 0);
	assert_int_equal(renameat(folder, key.name, folder, "elsewhere"), 0);
	assert_int_equal(symlinkat("elsewhere", folder, key.name), 0);
	assert_false(table_cache_get(folder, &key, &kept));
	/* nor does it write through a link */
	assert_int_equal(table_cache_put(folder, &key, code.data, code.bytes), 0);
	unwind_table_free(&code);
	assert_true(table_cache_get(folder, &key, &code));
	unwind_table_free(&code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digest_is_what_b2sum_says),
		cmocka_unit_test_setup(kept_and_found_again, no_files),
		cmocka_unit_test_setup(stamps_lead_to_tables, no_files),
		cmocka_unit_test(what_is_fresh_has_no_stamp),
		cmocka_unit_test_setup(found_by_stamp, no_files),
		cmocka_unit_test_setup_teardown(changed_by_a_mapping, no_files, forget_later),
		cmocka_unit_test_teardown(what_has_no_build_id_has_no_stamp, forget_later),
		cmocka_unit_test_setup(damage_is_noticed_and_mended, no_files),
		cmocka_unit_test_setup(what_is_kept_must_be_a_table, no_files),
		cmocka_unit_test_setup(a_false_build_id_is_of_no_use, no_files),
		cmocka_unit_test_setup(folders_that_others_can_change, no_files),
		cmocka_unit_test_setup(files_that_others_can_change, no_files),
	};
	int failed;

	subject_begin();
	snprintf(folder_path, sizeof(folder_path), "%s/gapp/tables", subject_folder());
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	subject_end();
	return failed;
}
