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
 */
struct loop {
	uint64_t rounds;
	bool failed;
	int to[2], fro[2];
	int turn;
};

/**
 * struct kind - a loop
 * @name: on the command line
 * @first: does the rounds of an order; its argument is the struct loop
 * @second: answers for ever, in a thread of its own; NULL: there is one side only
 * @one_cpu: both sides belong on one
 * @blocks: a side that wakes the other goes on until it blocks: two blocking switches a round
 */
struct kind {
	const char *name;
	innermost_fn *first, *second;
	bool one_cpu, blocks;
};

extern const struct kind kinds[];

const struct kind *find_kind(const char *name);

#endif /* GAPP_BENCH_KINDS_H */
