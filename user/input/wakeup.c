// SPDX-License-Identifier: GPL-2.0
#include "wakeup.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>

int wakeup_open(struct wakeup *wakeup)
{
	*wakeup = (struct wakeup){
		.fd = epoll_create1(EPOLL_CLOEXEC),
		.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
	};
	if (wakeup->fd >= 0 && wakeup->timer >= 0 && !wakeup_add(wakeup, wakeup->timer))
		return 0;
	wakeup_close(wakeup);
	return -1;
}

int wakeup_add(struct wakeup *wakeup, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(wakeup->fd, EPOLL_CTL_ADD, fd, &event);
}

void wakeup_close(struct wakeup *wakeup)
{
	cleanup_close(&wakeup->timer);
	cleanup_close(&wakeup->fd);
	*wakeup = (struct wakeup)WAKEUP_NONE;
}

void wakeup_at(struct wakeup *wakeup, u64 due_ns)
{
	struct itimerspec at = { .it_value = { .tv_sec = due_ns / NSEC_PER_SEC,
					       .tv_nsec = due_ns % NSEC_PER_SEC } };

	if (wakeup->fd < 0 || wakeup->due_ns == due_ns)
		return;
	wakeup->due_ns = due_ns;
	timerfd_settime(wakeup->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

void wakeup_clear(struct wakeup *wakeup)
{
	struct epoll_event events[16];
	u64 expired;
	int count;

	if (wakeup->fd < 0)
		return;
	if (read(wakeup->timer, &expired, sizeof(expired)) == sizeof(expired))
		wakeup->due_ns = 0;
	/* the side-band of a CPU that went offline would wake the reader for ever */
	count = epoll_wait(wakeup->fd, events, ARRAY_SIZE(events), 0);
	for (int i = 0; i < count; i++)
		if (events[i].events & (EPOLLHUP | EPOLLERR))
			epoll_ctl(wakeup->fd, EPOLL_CTL_DEL, events[i].data.fd, NULL);
}
