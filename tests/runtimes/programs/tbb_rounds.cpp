// SPDX-License-Identifier: GPL-2.0
/*
 * TBB: rounds of a parallel_for, and after each a function that one thread runs for longer than the
 * round took: merge_results().
 */
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

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
	tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 4);

	for (int round = 0; round < ROUNDS; round++) {
		tbb::parallel_for(0, PIECES, [](int) { score_piece(); });
		merge_results();
	}
	return 0;
}
