// SPDX-License-Identifier: GPL-2.0
/*
 * Many threads and processes, more than usual and faster:
 *
 *	bomb threads N	N threads at once, which wait, then all compute a little, then exit
 *	bomb busy N	likewise, but each computes from its first moment on
 *	bomb forks N	N short processes, as many at once as may be
 *	bomb churn N	N threads, one after the other, hardly any kept one by one
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t.h"

#define STACK 32768
#define FORKS_AT_ONCE 100
#define KEPT 16

struct bomb {
	unsigned long count;
	bool busy;
	pthread_barrier_t barrier;
	volatile bool end;
};

static void *bomb_thread(void *arg)
{
	struct bomb *bomb = arg;
	volatile unsigned long work;

	while (bomb->busy && !bomb->end)
		work++;
	pthread_barrier_wait(&bomb->barrier);
	for (work = 0; work < 10000; work++)
		;
	pthread_barrier_wait(&bomb->barrier);
	return NULL;
}

/* Without guard pages: 16,384 of those are more mappings than a process may have. */
static void start_thread(pthread_t *thread, char *stack, struct bomb *bomb)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, STACK);
	errno = pthread_create(thread, &attributes, bomb_thread, bomb);
	if (errno)
		t_die("pthread_create");
}

/* The creator goes on while its threads compete for what is left. */
static void outrun(void)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
		t_die("sched_setscheduler");
}

static void threads_at_once(struct t_child *parent, void *arg)
{
	struct bomb *bomb = arg;
	pthread_t *threads = calloc(bomb->count, sizeof(*threads));
	char *stacks = mmap(NULL, bomb->count * STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (!threads || stacks == MAP_FAILED)
		t_die("memory");
	if (bomb->busy)
		outrun();
	pthread_barrier_init(&bomb->barrier, NULL, bomb->count + 1);
	t_tell(parent);
	t_hear(parent);
	for (unsigned long i = 0; i < bomb->count; i++)
		start_thread(&threads[i], stacks + i * STACK, bomb);
	t_tell(parent);
	t_hear(parent);
	bomb->end = true;
	pthread_barrier_wait(&bomb->barrier);
	pthread_barrier_wait(&bomb->barrier);
	for (unsigned long i = 0; i < bomb->count; i++)
		pthread_join(threads[i], NULL);
	t_sleep(100 * NSEC_PER_MSEC);
	t_tell(parent);
	pause();
}

static void short_processes(struct t_child *parent, void *arg)
{
	struct bomb *bomb = arg;
	unsigned long left = bomb->count, running = 0;

	t_tell(parent);
	t_hear(parent);
	while (left || running) {
		pid_t pid = left && running < FORKS_AT_ONCE ? fork() : -1;

		if (!pid)
			_exit(0);
		if (pid > 0) {
			left--;
			running++;
		} else {
			wait(NULL);
			running--;
		}
	}
	t_sleep(100 * NSEC_PER_MSEC);
	t_tell(parent);
	pause();
}

static void *nothing(void *arg)
{
	return arg;
}

static void one_by_one(struct t_child *parent, void *arg)
{
	struct bomb *bomb = arg;
	pthread_t thread;

	t_tell(parent);
	t_hear(parent);
	for (unsigned long i = 0; i < bomb->count; i++) {
		errno = pthread_create(&thread, NULL, nothing, NULL);
		if (errno)
			t_die("pthread_create");
		pthread_join(thread, NULL);
	}
	t_sleep(100 * NSEC_PER_MSEC);
	t_tell(parent);
	pause();
}

static int session(struct t_child *target, u32 max_threads, u32 max_exited)
{
	int fd = t_open();

	t_hear(target);
	t_expect(t_configure(fd, max_threads, max_exited), T_OK, "CONFIGURE");
	t_expect(t_add(fd, target->pid, 0), T_OK, "ADD_TARGET");
	t_expect(t_start(fd), T_OK, "START");
	return fd;
}

static void check_status(int fd, u64 threads, u32 live, u32 peak)
{
	struct gapp_status status;

	t_status(fd, &status);
	t_check(status.threads == threads && !status.not_followed, "every thread was followed",
		"%llu of %llu, %llu not", status.threads, threads, status.not_followed);
	t_check(status.live == live && status.peak >= peak, "live threads and the most of them",
		"live %u, not %u; peak %u, at least %u", status.live, live, status.peak, peak);
	t_check(status.flags & GAPP_STATUS_RECOUNT_OK && !status.unexpected &&
			status.n_at_stop == status.n,
		"the recount agrees",
		"flags %#x, %u differ, %llu odd, n %u and %u, threads %u and %u", status.flags,
		status.recount_differ, status.unexpected, status.recount_n,
		status.recount_tracked_n, status.recount_threads, status.recount_tracked);
}

static int by_tid(const void *a, const void *b)
{
	const struct gapp_thread_figures *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static void check_pages(int fd, size_t wanted, u32 capacity)
{
	struct t_rows rows = t_rows(fd, GAPP_IOC_THREADS, capacity);
	size_t twice = 0, ran = 0;

	qsort(rows.rows, rows.count, sizeof(*rows.rows), by_tid);
	for (size_t i = 0; i < rows.count; i++) {
		twice += i && rows.rows[i].tid == rows.rows[i - 1].tid;
		ran += rows.rows[i].run_ns && rows.rows[i].cm_run && rows.rows[i].slices;
	}
	t_check(rows.count == wanted && !twice && ran == wanted,
		capacity == 7 ? "each thread has a row that shows it ran, 7 a page" :
				"each thread has a row that shows it ran",
		"%zu rows of %zu, %zu twice, %zu ran", rows.count, wanted, twice, ran);
	free(rows.rows);
}

static void wait_until_idle(int fd)
{
	struct gapp_status status;

	for (int tries = 0; tries < 1000; tries++) {
		t_status(fd, &status);
		if (!status.n)
			break;
		t_sleep(10 * NSEC_PER_MSEC);
	}
	t_check(!status.n, "they all wait", "%u of %u do not", status.n, status.live);
}

static void bomb_threads(unsigned long count, bool busy)
{
	struct bomb bomb = { .count = count, .busy = busy };
	struct t_child target = t_fork(threads_at_once, &bomb);
	int nice = setpriority(PRIO_PROCESS, 0, busy ? -20 : 0);
	int fd = session(&target, count + 64, GAPP_EXITED_DEFAULT), stopped;

	t_tell(&target);
	t_hear(&target);

	if (!busy)
		wait_until_idle(fd);
	t_check(!nice, "ahead of the crowd", "errno %d", errno);
	/* A second session finds all threads there already, and ends while they live. */
	stopped = t_open();
	t_configure(stopped, count + 64, 0);
	t_add(stopped, target.pid, 0);
	t_expect(t_start(stopped), T_OK, "START of a session on all of them");
	if (busy)
		t_sleep(300 * NSEC_PER_MSEC);
	t_expect(t_stop(stopped), T_OK, "STOP while they live");
	check_status(stopped, count + 1, count + 1, count + 1);
	t_sums(stopped, "sums");
	close(stopped);

	t_tell(&target);
	t_hear(&target);
	t_expect(t_stop(fd), T_OK, "STOP after they exited");
	check_status(fd, count + 1, 1, count + 1);
	check_pages(fd, count + 1, GAPP_PAGE_MAX);
	check_pages(fd, count + 1, 7);
	t_sums(fd, "sums");
	close(fd);
	t_kill(&target);
}

static void check_summed(int fd, u64 wanted)
{
	struct t_rows rows = t_rows(fd, GAPP_IOC_PROCESSES, 7);
	u64 threads = 0;

	for (size_t i = 0; i < rows.count; i++)
		threads += rows.rows[i].threads;
	t_check(threads == wanted, "the rest are summed", "%llu of %llu in %zu rows", threads,
		wanted, rows.count);
	free(rows.rows);
}

static void bomb_short(unsigned long count, void (*run)(struct t_child *parent, void *arg))
{
	struct bomb bomb = { .count = count };
	struct t_child target = t_fork(run, &bomb);
	int fd = session(&target, 0, KEPT);

	t_tell(&target);
	t_hear(&target);
	t_expect(t_stop(fd), T_OK, "STOP");
	check_status(fd, count + 1, 1, 2);
	check_pages(fd, KEPT + 1, GAPP_PAGE_MAX);
	check_summed(fd, count - KEPT);
	t_sums(fd, "sums");
	close(fd);
	t_kill(&target);
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	const char *what = argc > 1 ? argv[1] : "";
	char group[64];

	signal(SIGPIPE, SIG_IGN);
	snprintf(group, sizeof(group), "bomb %s %lu: ", what, count);
	t_group = group;
	if (count <= KEPT || count > GAPP_MAX_THREADS - 64)
		t_die("argument");
	else if (!strcmp(what, "threads"))
		bomb_threads(count, false);
	else if (!strcmp(what, "busy"))
		bomb_threads(count, true);
	else if (!strcmp(what, "forks"))
		bomb_short(count, short_processes);
	else if (!strcmp(what, "churn"))
		bomb_short(count, one_by_one);
	else
		t_die("argument");
	return t_done();
}
