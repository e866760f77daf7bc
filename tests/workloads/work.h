/* SPDX-License-Identifier: GPL-2.0 */
/* What the workloads share: work of a known size, arguments, threads or death. */
#ifndef GAPP_WORKLOADS_WORK_H
#define GAPP_WORKLOADS_WORK_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WORK_MAX_THREADS 64

#define NSEC_PER_SEC 1000000000ULL
#define NSEC_PER_MSEC 1000000ULL

static inline void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

/* Argument number @index as a number, or @fallback when it is not given. */
static inline unsigned long arg_or(int argc, char **argv, int index, unsigned long fallback)
{
	return index < argc ? strtoul(argv[index], NULL, 0) : fallback;
}

static inline unsigned int threads_arg(int argc, char **argv, int index, unsigned int fallback)
{
	unsigned long threads = arg_or(argc, argv, index, fallback);

	if (!threads || threads > WORK_MAX_THREADS) {
		errno = EINVAL;
		die("threads");
	}
	return threads;
}

static inline unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static inline unsigned long long thread_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* In a busy-wait loop. */
static inline void relax(void)
{
#ifdef __aarch64__
	__asm__ volatile("yield");
#else
	__asm__ volatile("pause");
#endif
}

/*
 * A counted loop that touches no memory: 1000 instructions a unit, that is 1 us where an
 * instruction takes a nanosecond (QEMU's -icount shift=0).
 */
static inline void burn(unsigned long units)
{
	unsigned long long x = 1;

	for (unsigned long i = 0; i < units * 250; i++) {
		x = x * 6364136223846793005ULL + 1;
		__asm__ volatile("" : "+r"(x));
	}
}

/* Computes until CLOCK_MONOTONIC shows @end_ns. */
static inline void burn_until(unsigned long long end_ns)
{
	while (now_ns() < end_ns)
		burn(20);
}

static inline void sleep_us(unsigned long us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/* The calling thread, and those it creates, stay on the first @cpus CPUs; 0: anywhere. */
static inline void pin_first(unsigned int cpus)
{
	cpu_set_t set;

	if (!cpus)
		return;
	CPU_ZERO(&set);
	for (unsigned int i = 0; i < cpus; i++)
		CPU_SET(i, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

/* The calling thread's name: @what and @number. */
static inline void name_thread(const char *what, unsigned long number)
{
	char name[16];

	snprintf(name, sizeof(name), "%.9s-%u", what, (unsigned int)(number % 1000));
	pthread_setname_np(pthread_self(), name);
}

static inline void start_thread(pthread_t *thread, void *(*run)(void *), void *arg)
{
	errno = pthread_create(thread, NULL, run, arg);
	if (errno)
		die("pthread_create");
}

/* Creates @count threads in @threads, each with its number for an argument. */
static inline void start_threads(pthread_t *threads, unsigned int count, void *(*run)(void *))
{
	for (unsigned long i = 0; i < count; i++)
		start_thread(&threads[i], run, (void *)i);
}

static inline void join_threads(pthread_t *threads, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

#endif /* GAPP_WORKLOADS_WORK_H */
