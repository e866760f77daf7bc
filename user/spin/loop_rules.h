/* SPDX-License-Identifier: GPL-2.0 */
/* The rules by which a loop waits, or works. */
#ifndef GAPP_READ_LOOP_RULES_H
#define GAPP_READ_LOOP_RULES_H

#include "loop_values.h"

/* Exits of a loop that are told apart. */
#define EXITS_MAX 4

enum verdict {
	LOOP_WORKS,
	LOOP_WAITS,
	LOOP_HAS_WORK, /* some blocks work, but what is left without them may wait */
};

/**
 * struct judgement - what the rules say of a loop
 * @verdict: enum verdict
 * @works: with LOOP_HAS_WORK: the blocks that work
 * @exits: with LOOP_WAITS: branches that end it and depend on memory, by number of instruction
 * @exit_count: branches
 * @is_bounded: another exit counts, or looks at a clock
 * @takes: an atomic instruction of the loop takes what it waits for
 * @helper: an exit depends on what a function loads that the loop calls
 */
struct judgement {
	enum verdict verdict;
	bool works[LOOP_INSNS_MAX];
	u32 exits[EXITS_MAX];
	u32 exit_count;
	bool is_bounded;
	bool takes;
	bool helper;
};

/* Judges a loop. Returns 0, or -1 without memory. */
int loop_judge(const struct loop_values *values, struct judgement *judgement);

#endif /* GAPP_READ_LOOP_RULES_H */
