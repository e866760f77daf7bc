// SPDX-License-Identifier: GPL-2.0
/*
 * OpenMP: rounds of a parallel loop, and after each a function that one thread runs for longer than the
 * round took: merge_results(). The team's other threads wait meanwhile.
 */
#include "burn.hpp"

#define ROUNDS 10
#define PIECES 16

static OUT_OF_LINE void score_piece()
{
	BURN(5);
}

static OUT_OF_LINE void merge_results()
{
	BURN(80);
}

int main()
{
	const Rounds rounds;

	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for num_threads(4)
		for (int piece = 0; piece < PIECES; piece++)
			score_piece();
		merge_results();
	}
	return 0;
}
