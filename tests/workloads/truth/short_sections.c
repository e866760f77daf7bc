// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=section_often kind=ran ratio=section_often:section_seldom=3 options=-F,0 icount=yes
 *
 * A token that goes round. Who has it computes for 2 us, on one of two paths,
 * hands it on, and sleeps on that path until it comes back. No sample hits such
 * a section: none is asked for. Of four, in random order, three are on the first
 * path.
 *
 * All on one CPU, in a class in which the thread that is woken waits until the
 * one that wakes it sleeps, so that each section has its CPU to itself.
 */
#include <linux/futex.h>

#include "truth.h"

#define THREADS 3
#define SECTIONS 150000

static atomic_int turn[THREADS];
static long sections;
static unsigned long long random_state = 88172645463325252ULL;
static unsigned int seldom_at;

#define PASS_AND_WAIT(me)                                                       \
	do {                                                                    \
		atomic_int *next_ = &turn[((me) + 1) % THREADS];                \
		*next_ = 1;                                                     \
		DIRECT(SYS_futex, next_, FUTEX_WAKE_PRIVATE, 1, 0);             \
		while (!turn[me])                                               \
			DIRECT(SYS_futex, &turn[me], FUTEX_WAIT_PRIVATE, 0, 0); \
		turn[me] = 0;                                                   \
	} while (0)

static noinline void section_often(unsigned long me)
{
	BURN(2);
	PASS_AND_WAIT(me); /* TRUTH: first */
}

static noinline void section_seldom(unsigned long me)
{
	BURN(2);
	PASS_AND_WAIT(me);
}

/* The token's holder asks: of four answers in a row one is yes. */
static int is_seldom(void)
{
	if (sections % 4 == 0) {
		random_state ^= random_state << 13;
		random_state ^= random_state >> 7;
		random_state ^= random_state << 17;
		seldom_at = random_state % 4;
	}
	return sections++ % 4 == seldom_at;
}

static void *worker(void *arg)
{
	unsigned long me = (unsigned long)arg;

	while (!turn[me])
		DIRECT(SYS_futex, &turn[me], FUTEX_WAIT_PRIVATE, 0, 0);
	turn[me] = 0;
	while (sections < SECTIONS) {
		if (is_seldom())
			section_seldom(me);
		else
			section_often(me);
	}
	/* The others wait for it still. */
	turn[(me + 1) % THREADS] = 1;
	DIRECT(SYS_futex, &turn[(me + 1) % THREADS], FUTEX_WAKE_PRIVATE, 1, 0);
	return NULL;
}

int main(void)
{
	const struct sched_param none = { 0 };

	truth_begin();
	errno = pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
	if (errno)
		die("pthread_setschedparam");
	pin_first(1);
	turn[0] = 1;
	on_threads(THREADS, worker);
	truth_end();
	return 0;
}
