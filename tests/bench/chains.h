/* SPDX-License-Identifier: GPL-2.0 */
/* Copies of stacks, of random chains of calls through the libraries that objects.py writes. */
#ifndef GAPP_BENCH_CHAINS_H
#define GAPP_BENCH_CHAINS_H

#include "core/unwind.h"
#include "util/util.h"

#define STACKS 1024
/* Frames of each that are in the libraries; the others are the program's own. */
#define MOST_FRAMES 32
#define STACK_BYTES 32768

/**
 * struct stack - a copied one
 * @ip: registers when it was copied
 * @sp: likewise
 * @fp: likewise
 * @bytes: how much of it there is
 * @data: from @sp on
 */
struct stack {
	u64 ip, sp, fp;
	u32 bytes;
	u8 data[STACK_BYTES];
};

extern struct stack *stacks;
/* The libraries and the program, as the walk wants them. */
extern struct gapp_unwind_mapping *code;
extern u32 code_count;

/* @folder has the libraries. -1: they are not there, or have no tables. */
int chains_make(const char *folder);

#endif /* GAPP_BENCH_CHAINS_H */
