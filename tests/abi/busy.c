// SPDX-License-Identifier: GPL-2.0
#include "busy.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define USEC 1000ULL
#define STORMS 4
#define DEPTHS 100

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static unsigned int items;
static u64 until;

static bool goes_on(void)
{
	return t_now() < __atomic_load_n(&until, __ATOMIC_RELAXED);
}

static void burn(u64 ns)
{
	t_burn_until(t_now() + ns);
}

/* Alone for most of the time, others wait for its lock. */
static void *holds_lock(void *unused)
{
	while (goes_on()) {
		pthread_mutex_lock(&lock);
		burn(300 * USEC);
		items++;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
		t_sleep(100 * USEC);
	}
	return unused;
}

static void *takes_items(void *unused)
{
	pthread_mutex_lock(&lock);
	while (goes_on()) {
		while (!items && goes_on()) {
			struct timespec end;

			clock_gettime(CLOCK_REALTIME, &end);
			end.tv_nsec += 10 * NSEC_PER_MSEC;
			if (end.tv_nsec >= (long)NSEC_PER_SEC) {
				end.tv_nsec -= NSEC_PER_SEC;
				end.tv_sec++;
			}
			pthread_cond_timedwait(&filled, &lock, &end);
		}
		items -= items > 0;
		burn(20 * USEC);
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

/* More of these than CPUs: some wait for one. */
static void *computes(void *unused)
{
	while (goes_on()) {
		burn(2 * NSEC_PER_MSEC);
		t_sleep(3 * NSEC_PER_MSEC);
	}
	return unused;
}

__attribute__((noinline)) static void sleep_deep(unsigned int depth, u64 ns)
{
	if (depth)
		sleep_deep(depth - 1, ns);
	else
		t_sleep(ns);
	__asm__ volatile("" ::: "memory"); /* so that there is something to return to */
}

/* Slices of a few microseconds each, which only together are worth a record; on many paths. */
static void *flickers(void *unused)
{
	unsigned int depth = 0;

	while (goes_on())
		sleep_deep(++depth % DEPTHS, 50 * USEC);
	return unused;
}

static void *comes_and_goes(void *unused)
{
	burn(100 * USEC);
	return unused;
}

/* One at least, however slow the machine is. */
static void *has_children(void *unused)
{
	pthread_t thread;
	pid_t child;

	do {
		if (!pthread_create(&thread, NULL, comes_and_goes, NULL))
			pthread_join(thread, NULL);
		child = fork();
		if (!child) {
			burn(50 * USEC);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		t_sleep(5 * NSEC_PER_MSEC);
	} while (goes_on());
	return unused;
}

static void be_busy(u64 ns)
{
	void *(*const parts[])(void *) = { holds_lock, takes_items, takes_items, computes,
					   computes,   computes,    flickers,	 has_children };
	pthread_t threads[ARRAY_SIZE(parts)];

	__atomic_store_n(&until, t_now() + ns, __ATOMIC_RELAXED);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		errno = pthread_create(&threads[i], NULL, parts[i], NULL);
		if (errno)
			t_die("pthread_create");
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		pthread_join(threads[i], NULL);
}

void busy_mixed(struct t_child *parent, void *arg)
{
	unsigned int ms = *(unsigned int *)arg;

	t_tell(parent);
	for (;;) {
		t_hear(parent);
		be_busy(ms * NSEC_PER_MSEC * 2 / 3);
		/* Nobody is active, again and again. */
		__atomic_store_n(&until, t_now() + ms * NSEC_PER_MSEC / 3, __ATOMIC_RELAXED);
		flickers(NULL);
		t_tell(parent);
	}
}

static void *storms(void *arg)
{
	int *ends = arg;
	char byte = 0;

	while (write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1)
		;
	return NULL;
}

/* Pairs of threads that wake each other over pipes. */
void busy_storm(struct t_child *parent, void *unused)
{
	static int ends[STORMS][2][2];
	pthread_t thread;

	(void)unused;
	for (int i = 0; i < STORMS; i++) {
		int there[2], back[2];

		if (pipe(there) || pipe(back))
			t_die("pipe");
		ends[i][0][0] = there[0];
		ends[i][0][1] = back[1];
		ends[i][1][0] = back[0];
		ends[i][1][1] = there[1];
		for (int j = 0; j < 2; j++) {
			errno = pthread_create(&thread, NULL, storms, ends[i][j]);
			if (errno)
				t_die("pthread_create");
		}
	}
	t_tell(parent);
	for (;;)
		pause();
}

/* Frames of busy_deep(), each of so many bytes or more. */
#define DEEP 140
#define FRAME_BYTES 1040

static __attribute__((noinline)) void deeper(unsigned int depth, void (*function)(void *arg),
					     void *arg)
{
	char room[FRAME_BYTES];

	/* the room is used, and this frame is here until the function returns */
	__asm__ volatile("" : : "r"(room) : "memory");
	if (depth)
		deeper(depth - 1, function, arg);
	else
		function(arg);
	__asm__ volatile("" : : "r"(room) : "memory");
}

void busy_deep(void (*function)(void *arg), void *arg)
{
	deeper(DEEP, function, arg);
}
