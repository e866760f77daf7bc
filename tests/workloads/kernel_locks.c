// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that read the kernel's log by one descriptor: its position has a mutex in the kernel,
 * which the thread has that waits for the next message, so the others wait for the mutex. The
 * leader writes messages. Needs root.
 *
 * No bottleneck: they wait for the leader, who sleeps.
 *
 * Usage: kernel_locks [threads=3] [messages=40] [milliseconds=2]
 */
#include <fcntl.h>
#include <stdbool.h>

#include "work.h"

#define MOST 16

static int log_fd;
static unsigned long gone;
static bool over;

/* Takes messages until it is over, which it sees after the next one. */
static void *reader(void *arg)
{
	unsigned long me = (unsigned long)arg;
	char message[1024];

	name_thread("reader", me);
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
		if (read(log_fd, message, sizeof(message)) < 0)
			die("/proc/kmsg");
		burn(50);
	}
	__atomic_fetch_add(&gone, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void say(int fd)
{
	static const char message[] = "<7>gapp: a message of a workload\n";

	if (write(fd, message, strlen(message)) < 0)
		die("/dev/kmsg");
}

/* The kernel takes few messages a second of a program, unless it is told otherwise. */
static void say_all(const char *how)
{
	int fd = open("/proc/sys/kernel/printk_devkmsg", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, how, strlen(how)) < 0)
		die("printk_devkmsg");
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned long threads = arg_or(argc, argv, 1, 3), count = arg_or(argc, argv, 2, 40);
	unsigned long ms = arg_or(argc, argv, 3, 2);
	int out = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	pthread_t ids[MOST];
	char old[1024];

	log_fd = open("/proc/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (threads > MOST || out < 0 || log_fd < 0)
		die("kernel_locks");
	while (read(log_fd, old, sizeof(old)) > 0)
		;
	fcntl(log_fd, F_SETFL, 0);
	say_all("on\n");
	start_threads(ids, threads, reader);
	for (unsigned long i = 0; i < count; i++) {
		sleep_us(ms * 1000);
		say(out);
	}
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	/* one read() may take several: how many threads these are enough for is not known */
	while (__atomic_load_n(&gone, __ATOMIC_ACQUIRE) < threads) {
		sleep_us(ms * 1000);
		say(out);
	}
	join_threads(ids, threads);
	say_all("ratelimit\n");
	return 0;
}
