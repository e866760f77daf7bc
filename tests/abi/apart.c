// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU that computes something else must not notice that sessions come and go. It computes,
 * because an idle CPU may look after the calls of others without an interrupt.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "groups.h"
#include "t.h"

#define ROUNDS 20

static void stay_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		t_die("sched_setaffinity");
}

/* Function calls from other CPUs that interrupted CPU 1. */
static u64 calls(void)
{
	FILE *file = fopen("/proc/interrupts", "re");
	char line[4096], *at = NULL;
	u64 count = 0;

	while (file && !at && fgets(line, sizeof(line), file))
		at = strstr(line, "CAL:");
	if (!at)
		t_die("/proc/interrupts");
	strtoull(at + 4, &at, 10);
	count = strtoull(at, NULL, 10);
	fclose(file);
	return count;
}

static void naps(struct t_child *parent, void *unused)
{
	(void)unused;
	stay_on(0);
	t_tell(parent);
	for (;;) {
		t_burn_until(t_now() + NSEC_PER_MSEC);
		t_sleep(NSEC_PER_MSEC);
	}
}

static void computes(struct t_child *parent, void *unused)
{
	(void)unused;
	stay_on(1);
	t_tell(parent);
	t_burn_until(~0ULL);
}

static void one_session(pid_t target)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	int fd;

	config.rate_hz = 1000;
	fd = t_session(&config);
	t_add(fd, target, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_sleep(5 * NSEC_PER_MSEC);
	t_expect(t_stop(fd), T_OK, "STOP");
	close(fd);
}

/* Calls that came to CPU 1 in @ROUNDS sessions, one after the other. */
static u64 calls_of_sessions(pid_t target)
{
	u64 before;

	one_session(target);
	before = calls();
	for (int i = 0; i < ROUNDS; i++)
		one_session(target);
	return calls() - before;
}

static void check_calls(pid_t target)
{
	u64 count;

	/* longer than the test takes */
	t_set_parameter("keep_probes_s", "600");
	count = calls_of_sessions(target);
	/* the kernel itself has calls, now and then */
	t_check(count < ROUNDS, "a CPU without a thread of the target is not interrupted",
		"%llu calls in %d sessions", count, ROUNDS);
	t_set_parameter("keep_probes_s", T_KEEP_PROBES_S);
}

void apart_cpus(void)
{
	struct t_child target, other;
	cpu_set_t all;

	if (get_nprocs() < 2) {
		t_skip("a CPU without a thread of the target is not interrupted", "one CPU only");
		return;
	}
	sched_getaffinity(0, sizeof(all), &all);
	stay_on(0);
	target = t_fork(naps, NULL);
	other = t_fork(computes, NULL);
	t_hear(&target);
	t_hear(&other);
	check_calls(target.pid);
	t_kill(&target);
	t_kill(&other);
	sched_setaffinity(0, sizeof(all), &all);
}
