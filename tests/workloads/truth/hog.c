// SPDX-License-Identifier: GPL-2.0
/*
 * Takes the first CPU from everybody else, for some milliseconds at a time, until
 * its standard output is read no more: the foreign process of preempted.c. No
 * program of the suite itself.
 *
 * Usage: hog [milliseconds=6] [milliseconds between=6]
 */
#include <poll.h>

#include "../work.h"

static int is_read(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	return poll(&out, 1, 0) >= 0 && !(out.revents & POLLERR);
}

int main(int argc, char **argv)
{
	const struct sched_param priority = { .sched_priority = 10 };
	unsigned long long busy_ns = arg_or(argc, argv, 1, 6) * NSEC_PER_MSEC;
	unsigned long idle_us = arg_or(argc, argv, 2, 6) * 1000;

	pin_first(1);
	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		die("sched_setscheduler");
	while (is_read()) {
		burn_until(now_ns() + busy_ns);
		sleep_us(idle_us);
	}
	return 0;
}
