// SPDX-License-Identifier: GPL-2.0
/* What is left of the waits of a thread that exits is told with how it had waited. */
#include <pthread.h>
#include <unistd.h>

#include "groups.h"
#include "records.h"

#define USEC 1000ULL
#define LIVES 60
/*
 * Least part of the waits told as what they were. With PREEMPT_RT an exit waits for locks, too, and
 * so it does where the kernel checks each access.
 */
#define PART 0.5

/* Less than what a record is due for: it is told as the thread exits. */
static void *naps_once(void *unused)
{
	t_sleep(NSEC_PER_MSEC); /* by then the other waits */
	t_sleep(3 * NSEC_PER_MSEC);
	t_burn_until(t_now() + 200 * USEC);
	return unused;
}

static void lives_short(struct t_child *parent, void *unused)
{
	pthread_t thread;

	(void)unused;
	t_tell(parent);
	t_hear(parent);
	for (unsigned int i = 0; i < LIVES; i++)
		if (pthread_create(&thread, NULL, naps_once, NULL) || pthread_join(thread, NULL))
			t_die("threads");
	t_tell(parent);
	pause();
}

struct last_waits {
	pid_t leader;
	u64 waits;
	u64 sleeps; /* of these as what they were */
	u64 paths; /* and with one */
};

static void see_wait(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_wait *wait = (const void *)record;
	struct last_waits *last = arg;

	if (record->type != GAPP_RECORD_WAIT || wait->tid == last->leader)
		return;
	last->waits++;
	last->sleeps += wait->wait == GAPP_WAIT_SLEEP;
	last->paths += wait->wait == GAPP_WAIT_SLEEP && wait->path != GAPP_PATH_NONE;
}

void ended_waits(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct t_child target = t_fork(lives_short, NULL);
	struct last_waits last = { .leader = target.pid };
	struct r_reader reader;
	int fd;

	config.min_critical_ns = 20 * NSEC_PER_MSEC;
	fd = t_session(&config);
	t_hear(&target);
	r_open(&reader, fd);
	reader.see = see_wait;
	reader.arg = &last;
	t_add(fd, target.pid, 0);
	if (t_start(fd))
		t_die("START");
	t_tell(&target);
	r_follow(&reader, &target);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);
	t_check(last.waits >= LIVES / 2, "threads that exit tell of their waits", "%llu of %u",
		last.waits, LIVES);
	t_check(last.sleeps >= last.waits * PART && last.paths >= last.sleeps * PART,
		"and how they had waited, not how they exit", "%llu of %llu, %llu with a path",
		last.sleeps, last.waits, last.paths);
	t_check(!reader.tally.bad, "all records make sense", "%llu bad: %s", reader.tally.bad,
		reader.tally.why);
	r_close(&reader);
	close(fd);
	t_kill(&target);
}
