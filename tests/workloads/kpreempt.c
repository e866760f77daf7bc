// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that spend their time inside the kernel, on one CPU: large reads of
 * /dev/zero, during which the scheduler preempts them ("R+").
 *
 * No bottleneck by construction: all threads are active all the time and share
 * the CPU equally. A tool that takes in-kernel preemption for a sleep sees n = 1.
 *
 * Usage: kpreempt [threads=4] [ms=400]
 */
#include <fcntl.h>

#include "work.h"

#define READ_SIZE (4UL << 20)

static unsigned long long end_ns;

static void *worker(void *arg)
{
	char *buffer = malloc(READ_SIZE);
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	(void)arg;
	if (!buffer || fd < 0)
		die("/dev/zero");
	while (now_ns() < end_ns) {
		if (read(fd, buffer, READ_SIZE) < 0)
			die("read");
	}
	close(fd);
	free(buffer);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned int count = threads_arg(argc, argv, 1, 4);
	unsigned long ms = arg_or(argc, argv, 2, 400);
	pthread_t threads[WORK_MAX_THREADS];

	pin_first(1);
	end_ns = now_ns() + ms * NSEC_PER_MSEC;
	start_threads(threads, count, worker);
	join_threads(threads, count);
	return 0;
}
