// SPDX-License-Identifier: GPL-2.0
/*
 * MPI: the first of four ranks prepares parts of the work, one after the other, and sends each to
 * the next of the others, who take less time for it than all others wait for: prepare_part().
 */
#include "ranks.h"

#define PARTS 50 /* more than the start of all ranks takes */
#define END (-1)

static OUT_OF_LINE void prepare_part(void)
{
	BURN(80);
}

static OUT_OF_LINE void work_on_part(void)
{
	BURN(6);
}

static void lead(void)
{
	for (int part = 0; part < PARTS; part++) {
		prepare_part();
		send(1 + part % (RANKS - 1), part);
	}
	for (int to = 1; to < RANKS; to++)
		send(to, END);
}

int main(int argc, char **argv)
{
	int rank = begin(&argc, &argv);
	double began;

	began = begin_rounds();
	if (!rank)
		lead();
	else
		while (receive(rank, 0) != END)
			work_on_part();
	end_rounds(began, rank);
	MPI_Finalize();
	return 0;
}
