// SPDX-License-Identifier: GPL-2.0
#include "follow.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>

#include "input/proc_maps.h"
#include "util/signals.h"

static int append(struct follow *follow, int fd)
{
	struct pollfd *fds = reallocarray(follow->fds, follow->count + 1, sizeof(*fds));

	if (!fds) {
		close(fd);
		return out_of_memory();
	}
	follow->fds = fds;
	follow->fds[follow->count++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	return 0;
}

int follow_init(struct follow *follow, int signal_fd)
{
	if (append(follow, signal_fd))
		return -1;
	for (int i = WATCH_DATA; i < WATCH_PROCESSES; i++)
		if (append(follow, -1))
			return -1;
	follow->fds[WATCH_OUTPUT].events = 0;
	return 0;
}

void follow_watch(struct follow *follow, enum watch watch, int fd)
{
	follow->fds[watch].fd = fd;
}

static int open_pidfd(pid_t pid)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);

	/* a thread has no pidfd, so its process is waited for */
	if (fd < 0 && errno != ESRCH)
		fd = syscall(SYS_pidfd_open, proc_process_of(pid), 0);
	return fd;
}

/**
 * follow_add() - waits for the end of one more process
 * @follow: initialized
 * @pid: the process, or one of its threads
 *
 * Return: 0, or -1 with a complaint made.
 */
int follow_add(struct follow *follow, pid_t pid)
{
	int fd = open_pidfd(pid);

	if (fd < 0) {
		complain("cannot follow process %d: %s", pid,
			 errno == ESRCH ? "no such process, or it has exited" : strerror(errno));
		return -1;
	}
	if (append(follow, fd))
		return -1;
	follow->open++;
	return 0;
}

/*
 * Returns what @wakeup or @data returned; above 0: nobody reads the output any more, or no more
 * data come.
 */
static int take_events(struct follow *follow)
{
	int result = 0;

	for (size_t i = WATCH_PROCESSES; i < follow->count; i++) {
		if (!follow->fds[i].revents)
			continue;
		close(follow->fds[i].fd);
		follow->fds[i].fd = -1;
		follow->open--;
	}
	if (follow->fds[WATCH_SIGNALS].revents)
		follow->signal = signals_read(follow->fds[WATCH_SIGNALS].fd);
	if (follow->signal == SIGUSR2 && follow->asked) {
		follow->signal = 0;
		result = follow->asked(follow->context);
	}
	if (follow->fds[WATCH_OUTPUT].revents & POLLERR)
		return 1;
	if (!result && follow->fds[WATCH_CTL].fd >= 0 && follow->fds[WATCH_CTL].revents)
		result = follow->told(follow->context);
	if (!result && follow->fds[WATCH_WAKEUP].fd >= 0 && follow->fds[WATCH_WAKEUP].revents)
		result = follow->wakeup(follow->context);
	for (int i = WATCH_KEYS; !result && i <= WATCH_SCREEN; i++)
		if (follow->fds[i].fd >= 0 && follow->fds[i].revents)
			result = follow->terminal(follow->context);
	if (!result && follow->fds[WATCH_DATA].fd >= 0 && follow->fds[WATCH_DATA].revents)
		result = follow->data(follow->context);
	if (!result && follow->fds[WATCH_DATA].fd >= 0 && follow->fds[WATCH_DATA].revents & POLLHUP)
		return 1;
	return result;
}

/**
 * follow_until() - waits
 * @follow: initialized
 * @deadline_ns: CLOCK_MONOTONIC at which to give up; 0: never
 *
 * Return: what ended the waiting, even if it came before the call.
 */
enum follow_end follow_until(struct follow *follow, u64 deadline_ns)
{
	u64 deadline = deadline_ns ? deadline_ns : UINT64_MAX;
	u64 every = follow->tick_ns ? follow->tick_ns : NSEC_PER_SEC;
	u64 tick = follow->tick ? clock_ns() + every : UINT64_MAX;

	follow->signal = 0;
	while (follow->open || follow->endless) {
		u64 now = clock_ns(), next = tick < deadline ? tick : deadline;
		u64 left_ns = next > now ? next - now : 0;
		struct timespec left = { left_ns / NSEC_PER_SEC, left_ns % NSEC_PER_SEC };
		int ready, taken = 0;

		ready = ppoll(follow->fds, follow->count, next == UINT64_MAX ? NULL : &left, NULL);
		if (ready < 0 && errno != EINTR) {
			complain("poll: %s", strerror(errno));
			return FOLLOW_FAILED;
		}
		if (ready > 0)
			taken = take_events(follow);
		if (taken < 0)
			return FOLLOW_FAILED;
		if (follow->signal)
			return FOLLOW_SIGNAL;
		if (taken)
			return FOLLOW_ENOUGH;
		if (!follow->open && !follow->endless)
			break;
		now = clock_ns();
		if (now >= deadline)
			return FOLLOW_TIME;
		if (now < tick)
			continue;
		taken = follow->tick(follow->context);
		if (taken)
			return taken < 0 ? FOLLOW_FAILED : FOLLOW_ENOUGH;
		tick = clock_ns() + every;
	}
	return FOLLOW_EXITED;
}

void follow_free(struct follow *follow)
{
	for (size_t i = 0; i < follow->count; i++)
		if (i == WATCH_SIGNALS || i >= WATCH_PROCESSES)
			cleanup_close(&follow->fds[i].fd);
	free(follow->fds);
}
