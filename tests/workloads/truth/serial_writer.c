// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=write_archive kind=ran waits=queue cpu=below
 *
 * Threads compress pieces side by side, and one writes all that comes out, at
 * the end of the pipeline (the shape of dedup). A chunking phase in which all
 * take part comes before.
 */
#include "queue.h"

static struct queue compressed = QUEUE(6, WORKERS);
static struct pieces chunking = { 1600 }, compressing = { 300 };
static pthread_barrier_t chunked;

static noinline void compress_chunk(void)
{
	BURN(300);
}

static noinline void write_archive(void)
{
	BURN(2000); /* TRUTH: first */
}

static void *compressor(void *arg)
{
	(void)arg;
	parallel_work(&chunking);
	pthread_barrier_wait(&chunked);
	while (take_piece(&compressing)) {
		compress_chunk();
		queue_put(&compressed);
	}
	queue_leave(&compressed);
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS];

	truth_begin();
	pthread_barrier_init(&chunked, NULL, WORKERS);
	read_input();
	start_threads(threads, WORKERS, compressor);
	while (queue_get(&compressed))
		write_archive();
	join_threads(threads, WORKERS);
	write_output();
	truth_end();
	return 0;
}
