// SPDX-License-Identifier: GPL-2.0
/* Which file an object is, by the numbers that the kernel gives. */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "input/object.h"

static char folder[] = "/tmp/gapp-elf-file.XXXXXX";

static void make_folder(const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void write_file(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs("a program", file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static bool opens(char *path, dev_t dev, u64 inode)
{
	struct object object = { .kind = OBJECT_FILE, .path = path, .dev = dev, .inode = inode };
	int fd = elf_file_open(&object);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void numbers_tell_files_apart(void **state)
{
	char path[80];
	struct stat stat_of;

	(void)state;
	snprintf(path, sizeof(path), "%s/program", folder);
	write_file(path);
	assert_int_equal(stat(path, &stat_of), 0);
	assert_true(opens(path, stat_of.st_dev, stat_of.st_ino));
	assert_false(opens(path, stat_of.st_dev + 1, stat_of.st_ino));
	assert_false(opens(path, stat_of.st_dev, stat_of.st_ino + 1));
}

/* Events may have the device of the file system below. */
static void an_overlay_has_two_devices(void **state)
{
	char below[80], above[80], work[80], merged[80], options[300], path[100];
	struct stat stat_below, stat_of;

	(void)state;
	make_folder("below", below, sizeof(below));
	make_folder("above", above, sizeof(above));
	make_folder("work", work, sizeof(work));
	make_folder("merged", merged, sizeof(merged));
	snprintf(path, sizeof(path), "%s/program", below);
	write_file(path);
	assert_int_equal(stat(path, &stat_below), 0);
	snprintf(options, sizeof(options), "lowerdir=%s,upperdir=%s,workdir=%s", below, above,
		 work);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("overlay", merged, "overlay", 0, options)) {
		print_message("skipped: no overlay can be mounted here\n");
		skip();
	}
	snprintf(path, sizeof(path), "%s/program", merged);
	assert_int_equal(stat(path, &stat_of), 0);
	assert_int_not_equal(stat_of.st_dev, stat_below.st_dev);
	assert_true(opens(path, stat_of.st_dev, stat_of.st_ino));
	assert_true(opens(path, stat_below.st_dev, stat_below.st_ino));
	assert_false(opens(path, stat_below.st_dev, stat_below.st_ino + 1));
	assert_int_equal(umount(merged), 0);
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_tell_files_apart),
		cmocka_unit_test(an_overlay_has_two_devices),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("elf_file", tests, begin, end);
}
