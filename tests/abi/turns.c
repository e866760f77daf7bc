// SPDX-License-Identifier: GPL-2.0
/*
 * A call that takes long lets other threads of its CPU run in between, on a kernel that does not
 * preempt the kernel's own code. A watcher on the caller's CPU looks at the caller's CPU time all
 * the time: it grows between two looks by as much as the caller ran without a break. That is
 * compared with the whole call, so it does not matter how fast the machine is.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "frameless.h"
#include "groups.h"
#include "t.h"

/* 64 MiB of rows. */
#define PAGES 256
/* A call has at least so many turns. Each step that does not leave the CPU takes a larger part. */
#define LEAST_TURNS 10
/* A host that halts the CPU makes a turn long, but not again and again. */
#define TRIES 4

/**
 * struct watch - what the watcher sees
 * @clock: the caller's CPU time
 * @calls: a call is under way
 * @ends: the watcher is to end
 * @longest: the longest time that the caller ran without a break during the call, nanoseconds
 * @sum: the call's CPU time, nanoseconds
 */
struct watch {
	clockid_t clock;
	bool calls;
	bool ends;
	u64 longest;
	u64 sum;
};

static u64 time_of(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		t_die("clock_gettime");
	return time.tv_sec * NSEC_PER_SEC + time.tv_nsec;
}

static void *watches(void *arg)
{
	struct watch *watch = arg;
	u64 last = time_of(watch->clock), now;

	while (!__atomic_load_n(&watch->ends, __ATOMIC_ACQUIRE)) {
		now = time_of(watch->clock);
		if (__atomic_load_n(&watch->calls, __ATOMIC_ACQUIRE)) {
			watch->sum += now - last;
			if (now - last > watch->longest)
				watch->longest = now - last;
		}
		last = now;
	}
	return NULL;
}

static void stay_on(const cpu_set_t *cpus)
{
	if (sched_setaffinity(0, sizeof(*cpus), cpus))
		t_die("sched_setaffinity");
}

/* LOAD_TABLE, watched; returns the table's number. */
static int load_watched(struct watch *watch, int fd, struct gapp_table_head *head, u64 bytes,
			s32 mark)
{
	pthread_t watcher;
	cpu_set_t before, one;
	int number;

	*watch = (struct watch){ 0 };
	if (pthread_getcpuclockid(pthread_self(), &watch->clock) ||
	    sched_getaffinity(0, sizeof(before), &before))
		t_die("watch");
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	stay_on(&one);
	errno = pthread_create(&watcher, NULL, watches, watch);
	if (errno)
		t_die("pthread_create");
	/* The watcher has looked before the call, and it looks after the call. */
	t_sleep(10 * NSEC_PER_MSEC);
	__atomic_store_n(&watch->calls, true, __ATOMIC_RELEASE);
	number = f_load_marked(fd, head, bytes, mark);
	t_sleep(10 * NSEC_PER_MSEC);
	__atomic_store_n(&watch->ends, true, __ATOMIC_RELEASE);
	pthread_join(watcher, NULL);
	stay_on(&before);
	return number;
}

static bool has_turns(const struct watch *watch)
{
	return watch->sum && watch->longest <= watch->sum / LEAST_TURNS;
}

/* The first time the table is new, the second time it is compared with the first one. */
void turns_load(void)
{
	static const char *const names[] = { "a large table: others run while it is loaded",
					     "the same again: others run while it is compared" };
	struct gapp_table_head *head;
	struct watch watch[2];
	int fd = f_ready(), number[2];
	bool good[2] = { false };
	u64 bytes;

	head = f_large(PAGES, 0, &bytes);
	for (int try = 1; try <= TRIES && !(good[0] && good[1]); try++) {
		for (int i = 0; i < 2; i++) {
			number[i] = load_watched(&watch[i], fd, head, bytes, try);
			good[i] |= has_turns(&watch[i]);
		}
		t_check(number[0] > 0 && number[1] > 0, "it is loaded twice", "%d, %d", number[0],
			number[1]);
		f_drop(fd, number[0]);
		f_drop(fd, number[1]);
	}
	for (int i = 0; i < 2; i++)
		t_check(good[i], names[i], "up to %llu of %llu us at a time",
			watch[i].longest / 1000, watch[i].sum / 1000);
	close(fd);
	free(head);
}
