// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=consume_item kind=ran waits=queue cpu=below sleeps=queue_put,queue_get
 *
 * Threads first compute together, then three of them produce what one consumes,
 * slowly; the queue is full, and they wait for room.
 */
#include "queue.h"

#define ITEMS 400

static struct queue queue = QUEUE(8, WORKERS - 1);
static struct pieces parsing = { 1600 }, producing = { ITEMS };

static noinline void produce_item(void)
{
	BURN(150);
}

static noinline void consume_item(void)
{
	BURN(1500); /* TRUTH: first */
}

static void *worker(void *arg)
{
	parallel_work(&parsing);
	if (!arg) {
		while (queue_get(&queue))
			consume_item();
		return NULL;
	}
	while (take_piece(&producing)) {
		produce_item();
		queue_put(&queue);
	}
	queue_leave(&queue);
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
