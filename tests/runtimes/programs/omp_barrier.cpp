// SPDX-License-Identifier: GPL-2.0
/*
 * OpenMP: rounds in which the first of four threads computes for longer than the others, who wait for it at
 * a barrier: sort_largest().
 */
#include <omp.h>

#include "burn.hpp"

#define ROUNDS 10

static OUT_OF_LINE void sort_part()
{
	BURN(5);
}

static OUT_OF_LINE void sort_largest()
{
	BURN(80);
}

static OUT_OF_LINE void sort_in_rounds()
{
#pragma omp parallel num_threads(4)
	for (int round = 0; round < ROUNDS; round++) {
		if (omp_get_thread_num())
			sort_part();
		else
			sort_largest();
#pragma omp barrier
	}
}

int main()
{
	const Rounds rounds;

	sort_in_rounds();
	return 0;
}
