// SPDX-License-Identifier: GPL-2.0
/*
 * A pipeline over pipes: each stage reads an item, computes, and writes it on.
 * The second stage computes four times as long as the others.
 *
 * Bottleneck by construction: the second stage. Those behind it wait in
 * read(), the first one in write() once its pipe is full.
 *
 * Usage: pipeline [stages=4] [items=250] [units an item=600]
 */
#include <fcntl.h>

#include "work.h"

#define SLOW_STAGE 1
#define SLOW_FACTOR 4
#define ITEM_SIZE 256

static int pipes[WORK_MAX_THREADS][2];
static unsigned int stages;
static unsigned long items, units;

/* Moves one whole item; pipes take and give them whole, being of the same size. */
static void move_item(ssize_t moved)
{
	if (moved != ITEM_SIZE)
		die("pipe");
}

static void *stage(void *arg)
{
	unsigned long me = (unsigned long)arg;
	char item[ITEM_SIZE] = { 0 };

	for (unsigned long i = 0; i < items; i++) {
		if (me)
			move_item(read(pipes[me - 1][0], item, sizeof(item)));
		burn(me == SLOW_STAGE ? units * SLOW_FACTOR : units);
		if (me + 1 < stages)
			move_item(write(pipes[me][1], item, sizeof(item)));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[WORK_MAX_THREADS];

	stages = threads_arg(argc, argv, 1, 4);
	items = arg_or(argc, argv, 2, 250);
	units = arg_or(argc, argv, 3, 600);
	for (unsigned int i = 0; i + 1 < stages; i++) {
		if (pipe(pipes[i]))
			die("pipe");
		fcntl(pipes[i][1], F_SETPIPE_SZ, 4096);
	}
	start_threads(threads, stages, stage);
	join_threads(threads, stages);
	return 0;
}
