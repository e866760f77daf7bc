// SPDX-License-Identifier: GPL-2.0
/* poll(): when it says that there is something, and that nothing comes any more. */
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "busy.h"
#include "groups.h"
#include "records.h"

static short events_of(int fd, int timeout_ms)
{
	struct pollfd polled = { .fd = fd, .events = POLLIN };

	return poll(&polled, 1, timeout_ms) < 0 ? -1 : polled.revents;
}

static void expect(int fd, int timeout_ms, short wanted, const char *name)
{
	short events = events_of(fd, timeout_ms);

	t_check(events == wanted, name, "events %#x", events);
}

static void stays_sleeping(struct t_child *parent, void *unused)
{
	(void)unused;
	t_tell(parent);
	t_hear(parent);
	t_burn_until(t_now() + 20 * NSEC_PER_MSEC);
	t_sleep(NSEC_PER_MSEC);
	t_tell(parent);
	pause();
}

/* A thread that waits in epoll is woken, too, when the session ends in another. */
static void ends_session(struct t_child *parent, void *arg)
{
	(void)parent;
	t_sleep(300 * NSEC_PER_MSEC);
	_exit(t_stop(*(int *)arg) ? 1 : 0);
}

static void stopped_elsewhere(int fd)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN }, got = { 0 };
	struct t_child child;
	int count;

	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		t_die("epoll");
	child = t_fork(ends_session, &fd);
	do
		count = epoll_wait(epoll, &got, 1, 10000);
	while (count == 1 && !(got.events & EPOLLHUP));
	t_check(count == 1 && got.events & EPOLLHUP, "a reader that waits is told of STOP",
		"%d events, %#x", count, got.events);
	close(epoll);
	t_kill(&child);
}

static void all_gone(struct t_child *target)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	int fd = t_session(&config);

	t_add(fd, target->pid, 0);
	t_kill(target);
	t_expect(t_start(fd), -ESRCH, "START when every target is gone");
	expect(fd, 0, POLLHUP, "POLLHUP after a START that failed");
	close(fd);
}

void waits_poll(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct t_child target = t_fork(stays_sleeping, NULL);
	struct r_reader reader;
	int fd = t_open();

	t_hear(&target);
	expect(fd, 1000, POLLERR, "POLLERR before CONFIGURE");
	close(fd);
	fd = t_ready();
	expect(fd, 1000, POLLERR, "POLLERR with level stats");
	close(fd);

	fd = t_session(&config);
	r_open(&reader, fd);
	t_settled(target.pid);
	expect(fd, 100, 0, "nothing before START");
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	expect(fd, 300, 0, "nothing while nothing happens");
	t_tell(&target);
	expect(fd, 1000, POLLIN, "POLLIN within a second when a record comes");
	t_hear(&target);
	t_settled(target.pid);
	t_check(r_drain(&reader) > 0, "there is one", "%s", "there is none");
	expect(fd, 300, 0, "nothing when all has been read");
	stopped_elsewhere(fd);
	r_drain(&reader);
	t_check(!reader.tally.bad, "all records make sense", "%llu do not: %s", reader.tally.bad,
		reader.tally.why);
	expect(fd, 0, POLLHUP, "POLLHUP after STOP");
	expect(fd, -1, POLLHUP, "and again");
	r_close(&reader);
	close(fd);
	all_gone(&target);
}

/* The module looks for records so often while a reader waits, if no ring is half full. */
#define LOOK_NS (50 * NSEC_PER_MSEC)

/* A storm may be a weak one while the machine does something else: so many seconds are tried. */
#define SECONDS 10

/*
 * Reads for a second; how often poll() slept and was woken. @looks: how often the timer alone would
 * have woken it. @rounds: how often rings went round, in which each was half full twice.
 */
static u64 wakes_of_a_second(struct r_reader *reader, u64 *looks, u64 *rounds)
{
	u64 begin = t_now(), wakes = 0, pads = reader->tally.pads;

	while (t_now() < begin + NSEC_PER_SEC) {
		if (!events_of(reader->fd, 0))
			wakes += events_of(reader->fd, 1000) == POLLIN;
		r_drain(reader);
	}
	*looks = 1 + (t_now() - begin) / LOOK_NS;
	*rounds = reader->tally.pads - pads;
	return wakes;
}

/*
 * A ring that fills up wakes its reader, each time: far more often than the timer would, unless the
 * kernel is so slow that few records come.
 */
void waits_half_full(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	struct t_child target = t_fork(busy_storm, NULL);
	struct gapp_counters counters;
	struct r_reader reader;
	u64 wakes = 0, looks = 0, rounds = 0;
	bool good = false;
	int fd;

	t_hear(&target);
	config.ring_bytes = GAPP_MIN_RING;
	fd = t_session(&config);
	r_open(&reader, fd);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	for (int i = 0; i < SECONDS && !good; i++) {
		wakes = wakes_of_a_second(&reader, &looks, &rounds);
		good = rounds && wakes > looks + (looks < rounds / 2 ? looks : rounds / 2);
	}
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);
	t_counters(fd, &counters);
	t_check(good, "a reader of small rings is woken each time one is half full",
		"%llu wake-ups, %llu of them may be the timer's; rings went round %llu times",
		wakes, looks, rounds);
	t_check(!reader.tally.bad && reader.tally.records == counters.records,
		"it reads all records", "%llu of %llu, %llu bad: %s", reader.tally.records,
		counters.records, reader.tally.bad, reader.tally.why);
	t_check(reader.tally.pads, "rings have gone round", "no PAD in %llu records",
		reader.tally.records);
	r_close(&reader);
	close(fd);
	t_kill(&target);
}
