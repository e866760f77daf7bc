// SPDX-License-Identifier: GPL-2.0
/*
 * MPI: rounds in which the last of four ranks computes for longer than the others before all sum up
 * what they have: integrate_pole().
 */
#include "ranks.h"

#define ROUNDS 10 /* more than the start of all ranks takes */

static OUT_OF_LINE double integrate_part(void)
{
	BURN(5);
	return 1;
}

static OUT_OF_LINE double integrate_pole(void)
{
	BURN(400);
	return 2;
}

int main(int argc, char **argv)
{
	double began, sum = 0;
	int rank = begin(&argc, &argv);

	began = begin_rounds();
	for (int round = 0; round < ROUNDS; round++)
		sum += sum_up(rank == 3 ? integrate_pole() : integrate_part());
	end_rounds(began, rank);
	MPI_Finalize();
	return sum != ROUNDS * 5;
}
