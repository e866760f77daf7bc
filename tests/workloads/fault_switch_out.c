// SPDX-License-Identifier: GPL-2.0
/*
 * Sleeps but for a moment at each SIGUSR1: if the switch-out after it is missed, the sleep counts
 * as work. Nothing preempts it, so that there is no other switch-out.
 *
 * Usage: fault_switch_out
 */
#include <signal.h>

#include "work.h"

int main(void)
{
	struct sched_param param = { .sched_priority = 1 };
	sigset_t set;
	int signal;

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("sched_setscheduler");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("ready");
	fflush(stdout);
	for (;;)
		sigwait(&set, &signal);
}
