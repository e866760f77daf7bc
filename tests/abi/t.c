// SPDX-License-Identifier: GPL-2.0
#include "t.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

unsigned int t_failures;
const char *t_group = "";

void t_die(const char *what)
{
	printf("not ok - %s%s (%s)\n", t_group, what, strerror(errno));
	exit(1);
}

static bool result(bool good, const char *name, const char *format, va_list args)
{
	printf("%s - %s%s", good ? "ok" : "not ok", t_group, name);
	if (!good) {
		t_failures++;
		printf(" (");
		vprintf(format, args);
		putchar(')');
	}
	putchar('\n');
	fflush(stdout);
	return good;
}

bool t_check(bool good, const char *name, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	result(good, name, format, args);
	va_end(args);
	return good;
}

/**
 * t_expect() - what a call returned
 * @result: 0 or a negative error number
 * @wanted: likewise
 * @format: name of the check
 */
void t_expect(int result, int wanted, const char *format, ...)
{
	char name[160];
	size_t length;
	va_list args;

	va_start(args, format);
	length = vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	snprintf(name + length, sizeof(name) - length, ": %s",
		 wanted ? strerrorname_np(-wanted) : "good");
	t_check(result == wanted, name, "is %s", result ? strerrorname_np(-result) : "good");
}

void t_skip(const char *name, const char *reason)
{
	printf("skip - %s%s (%s)\n", t_group, name, reason);
}

int t_done(void)
{
	return t_failures ? 1 : 0;
}

int t_open(void)
{
	int fd = open(GAPP_NODE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		t_die("open " GAPP_NODE);
	return fd;
}

int t_ioctl(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, request, argument) < 0 ? -errno : 0;
}

int t_configure(int fd, u32 max_threads, u32 max_exited)
{
	struct gapp_config config = {
		.abi_major = GAPP_ABI_MAJOR,
		.max_threads = max_threads,
		.max_exited = max_exited,
	};

	return t_ioctl(fd, GAPP_IOC_CONFIGURE, &config);
}

int t_ready(void)
{
	int fd = t_open();

	errno = -t_configure(fd, 0, GAPP_EXITED_DEFAULT);
	if (errno)
		t_die("CONFIGURE with the defaults");
	return fd;
}

struct gapp_config t_config(enum gapp_level level)
{
	return (struct gapp_config){
		.abi_major = GAPP_ABI_MAJOR,
		.max_exited = GAPP_EXITED_DEFAULT,
		.level = level,
	};
}

int t_session(const struct gapp_config *config)
{
	struct gapp_config copy = *config;
	int fd = t_open();

	errno = -t_ioctl(fd, GAPP_IOC_CONFIGURE, &copy);
	if (errno)
		t_die("CONFIGURE");
	return fd;
}

int t_add(int fd, pid_t pid, u32 flags)
{
	struct gapp_add_process target = { .pid = pid, .flags = flags };

	return t_ioctl(fd, GAPP_IOC_ADD_PROCESS, &target);
}

int t_start(int fd)
{
	return t_ioctl(fd, GAPP_IOC_START, NULL);
}

int t_stop(int fd)
{
	return t_ioctl(fd, GAPP_IOC_STOP, NULL);
}

int t_try_parameter(const char *name, const char *value)
{
	char path[100];
	int fd, error;

	snprintf(path, sizeof(path), "/sys/module/gapp/parameters/%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = write(fd, value, strlen(value)) < 0 ? -errno : 0;
	close(fd);
	return error;
}

void t_set_parameter(const char *name, const char *value)
{
	errno = -t_try_parameter(name, value);
	if (errno)
		t_die(name);
}

void t_status(int fd, struct gapp_status *status)
{
	memset(status, 0xAA, sizeof(*status));
	errno = -t_ioctl(fd, GAPP_IOC_STATUS, status);
	if (errno)
		t_die("STATUS");
}

void t_counters(int fd, struct gapp_counters *counters)
{
	memset(counters, 0xAA, sizeof(*counters));
	errno = -t_ioctl(fd, GAPP_IOC_COUNTERS, counters);
	if (errno)
		t_die("COUNTERS");
}

/* All rows of THREADS or PROCESSES, read in pages of @capacity. */
struct t_rows t_rows(int fd, unsigned long request, u32 capacity)
{
	struct gapp_page page = { .capacity = capacity };
	struct t_rows all = { 0 };

	do {
		all.rows = reallocarray(all.rows, all.count + capacity, sizeof(*all.rows));
		if (!all.rows)
			t_die("memory");
		page.buffer = (uintptr_t)&all.rows[all.count];
		page.count = 0;
		errno = -t_ioctl(fd, request, &page);
		if (errno)
			t_die("a page");
		all.count += page.count;
	} while (page.count);
	return all;
}

size_t t_parallelism(int fd, u64 *bins, size_t max)
{
	struct gapp_page page = { .capacity = GAPP_PAGE_MAX };
	size_t count = 0;

	do {
		if (max - count < page.capacity)
			page.capacity = max - count;
		page.buffer = (uintptr_t)&bins[count];
		page.count = 0;
		errno = -t_ioctl(fd, GAPP_IOC_PARALLELISM, &page);
		if (errno)
			t_die("PARALLELISM");
		count += page.count;
	} while (page.count && count < max);
	return count;
}

const struct gapp_thread_figures *t_find(const struct t_rows *rows, pid_t tid)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].tid == tid)
			return &rows->rows[i];
	return NULL;
}

struct sums {
	u64 shares;
	u64 threads;
	u64 events;
	u64 lives_differ;
	u64 astray;
};

u64 t_unseen_ns;

static void add_up(struct sums *sums, const struct t_rows *rows, u64 wall)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct gapp_thread_figures *row = &rows->rows[i];
		u64 life = (row->left_ns ? row->left_ns : wall) - row->joined_ns;
		u64 lacks = life - (row->run_ns + row->runq_ns + row->blocked_ns);
		s64 ahead = row->kernel_runq_ns - row->kernel_seen_runq_ns;

		sums->shares += row->cm_run + row->cm_runq;
		sums->threads += row->threads;
		sums->events += row->wakeups + row->blocks + 2 * row->threads;
		if (row->tid && lacks && (!row->joined_ns || lacks > t_unseen_ns))
			sums->lives_differ++;
		/* nobody waits in a session for longer than that takes, whoever reads the clock */
		if (row->tid && row->flags & GAPP_FIGURES_KERNEL_SEEN && llabs(ahead) > (s64)wall)
			sums->astray++;
	}
}

/**
 * t_sums() - what must add up in a stopped session
 * @fd: the session
 * @name: of the check
 *
 * Each change of n loses n/4096 ns of shares at most by rounding.
 *
 * Return: whether it did.
 */
bool t_sums(int fd, const char *name)
{
	struct t_rows threads = t_rows(fd, GAPP_IOC_THREADS, GAPP_PAGE_MAX);
	struct t_rows processes = t_rows(fd, GAPP_IOC_PROCESSES, GAPP_PAGE_MAX);
	static u64 bins[GAPP_MAX_THREADS + 1];
	size_t bin_count = t_parallelism(fd, bins, ARRAY_SIZE(bins));
	u64 accounted, lost, allowed, time = 0, s = 0;
	bool ok;
	struct gapp_status status;
	struct sums sums = { 0 };

	t_status(fd, &status);
	add_up(&sums, &threads, status.wall_ns);
	add_up(&sums, &processes, status.wall_ns);
	for (size_t n = 0; n < bin_count; n++) {
		time += bins[n];
		s += n * bins[n];
	}
	free(threads.rows);
	free(processes.rows);

	accounted = (sums.shares >> GAPP_SHARE_SHIFT) + status.idle_ns;
	lost = status.wall_ns - accounted;
	allowed = 1000 + sums.events * (status.peak + 1) / 4096;
	ok = lost <= allowed && time == status.wall_ns && s == status.s;
	ok = ok && bins[0] == status.idle_ns && sums.threads == status.threads;
	ok = ok && processes.count == status.processes && !sums.lives_differ && !sums.astray;
	ok = ok && status.c <= status.g;
	return t_check(
		ok, name,
		"of %llu ns %lld lack (%llu allowed); parallelism %lld, s %lld off; %llu threads, are %llu; %zu processes, are %u; %llu lives differ, %llu of the kernel's waits",
		status.wall_ns, lost, allowed, status.wall_ns - time, status.s - s, status.threads,
		sums.threads, processes.count, status.processes, sums.lives_differ, sums.astray);
}

/* What the recount at STOP says. */
void t_recount(int fd)
{
	struct gapp_status status;

	t_status(fd, &status);
	t_check((status.flags & (GAPP_STATUS_RECOUNTED | GAPP_STATUS_RECOUNT_OK)) ==
				(GAPP_STATUS_RECOUNTED | GAPP_STATUS_RECOUNT_OK) &&
			!status.unexpected && status.recount_threads == status.recount_tracked &&
			status.recount_n == status.recount_tracked_n,
		"the recount agrees",
		"flags %#x, n %u and %u (%u at stop), threads %u and %u, %u differ, %llu odd",
		status.flags, status.recount_n, status.recount_tracked_n, status.n_at_stop,
		status.recount_threads, status.recount_tracked, status.recount_differ,
		status.unexpected);
}

struct t_child t_fork(void (*run)(struct t_child *parent, void *arg), void *arg)
{
	int down[2], up[2];
	struct t_child child;

	fflush(stdout);
	if (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC))
		t_die("pipe");
	child.pid = fork();
	if (child.pid < 0)
		t_die("fork");
	if (!child.pid) {
		struct t_child parent = { .pid = getppid(), .to = up[1], .from = down[0] };

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(down[1]);
		close(up[0]);
		run(&parent, arg);
		_exit(0);
	}
	close(down[0]);
	close(up[1]);
	child.to = down[1];
	child.from = up[0];
	return child;
}

void t_tell(struct t_child *child)
{
	if (write(child->to, "", 1) != 1)
		t_die("a child does not listen");
}

void t_hear(struct t_child *child)
{
	char byte;
	ssize_t got;

	do {
		got = read(child->from, &byte, 1);
	} while (got < 0 && errno == EINTR);
	if (got != 1)
		t_die("a child is gone");
}

void t_kill(struct t_child *child)
{
	kill(child->pid, SIGKILL);
	close(child->to);
	close(child->from);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* A process that only waits. */
void t_idle(struct t_child *parent, void *unused)
{
	(void)unused;
	t_tell(parent);
	for (;;)
		pause();
}

/* vfork(), because a copy of the memory would take longer than all else. */
void t_brief_process(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		t_die("vfork");
}

bool t_preempt_rt(void)
{
	struct utsname name;

	return !uname(&name) && strstr(name.version, "PREEMPT_RT");
}

u64 t_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

void t_burn_until(u64 end_ns)
{
	while (t_now() < end_ns)
		;
}

void t_sleep(u64 ns)
{
	struct timespec ts = { ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

pid_t t_gettid(void)
{
	return syscall(SYS_gettid);
}

void t_stay_on_one_cpu(void)
{
	cpu_set_t set, one;

	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(set), &set))
		t_die("sched_getaffinity");
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &set)) {
			CPU_SET(cpu, &one);
			break;
		}
	}
	if (sched_setaffinity(0, sizeof(one), &one))
		t_die("sched_setaffinity");
}

static bool all_sleep(pid_t pid)
{
	char path[64], line[512];
	struct dirent *entry;
	bool all = true;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	folder = opendir(path);
	if (!folder)
		return false;
	while (all && (entry = readdir(folder))) {
		FILE *file;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", pid, entry->d_name);
		file = fopen(path, "r");
		all = file && fgets(line, sizeof(line), file) && strstr(line, ") S");
		if (file)
			fclose(file);
	}
	closedir(folder);
	return all;
}

bool t_settled(pid_t pid)
{
	for (int tries = 0; tries < 2000; tries++) {
		t_sleep(NSEC_PER_MSEC);
		if (!all_sleep(pid))
			continue;
		/* A thread says so some time before it is switched out. */
		t_sleep(10 * NSEC_PER_MSEC);
		return true;
	}
	return false;
}

bool t_switched_out(pid_t tid)
{
	char path[64], line[512];
	FILE *file;
	bool out;

	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	file = fopen(path, "re");
	if (!file) {
		t_sleep(10 * NSEC_PER_MSEC);
		return true;
	}
	/* The kernel waits for a thread that is about to sleep, and calls others running. */
	out = fgets(line, sizeof(line), file) && strncmp(line, "running", 7);
	fclose(file);
	return out;
}
