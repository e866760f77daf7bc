// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=read_line kind=waited wait=pipe waits=queue cpu=below feed=feed libc=yes
 * variant: direct -DDIRECT_CALLS libc=no
 *
 * One thread reads from a pipe that somebody else fills slowly, for others to
 * work on: mostly nobody runs.
 */
#include "queue.h"

#ifdef DIRECT_CALLS
#define READ(fd, to, size) DIRECT(SYS_read, fd, to, size, 0)
#else
#define READ(fd, to, size) read(fd, to, size)
#endif

static struct queue lines = QUEUE(16, 1);
static struct pieces warming = { 400 };

static noinline long read_line(void)
{
	char line[7];

	BURN(10);
	return READ(STDIN_FILENO, line, sizeof(line)); /* TRUTH: first */
}

static noinline void parse_line(void)
{
	BURN(500);
}

static void *worker(void *arg)
{
	long got;

	parallel_work(&warming);
	if (arg) {
		while (queue_get(&lines))
			parse_line();
		return NULL;
	}
	while ((got = read_line()) > 0)
		queue_put(&lines);
	if (got < 0)
		die("standard input");
	queue_leave(&lines);
	return NULL;
}

int main(void)
{
	truth_begin();
	read_input();
	on_threads(WORKERS, worker);
	write_output();
	truth_end();
	return 0;
}
