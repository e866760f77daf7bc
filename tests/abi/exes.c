// SPDX-License-Identifier: GPL-2.0
/* ADD_EXE: processes that execute a file later belong to the target. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "groups.h"
#include "records.h"

#define COPY "/tmp/gapp-abi-exe"

static int add_exe(int fd, int exe, u32 flags)
{
	struct gapp_add_executable argument = { .fd = exe, .flags = flags };

	return t_ioctl(fd, GAPP_IOC_ADD_EXECUTABLE, &argument);
}

static int make_copy(const char *path)
{
	char command[128];
	int fd;

	snprintf(command, sizeof(command), "cp /proc/%d/exe %s && chmod 755 %s", getpid(), path,
		 path);
	if (system(command))
		t_die(path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		t_die(path);
	return fd;
}

static void bad_files(int fd)
{
	int pipe_ends[2], memory, folder = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), closed = dup(null);
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int path_only = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	struct gapp_add_executable argument = { .fd = file };

	if (pipe2(pipe_ends, O_CLOEXEC))
		t_die("pipe");
	memory = memfd_create("gapp", MFD_CLOEXEC);
	close(closed);
	t_expect(add_exe(fd, -1, 0), -EINVAL, "fd -1");
	t_expect(add_exe(fd, closed, 0), -EBADF, "fd that is closed");
	t_expect(add_exe(fd, 0x7fffffff, 0), -EBADF, "fd of nothing");
	t_expect(add_exe(fd, path_only, 0), -EBADF, "fd of a mere path");
	t_expect(add_exe(fd, null, 0), -EINVAL, "a device");
	t_expect(add_exe(fd, folder, 0), -EINVAL, "a folder");
	t_expect(add_exe(fd, pipe_ends[0], 0), -EINVAL, "a pipe");
	t_expect(add_exe(fd, fd, 0), -EINVAL, "the session itself");
	for (unsigned int bit = 1; bit < 32; bit++)
		if (add_exe(fd, file, 1U << bit) != -EINVAL)
			t_check(false, "flags of no meaning are EINVAL", "bit %u is not", bit);
	for (int i = 0; i < 2; i++) {
		memset(argument.reserved, 0, sizeof(argument.reserved));
		argument.reserved[i] = 1ULL << (i ? 63 : 0);
		t_expect(t_ioctl(fd, GAPP_IOC_ADD_EXECUTABLE, &argument), -EINVAL, "reserved[%d]",
			 i);
	}
	t_expect(add_exe(fd, memory, 0), T_OK, "a file in memory");
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	close(memory);
	close(folder);
	close(null);
	close(file);
	close(path_only);
}

void exes_errors(void)
{
	struct t_child target = t_fork(t_idle, NULL);
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int fd = t_open(), bad = 0;

	t_hear(&target);
	t_expect(add_exe(fd, file, 0), -ENOTCONN, "ADD_EXE before CONFIGURE");
	t_expect(t_configure(fd, 0, 0), T_OK, "CONFIGURE");
	t_expect(t_start(fd), -ENODATA, "START with nothing");
	bad_files(fd);
	for (int i = 1; i < GAPP_MAX_EXECUTABLES - 1; i++)
		bad += add_exe(fd, file, i % 2 ? GAPP_ADD_NO_INHERIT : 0) != 0;
	t_check(!bad, "as many files as may be, but one", "%d were refused", bad);
	t_expect(t_start(fd), T_OK, "START with files only");
	t_expect(add_exe(fd, file, 0), T_OK, "ADD_EXE while running");
	t_expect(add_exe(fd, file, 0), -ENOSPC, "one file too many");
	t_expect(t_add(fd, target.pid, 0), T_OK, "ADD_TARGET beside files");
	t_expect(t_stop(fd), T_OK, "STOP");
	t_expect(add_exe(fd, file, 0), -EBUSY, "ADD_EXE after STOP");
	close(fd);

	/* A session that is never started gives its files back too. */
	fd = t_ready();
	t_expect(add_exe(fd, file, 0), T_OK, "ADD_EXE");
	close(fd);
	close(file);
	t_kill(&target);
}

static void *waits(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* From the exec to the moment when its state is known. */
#define UNSEEN_NS (200 * NSEC_PER_MSEC)

/* What is executed: threads and a child that wait; a word when they are there. */
int exes_tell(int fd)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 1; i < T_TOLD_THREADS; i++)
		if (pthread_create(&thread, NULL, waits, NULL))
			return 1;
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		waits(NULL);
	}
	if (write(fd, "", 1) != 1)
		return 1;
	waits(NULL);
	return 0;
}

/* At a word it executes the copy, or a program that is not meant. */
static void executes(struct t_child *parent, void *path)
{
	char fd[24];

	t_tell(parent);
	t_hear(parent);
	fcntl(parent->to, F_SETFD, 0);
	snprintf(fd, sizeof(fd), "%d", parent->to);
	execl(path, "abi_test", "--tell", fd, NULL);
	t_die(path);
}

static struct t_child run(const char *path)
{
	struct t_child child = t_fork(executes, (void *)path);

	t_hear(&child);
	t_tell(&child);
	t_hear(&child);
	return child;
}

static void see(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	u64 *seen = arg;

	if (record->type == GAPP_RECORD_SLICE && !strcmp((const char *)slice->comm, "gapp-abi-exe"))
		++*seen;
}

static u32 n_min_of(u32 live, u32 cpus)
{
	u32 half = (live < cpus ? live : cpus) / 2;

	return half ? half : 1;
}

void exes_followed(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	struct t_child before, meant, other, later;
	struct gapp_status status;
	struct r_reader reader;
	struct t_rows rows;
	int copy = make_copy(COPY), fd;
	u64 seen = 0;

	before = run(COPY);
	config.rate_hz = 1000;
	fd = t_session(&config);
	r_open(&reader, fd);
	reader.see = see;
	reader.arg = &seen;
	t_expect(add_exe(fd, copy, 0), T_OK, "ADD_EXE");
	t_expect(t_start(fd), T_OK, "START");
	t_status(fd, &status);
	t_check(!status.live, "whoever executed it before is not followed", "%u are", status.live);
	meant = run(COPY);
	other = run("/proc/self/exe");
	later = run(COPY);
	t_status(fd, &status);
	t_check(status.live == 2 * (T_TOLD_THREADS + 1),
		"whoever executes it is followed with its child, others are not", "%u are",
		status.live);
	t_check(status.n_min == n_min_of(status.live, status.cpus),
		"n_min knows how many CPUs there are", "n_min %u with %u threads, %u CPUs",
		status.n_min, status.live, status.cpus);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);
	rows = t_rows(fd, GAPP_IOC_THREADS, GAPP_PAGE_MAX);
	t_check(t_find(&rows, meant.pid) && t_find(&rows, later.pid) && !t_find(&rows, other.pid) &&
			!t_find(&rows, before.pid),
		"they have rows", "%zu rows", rows.count);
	t_recount(fd);
	t_check(seen >= 2 && !reader.tally.bad, "they have records", "%llu, %llu bad: %s", seen,
		reader.tally.bad, reader.tally.why);
	t_unseen_ns = UNSEEN_NS;
	t_sums(fd, "sums");
	t_unseen_ns = 0;
	free(rows.rows);
	r_close(&reader);
	close(fd);
	close(copy);
	unlink(COPY);
	t_kill(&before);
	t_kill(&meant);
	t_kill(&other);
	t_kill(&later);
}

/*
 * What a NO_INHERIT file's process forks is not followed, though another file's would be; by what
 * name it is executed is no matter.
 */
void exes_alone(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_STATS);
	int copy = make_copy(COPY), fd = t_session(&config);
	int other = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct gapp_status status;
	struct t_child child;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", copy);
	t_expect(add_exe(fd, other, 0), T_OK, "ADD_EXE");
	t_expect(add_exe(fd, copy, GAPP_ADD_NO_INHERIT), T_OK, "ADD_EXE without children");
	t_expect(t_start(fd), T_OK, "START");
	child = run(path);
	t_status(fd, &status);
	t_check(status.live == T_TOLD_THREADS, "its threads are followed, its child is not",
		"%u are", status.live);
	t_expect(t_stop(fd), T_OK, "STOP");
	t_unseen_ns = UNSEEN_NS;
	t_sums(fd, "sums");
	t_unseen_ns = 0;
	close(fd);
	close(copy);
	close(other);
	unlink(COPY);
	t_kill(&child);
}
