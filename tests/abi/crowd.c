// SPDX-License-Identifier: GPL-2.0
/* Who is followed, within which bounds, and that all of it adds up. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "groups.h"
#include "t.h"

#define TEAM 10
#define SESSIONS 3
#define CLOCKS_APART_NS (5 * NSEC_PER_MSEC)

#define TURNS 20

/* All of a team that works are there before one of them begins. */
static pthread_barrier_t together;
/* How often each of them computes and sleeps. */
static int turns = TURNS;

/* Computes and sleeps by turns, a little differently in each thread. */
static void *works(void *arg)
{
	u64 share = (unsigned long)arg + 1;

	pthread_barrier_wait(&together);
	for (int i = 0; i < turns; i++) {
		t_burn_until(t_now() + share * 100000);
		t_sleep(share * 150000);
	}
	return NULL;
}

static void *waits(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static void run_team(unsigned int count, void *(*run)(void *), bool join)
{
	pthread_t threads[TEAM];

	pthread_barrier_init(&together, NULL, count);
	for (unsigned long i = 0; i < count; i++) {
		errno = pthread_create(&threads[i], NULL, run, (void *)i);
		if (errno)
			t_die("pthread_create");
	}
	for (unsigned int i = 0; join && i < count; i++)
		pthread_join(threads[i], NULL);
	if (join)
		t_sleep(30 * NSEC_PER_MSEC);
}

/*
 * At each word from the parent: a team of threads that works and exits, then an answer. @arg, if
 * any: how many turns.
 */
static void teams(struct t_child *parent, void *arg)
{
	if (arg)
		turns = *(int *)arg;
	t_tell(parent);
	for (;;) {
		t_hear(parent);
		run_team(TEAM, works, true);
		t_tell(parent);
	}
}

/* A crowd of @arg threads that wait; at each word one more that exits. */
static void waiters(struct t_child *parent, void *arg)
{
	run_team(*(unsigned int *)arg, waits, false);
	t_tell(parent);
	for (;;) {
		t_hear(parent);
		run_team(1, works, true);
		t_tell(parent);
	}
}

static u64 distance(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

/*
 * The same counts exactly, the same times but for the sessions' own clocks, one of which is read
 * after the other. A host may take the CPU away in between: that happens to few threads.
 */
static void same_figures(const struct t_rows *one, const struct t_rows *two)
{
	size_t differ = 0, apart = 0;

	for (size_t i = 0; i < one->count; i++) {
		const struct gapp_thread_figures *a = &one->rows[i], *b = t_find(two, a->tid);

		if (!b || a->slices != b->slices || a->wakeups != b->wakeups ||
		    a->blocks != b->blocks) {
			differ++;
			continue;
		}
		apart += distance(a->run_ns, b->run_ns) > CLOCKS_APART_NS ||
			 distance(a->runq_ns, b->runq_ns) > CLOCKS_APART_NS;
	}
	t_check(one->count == two->count && !differ, "sessions at once count the same",
		"%zu and %zu threads, %zu differ", one->count, two->count, differ);
	t_check(4 * apart <= one->count, "sessions at once measure the same times",
		"those of %zu of %zu threads differ", apart, one->count);
}

void crowd_sessions(void)
{
	struct t_child target = t_fork(teams, NULL);
	struct t_rows rows[SESSIONS];
	int fds[SESSIONS];

	t_hear(&target);
	t_check(t_settled(target.pid), "the target waits", "it does not");
	for (int i = 0; i < SESSIONS; i++) {
		fds[i] = t_ready();
		t_expect(t_add(fds[i], target.pid, 0), T_OK, "ADD_TARGET of session %d", i);
		t_expect(t_start(fds[i]), T_OK, "START of session %d", i);
	}
	t_tell(&target);
	t_hear(&target);
	t_settled(target.pid);
	for (int i = 0; i < SESSIONS; i++) {
		t_expect(t_stop(fds[i]), T_OK, "STOP of session %d", i);
		rows[i] = t_rows(fds[i], GAPP_IOC_THREADS, GAPP_PAGE_MAX);
		t_sums(fds[i], "sums");
		t_recount(fds[i]);
	}
	t_check(rows[0].count == TEAM + 1, "all threads have a row", "%zu have", rows[0].count);
	for (int i = 1; i < SESSIONS; i++)
		same_figures(&rows[0], &rows[i]);
	for (int i = 0; i < SESSIONS; i++) {
		free(rows[i].rows);
		close(fds[i]);
	}
	t_kill(&target);
}

void crowd_added(void)
{
	/* the second team works on, whenever it is added */
	int long_turns = 10 * TURNS;
	struct t_child first = t_fork(teams, NULL), second = t_fork(teams, &long_turns);
	const struct gapp_thread_figures *late;
	struct t_rows rows;
	int fd = t_ready();

	t_hear(&first);
	t_hear(&second);
	t_add(fd, first.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&first);
	t_tell(&second);
	t_sleep(20 * NSEC_PER_MSEC);
	t_expect(t_add(fd, second.pid, 0), T_OK, "ADD_TARGET while both work");
	t_hear(&first);
	t_hear(&second);
	t_expect(t_stop(fd), T_OK, "STOP");
	rows = t_rows(fd, GAPP_IOC_THREADS, GAPP_PAGE_MAX);
	late = t_find(&rows, second.pid);
	/* The first threads of the team may be done by then. */
	t_check(rows.count > 2 * TEAM - 4 && late && late->joined_ns > 15 * NSEC_PER_MSEC,
		"the second one's threads joined when it was added", "%zu rows, joined at %lld",
		rows.count, late ? (long long)late->joined_ns : -1);
	t_unseen_ns = 200 * NSEC_PER_MSEC;
	t_sums(fd, "sums");
	t_unseen_ns = 0;
	t_recount(fd);
	free(rows.rows);
	close(fd);
	t_kill(&first);
	t_kill(&second);
}

/* A child and a grandchild before the first word, a thread and a child after it. */
static void family(struct t_child *parent, void *unused)
{
	struct t_child child;

	(void)unused;
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			t_idle(parent, NULL);
		}
		pause();
	}
	t_hear(parent);
	child = t_fork(t_idle, NULL);
	t_hear(&child);
	run_team(1, waits, false);
	t_tell(parent);
	pause();
}

static void check_family(u32 flags, u32 wanted, const char *name)
{
	struct t_child target = t_fork(family, NULL);
	struct gapp_status status;
	int fd = t_ready();

	t_hear(&target);
	t_add(fd, target.pid, flags);
	t_start(fd);
	t_tell(&target);
	t_hear(&target);
	t_stop(fd);
	t_status(fd, &status);
	t_check(status.live == wanted && status.threads == wanted, name, "live %u, %llu in all",
		status.live, status.threads);
	t_sums(fd, "sums");
	t_recount(fd);
	close(fd);
	t_kill(&target);
}

void crowd_descendants(void)
{
	check_family(0, 5, "children of then and later are followed");
	check_family(GAPP_ADD_NO_INHERIT, 2, "NO_INHERIT follows threads, but no child");
}

void crowd_max_exited(void)
{
	struct t_child target = t_fork(teams, NULL);
	struct gapp_config config = t_config(GAPP_LEVEL_STATS);
	u64 summed = 0, single = 0, slices = 0;
	struct gapp_status status;
	struct t_rows rows;
	int fd;

	t_hear(&target);
	config.max_exited = 2;
	config.n_min_mode = GAPP_N_MIN_HALF;
	fd = t_session(&config);
	t_add(fd, target.pid, 0);
	t_start(fd);
	for (int i = 0; i < 3; i++) {
		t_tell(&target);
		t_hear(&target);
	}
	t_expect(t_stop(fd), T_OK, "STOP");
	t_status(fd, &status);
	t_check(status.peak > TEAM && status.n_min == (status.live < 4 ? 1 : status.live / 2),
		"n_min falls as threads exit", "to %u with %u live, after %u", status.n_min,
		status.live, status.peak);
	rows = t_rows(fd, GAPP_IOC_PROCESSES, 1);
	for (size_t i = 0; i < rows.count; i++) {
		summed += rows.rows[i].threads;
		slices += rows.rows[i].slices;
		t_check(rows.rows[i].tgid == target.pid && !rows.rows[i].tid &&
				rows.rows[i].state == GAPP_THREAD_GONE,
			"the sum has the process's id", "tgid %d, tid %d, state %u",
			rows.rows[i].tgid, rows.rows[i].tid, rows.rows[i].state);
	}
	t_check(rows.count == 1 && summed == 3 * TEAM - 2 && slices >= summed * 20,
		"threads beyond max_exited are summed", "%zu rows, %llu threads, %llu slices",
		rows.count, summed, slices);
	free(rows.rows);
	rows = t_rows(fd, GAPP_IOC_THREADS, 1);
	single = rows.count;
	t_check(single == 3 && status.threads == 3 * TEAM + 1, "the others have rows of their own",
		"%llu have, of %llu", single, status.threads);
	free(rows.rows);
	t_sums(fd, "sums");
	t_recount(fd);
	close(fd);
	t_kill(&target);
}

void crowd_max_threads(void)
{
	unsigned int count = TEAM - 1, more = 2;
	struct t_child target = t_fork(waiters, &count), other = t_fork(waiters, &more);
	struct gapp_status status;
	int fd = t_open();

	t_hear(&target);
	t_hear(&other);
	t_expect(t_configure(fd, 4, 0), T_OK, "CONFIGURE max_threads 4");
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START with 10 threads");
	t_status(fd, &status);
	t_check(status.live == 4 && status.threads == 4 && status.not_followed == 6,
		"4 are followed, 6 are counted", "live %u, threads %llu, not followed %llu",
		status.live, status.threads, status.not_followed);
	t_tell(&target);
	t_hear(&target);
	t_status(fd, &status);
	t_check(status.live == 4 && status.not_followed == 7,
		"a new thread without room is counted too", "live %u, not followed %llu",
		status.live, status.not_followed);
	t_expect(t_add(fd, other.pid, 0), T_OK, "ADD_TARGET with no room");
	t_status(fd, &status);
	t_check(status.live == 4 && status.not_followed == 10 && !status.not_followed_late &&
			!status.not_followed_denied,
		"its 3 threads are counted, once, as beyond the bound",
		"live %u, not followed %llu, not 10; %u late, %u denied", status.live,
		status.not_followed, status.not_followed_late, status.not_followed_denied);
	t_expect(t_stop(fd), T_OK, "STOP");
	t_sums(fd, "sums");
	t_status(fd, &status);
	t_check(!(status.flags & GAPP_STATUS_RECOUNT_OK) && status.recount_differ >= 6,
		"the recount sees what is missing", "flags %#x, %u differ", status.flags,
		status.recount_differ);
	close(fd);
	t_kill(&target);
	t_kill(&other);
}

static u32 n_min_of(pid_t pid, u32 mode, u32 n_min)
{
	struct gapp_config config = { .abi_major = GAPP_ABI_MAJOR,
				      .n_min_mode = mode,
				      .n_min = n_min };
	struct gapp_status status;
	int fd = t_open();

	t_ioctl(fd, GAPP_IOC_CONFIGURE, &config);
	t_add(fd, pid, 0);
	t_start(fd);
	t_status(fd, &status);
	close(fd);
	return status.n_min;
}

void crowd_status(void)
{
	unsigned int count = TEAM - 1, cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct t_child target = t_fork(waiters, &count);
	struct gapp_status before, status, after;
	int fd = t_ready(), next = t_open();
	u64 begin, end;

	t_hear(&target);
	t_settled(target.pid);
	t_status(fd, &before);
	t_status(next, &after);
	t_check(after.id == before.id + 1, "sessions are numbered", "%u, %u", before.id, after.id);
	t_check(before.state == GAPP_SESSION_READY && after.state == GAPP_SESSION_NEW &&
			!before.wall_ns && !before.n && !before.live && !before.flags,
		"before START there is nothing", "state %u, wall %llu, n %u, live %u", before.state,
		before.wall_ns, before.n, before.live);
	t_add(fd, target.pid, 0);
	begin = t_now();
	t_expect(t_start(fd), T_OK, "START");
	end = t_now();
	t_status(fd, &status);
	t_check(status.state == GAPP_SESSION_RUNNING && !status.flags && status.cpus == cpus &&
			status.start_ns >= begin && status.start_ns <= end,
		"it runs, and began at START", "state %u, flags %#x, cpus %u, start %lld of %llu",
		status.state, status.flags, status.cpus, status.start_ns - begin, end - begin);
	t_check(status.n == 0 && status.live == TEAM && status.peak == TEAM &&
			status.threads == TEAM && !status.processes && !status.not_followed,
		"ten threads wait", "n %u, live %u, peak %u, threads %llu", status.n, status.live,
		status.peak, status.threads);
	t_check(status.tick_ns >= 1000000 && status.tick_ns <= 10000000, "the tick's length",
		"%llu", status.tick_ns);
	t_sleep(50 * NSEC_PER_MSEC);
	t_stop(fd);
	end = t_now();
	t_status(fd, &after);
	t_check(after.state == GAPP_SESSION_STOPPED && after.wall_ns >= 50 * NSEC_PER_MSEC &&
			after.wall_ns <= end - after.start_ns && after.idle_ns == after.wall_ns &&
			!after.g && !after.c && !after.s,
		"all of the time was idle", "state %u, wall %llu of %llu, idle %llu", after.state,
		after.wall_ns, end - after.start_ns, after.idle_ns);
	t_sleep(5 * NSEC_PER_MSEC);
	t_status(fd, &status);
	t_check(!memcmp(&status, &after, sizeof(status)), "nothing changes after STOP", "it does");
	t_recount(fd);

	t_check(n_min_of(target.pid, GAPP_N_MIN_FIXED, 7) == 7, "n_min as given", " ");
	t_check(n_min_of(target.pid, GAPP_N_MIN_HALF, 0) == TEAM / 2, "n_min half the threads",
		" ");
	if (cpus < TEAM)
		t_check(n_min_of(target.pid, GAPP_N_MIN_AUTO, 0) == (cpus < 4 ? 1 : cpus / 2),
			"n_min half the CPUs", "it is %u",
			n_min_of(target.pid, GAPP_N_MIN_AUTO, 0));
	close(fd);
	close(next);
	t_kill(&target);
}
