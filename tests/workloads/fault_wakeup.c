// SPDX-License-Identifier: GPL-2.0
/*
 * A wake-up at each SIGUSR1, of a thread that after the last one has to wait for its CPU behind a
 * real-time thread: if that wake-up is missed, it counts as asleep all that time. Nothing else
 * sleeps or is woken once "ready" is written.
 *
 * Usage: fault_wakeup [wake-ups=1] [milliseconds behind the real-time thread=400]
 * Computes until it is killed.
 */
#include <semaphore.h>
#include <signal.h>

#include "work.h"

static sem_t semaphore;
static unsigned long wakeups;
static volatile sig_atomic_t told;

static void on_signal(int signal)
{
	(void)signal;
	told++;
}

static void *late(void *arg)
{
	for (unsigned long i = 0; i < wakeups; i++)
		while (sem_wait(&semaphore))
			;
	for (;;)
		burn(1000);
	return arg;
}

static void set_policy(int policy, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(0, policy, &param))
		die("sched_setscheduler");
}

int main(int argc, char **argv)
{
	unsigned long behind = arg_or(argc, argv, 2, 400);
	pthread_t thread;
	sigset_t set;

	wakeups = arg_or(argc, argv, 1, 1);
	pin_first(1);
	sem_init(&semaphore, 0, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	start_thread(&thread, late, NULL);
	signal(SIGUSR1, on_signal);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	sleep_us(100000);
	puts("ready");
	fflush(stdout);
	for (unsigned long i = 0; i < wakeups; i++) {
		while (told <= (sig_atomic_t)i)
			burn(10);
		if (i + 1 == wakeups)
			set_policy(SCHED_FIFO, 1);
		sem_post(&semaphore);
	}
	burn_until(now_ns() + behind * NSEC_PER_MSEC);
	set_policy(SCHED_OTHER, 0);
	for (;;)
		burn(1000);
}
