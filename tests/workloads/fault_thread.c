// SPDX-License-Identifier: GPL-2.0
/*
 * Creates a thread at SIGUSR1, and both compute by turns until they are killed: if the thread's
 * creation is missed, all it does is missing.
 *
 * Usage: fault_thread
 */
#include <signal.h>

#include "work.h"

static void *work(void *arg)
{
	for (;;) {
		burn(2000);
		sleep_us(1000);
	}
	return arg;
}

int main(void)
{
	pthread_t thread;
	sigset_t set;
	int signal;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("ready");
	fflush(stdout);
	sigwait(&set, &signal);
	start_thread(&thread, work, NULL);
	work(NULL);
	return 0;
}
