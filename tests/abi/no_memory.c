// SPDX-License-Identifier: GPL-2.0
/*
 * The worker gets no memory while threads or processes join: those that find no room are counted as
 * missed, the figures of the others stay right, and threads and processes are followed again once
 * there is memory.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "frameless.h"
#include "groups.h"
#include "inject.h"
#include "t.h"

/* More than the module keeps room for without asking for memory. */
#define CROWD 1600
#define LATER 100
#define STACK_BYTES (64U << 10)
/* More processes than the module keeps targets, or address spaces, for. */
#define PROCESSES 300
#define LATER_PROCESSES 20
/* Of a target's share nanoseconds may be rounded away. */
#define ROUNDED_NS 1000

static void *waits(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void add_threads(int count)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (int i = 0; i < count; i++) {
		errno = pthread_create(&thread, &attr, waits, NULL);
		if (errno)
			t_die("pthread_create");
	}
	pthread_attr_destroy(&attr);
}

/* The target: CROWD threads, then one, then LATER ones, each when it is told to. */
static void grows(struct t_child *parent, void *unused)
{
	static const int counts[] = { CROWD, 1, LATER };

	(void)unused;
	t_tell(parent);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		t_hear(parent);
		add_threads(counts[i]);
		t_tell(parent);
	}
	for (;;)
		pause();
}

static void grow(struct t_child *target)
{
	t_tell(target);
	t_hear(target);
}

static bool begin_or_skip(int fd, struct t_child *target, const char *what)
{
	if (i_module_begin())
		return true;
	t_skip(what, "this kernel does not inject faults");
	close(fd);
	t_kill(target);
	return false;
}

void no_memory_threads(void)
{
	struct t_child target = t_fork(grows, NULL);
	struct gapp_status starved, status;
	int fd = t_ready();

	t_hear(&target);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	if (!begin_or_skip(fd, &target, "threads join while memory is refused"))
		return;
	grow(&target);
	i_module_end();
	t_status(fd, &starved);
	t_check(starved.not_followed_late == starved.not_followed && !starved.not_followed_denied,
		"the cause is counted", "%u of %llu late", starved.not_followed_late,
		starved.not_followed);
	t_check(starved.not_followed > 0 && starved.live + starved.not_followed == CROWD + 1,
		"each thread is followed or counted as missed", "%u live, %llu missed, of %u",
		starved.live, starved.not_followed, CROWD + 1);
	/* The first one that joins, or is missed, has the worker try again. */
	grow(&target);
	t_sleep(NSEC_PER_SEC);
	t_status(fd, &starved);
	grow(&target);
	t_status(fd, &status);
	t_check(status.live == starved.live + LATER && status.not_followed == starved.not_followed,
		"with memory threads are followed again",
		"%u and then %u live, %llu and then %llu missed", starved.live, status.live,
		starved.not_followed, status.not_followed);
	t_expect(t_stop(fd), T_OK, "STOP");
	t_status(fd, &status);
	t_check(status.recount_threads == CROWD + LATER + 2 &&
			status.recount_threads - status.recount_tracked == status.not_followed,
		"the recount finds as many missing", "%u threads, %u followed, %llu missed",
		status.recount_threads, status.recount_tracked, status.not_followed);
	t_sums(fd, "sums");
	close(fd);
	t_kill(&target);
}

static void add_processes(int count)
{
	pid_t parent = getpid(), pid;

	for (int i = 0; i < count; i++) {
		pid = fork();
		if (pid < 0)
			t_die("fork");
		if (pid)
			continue;
		/* it ends with its parent, which may have ended before */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
			_exit(0);
		t_burn_until(t_now() + NSEC_PER_MSEC);
		for (;;)
			pause();
	}
}

/* The target: PROCESSES children, then one, then LATER_PROCESSES ones, each when it is told to. */
static void spawns(struct t_child *parent, void *unused)
{
	static const int counts[] = { PROCESSES, 1, LATER_PROCESSES };

	(void)unused;
	t_tell(parent);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		t_hear(parent);
		add_processes(counts[i]);
		t_tell(parent);
	}
	for (;;)
		pause();
}

static u32 read_targets(int fd, struct gapp_target_figures *rows, u32 capacity)
{
	struct gapp_page page = { .buffer = (uintptr_t)rows, .capacity = capacity };
	u32 count = 0;

	do {
		page.count = 0;
		errno = -t_ioctl(fd, GAPP_IOC_TARGETS, &page);
		if (errno)
			t_die("TARGETS");
		count += page.count;
		page.buffer = (uintptr_t)(rows + count);
		page.capacity = capacity - count;
	} while (page.count && page.capacity);
	return count;
}

/* What the threads of a process have together is what its target has. */
static bool adds_up(const struct gapp_target_figures *target, const struct t_rows *threads)
{
	u64 shares = 0, count = 0;

	for (size_t i = 0; i < threads->count; i++) {
		if (threads->rows[i].tgid != target->tgid)
			continue;
		shares += threads->rows[i].cm_run + threads->rows[i].cm_runq;
		count++;
	}
	return count == 1 && target->g > 0 && shares <= target->g &&
	       (target->g - shares) >> GAPP_SHARE_SHIFT <= ROUNDED_NS;
}

static void check_targets(int fd, const struct gapp_status *status)
{
	static struct gapp_target_figures rows[2 * PROCESSES];
	u32 count = read_targets(fd, rows, ARRAY_SIZE(rows)), good = 0;
	struct t_rows threads = t_rows(fd, GAPP_IOC_THREADS, GAPP_PAGE_MAX);

	for (u32 i = 0; i < count; i++)
		good += adds_up(&rows[i], &threads);
	t_check(count == status->threads && good == count && threads.count == count,
		"those that have a target have right figures",
		"%u targets, %u of them right, %zu threads, %llu were followed", count, good,
		threads.count, status->threads);
	free(threads.rows);
}

/* With a target for each process. */
void no_memory_targets(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_STATS);
	struct t_child target = t_fork(spawns, NULL);
	struct gapp_status starved, later, status;
	int fd;

	config.flags = GAPP_CONFIG_PER_PROCESS;
	fd = t_session(&config);
	t_hear(&target);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	if (!begin_or_skip(fd, &target, "processes join while memory is refused"))
		return;
	grow(&target);
	i_module_end();
	t_status(fd, &starved);
	t_check(starved.not_followed > 0 && starved.live + starved.not_followed == PROCESSES + 1 &&
			starved.not_followed_late == starved.not_followed,
		"each process has a target or is counted as missed",
		"%u live, %llu missed (%u late), of %u", starved.live, starved.not_followed,
		starved.not_followed_late, PROCESSES + 1);
	grow(&target);
	t_sleep(NSEC_PER_SEC);
	t_status(fd, &starved);
	grow(&target);
	t_status(fd, &later);
	t_check(later.live == starved.live + LATER_PROCESSES &&
			later.not_followed == starved.not_followed,
		"with memory processes get targets again",
		"%u and then %u live, %llu and then %llu missed", starved.live, later.live,
		starved.not_followed, later.not_followed);
	/* each has computed by then */
	t_sleep(NSEC_PER_SEC);
	t_expect(t_stop(fd), T_OK, "STOP");
	t_status(fd, &status);
	check_targets(fd, &status);
	close(fd);
	t_kill(&target);
}

/* Children begin with their parent's mappings, as long as there are address spaces in stock. */
void no_memory_spaces(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct t_child target = t_fork(spawns, NULL);
	struct gapp_counters before, starved, later;
	struct gapp_mapping map = { .begin = 4096, .end = 8192 };
	struct gapp_status status;
	u32 image = 0;
	int fd;

	config.unwind_by = GAPP_UNWIND_BY_AUTO;
	fd = t_session(&config);
	t_hear(&target);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_expect(f_set(fd, target.pid, &image, NULL, 0), T_OK, "SET_MAPPINGS, asking");
	t_expect(f_set(fd, target.pid, &image, &map, 1), T_OK, "SET_MAPPINGS");
	t_counters(fd, &before);
	if (!begin_or_skip(fd, &target, "processes are made while memory is refused"))
		return;
	grow(&target);
	i_module_end();
	t_counters(fd, &starved);
	t_status(fd, &status);
	t_check(before.spaces == 1 && starved.spaces > 1 && starved.spaces < PROCESSES,
		"some children have an address space, others find none", "%llu, then %llu",
		before.spaces, starved.spaces);
	t_check(status.live == PROCESSES + 1 && !status.not_followed,
		"all are followed, with and without", "%u live, %llu missed", status.live,
		status.not_followed);
	grow(&target);
	t_sleep(NSEC_PER_SEC);
	t_counters(fd, &starved);
	grow(&target);
	t_counters(fd, &later);
	t_check(later.spaces == starved.spaces + LATER_PROCESSES,
		"with memory children have address spaces again", "%llu, then %llu", starved.spaces,
		later.spaces);
	t_expect(t_stop(fd), T_OK, "STOP");
	t_recount(fd);
	t_sums(fd, "sums");
	close(fd);
	t_kill(&target);
}
