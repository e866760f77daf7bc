// SPDX-License-Identifier: GPL-2.0
/* ADD_TARGET: which processes it takes, and what it says of those it does not. */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groups.h"
#include "t.h"

#define KTHREADD 2

static void *thread_waits(void *arg)
{
	*(volatile pid_t *)arg = t_gettid();
	for (;;)
		pause();
	return NULL;
}

static pid_t start_waiting_thread(void)
{
	static volatile pid_t tid;
	pthread_t thread;

	tid = 0;
	errno = pthread_create(&thread, NULL, thread_waits, (void *)&tid);
	if (errno)
		t_die("pthread_create");
	while (!tid)
		t_sleep(NSEC_PER_MSEC);
	return tid;
}

static void send_pid(struct t_child *parent, pid_t pid)
{
	if (write(parent->to, &pid, sizeof(pid)) != sizeof(pid))
		t_die("a pid to the parent");
}

static pid_t receive_pid(struct t_child *child)
{
	pid_t pid;

	if (read(child->from, &pid, sizeof(pid)) != sizeof(pid))
		t_die("a pid from a child");
	return pid;
}

/* A process with a second thread, whose id it tells. */
static void two_threads(struct t_child *parent, void *unused)
{
	(void)unused;
	send_pid(parent, start_waiting_thread());
	for (;;)
		pause();
}

/* Its leader exits, and a second thread goes on. */
static void leader_exits(struct t_child *parent, void *unused)
{
	(void)unused;
	send_pid(parent, start_waiting_thread());
	pthread_exit(NULL);
}

static void exits(struct t_child *parent, void *unused)
{
	(void)parent;
	(void)unused;
}

/* Uses the session it has inherited: its own process, its thread, and the opener are refused. */
static void uses_inherited(struct t_child *parent, void *arg)
{
	int fd = *(int *)arg;

	t_failures = 0;
	t_expect(t_add(fd, getpid(), 0), -ELOOP, "the caller, who inherited the session");
	t_expect(t_add(fd, start_waiting_thread(), 0), -ELOOP, "the caller's thread");
	t_expect(t_add(fd, parent->pid, 0), -ELOOP, "the opener");
	_exit(t_failures ? 1 : 0);
}

static void check_inherited(int fd)
{
	struct t_child child = t_fork(uses_inherited, &fd);
	int status;

	waitpid(child.pid, &status, 0);
	if (status)
		t_failures++;
	close(child.to);
	close(child.from);
}

static pid_t reaped_pid(void)
{
	struct t_child child = t_fork(exits, NULL);

	t_kill(&child);
	return child.pid;
}

static void wait_for_zombie(pid_t pid)
{
	siginfo_t info;

	if (waitid(P_PID, pid, &info, WEXITED | WNOWAIT))
		t_die("waitid");
}

static void check_fields(int fd, pid_t pid)
{
	for (unsigned int bit = 2; bit < 32; bit++)
		if (t_add(fd, pid, 1U << bit) != -EINVAL)
			t_check(false, "flags of no meaning are EINVAL", "bit %u is not", bit);
	t_check(true, "flags of no meaning are EINVAL", " ");
	for (size_t i = 0; i < 2; i++) {
		struct gapp_add_process target = { .pid = pid };

		target.reserved[i] = 1ULL << (i ? 63 : 0);
		t_expect(t_ioctl(fd, GAPP_IOC_ADD_PROCESS, &target), -EINVAL, "reserved[%zu]", i);
	}
}

void targets_errors(void)
{
	struct t_child idle = t_fork(t_idle, NULL);
	struct t_child other = t_fork(two_threads, NULL);
	struct t_child zombie = t_fork(exits, NULL);
	pid_t tid = receive_pid(&other), own_tid = start_waiting_thread();
	int fd = t_ready();

	t_hear(&idle);
	wait_for_zombie(zombie.pid);
	for (int running = 0; running < 2; running++) {
		const char *when = running ? "running" : "not started";

		t_expect(t_add(fd, 0, 0), -EINVAL, "pid 0, %s", when);
		t_expect(t_add(fd, -1, 0), -EINVAL, "pid -1, %s", when);
		t_expect(t_add(fd, INT_MIN, 0), -EINVAL, "pid INT_MIN, %s", when);
		t_expect(t_add(fd, INT_MAX, 0), -ESRCH, "pid of nobody, %s", when);
		t_expect(t_add(fd, reaped_pid(), 0), -ESRCH, "pid of a process that was, %s", when);
		t_expect(t_add(fd, zombie.pid, 0), -ESRCH, "a zombie, %s", when);
		t_expect(t_add(fd, KTHREADD, 0), -EOPNOTSUPP, "a kernel thread, %s", when);
		t_expect(t_add(fd, idle.pid, GAPP_ADD_KTHREAD), -EINVAL,
			 "a program as a kernel thread, %s", when);
		t_expect(t_add(fd, getpid(), 0), -ELOOP, "itself, %s", when);
		t_expect(t_add(fd, own_tid, 0), -ELOOP, "its own thread, %s", when);
		check_fields(fd, idle.pid);
		if (running)
			break;
		t_expect(t_add(fd, idle.pid, 0), T_OK, "a process");
		t_expect(t_add(fd, tid, GAPP_ADD_NO_INHERIT), T_OK, "a thread's id");
		t_expect(t_start(fd), T_OK, "START");
	}
	t_expect(t_add(fd, idle.pid, 0), -EEXIST, "the same again");
	t_expect(t_add(fd, idle.pid, GAPP_ADD_NO_INHERIT), -EEXIST, "the same, other flags");
	t_expect(t_add(fd, other.pid, 0), -EEXIST, "the process of a thread that was named");
	check_inherited(fd);
	t_expect(t_stop(fd), T_OK, "STOP");
	t_check(!t_find(&(struct t_rows){ 0 }, 1), "no row of nothing", " ");
	close(fd);
	t_kill(&idle);
	t_kill(&other);
	t_kill(&zombie);
}

void targets_many(void)
{
	static struct t_child children[GAPP_MAX_ADDED_PROCESSES + 2];
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct gapp_mappings maps = { 0 };
	struct gapp_status status;
	struct t_rows rows;
	unsigned int bad = 0;
	int fd;

	config.unwind_by = GAPP_UNWIND_BY_AUTO;
	fd = t_session(&config);
	for (size_t i = 0; i < ARRAY_SIZE(children); i++) {
		children[i] = t_fork(t_idle, NULL);
		t_hear(&children[i]);
		/* Else descriptors run out. */
		close(children[i].to);
		close(children[i].from);
		children[i].to = -1;
		children[i].from = -1;
	}
	for (size_t i = 0; i < GAPP_MAX_ADDED_PROCESSES; i++)
		bad += t_add(fd, children[i].pid, 0) != 0;
	t_check(!bad, "as many targets as may be", "%u were refused", bad);
	t_expect(t_add(fd, children[GAPP_MAX_ADDED_PROCESSES].pid, 0), -ENOSPC, "one more");
	/* the module notes the last one's memory, and may not note it for the next one, too */
	maps.pid = children[GAPP_MAX_ADDED_PROCESSES - 1].pid;
	t_expect(t_ioctl(fd, GAPP_IOC_SET_MAPPINGS, &maps), T_OK, "SET_MAPPINGS for the last");
	t_kill(&children[1]);
	t_expect(t_add(fd, children[GAPP_MAX_ADDED_PROCESSES + 1].pid, 0), T_OK,
		 "one more, once one has exited, before START");
	t_expect(t_start(fd), T_OK, "START");
	t_expect(t_add(fd, children[GAPP_MAX_ADDED_PROCESSES].pid, 0), -ENOSPC,
		 "one more, running");
	t_expect(t_add(fd, children[2].pid, 0), -EEXIST, "one of them again");
	t_kill(&children[0]);
	t_expect(t_add(fd, children[GAPP_MAX_ADDED_PROCESSES].pid, 0), T_OK,
		 "one more, once one has exited");
	t_expect(t_stop(fd), T_OK, "STOP");
	t_status(fd, &status);
	rows = t_rows(fd, GAPP_IOC_THREADS, GAPP_PAGE_MAX);
	t_check(status.live == GAPP_MAX_ADDED_PROCESSES &&
			rows.count == GAPP_MAX_ADDED_PROCESSES + 1 &&
			status.flags & GAPP_STATUS_RECOUNT_OK,
		"all of them are followed", "live %u, rows %zu, flags %#x, differ %u", status.live,
		rows.count, status.flags, status.recount_differ);
	free(rows.rows);
	/* nothing is known of the last one's first moment */
	t_unseen_ns = 200 * NSEC_PER_MSEC;
	t_sums(fd, "sums");
	t_unseen_ns = 0;
	close(fd);
	for (size_t i = 2; i < ARRAY_SIZE(children); i++)
		t_kill(&children[i]);
}

void targets_leaders(void)
{
	struct t_child other = t_fork(two_threads, NULL);
	struct t_child headless = t_fork(leader_exits, NULL);
	pid_t tid = receive_pid(&other), last_tid = receive_pid(&headless);
	struct gapp_status status;
	struct t_rows rows;
	int fd = t_ready();

	for (int tries = 0; tries < 1000; tries++) {
		char path[64], line[256] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/stat", headless.pid);
		file = fopen(path, "r");
		if (file && fgets(line, sizeof(line), file) && strstr(line, ") Z"))
			tries = 1000;
		if (file)
			fclose(file);
		t_sleep(NSEC_PER_MSEC);
	}
	t_expect(t_add(fd, tid, 0), T_OK, "a thread's id stands for its process");
	t_expect(t_add(fd, headless.pid, 0), T_OK, "a process whose leader has exited");
	t_expect(t_add(fd, last_tid, 0), -EEXIST, "the thread that is left of it");
	t_expect(t_start(fd), T_OK, "START");
	t_expect(t_stop(fd), T_OK, "STOP");
	t_status(fd, &status);
	rows = t_rows(fd, GAPP_IOC_THREADS, 7);
	t_check(rows.count == 3 && t_find(&rows, other.pid) && t_find(&rows, tid) &&
			t_find(&rows, last_tid) && t_find(&rows, last_tid)->tgid == headless.pid,
		"all threads that are left are followed", "%zu rows", rows.count);
	t_check(status.flags & GAPP_STATUS_RECOUNT_OK, "the recount agrees",
		"%u differ, threads %u and %u", status.recount_differ, status.recount_threads,
		status.recount_tracked);
	free(rows.rows);
	close(fd);
	t_kill(&other);
	t_kill(&headless);
}

/* A thread of the kernel is followed if it is added as such, and what it begins is not. */
void targets_kthread(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct gapp_status status;
	struct t_rows rows;
	int fd;

	config.flags = GAPP_CONFIG_KERNEL_PATHS;
	config.rate_hz = 1000;
	fd = t_session(&config);
	t_expect(t_add(fd, KTHREADD, GAPP_ADD_KTHREAD), T_OK, "a kernel thread, as such");
	t_expect(t_add(fd, KTHREADD, GAPP_ADD_KTHREAD), -EEXIST, "the same again");
	t_expect(t_start(fd), T_OK, "START");
	t_sleep(NSEC_PER_SEC / 5);
	t_expect(t_stop(fd), T_OK, "STOP");
	rows = t_rows(fd, GAPP_IOC_THREADS, GAPP_PAGE_MAX);
	t_check(rows.count == 1 && t_find(&rows, KTHREADD), "it is followed, and it alone",
		"%zu rows", rows.count);
	free(rows.rows);
	t_status(fd, &status);
	t_check(status.recount_threads == 1 && status.flags & GAPP_STATUS_RECOUNT_OK,
		"the recount finds it too", "%u threads, flags %#x", status.recount_threads,
		status.flags);
	close(fd);
}
