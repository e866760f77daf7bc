// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=scale_image kind=ran waits=queue cpu=below sleeps=queue_get,queue_put
 * variant: mended -DMENDED twin=mended
 *
 * The thread that hands out frames to a pool prepares each of them itself first
 * (the shape of bodytrack). Mended, the pool does that too. Who wakes all may have to wait, too:
 * until those have gone whom an earlier call woke.
 */
#include "queue.h"

#define FRAMES 24
#define PARTICLES 60

static struct queue frames = QUEUE(2, 1), particles = QUEUE(FRAMES * PARTICLES, 1);
static struct queue weighed = QUEUE(FRAMES * PARTICLES, WORKERS);

static noinline void scale_image(void)
{
	BURN(25000); /* TRUTH: first */
}

static noinline void weigh_particle(void)
{
	BURN(600);
}

#ifdef MENDED
static void *scaler(void *arg)
{
	(void)arg;
	while (queue_get(&frames)) {
		scale_image();
		for (int i = 0; i < PARTICLES; i++) {
			weigh_particle();
			queue_put(&weighed);
		}
	}
	return NULL;
}
#else
static void *weigher(void *arg)
{
	(void)arg;
	while (queue_get(&particles)) {
		weigh_particle();
		queue_put(&weighed);
	}
	return NULL;
}
#endif

static void produce(void)
{
	for (int frame = 0; frame < FRAMES; frame++) {
#ifdef MENDED
		queue_put(&frames);
#else
		scale_image();
		for (int i = 0; i < PARTICLES; i++)
			queue_put(&particles);
		for (int i = 0; i < PARTICLES; i++)
			queue_get(&weighed);
#endif
	}
	queue_leave(&frames);
	queue_leave(&particles);
}

int main(void)
{
	pthread_t threads[WORKERS];

	truth_begin();
	read_input();
#ifdef MENDED
	start_threads(threads, WORKERS, scaler);
#else
	start_threads(threads, WORKERS, weigher);
#endif
	produce();
	join_threads(threads, WORKERS);
	write_output();
	truth_end();
	return 0;
}
