// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=rank_candidates kind=ran waits=queue stages=load,extract,rank,out
 * variant: mended -DMENDED twin=mended
 *
 * A pipeline over queues whose third stage takes twenty times as long as each of
 * the others (the shape of ferret). Mended, that stage has four threads.
 *
 * A few long items rather than many short ones: on a loaded machine a thread that is
 * woken may wait for milliseconds until its emulated CPU runs, and is active all the
 * while. The other stages are woken three times for an item; if that took as long as
 * the item, the third stage would never be alone, and read_input(), which nobody
 * disturbs, would come first. Not longer, either: of the mended program's last item
 * one thread is alone with rank_candidates().
 */
#include "queue.h"

#define ITEMS 80
#define ROOM 4

#ifdef MENDED
#define RANKERS 4
#else
#define RANKERS 1
#endif

static struct queue loaded = QUEUE(ROOM, 1);
static struct queue extracted = QUEUE(ROOM, 1);
static struct queue ranked = QUEUE(ROOM, RANKERS);

static noinline void load_image(void)
{
	BURN(700);
}

static noinline void extract_features(void)
{
	BURN(700);
}

static noinline void rank_candidates(void)
{
	BURN(14000); /* TRUTH: first */
}

static noinline void print_answer(void)
{
	BURN(700);
}

static void *load(void *arg)
{
	(void)arg;
	pthread_setname_np(pthread_self(), "load");
	for (int i = 0; i < ITEMS; i++) {
		load_image();
		queue_put(&loaded);
	}
	queue_leave(&loaded);
	return NULL;
}

static void *extract(void *arg)
{
	(void)arg;
	pthread_setname_np(pthread_self(), "extract");
	while (queue_get(&loaded)) {
		extract_features();
		queue_put(&extracted);
	}
	queue_leave(&extracted);
	return NULL;
}

static void *rank(void *arg)
{
	(void)arg;
	pthread_setname_np(pthread_self(), "rank");
	while (queue_get(&extracted)) {
		rank_candidates();
		queue_put(&ranked);
	}
	queue_leave(&ranked);
	return NULL;
}

static void *out(void *arg)
{
	(void)arg;
	pthread_setname_np(pthread_self(), "out");
	while (queue_get(&ranked))
		print_answer();
	return NULL;
}

int main(void)
{
	pthread_t threads[3 + RANKERS];
	unsigned int count = 0;

	truth_begin();
	read_input();
	start_thread(&threads[count++], load, NULL);
	start_thread(&threads[count++], extract, NULL);
	start_thread(&threads[count++], out, NULL);
	for (int i = 0; i < RANKERS; i++)
		start_thread(&threads[count++], rank, NULL);
	join_threads(threads, count);
	write_output();
	truth_end();
	return 0;
}
