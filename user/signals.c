// SPDX-License-Identifier: GPL-2.0
#include "signals.h"

#include <errno.h>
#include <sys/signalfd.h>

#include "util.h"

/**
 * signals_take() - from now on the two signals end nothing by themselves
 * @signals: what was before
 *
 * They come even where SIGINT is ignored, as in a script's background: how else could one stop
 * a recording there?
 *
 * Return: a file descriptor to poll and read, or -1 with a complaint made.
 */
int signals_take(struct signals *signals)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t set;
	int fd;

	signal(SIGCHLD, SIG_DFL);
	sigaction(SIGPIPE, &ignore, &signals->pipe);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &signals->mask);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		complain("signalfd: %s", strerror(errno));
	return fd;
}

void signals_give_back(const struct signals *signals)
{
	sigaction(SIGPIPE, &signals->pipe, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

int signals_read(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}
