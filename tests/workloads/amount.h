/* SPDX-License-Identifier: GPL-2.0 */
/* How much of a kind of work takes a given CPU time. */
#ifndef GAPP_WORKLOADS_AMOUNT_H
#define GAPP_WORKLOADS_AMOUNT_H

#include "work.h"

/*
 * How much of @work takes @us of CPU time, by how long @amount of it does. The quickest of several
 * tries: the others were disturbed.
 */
static inline unsigned long amount_for(unsigned long us, unsigned long amount,
				       void (*work)(unsigned long))
{
	unsigned long long best = ~0ULL;

	for (int i = 0; i < 10; i++) {
		unsigned long long begin = thread_cpu_ns(), took;

		work(amount);
		took = thread_cpu_ns() - begin;
		if (took && took < best)
			best = took;
	}
	return us * 1000ULL * amount / best;
}

#endif /* GAPP_WORKLOADS_AMOUNT_H */
