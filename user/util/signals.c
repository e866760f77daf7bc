// SPDX-License-Identifier: GPL-2.0
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/signalfd.h>

#include "util.h"

/* Blocks or unblocks SIGINT and SIGTERM, as sigprocmask() does. Returns the set of both. */
static sigset_t mask_ends(int how, sigset_t *former)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(how, &set, former);
	return set;
}

/* Action of SIGXFSZ before signals_ignore_limit(). */
static struct sigaction limit_former;

void signals_ignore_limit(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGXFSZ, &ignore, &limit_former);
}

/**
 * signals_take() - blocks SIGINT and SIGTERM, so that they are read from a file descriptor
 * @signals: set to the former state
 *
 * SIGINT is read even if it was ignored: a script's shell ignores it for background commands, and
 * then no signal could stop the recording.
 *
 * Return: a file descriptor to poll and read, or -1 with a complaint made.
 */
int signals_take(struct signals *signals)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, normal = { .sa_handler = SIG_DFL };
	sigset_t set;
	int fd;

	/* while SIGCHLD is ignored, the kernel keeps no exit status of the command */
	sigaction(SIGCHLD, &normal, &signals->child);
	sigaction(SIGPIPE, &ignore, &signals->pipe);
	set = mask_ends(SIG_BLOCK, &signals->mask);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		complain("signalfd: %s", strerror(errno));
	return fd;
}

int signals_take_also(int fd, int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, number);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (signalfd(fd, &set, SFD_CLOEXEC | SFD_NONBLOCK) >= 0)
		return 0;
	complain("signalfd: %s", strerror(errno));
	return -1;
}

void signals_give_back(const struct signals *signals)
{
	sigaction(SIGXFSZ, &limit_former, NULL);
	sigaction(SIGPIPE, &signals->pipe, NULL);
	sigaction(SIGCHLD, &signals->child, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

static volatile bool cancelled;
/* What came since the last signals_cancel(); 0: nothing. */
static volatile sig_atomic_t cancelled_by;

static void cancel(int number)
{
	cancelled_by = number;
	cancelled = true;
}

void signals_cancel(const volatile bool **flag)
{
	cancelled_by = 0;
	signals_cancel_again(flag);
}

void signals_cancel_again(const volatile bool **flag)
{
	struct sigaction once = { .sa_handler = cancel, .sa_flags = SA_RESTART | SA_RESETHAND };

	*flag = &cancelled;
	sigaction(SIGINT, &once, NULL);
	sigaction(SIGTERM, &once, NULL);
	mask_ends(SIG_UNBLOCK, NULL);
}

void signals_hold(void)
{
	mask_ends(SIG_BLOCK, NULL);
	if (cancelled_by)
		raise(cancelled_by);
	cancelled_by = 0;
}

void signals_go_on(void)
{
	signals_hold();
	cancelled = false;
}

int signals_read(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

static pthread_mutex_t bus_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int bus_users;
static struct sigaction bus_former;
static unsigned long page_size;

/* A signal handler: system calls only. */
static void put_zeros(int number, siginfo_t *info, void *context)
{
	void *page = (void *)((uintptr_t)info->si_addr & ~(page_size - 1));

	(void)context;
	if (info->si_code == BUS_ADRERR &&
	    mmap(page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) != MAP_FAILED)
		return;
	/* no mapped file: the access is repeated after the return, and the second SIGBUS kills */
	signal(number, SIG_DFL);
}

void bus_guard_begin(void)
{
	struct sigaction action = { .sa_sigaction = put_zeros, .sa_flags = SA_SIGINFO };

	pthread_mutex_lock(&bus_lock);
	if (!bus_users++) {
		page_size = sysconf(_SC_PAGESIZE);
		sigaction(SIGBUS, &action, &bus_former);
	}
	pthread_mutex_unlock(&bus_lock);
}

void bus_guard_end(void)
{
	pthread_mutex_lock(&bus_lock);
	if (!--bus_users)
		sigaction(SIGBUS, &bus_former, NULL);
	pthread_mutex_unlock(&bus_lock);
}
