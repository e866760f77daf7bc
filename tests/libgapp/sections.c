// SPDX-License-Identifier: GPL-2.0
/*
 * Sections whose figures are known: in "alone" one thread runs, in "both" two do, each for a tenth
 * of a second by its own clock, and in "asleep" none does. Each runs twice, "alone" in a function
 * of its own.
 */
#include <pthread.h>
#include <time.h>

#include <gapp_mark.h>

#define NS 100000000LL

static inline __attribute__((always_inline)) long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

__attribute__((noinline)) void burn_alone(void)
{
	const long long end = now() + NS;

	while (now() < end)
		;
}

__attribute__((noinline)) void *burn_both(void *unused)
{
	const long long end = now() + NS;

	while (now() < end)
		;
	return unused;
}

int main(void)
{
	const struct timespec time = { .tv_nsec = NS };
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		gapp_section_begin("alone");
		burn_alone();
		gapp_section_end("alone");
		gapp_section_begin("both");
		pthread_create(&thread, NULL, burn_both, NULL);
		burn_both(NULL);
		pthread_join(thread, NULL);
		gapp_section_end(NULL);
		gapp_section_begin("asleep");
		nanosleep(&time, NULL);
		gapp_section_end("asleep");
	}
	return 0;
}
