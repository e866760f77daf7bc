/* SPDX-License-Identifier: GPL-2.0 */
/* What functions do that a loop calls, as far as a loop that waits may call them. */
#ifndef GAPP_READ_CALLEES_H
#define GAPP_READ_CALLEES_H

#include "code_file.h"

/* What a call does. */
enum callee_does {
	CALLEE_HARMLESS = 1, /* nothing but what follows, and what is on its own stack */
	CALLEE_PAUSES = 2,
	CALLEE_YIELDS = 4,
	CALLEE_SLEEPS = 8,
	CALLEE_READS_CLOCK = 16,
	CALLEE_LOADS = 32, /* it loads from memory that its arguments or variables lead to */
	CALLEE_BLOCKS = 64, /* it makes a system call that may wait */
	CALLEE_NAMED = 128, /* it is known by its name */
};

/**
 * struct callees - what is known of functions of a file
 * @code: the file
 * @decoder: state of the machine's decoder
 * @known: enum callee_does by address; 0: not harmless. Made when first asked for
 */
struct callees {
	const struct code_file *code;
	void *decoder;
	struct key_map known;
};

/*
 * What a call of the function at @target, or through the pointer at @slot, does: enum callee_does;
 * 0: it may do anything. -1: no memory.
 */
int callee_does(struct callees *callees, u64 target, u64 slot);

/*
 * Whether a function of that name is one that programs call in loops over its results: "readdir",
 * or waits itself in the kernel. @name may be NULL.
 */
bool callee_iterates(const char *name);

/* Whether a function of that name is a progress engine. @name may be NULL. */
bool callee_progresses(const char *name);

void callees_free(struct callees *callees);

#endif /* GAPP_READ_CALLEES_H */
