// SPDX-License-Identifier: GPL-2.0
#include "signals.h"

#include <errno.h>
#include <sys/signalfd.h>

#include "util.h"

static void end_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
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
	end_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &signals->mask);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		complain("signalfd: %s", strerror(errno));
	return fd;
}

void signals_give_back(const struct signals *signals)
{
	sigaction(SIGPIPE, &signals->pipe, NULL);
	sigaction(SIGCHLD, &signals->child, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

static volatile bool cancelled;

static void cancel(int number)
{
	(void)number;
	cancelled = true;
}

void signals_cancel(const volatile bool **flag)
{
	struct sigaction once = { .sa_handler = cancel, .sa_flags = SA_RESTART | SA_RESETHAND };
	sigset_t set;

	*flag = &cancelled;
	sigaction(SIGINT, &once, NULL);
	sigaction(SIGTERM, &once, NULL);
	end_signals(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void signals_hold(void)
{
	sigset_t set;

	end_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int signals_read(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}
