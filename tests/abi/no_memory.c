// SPDX-License-Identifier: GPL-2.0
/*
 * The worker gets no memory while threads join: those that find no room are counted as missed, the
 * figures of the others stay right, and threads are followed again once there is memory.
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "groups.h"
#include "inject.h"
#include "t.h"

/* More than the module keeps room for without asking for memory. */
#define CROWD 1600
#define LATER 100
#define STACK_BYTES (64U << 10)

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

void no_memory_threads(void)
{
	struct t_child target = t_fork(grows, NULL);
	struct gapp_status starved, status;
	int fd = t_ready();

	t_hear(&target);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	if (!i_module_begin()) {
		t_skip("threads join while memory is refused",
		       "this kernel does not inject faults");
		close(fd);
		t_kill(&target);
		return;
	}
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
