// SPDX-License-Identifier: GPL-2.0
#include "wakeup.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>

int news_open(struct news *news)
{
	*news = (struct news)NEWS_NONE;
	news->fd = epoll_create1(EPOLL_CLOEXEC);
	news->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (news->fd < 0 || news->timer < 0 || news_add(news, news->timer)) {
		int error = errno;

		news_close(news);
		errno = error;
		return -1;
	}
	return 0;
}

int news_add(struct news *news, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(news->fd, EPOLL_CTL_ADD, fd, &event);
}

void news_close(struct news *news)
{
	cleanup_close(&news->timer);
	cleanup_close(&news->fd);
	*news = (struct news)NEWS_NONE;
}

void news_at(struct news *news, u64 due_ns)
{
	struct itimerspec at = { .it_value = { .tv_sec = due_ns / NSEC_PER_SEC,
					       .tv_nsec = due_ns % NSEC_PER_SEC } };

	if (news->fd < 0 || news->due_ns == due_ns)
		return;
	news->due_ns = due_ns;
	timerfd_settime(news->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

void news_heard(struct news *news)
{
	struct epoll_event events[16];
	u64 expired;
	int count;

	if (news->fd < 0)
		return;
	if (read(news->timer, &expired, sizeof(expired)) == sizeof(expired))
		news->due_ns = 0;
	/* a CPU that went away, say, would wake the reader for ever */
	count = epoll_wait(news->fd, events, ARRAY_SIZE(events), 0);
	for (int i = 0; i < count; i++)
		if (events[i].events & (EPOLLHUP | EPOLLERR))
			epoll_ctl(news->fd, EPOLL_CTL_DEL, events[i].data.fd, NULL);
}
