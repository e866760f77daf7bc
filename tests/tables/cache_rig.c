// SPDX-License-Identifier: GPL-2.0
#include "cache_rig.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>

#include <cmocka.h>

int open_cache(void)
{
	int folder = table_cache_open();

	assert_true(folder >= 0);
	return folder;
}

struct table_key key_of(int fd)
{
	struct cfi_file file;
	struct table_key key;

	assert_int_equal(cfi_file_read(&file, fd, CFI_ALL, NULL), 0);
	table_key_set(&key, &file);
	cfi_file_free(&file);
	return key;
}

unsigned int count_files(int folder)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY);
	DIR *stream = fdopendir(copy);
	unsigned int count = 0;
	struct dirent *entry;

	assert_non_null(stream);
	while ((entry = readdir(stream)))
		count += entry->d_name[0] != '.' ||
			 !strncmp(entry->d_name, TABLE_UNFINISHED, strlen(TABLE_UNFINISHED));
	closedir(stream);
	return count;
}

int no_files(void **state)
{
	_cleanup_close_ int folder = open_cache();

	(void)state;
	table_trim(folder, 0);
	assert_int_equal(count_files(folder), 0);
	return 0;
}

void write_file(int folder, const char *name, const void *bytes, size_t size)
{
	int fd;

	unlinkat(folder, name, 0);
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}
