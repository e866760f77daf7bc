// SPDX-License-Identifier: GPL-2.0
/*
 * One thread that computes in bursts of a given length, with pauses of 0.2 to
 * 3 ms between. In each burst three functions have 5, 3 and 2 tenths of it, in
 * random order, so that where in a burst a sample falls favours none of them.
 * No program of the suite itself: tests/truth/sampling runs it.
 *
 * Usage: sampling [us a burst=1000] [ms of bursts=1000]
 */
#include "truth.h"

static unsigned long long random_state = 88172645463325252ULL;

static unsigned int random_below(unsigned int bound)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % bound;
}

static noinline void half(unsigned long us)
{
	BURN(us * 5 / 10);
}

static noinline void three_tenths(unsigned long us)
{
	BURN(us * 3 / 10);
}

static noinline void fifth(unsigned long us)
{
	BURN(us * 2 / 10);
}

static noinline void pause_a_while(void)
{
	const struct timespec pause = { 0, 200000 + random_below(2800001) };

	DIRECT(SYS_nanosleep, &pause, NULL, 0, 0);
}

int main(int argc, char **argv)
{
	static void (*const orders[6][3])(unsigned long) = {
		{ half, three_tenths, fifth }, { half, fifth, three_tenths },
		{ three_tenths, half, fifth }, { three_tenths, fifth, half },
		{ fifth, half, three_tenths }, { fifth, three_tenths, half },
	};
	unsigned long us = arg_or(argc, argv, 1, 1000);
	unsigned long bursts = arg_or(argc, argv, 2, 1000) * 1000 / us;

	truth_begin();
	for (unsigned long i = 0; i < bursts; i++) {
		void (*const *order)(unsigned long) = orders[random_below(6)];

		for (int j = 0; j < 3; j++)
			order[j](us);
		pause_a_while();
	}
	truth_end();
	return 0;
}
