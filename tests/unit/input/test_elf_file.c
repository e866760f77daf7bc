// SPDX-License-Identifier: GPL-2.0
/* Which file an object is, by the numbers that the kernel gives. */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "input/object.h"

static char folder[64];

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

/* Files of a container; the last one is on a file system that is mounted in it. */
static const char *const inside[] = { "/program", "/library", "/volume/app" };
#define INSIDE ARRAY_SIZE(inside)

/* Lives below a file system of its own, in which it has files; says when they are there. */
static void live_in_a_container(int said)
{
	struct stat files[INSIDE];

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", folder, "tmpfs", 0, NULL) || chroot(folder) || chdir("/"))
		_exit(1);
	if (mkdir("/volume", 0755) || mount("none", "/volume", "tmpfs", 0, NULL))
		_exit(1);
	for (size_t i = 0; i < INSIDE; i++) {
		write_file(inside[i]);
		if (stat(inside[i], &files[i]))
			_exit(1);
	}
	if (write(said, files, sizeof(files)) != sizeof(files))
		_exit(1);
	pause();
	_exit(0);
}

static pid_t begin_container(struct stat files[INSIDE])
{
	int said[2];
	pid_t pid;

	assert_int_equal(pipe(said), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		live_in_a_container(said[1]);
	close(said[1]);
	if (read(said[0], files, INSIDE * sizeof(*files)) != (ssize_t)(INSIDE * sizeof(*files))) {
		print_message("skipped: no file system can be mounted here\n");
		skip();
	}
	close(said[0]);
	return pid;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void files_of_a_container_outlive_it(void **state)
{
	struct objects *objects = objects_new();
	struct object *program, *library, *mounted, *ours, *late;
	struct stat files[INSIDE], stat_of;
	pid_t pid = begin_container(files);
	char path[80];
	int fd;

	(void)state;
	assert_non_null(objects);
	program = objects_hold(objects, "/program", files[0].st_dev, files[0].st_ino, pid);
	library = objects_hold(objects, "/library", files[1].st_dev, files[1].st_ino, pid);
	mounted = objects_hold(objects, inside[2], files[2].st_dev, files[2].st_ino, pid);
	assert_non_null(program);
	assert_non_null(library);
	assert_non_null(mounted);
	assert_non_null(program->root);
	assert_ptr_equal(program->root, library->root);
	snprintf(path, sizeof(path), "%s/program", folder);
	assert_int_equal(stat(path, &stat_of), 0);
	ours = objects_hold(objects, path, stat_of.st_dev, stat_of.st_ino, getpid());
	assert_non_null(ours);
	assert_null(ours->root);
	assert_true(elf_file_is_ours(ours));

	/* it can be read now, and not when the container has ended */
	fd = elf_file_open(mounted);
	assert_true(fd >= 0);
	close(fd);
	assert_false(elf_file_outlives(mounted));
	assert_true(elf_file_outlives(library));

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	fd = elf_file_open(program);
	assert_true(fd >= 0);
	close(fd);
	assert_true(elf_file_outlives(library));
	assert_false(elf_file_is_ours(library));
	assert_int_equal(elf_file_open(mounted), -1);
	late = objects_hold(objects, "/other", files[0].st_dev, files[0].st_ino + 7, pid);
	assert_non_null(late);
	assert_null(late->root);

	fd = program->root->fd;
	objects_release(objects, program);
	assert_true(is_open(fd));
	objects_free(objects);
	assert_false(is_open(fd));
}

static int begin(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/gapp-elf-file.XXXXXX");
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
		cmocka_unit_test(files_of_a_container_outlive_it),
		cmocka_unit_test(an_overlay_has_two_devices),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("elf_file", tests, begin, end);
}
