// SPDX-License-Identifier: GPL-2.0
/* Threads that have CPUs of their own, and the clock they read. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/smp.h>

#include "threads/clock.h"

#include "contention.h"

struct start {
	struct worker *worker;
	int cpu;
	void (*work)(struct worker *worker);
};

static u32 waiting_to_start;

static void *work_on_cpu(void *argument)
{
	struct start *start = argument;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(start->cpu, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set)) {
		fprintf(stderr, "contention: CPU %d may not be used any more\n", start->cpu);
		exit(1);
	}
	shim_cpu = start->worker->number;
	__atomic_fetch_sub(&waiting_to_start, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&waiting_to_start, __ATOMIC_ACQUIRE))
		sched_yield();
	start->work(start->worker);
	return NULL;
}

void crew_run(struct crew *workers, void (*work)(struct worker *worker))
{
	struct start starts[MOST_WORKERS];
	pthread_t threads[MOST_WORKERS];
	u32 i;

	waiting_to_start = workers->count;
	for (i = 0; i < workers->count; i++) {
		struct worker *worker = &workers->workers[i];

		*worker = (struct worker){ .number = i, .random = 88172645463325252ULL + i };
		starts[i] = (struct start){ worker, workers->cpus[i], work };
		errno = pthread_create(&threads[i], NULL, work_on_cpu, &starts[i]);
		if (errno) {
			fprintf(stderr, "contention: cannot start a thread: %m\n");
			exit(1);
		}
	}
	for (i = 0; i < workers->count; i++)
		pthread_join(threads[i], NULL);
}

static struct gapp_scale scale;

void use_slow_clock(bool slow)
{
	gapp_clock_scale = slow || !shim_clock.mult ? NULL : &scale;
}

/* By the counter of the CPU, as the kernel does; where that is not even, by the system's clock. */
void start_clock(void)
{
	u64 begin, ticks, ns;

	memset(&shim_clock, 0, sizeof(shim_clock));
	begin = shim_counter();
	ns = shim_system_ns();
	usleep(50000);
	ticks = shim_counter() - begin;
	shim_clock.ns = shim_system_ns();
	ns = shim_clock.ns - ns;
	shim_clock.begin = begin + ticks;
	shim_clock.shift = 24;
	shim_clock.mult = ticks ? (ns << shim_clock.shift) / ticks : 0;
	scale = (struct gapp_scale){
		.ticks = shim_clock.begin,
		.ns = shim_clock.ns,
		.mult = (s64)shim_clock.mult << (GAPP_SCALE_SHIFT - shim_clock.shift),
	};
	use_slow_clock(false);
}

u32 crew_cpus(struct crew *workers, u32 most)
{
	cpu_set_t set;
	u32 count = 0, i;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (int cpu = 0; cpu < CPU_SETSIZE && count < most; cpu++)
		if (CPU_ISSET(cpu, &set))
			workers->cpus[count++] = cpu;
	for (i = count; count && i < MOST_WORKERS; i++)
		workers->cpus[i] = workers->cpus[i % count];
	return count;
}
