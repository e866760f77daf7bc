// SPDX-License-Identifier: GPL-2.0
/*
 * Sleepers with signals: threads on one CPU go to sleep for a short time again
 * and again while a timer each interrupts them. At the instants of their
 * timers a thread of higher priority wakes on the same CPU. So now and then a
 * signal is pending, and another thread waits for the CPU, when a thread is
 * about to sleep: it is switched out with a state that says "asleep", and never
 * slept (Linux before 6.12), or it is woken while it still runs. The system
 * call is one that takes long until it sleeps, and looks for signals only after
 * that. Main sends signals to the sleepers, too.
 *
 * Bottleneck by construction: none; most of the time all threads are asleep.
 *
 * Usage: signals [sleepers=4] [ms=600] [timer period in us=2400]
 */
#include <signal.h>
#include <sys/sem.h>
#include <sys/syscall.h>

#include "work.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define NAP_NS 200000
/* As many as one call may have. */
#define OPERATIONS 500
#define MAIN_PERIOD_US 3000

static unsigned long long base_ns, end_ns, period_ns;

static struct timespec timespec_of(unsigned long long ns)
{
	return (struct timespec){ ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };
}

static void on_signal(int number)
{
	(void)number;
}

/* Without the right to a higher priority the race is only rarer. */
static void *pacer(void *arg)
{
	const struct sched_param lowest = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };

	(void)arg;
	pin_first(1);
	sched_setscheduler(0, SCHED_FIFO, &lowest);
	for (unsigned long long due = base_ns; due < end_ns; due += period_ns) {
		struct timespec ts = timespec_of(due);

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		burn(60);
	}
	return NULL;
}

/* Signals at every first, second, third ... wake-up of the pacer. */
static timer_t start_timer(unsigned long long timer_period_ns)
{
	const struct itimerspec rhythm = {
		.it_value = timespec_of(base_ns + timer_period_ns),
		.it_interval = timespec_of(timer_period_ns),
	};
	struct sigevent event = { 0 };
	timer_t timer;

	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = SIGUSR1;
	event.sigev_notify_thread_id = syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		die("timer_create");
	if (timer_settime(timer, TIMER_ABSTIME, &rhythm, NULL))
		die("timer_settime");
	return timer;
}

/* A sleep of NAP_NS, for the last of many operations on a semaphore is not possible. */
static void nap(int semaphores, struct sembuf *operations)
{
	const struct timespec time = timespec_of(NAP_NS);

	if (!semtimedop(semaphores, operations, OPERATIONS, &time) ||
	    (errno != EAGAIN && errno != EINTR))
		die("semtimedop");
}

static void *sleeper(void *arg)
{
	unsigned long number = (unsigned long)arg;
	struct sembuf operations[OPERATIONS] = { 0 };
	int semaphores;
	timer_t timer;

	pin_first(1);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	if (semaphores < 0)
		die("semget");
	operations[OPERATIONS - 1].sem_op = -1;
	timer = start_timer((number + 1) * period_ns);
	for (unsigned long round = 0; now_ns() < end_ns; round++) {
		burn(200 + round * (number + 3) % 61);
		nap(semaphores, operations);
	}
	timer_delete(timer);
	semctl(semaphores, 0, IPC_RMID);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned int count = threads_arg(argc, argv, 1, 4);
	unsigned long ms = arg_or(argc, argv, 2, 600);
	struct sigaction action = { .sa_handler = on_signal };
	pthread_t threads[WORK_MAX_THREADS], pacing;

	period_ns = arg_or(argc, argv, 3, 2400) * 1000;
	if (sigaction(SIGUSR1, &action, NULL))
		die("sigaction");
	base_ns = now_ns() + NSEC_PER_MSEC;
	end_ns = base_ns + ms * NSEC_PER_MSEC;
	start_thread(&pacing, pacer, NULL);
	start_threads(threads, count, sleeper);
	for (unsigned int i = 0; now_ns() + 2 * MAIN_PERIOD_US * 1000 < end_ns; i++) {
		sleep_us(MAIN_PERIOD_US);
		pthread_kill(threads[i % count], SIGUSR1);
	}
	join_threads(threads, count);
	pthread_join(pacing, NULL);
	return 0;
}
