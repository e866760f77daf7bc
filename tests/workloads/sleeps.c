// SPDX-License-Identifier: GPL-2.0
/*
 * One thread for each way to wait that needs nobody else: nanosleep(), poll()
 * and select() without descriptors, poll() and epoll_wait() with one,
 * sigtimedwait(), and flock().
 *
 * No bottleneck: they sleep.
 *
 * Usage: sleeps [rounds=12] [milliseconds=4]
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>

#include "work.h"

#define KINDS 8

static unsigned long rounds, ms;
static int never[2], epoll;
static const char *path;

static void by_nanosleep(void)
{
	sleep_us(ms * 1000);
}

static void by_poll(void)
{
	poll(NULL, 0, ms);
}

static void by_select(void)
{
	struct timeval timeout = { .tv_usec = ms * 1000 };

	select(0, NULL, NULL, NULL, &timeout);
}

static void by_poll_one(void)
{
	struct pollfd one = { .fd = never[0], .events = POLLIN };

	poll(&one, 1, ms);
}

static void by_epoll(void)
{
	struct epoll_event event;

	epoll_wait(epoll, &event, 1, ms);
}

static void by_signal(void)
{
	struct timespec timeout = { 0, ms * NSEC_PER_MSEC };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigtimedwait(&set, NULL, &timeout);
}

/* Two of them take turns, for the lock is that of an open file. */
static void by_flock(void)
{
	int mine = open(path, O_RDWR);

	if (mine < 0 || flock(mine, LOCK_EX))
		die("flock");
	sleep_us(ms * 500);
	close(mine);
}

static const struct {
	const char *name;
	void (*wait)(void);
} kinds[KINDS] = {
	{ "nanosleep", by_nanosleep }, { "poll", by_poll },   { "select", by_select },
	{ "poll-one", by_poll_one },   { "epoll", by_epoll }, { "signal", by_signal },
	{ "flock", by_flock },	       { "flock", by_flock },
};

static void *sleeper(void *arg)
{
	unsigned long me = (unsigned long)arg;

	name_thread(kinds[me].name, me);
	for (unsigned long i = 0; i < rounds; i++) {
		kinds[me].wait();
		burn(100);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct epoll_event event = { .events = EPOLLIN };
	char name[] = "/tmp/gapp-sleeps-XXXXXX";
	pthread_t threads[KINDS];
	sigset_t set;

	rounds = arg_or(argc, argv, 1, 12);
	ms = arg_or(argc, argv, 2, 4);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	path = name;
	epoll = epoll_create1(0);
	if (mkstemp(name) < 0 || epoll < 0 || pipe(never) ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, never[0], &event))
		die("sleeps");
	start_threads(threads, KINDS, sleeper);
	join_threads(threads, KINDS);
	unlink(path);
	return 0;
}
