// SPDX-License-Identifier: GPL-2.0
/*
 * MPI: rounds in which the first of four ranks computes for longer than the others, who wait for it
 * at a barrier: sort_largest().
 */
#include "ranks.h"

#define ROUNDS 10 /* more than the start of all ranks takes */

static OUT_OF_LINE void sort_part(void)
{
	BURN(5);
}

static OUT_OF_LINE void sort_largest(void)
{
	BURN(400);
}

int main(int argc, char **argv)
{
	double began;
	int rank = begin(&argc, &argv);

	began = begin_rounds();
	for (int round = 0; round < ROUNDS; round++) {
		if (rank)
			sort_part();
		else
			sort_largest();
		wait_at_barrier();
	}
	end_rounds(began, rank);
	MPI_Finalize();
	return 0;
}
