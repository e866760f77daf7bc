// SPDX-License-Identifier: GPL-2.0
/* ADD_PROCESS with AT_EXEC: a process is followed from its exec on, at which session time begins.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "groups.h"
#include "records.h"

#define SELF "/proc/self/exe"
#define MISSING "/tmp/gapp-abi-no-such-program"
/* What "abi_test --tell" has: threads with the first one, and a child. */
#define TOLD_THREADS 7
#define TOLD (TOLD_THREADS + 1)
/* So long it runs before its exec. */
#define BEFORE_NS (20 * NSEC_PER_MSEC)

static void execute(struct t_child *parent, const char *path)
{
	char fd[24];

	fcntl(parent->to, F_SETFD, 0);
	snprintf(fd, sizeof(fd), "%d", parent->to);
	execl(path, "abi_test", "--tell", fd, NULL);
}

/* At a word it runs for a while, then executes the program; a failure is told, and tried again. */
static void executes(struct t_child *parent, void *path)
{
	t_tell(parent);
	t_hear(parent);
	t_burn_until(t_now() + BEFORE_NS);
	execute(parent, path);
	t_tell(parent);
	t_hear(parent);
	execute(parent, SELF);
	t_die(SELF);
}

static void *execute_in_thread(void *parent)
{
	execute(parent, SELF);
	return NULL;
}

static void thread_executes(struct t_child *parent, void *unused)
{
	pthread_t thread;

	(void)unused;
	t_tell(parent);
	t_hear(parent);
	errno = pthread_create(&thread, NULL, execute_in_thread, parent);
	if (errno)
		t_die("pthread_create");
	for (;;)
		pause();
}

static struct t_child waiting(void (*run)(struct t_child *parent, void *arg), void *arg)
{
	struct t_child child = t_fork(run, arg);

	t_hear(&child);
	return child;
}

static void let_go(struct t_child *child)
{
	t_tell(child);
	t_hear(child);
}

static void has_not_begun(int fd, u32 live, const char *name)
{
	struct gapp_status status;

	t_status(fd, &status);
	t_check(status.state == GAPP_SESSION_RUNNING && !status.start_ns && !status.wall_ns &&
			!status.idle_ns && !status.g && status.live == live,
		name, "state %u, start %llu, wall %llu, idle %llu, g %llu, live %u", status.state,
		status.start_ns, status.wall_ns, status.idle_ns, status.g, status.live);
}

/* Session time began between @since and now. */
static void has_begun(int fd, u64 since, u32 live, const char *name)
{
	struct gapp_status status;

	t_status(fd, &status);
	t_check(status.start_ns >= since && status.start_ns <= t_now() && status.wall_ns &&
			status.live == live,
		name, "start %llu of %llu to %llu, wall %llu, live %u", status.start_ns, since,
		t_now(), status.wall_ns, status.live);
}

static void ends_well(int fd, const char *name)
{
	t_expect(t_stop(fd), T_OK, "%s: STOP", name);
	t_recount(fd);
	t_sums(fd, name);
}

struct seen {
	u64 records;
	u64 first_ns;
};

static void see(const struct gapp_record *record, void *arg)
{
	struct seen *seen = arg;

	seen->records++;
	if (!seen->first_ns || record->time_ns < seen->first_ns)
		seen->first_ns = record->time_ns;
}

static void check_first(int fd, pid_t pid)
{
	struct t_rows rows = t_rows(fd, GAPP_IOC_THREADS, GAPP_PAGE_MAX);
	const struct gapp_thread_figures *first = t_find(&rows, pid);

	t_check(first && !first->joined_ns && first->run_ns && first->slices &&
			first->flags & GAPP_FIGURES_KERNEL_SEEN,
		"the first thread is there from the begin, and the kernel's account is compared",
		"joined at %llu, run %llu, slices %llu, flags %#x", first ? first->joined_ns : 0,
		first ? first->run_ns : 0, first ? first->slices : 0, first ? first->flags : 0);
	free(rows.rows);
}

/* N_min of one thread, and of all. */
static void check_n_min(int fd)
{
	struct gapp_status status;
	u32 most;

	t_status(fd, &status);
	most = (status.cpus < TOLD ? status.cpus : TOLD) / 2;
	if (!most)
		most = 1;
	t_check(status.n_min_least == 1 && status.n_min_most == most &&
			status.n_min_most_ns <= status.wall_ns &&
			(most == 1) == (status.n_min_most_ns == status.wall_ns),
		"N_min was that of one thread, and of all", "%u to %u, for %llu of %llu ns",
		status.n_min_least, status.n_min_most, status.n_min_most_ns, status.wall_ns);
}

void at_exec_begins(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	struct t_child child = waiting(executes, SELF);
	struct gapp_status status;
	struct r_reader reader;
	struct seen seen = { 0 };
	u64 since;
	int fd;

	config.rate_hz = 1000;
	fd = t_session(&config);
	r_open(&reader, fd);
	reader.see = see;
	reader.arg = &seen;
	t_expect(t_add(fd, child.pid, GAPP_ADD_AT_EXEC), T_OK, "ADD_PROCESS at exec");
	t_expect(t_start(fd), T_OK, "START");
	has_not_begun(fd, 0, "after START nothing has begun");
	since = t_now() + BEFORE_NS;
	let_go(&child);
	has_begun(fd, since, TOLD, "at the exec session time begins, with threads and child");
	ends_well(fd, "sums from the exec on");
	r_drain(&reader);
	t_status(fd, &status);
	t_check(seen.records && seen.first_ns >= status.start_ns && !reader.tally.bad,
		"no record is of before the exec", "%llu records, the first %lld ns after, %s",
		seen.records, (s64)(seen.first_ns - status.start_ns), reader.tally.why);
	check_first(fd, child.pid);
	check_n_min(fd);
	r_close(&reader);
	close(fd);
	t_kill(&child);
}

/* The process is followed from its first exec that succeeds, by whatever thread. */
void at_exec_later(void)
{
	struct t_child child = waiting(executes, MISSING);
	int fd = t_ready();
	u64 since;

	t_expect(t_add(fd, child.pid, GAPP_ADD_AT_EXEC | GAPP_ADD_NO_INHERIT), T_OK,
		 "one that will fail to execute");
	t_expect(t_start(fd), T_OK, "START");
	let_go(&child);
	has_not_begun(fd, 0, "an exec that fails begins nothing");
	since = t_now();
	let_go(&child);
	has_begun(fd, since, TOLD_THREADS, "the next exec begins, without the child");
	ends_well(fd, "sums from the second exec on");
	close(fd);
	t_kill(&child);

	child = waiting(thread_executes, NULL);
	fd = t_ready();
	t_expect(t_add(fd, child.pid, GAPP_ADD_AT_EXEC), T_OK, "one whose second thread executes");
	t_expect(t_start(fd), T_OK, "START");
	since = t_now();
	let_go(&child);
	has_begun(fd, since, TOLD, "an exec by another thread begins");
	ends_well(fd, "sums from that exec on");
	check_first(fd, child.pid);
	close(fd);
	t_kill(&child);
}

/* Processes that are followed before do not begin session time, but count from its begin on. */
void at_exec_beside_others(void)
{
	struct t_child child = waiting(executes, SELF), other = waiting(t_idle, NULL);
	int fd = t_ready();
	u64 since;

	t_expect(t_add(fd, other.pid, 0), T_OK, "another process");
	t_expect(t_add(fd, child.pid, GAPP_ADD_AT_EXEC), T_OK, "one at its exec");
	t_expect(t_start(fd), T_OK, "START");
	has_not_begun(fd, 1, "the other is followed, and time stands still");
	since = t_now() + BEFORE_NS;
	let_go(&child);
	has_begun(fd, since, 1 + TOLD, "at the exec time begins for both");
	ends_well(fd, "sums of both");
	close(fd);
	t_kill(&child);
	t_kill(&other);
}

static void stops_without(struct t_child *child, bool kill, const char *name)
{
	struct gapp_status status;
	int fd = t_ready();

	t_expect(t_add(fd, child->pid, GAPP_ADD_AT_EXEC), T_OK, "%s", name);
	t_expect(t_start(fd), T_OK, "%s: START", name);
	if (kill)
		t_kill(child);
	t_expect(t_stop(fd), T_OK, "%s: STOP", name);
	t_recount(fd);
	if (!kill)
		let_go(child);
	t_status(fd, &status);
	t_check(!status.start_ns && !status.wall_ns && !status.threads && !status.n_min_most_ns,
		"nothing was recorded", "start %llu, wall %llu, %llu threads", status.start_ns,
		status.wall_ns, status.threads);
	t_sums(fd, "sums of nothing");
	close(fd);
}

void at_exec_never(void)
{
	struct t_child child = waiting(executes, SELF);
	int fd;

	stops_without(&child, false, "one that executes after STOP");
	t_kill(&child);
	child = waiting(executes, SELF);
	stops_without(&child, true, "one that is killed before its exec");

	child = waiting(executes, SELF);
	fd = t_ready();
	t_expect(t_add(fd, child.pid, GAPP_ADD_AT_EXEC), T_OK, "one that is killed before START");
	t_kill(&child);
	t_expect(t_start(fd), -ESRCH, "START without it");
	close(fd);

	/* A session that is closed before the exec leaves nothing behind. */
	child = waiting(executes, SELF);
	fd = t_ready();
	t_expect(t_add(fd, child.pid, GAPP_ADD_AT_EXEC), T_OK, "one that executes after close");
	t_expect(t_start(fd), T_OK, "START");
	close(fd);
	let_go(&child);
	t_kill(&child);
}

void at_exec_errors(void)
{
	struct t_child child = waiting(executes, SELF), other = waiting(t_idle, NULL);
	struct gapp_config config = t_config(GAPP_LEVEL_STATS);
	const u32 flags[] = { GAPP_CONFIG_ALL, GAPP_CONFIG_PER_PROCESS };
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		config.flags = flags[i];
		fd = t_session(&config);
		t_expect(t_add(fd, child.pid, GAPP_ADD_AT_EXEC), -EINVAL, "with flags %#x",
			 flags[i]);
		close(fd);
	}
	fd = t_ready();
	t_expect(t_add(fd, getpid(), GAPP_ADD_AT_EXEC), -ELOOP, "the caller");
	t_expect(t_add(fd, 0x7fffffff, GAPP_ADD_AT_EXEC), -ESRCH, "nobody");
	t_expect(t_add(fd, other.pid, 0), T_OK, "another process");
	t_expect(t_add(fd, other.pid, GAPP_ADD_AT_EXEC), -EEXIST, "the same, at its exec");
	t_expect(t_add(fd, child.pid, GAPP_ADD_AT_EXEC), T_OK, "one at its exec");
	t_expect(t_add(fd, child.pid, 0), -EEXIST, "the same, at once");
	t_expect(t_add(fd, other.pid, GAPP_ADD_AT_EXEC), -ENOSPC, "a second one");
	t_expect(t_start(fd), T_OK, "START");
	close(fd);
	fd = t_ready();
	t_expect(t_add(fd, other.pid, 0), T_OK, "a process");
	t_expect(t_start(fd), T_OK, "START");
	t_expect(t_add(fd, child.pid, GAPP_ADD_AT_EXEC), -EBUSY, "one at its exec, after START");
	close(fd);
	t_kill(&child);
	t_kill(&other);
}
