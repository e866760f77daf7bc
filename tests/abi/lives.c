// SPDX-License-Identifier: GPL-2.0
/*
 * THREAD_WAITS: what threads waited for, by their own clocks; their stays in the run queue, by the
 * kernel's account; and who preempted them.
 */
#include "lives.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "groups.h"
#include "t.h"

#define ROWS 64
#define WAIT_NS (150 * NSEC_PER_MSEC)
#define BURN_NS (300 * NSEC_PER_MSEC)
#define BURNERS 2

struct rows {
	struct gapp_thread_waits rows[ROWS];
	size_t count;
};

static struct rows read_rows(int fd)
{
	struct rows all = { .count = 0 };
	struct gapp_page page = { .buffer = (uintptr_t)all.rows, .capacity = ROWS };

	memset(all.rows, 0xAA, sizeof(all.rows));
	t_expect(t_ioctl(fd, GAPP_IOC_THREAD_WAITS, &page), T_OK, "THREAD_WAITS");
	all.count = page.count;
	return all;
}

static const struct gapp_thread_waits *find(const struct rows *rows, pid_t tid)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].tid == tid)
			return &rows->rows[i];
	return NULL;
}

static u64 blocked_ns(const struct gapp_thread_waits *row)
{
	u64 ns = 0;

	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		ns += row->blocked_ns[i];
	return ns;
}

/* How many times the named preempters have preempted the thread, and for how long it waited then.
 */
static void add_up(const struct gapp_thread_waits *row, u64 *times, u64 *ns)
{
	*times = 0;
	*ns = 0;
	for (size_t i = 0; i < GAPP_PREEMPTERS; i++) {
		*times += row->by[i].times;
		*ns += row->by[i].runq_ns;
	}
}

/* What must be true of every row at any time. */
static void check_rows(const struct rows *rows, const char *when)
{
	size_t wrong = 0, odd = 0;
	char name[80];

	for (size_t i = 0; i < rows->count; i++) {
		const struct gapp_thread_waits *row = &rows->rows[i];
		u64 times, ns;

		wrong += row->run_ns + row->runq_ns + row->unknown_ns + blocked_ns(row) !=
			 row->life_ns;
		add_up(row, &times, &ns);
		odd += times > row->preempted || ns > row->preempted_runq_ns ||
		       row->preempted > row->runq_stays || row->preempted_runq_ns > row->runq_ns ||
		       row->runq_max_ns > row->runq_ns;
	}
	snprintf(name, sizeof(name), "run + run-queue + blocked = life, %s", when);
	t_check(rows->count && !wrong, name, "not of %zu of %zu threads", wrong, rows->count);
	snprintf(name, sizeof(name), "the run-queue figures agree, %s", when);
	t_check(!odd, name, "not those of %zu of %zu threads", odd, rows->count);
}

/**
 * struct waiter - a thread that waits for one reason
 * @wait: waits once, for WAIT_NS
 * @reason: enum gapp_wait_reason
 * @tid: the thread
 * @ns: how long it took, by the thread's clock, in nanoseconds
 */
struct waiter {
	const char *name;
	void (*wait)(void);
	u32 reason;
	pid_t tid;
	u64 ns;
};

static int pipe_fds[2];

static void sleeps(void)
{
	t_sleep(WAIT_NS);
}

static void reads(void)
{
	char byte;

	if (read(pipe_fds[0], &byte, 1) != 1)
		t_die("read");
}

static void polls(void)
{
	struct pollfd polled = { .fd = pipe_fds[1], .events = POLLPRI };

	poll(&polled, 1, WAIT_NS / NSEC_PER_MSEC);
}

static void awaits_signal(void)
{
	const struct timespec time = { .tv_nsec = WAIT_NS };
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigtimedwait(&signals, NULL, &time);
}

static const struct waiter waiters[] = {
	{ .name = "sleep", .wait = sleeps, .reason = GAPP_WAIT_SLEEP },
	{ .name = "pipe", .wait = reads, .reason = GAPP_WAIT_PIPE },
	{ .name = "event", .wait = polls, .reason = GAPP_WAIT_EVENT },
	{ .name = "signal", .wait = awaits_signal, .reason = GAPP_WAIT_SIGNAL },
};

#define WAITERS ARRAY_SIZE(waiters)

static void *waits(void *arg)
{
	struct waiter *waiter = arg;
	const u64 begin = t_now();

	waiter->wait();
	waiter->ns = t_now() - begin;
	waiter->tid = t_gettid();
	return NULL;
}

static void waits_for_each(struct t_child *parent, void *arg)
{
	struct waiter *shared = arg;
	pthread_t threads[WAITERS];

	t_tell(parent);
	t_hear(parent);
	if (pipe(pipe_fds))
		t_die("pipe");
	for (size_t i = 0; i < WAITERS; i++)
		pthread_create(&threads[i], NULL, waits, &shared[i]);
	t_sleep(WAIT_NS);
	if (write(pipe_fds[1], "", 1) != 1)
		t_die("write");
	for (size_t i = 0; i < WAITERS; i++)
		pthread_join(threads[i], NULL);
	t_tell(parent);
	pause();
}

/* Memory that children share with this process. */
static void *shared_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		t_die("mmap");
	return memory;
}

static int waits_session(enum gapp_level level, u8 unwind_by)
{
	struct gapp_config config = t_config(level);

	config.flags = GAPP_CONFIG_WAITS;
	config.unwind_by = unwind_by;
	return t_session(&config);
}

/* Whether of each wait's time little is missing, and little is under other reasons. */
static bool little_is_astray(const struct rows *rows, const struct waiter *done)
{
	for (size_t i = 0; i < WAITERS; i++) {
		const struct gapp_thread_waits *row = find(rows, done[i].tid);
		u64 ns = row ? row->blocked_ns[done[i].reason] : 0;

		if (row && (ns < done[i].ns - done[i].ns / 5 || blocked_ns(row) - ns >= ns / 5))
			return false;
	}
	return true;
}

static void check_reasons(const struct rows *rows, const struct waiter *done)
{
	for (size_t i = 0; i < WAITERS; i++) {
		const struct gapp_thread_waits *row = find(rows, done[i].tid);
		u64 ns = row ? row->blocked_ns[done[i].reason] : 0;
		char name[80];

		snprintf(name, sizeof(name), "the time of a wait is under its reason: %s",
			 done[i].name);
		t_check(row && ns <= done[i].ns && ns >= done[i].ns - done[i].ns / 5, name,
			"%llu of %llu ns", ns, done[i].ns);
		snprintf(name, sizeof(name), "little is under other reasons: %s", done[i].name);
		t_check(row && blocked_ns(row) - ns < ns / 5, name, "%llu ns",
			row ? blocked_ns(row) - ns : 0);
	}
}

/* Follows the waiters; returns the rows when all of them have waited. */
static struct rows follow_waiters(enum gapp_level level, u8 unwind_by, struct waiter *shared)
{
	struct t_child child;
	struct rows rows;
	int fd = waits_session(level, unwind_by);

	memcpy(shared, waiters, sizeof(waiters));
	child = t_fork(waits_for_each, shared);
	t_hear(&child);
	t_add(fd, child.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&child);
	t_sleep(WAIT_NS / 2);
	rows = read_rows(fd);
	check_rows(&rows, "while it runs");
	t_hear(&child);
	t_expect(t_stop(fd), T_OK, "STOP");
	rows = read_rows(fd);
	check_rows(&rows, "when it has stopped");
	t_sums(fd, "sums");
	close(fd);
	t_kill(&child);
	return rows;
}

/* A busy host may take the CPU away while a thread reads its clock: then once more. */
static void reasons(enum gapp_level level, u8 unwind_by)
{
	struct waiter *shared = shared_memory(sizeof(waiters));
	struct rows rows = follow_waiters(level, unwind_by, shared);

	for (int again = 0; again < 2 && !little_is_astray(&rows, shared); again++)
		rows = follow_waiters(level, unwind_by, shared);
	check_reasons(&rows, shared);
	munmap(shared, sizeof(waiters));
}

void lives_reasons(void)
{
	reasons(GAPP_LEVEL_CRITICAL, GAPP_UNWIND_BY_FP);
	reasons(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_FP);
	reasons(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_NONE);
}

static void on_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		t_die("sched_setaffinity");
}

static void burns(struct t_child *parent, void *unused)
{
	(void)unused;
	on_one_cpu();
	prctl(PR_SET_NAME, "burner");
	t_tell(parent);
	t_hear(parent);
	t_burn_until(t_now() + BURN_NS);
	t_tell(parent);
	pause();
}

/**
 * struct account - the kernel's account of a thread's waits for a CPU
 * @runq_ns: nanoseconds
 * @stays: how often the thread got a CPU
 */
struct account {
	u64 runq_ns;
	u64 stays;
};

static struct account account_of(pid_t pid)
{
	struct account account = { 0 };
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%*u %llu %llu", &account.runq_ns, &account.stays) != 2)
		t_die(path);
	fclose(file);
	return account;
}

static const struct gapp_preempted *preempter(const struct gapp_thread_waits *row, pid_t tid)
{
	for (size_t i = 0; row && i < GAPP_PREEMPTERS; i++)
		if (row->by[i].times && row->by[i].tid == tid)
			return &row->by[i];
	return NULL;
}

/**
 * struct burner - a process that burns, and what is known of it
 * @child: the process
 * @before: the kernel's account before it was followed
 * @kernel: the kernel's account of the time in which it was followed
 */
struct burner {
	struct t_child child;
	struct account before;
	struct account kernel;
};

/**
 * struct burned - a session in which burners burned
 * @burners: the processes, which still wait
 * @rows: what the session says of them
 * @wall_ns: how long the session was, in nanoseconds
 */
struct burned {
	struct burner burners[BURNERS];
	struct rows rows;
	u64 wall_ns;
};

static struct burned burn(void)
{
	struct gapp_status status;
	struct burned burned;
	int fd = waits_session(GAPP_LEVEL_CRITICAL, GAPP_UNWIND_BY_FP);

	for (size_t i = 0; i < BURNERS; i++) {
		struct burner *burner = &burned.burners[i];

		burner->child = t_fork(burns, NULL);
		t_hear(&burner->child);
		t_settled(burner->child.pid);
		burner->before = account_of(burner->child.pid);
		t_add(fd, burner->child.pid, 0);
	}
	t_expect(t_start(fd), T_OK, "START");
	for (size_t i = 0; i < BURNERS; i++)
		t_tell(&burned.burners[i].child);
	for (size_t i = 0; i < BURNERS; i++)
		t_hear(&burned.burners[i].child);
	for (size_t i = 0; i < BURNERS; i++)
		t_settled(burned.burners[i].child.pid);
	t_expect(t_stop(fd), T_OK, "STOP");
	for (size_t i = 0; i < BURNERS; i++) {
		struct burner *burner = &burned.burners[i];
		const struct account after = account_of(burner->child.pid);

		burner->kernel.runq_ns = after.runq_ns - burner->before.runq_ns;
		burner->kernel.stays = after.stays - burner->before.stays;
	}
	t_status(fd, &status);
	burned.wall_ns = status.wall_ns;
	burned.rows = read_rows(fd);
	close(fd);
	for (size_t i = 0; i < BURNERS; i++)
		t_kill(&burned.burners[i].child);
	return burned;
}

static bool times_agree(u64 ns, u64 kernel_ns)
{
	return ns <= kernel_ns + kernel_ns / 20 + NSEC_PER_MSEC &&
	       kernel_ns <= ns + kernel_ns / 20 + NSEC_PER_MSEC;
}

/* Whether the times of all burners are those of the kernel's account. */
static bool all_agree(const struct burned *burned)
{
	for (size_t i = 0; i < BURNERS; i++) {
		const struct burner *burner = &burned->burners[i];
		const struct gapp_thread_waits *row = find(&burned->rows, burner->child.pid);

		if (!row || !times_agree(row->runq_ns, burner->kernel.runq_ns))
			return false;
	}
	return true;
}

/*
 * Of a thread that is preempted when it has said that it will sleep, the kernel does not count the
 * stay that follows: a burner sleeps twice.
 */
static void check_burner(const struct burned *burned, size_t i)
{
	const struct burner *burner = &burned->burners[i];
	const struct gapp_thread_waits *row = find(&burned->rows, burner->child.pid);
	const struct gapp_preempted *by = preempter(row, burned->burners[!i].child.pid);

	if (!t_check(row, "a burner has a row", "%s", "it has none"))
		return;
	t_check(times_agree(row->runq_ns, burner->kernel.runq_ns),
		"time in the run queue as by the kernel", "%llu ns, by the kernel %llu",
		row->runq_ns, burner->kernel.runq_ns);
	t_check(row->runq_stays >= burner->kernel.stays &&
			row->runq_stays <= burner->kernel.stays + 2,
		"as many stays in the run queue as by the kernel", "%llu, by the kernel %llu",
		row->runq_stays, burner->kernel.stays);
	t_check(row->runq_max_ns >= row->runq_ns / (row->runq_stays ?: 1) &&
			row->runq_max_at_ns + row->runq_max_ns <= burned->wall_ns,
		"the longest stay is possible", "%llu ns at %llu, of %llu in %llu stays",
		row->runq_max_ns, row->runq_max_at_ns, row->runq_ns, row->runq_stays);
	t_check(by && !strcmp((const char *)by->comm, "burner") &&
			by->runq_ns >= row->runq_ns / 2 && 2 * by->times >= row->preempted,
		"a burner was preempted by the other one", "%llu of %llu times, %llu of %llu ns",
		by ? by->times : 0, row->preempted, by ? by->runq_ns : 0, row->runq_ns);
}

/* A busy host may take the CPU away between two clock readings: then once more. */
void lives_preempted(void)
{
	struct burned burned = burn();

	for (int again = 0; again < 2 && !all_agree(&burned); again++)
		burned = burn();
	check_rows(&burned.rows, "of burners");
	for (size_t i = 0; i < BURNERS; i++)
		check_burner(&burned, i);
}

void lives_check_preempter(bool told)
{
	int fd = waits_session(GAPP_LEVEL_CRITICAL, GAPP_UNWIND_BY_FP);
	struct t_child child = t_fork(burns, NULL), other = t_fork(burns, NULL);
	const struct gapp_thread_waits *row;
	const struct gapp_preempted *by;
	struct rows rows;
	u64 times, ns;

	t_hear(&child);
	t_hear(&other);
	t_settled(child.pid);
	t_add(fd, child.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&child);
	t_tell(&other);
	t_hear(&child);
	t_hear(&other);
	t_expect(t_stop(fd), T_OK, "STOP");
	rows = read_rows(fd);
	check_rows(&rows, "of a burner");
	row = find(&rows, child.pid);
	if (t_check(row && row->preempted, "a foreign thread preempts", "%s", "none does")) {
		by = preempter(row, other.pid);
		add_up(row, &times, &ns);
		if (told)
			t_check(by && !strcmp((const char *)by->comm, "burner"),
				"a foreign preempter is told", "%llu of %llu", times,
				row->preempted);
		else
			t_check(!times && !memchr(row->by, 'b', sizeof(row->by)),
				"a foreign preempter's identity is not told", "%llu of %llu", times,
				row->preempted);
	}
	close(fd);
	t_kill(&child);
	t_kill(&other);
}

void lives_preempter(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	struct t_child child;
	struct rows rows;
	int fd = t_session(&config);

	lives_check_preempter(true);
	child = t_fork(t_idle, NULL);
	t_add(fd, child.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	rows = read_rows(fd);
	t_check(!rows.count, "no waits where none are asked for", "%zu rows", rows.count);
	close(fd);
	t_kill(&child);
}
