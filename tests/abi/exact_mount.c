// SPDX-License-Identifier: GPL-2.0
/*
 * The file of a loop that is timed exactly: its process is gone, and its file system cannot be
 * unmounted, for the kernel would find the file in use.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exact_loop.h"
#include "groups.h"

#define FOLDER "/tmp/gapp-exact"
#define PROGRAM FOLDER "/abi_test"
#define PATIENCE_NS (10 * NSEC_PER_SEC)

static void copy_program(void)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int to = open(PROGRAM, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	struct stat stat;

	if (from < 0 || to < 0 || fstat(from, &stat))
		t_die(PROGRAM);
	while (stat.st_size) {
		ssize_t bytes = sendfile(to, from, NULL, stat.st_size);

		if (bytes <= 0)
			t_die("sendfile");
		stat.st_size -= bytes;
	}
	close(from);
	close(to);
}

static void executes_copy(struct t_child *parent, void *unused)
{
	char fd[16];

	(void)unused;
	fcntl(parent->to, F_SETFD, 0);
	snprintf(fd, sizeof(fd), "%d", parent->to);
	execl(PROGRAM, "abi_test", "--tell", fd, NULL);
	t_die(PROGRAM);
}

/* 0 or a negative error number; as long as that is not @wanted it tries again. */
static int unmount(int wanted)
{
	const u64 end = t_now() + PATIENCE_NS;
	int ret;

	do {
		ret = umount(FOLDER) ? -errno : 0;
	} while (ret != wanted && ret && t_now() < end);
	return ret;
}

void exact_unmounted(void)
{
	struct gapp_config config = x_config();
	struct gapp_exact exact = {
		.address = (uintptr_t)t_exact_begin,
		.passes = GAPP_EXACT_MAX_PASSES,
	};
	struct t_child child;
	u8 byte = 0;
	int fd;

	if (x_skips("a file system with a loop that is timed"))
		return;
	if ((mkdir(FOLDER, 0700) && errno != EEXIST) || mount("exact", FOLDER, "tmpfs", 0, NULL)) {
		t_skip("a file system with a loop that is timed", "no tmpfs");
		return;
	}
	copy_program();
	child = t_fork(executes_copy, NULL);
	t_hear(&child);
	exact.pid = child.pid;
	fd = t_session(&config);
	t_expect(t_add(fd, child.pid, GAPP_ADD_NO_INHERIT), T_OK, "a program of its own");
	t_expect(t_start(fd), T_OK, "START");
	x_map_all(fd, child.pid);
	t_expect(x_exact(fd, &exact), T_OK, "EXACT");
	t_check(x_opcode(child.pid, (uintptr_t)t_exact_exit, &byte) && byte == X_BREAKPOINT,
		"a breakpoint is at the exit", "0x%x", byte);
	t_kill(&child);
	/* its last children end soon */
	t_sleep(PATIENCE_NS / 20);
	t_expect(unmount(-EBUSY), -EBUSY, "unmounting the file system while the loop is timed");
	t_expect(t_stop(fd), T_OK, "STOP");
	t_expect(unmount(0), T_OK, "unmounting it after STOP");
	close(fd);
	rmdir(FOLDER);
}
