// SPDX-License-Identifier: GPL-2.0
/*
 * Threads whose signal handlers compute, and give the CPU away: below the
 * handler is the function that the signal has interrupted, at an instruction
 * of its own that is no call. That function calls nothing, so on aarch64 its
 * return address is in a register alone.
 *
 * A path: libc, in_handler(), handler(), the code that returns from a signal,
 * interrupted(), outer(), worker(), and how the thread began.
 *
 * Usage: handler [threads=3] [rounds=300] [units=300]
 */
#include <signal.h>
#include <ucontext.h>

#include "calls.h"

static unsigned long rounds, units;

static in_frame void in_handler(void)
{
	burn(units);
	sched_yield();
	STAY();
}

/* The handler returns behind the instruction that no processor has: it is within its function. */
#ifdef __aarch64__
#define NO_INSTRUCTION "nop\nudf #0"
#define NO_INSTRUCTION_BYTES 4
#define PC(context) ((context)->uc_mcontext.pc)
#else
#define NO_INSTRUCTION "nop\nud2"
#define NO_INSTRUCTION_BYTES 2
#define PC(context) ((context)->uc_mcontext.gregs[REG_RIP])
#endif

static void handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	in_handler();
	PC((ucontext_t *)context) += NO_INSTRUCTION_BYTES;
}

static in_frame void interrupted(void)
{
	__asm__ volatile(NO_INSTRUCTION : : : "memory");
}

static in_frame void outer(void)
{
	interrupted();
	STAY();
}

static in_frame void *worker(void *arg)
{
	for (unsigned long i = 0; i < rounds; i++) {
		outer();
		STAY();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	pthread_t threads[WORK_MAX_THREADS];
	unsigned int count = threads_arg(argc, argv, 1, 3);

	rounds = arg_or(argc, argv, 2, 300);
	units = arg_or(argc, argv, 3, 300);
	if (sigaction(SIGILL, &action, NULL))
		die("sigaction");
	start_threads(threads, count, worker);
	join_threads(threads, count);
	return 0;
}
