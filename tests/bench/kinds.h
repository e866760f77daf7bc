/* SPDX-License-Identifier: GPL-2.0 */
/* The loops: what the first side does for some rounds, and what the second one answers. */
#ifndef GAPP_BENCH_KINDS_H
#define GAPP_BENCH_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "frames.h"

/**
 * struct loop - shared by both sides
 * @rounds: of the order that is carried out
 * @failed: a system call did what it must not; how the sides say it, who can call nothing
 * @to: pipe to the second side
 * @fro: pipe back
 * @turn: the side whose turn it is; or, of a loop of yields: the second side has something to do
 * @places: threads of a ring
 * @ring: the pipe that each place of a ring reads from; the first side is place 0
 */
struct loop {
	uint64_t rounds;
	bool failed;
	int to[2], fro[2];
	int turn;
	unsigned int places;
	int (*ring)[2];
};

/* One of a ring. */
struct place {
	struct loop *loop;
	unsigned int number;
};

/**
 * struct kind - a loop
 * @name: on the command line
 * @first: does the rounds of an order; its argument is the struct loop
 * @second: answers for ever, in a thread of its own; NULL: there is one side only
 * @next: answers for ever at the struct place that is its argument: this is a ring of threads, each
 *	  of which wakes the next one
 * @one_cpu: both sides belong on one
 * @blocks: a side that wakes the other goes on until it blocks: two blocking switches a round,
 *	    or one for each place of a ring
 */
struct kind {
	const char *name;
	innermost_fn *first, *second, *next;
	bool one_cpu, blocks;
};

extern const struct kind kinds[];

const struct kind *find_kind(const char *name);

#endif /* GAPP_BENCH_KINDS_H */
