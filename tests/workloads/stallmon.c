// SPDX-License-Identifier: GPL-2.0
/*
 * Measures how long the CPUs of a guest stood still because the host ran
 * something else. No workload: it runs beside one.
 *
 * One real-time thread a CPU sleeps to a grid of instants by the clock. A
 * virtual CPU that the host does not run cannot take the timer's interrupt, so
 * a wake-up that is later than any that the guest itself delays means that the
 * CPU stood still for all of that time. (Or that QEMU's own thread did, which delivers timers.)
 * A stall between two instants of the grid that ends before the second is
 * missed. Costs well below 1 % of each CPU.
 *
 * Runs until SIGTERM or SIGINT, then prints one line a stall, "stall CPU START_NS LENGTH_NS"
 * with CLOCK_MONOTONIC instants, and "total NS".
 *
 * Usage: stallmon [period in us=2000] [threshold in us=500]
 */
#include <signal.h>

#include "work.h"

#define STALLS_PER_CPU 8192

struct monitor {
	pthread_t thread;
	unsigned int cpu;
	unsigned int count;
	unsigned long long sum_ns;
	struct {
		unsigned long long start_ns, length_ns;
	} stalls[STALLS_PER_CPU];
};

static unsigned long long period_ns, threshold_ns, base_ns;
static volatile sig_atomic_t ending;

static void sleep_until(unsigned long long t)
{
	struct timespec ts = { t / NSEC_PER_SEC, t % NSEC_PER_SEC };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static void be_realtime(unsigned int cpu)
{
	const struct sched_param highest = { .sched_priority = sched_get_priority_max(SCHED_FIFO) };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
	if (sched_setscheduler(0, SCHED_FIFO, &highest))
		die("sched_setscheduler");
}

static void *watch(void *arg)
{
	struct monitor *m = arg;
	unsigned long long due, woken;

	be_realtime(m->cpu);
	due = base_ns + period_ns * m->cpu / WORK_MAX_THREADS;
	while (!ending) {
		due += period_ns;
		sleep_until(due);
		woken = now_ns();
		if (woken < due + threshold_ns)
			continue;
		m->sum_ns += woken - due;
		if (m->count < STALLS_PER_CPU) {
			m->stalls[m->count].start_ns = due;
			m->stalls[m->count++].length_ns = woken - due;
		}
		while (due + period_ns < woken)
			due += period_ns;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long long total = 0;
	struct monitor *monitors;
	sigset_t signals;
	int number;

	period_ns = arg_or(argc, argv, 1, 2000) * 1000;
	threshold_ns = arg_or(argc, argv, 2, 500) * 1000;
	monitors = calloc(cpus, sizeof(*monitors));
	if (cpus < 1 || cpus > WORK_MAX_THREADS || !period_ns || !monitors)
		die("set-up");

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	base_ns = now_ns() + period_ns;
	for (unsigned int i = 0; i < cpus; i++) {
		monitors[i].cpu = i;
		start_thread(&monitors[i].thread, watch, &monitors[i]);
	}
	sigwait(&signals, &number);
	ending = 1;

	for (unsigned int i = 0; i < cpus; i++) {
		struct monitor *m = &monitors[i];

		pthread_join(m->thread, NULL);
		for (unsigned int j = 0; j < m->count; j++)
			printf("stall %u %llu %llu\n", i, m->stalls[j].start_ns,
			       m->stalls[j].length_ns);
		total += m->sum_ns;
	}
	printf("total %llu\n", total);
	free(monitors);
	return 0;
}
