// SPDX-License-Identifier: GPL-2.0
/* A CPU on which no thread of the target is must not notice that sessions come and go. */
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

void apart_cpus(void)
{
	const char *name = "a CPU without a thread of the target is not interrupted";
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct t_child target;
	u64 before, count;
	cpu_set_t all;

	if (get_nprocs() < 2) {
		t_skip(name, "one CPU only");
		return;
	}
	sched_getaffinity(0, sizeof(all), &all);
	stay_on(0);
	target = t_fork(naps, NULL);
	t_hear(&target);
	config.rate_hz = 1000;
	before = calls();
	for (int i = 0; i < ROUNDS; i++) {
		int fd = t_session(&config);

		t_add(fd, target.pid, 0);
		t_expect(t_start(fd), T_OK, "START");
		t_sleep(5 * NSEC_PER_MSEC);
		t_expect(t_stop(fd), T_OK, "STOP");
		close(fd);
	}
	count = calls() - before;
	/* the kernel itself has calls, now and then */
	t_check(count < ROUNDS, name, "%llu calls in %d sessions", count, ROUNDS);
	t_kill(&target);
	sched_setaffinity(0, sizeof(all), &all);
}
