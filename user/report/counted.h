/* SPDX-License-Identifier: GPL-2.0 */
/* What --counters asked for and the module added up. */
#ifndef GAPP_READ_COUNTED_H
#define GAPP_READ_COUNTED_H

#include "counter_series.h"
#include "input/tallies.h"

/**
 * struct counted - tallies of a recording; all zero: nothing asked for them
 * @asked: which, and which of them are not counted
 * @threads: of each thread that has figures of its own
 * @thread_count: elements of @threads
 * @cpus: of each CPU; none, though something is counted: they are not known, for the recording's
 *	file is damaged
 * @cpu_count: elements of @cpus
 * @nodes: NUMA nodes of CPUs, not owned; NULL: not known
 * @series: sums by node up to moments of the recording
 */
struct counted {
	struct tallies asked;
	struct gapp_thread_tallies *threads;
	size_t thread_count;
	struct gapp_cpu_tallies *cpus;
	size_t cpu_count;
	const struct cpu_nodes *nodes;
	struct counter_series series;
};

void counted_free(struct counted *counted);
/* Returns 0, or -1 without memory. */
int counted_copy(struct counted *to, const struct counted *from);

/* Writes @asked to a recording's file, and reads it. Reading returns 0, or -1 without memory. */
void counted_save(const struct counted *counted, struct blocks_writer *writer);
int counted_read(struct blocks *blocks, struct counted *counted);

#endif /* GAPP_READ_COUNTED_H */
