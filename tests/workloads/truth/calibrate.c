// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the loops that a thread does in a millisecond of CPU time here, for TRUTH_LOOPS_PER_MS, so
 * that the programs of the truth suite need not find out one by one. No program of the suite
 * itself.
 */
#include "truth.h"

int main(void)
{
	printf("%llu\n", calibrate());
	return 0;
}
