// SPDX-License-Identifier: GPL-2.0
/*
 * OpenMP: four threads compute, and each now and then calls compact_journal() in a critical section, which
 * takes longer than what they do in parallel.
 */
#include "burn.hpp"

#define ROUNDS 8

static int entries;

static OUT_OF_LINE void read_entry()
{
	BURN(10);
}

static OUT_OF_LINE void compact_journal()
{
	BURN(30);
	entries++;
}

static OUT_OF_LINE void read_journals()
{
#pragma omp parallel num_threads(4)
	for (int round = 0; round < ROUNDS; round++) {
		read_entry();
#pragma omp critical(journal)
		compact_journal();
	}
}

int main()
{
	const Rounds rounds;

	read_journals();
	return entries != 4 * ROUNDS;
}
