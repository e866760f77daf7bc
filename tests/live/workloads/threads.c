// SPDX-License-Identifier: GPL-2.0
/* Threads that come and go: by return, pthread_exit(), cancellation, whose unwinder runs then. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile long work;
static __thread char own[256];

static void clean(void *arg)
{
	work += (long)arg;
	free(malloc(100));
}

static __attribute__((noinline)) void leave(int depth)
{
	pthread_cleanup_push(clean, (void *)(long)depth);
	if (depth)
		leave(depth - 1);
	else
		pthread_exit(NULL);
	pthread_cleanup_pop(1);
}

static void *run(void *arg)
{
	long how = (long)arg;

	memset(own, how, sizeof(own));
	if (how == 0)
		leave(10);
	if (how == 1)
		for (;;)
			usleep(100);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	long i;

	for (;;) {
		for (i = 0; i < 3; i++)
			if (pthread_create(&threads[i], NULL, run, (void *)i))
				return 1;
		pthread_cancel(threads[1]);
		for (i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
	}
}
