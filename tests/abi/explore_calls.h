/* SPDX-License-Identifier: GPL-2.0 */
/* Sequences of calls to the module, each written as a few bytes. */
#ifndef GAPP_TESTS_ABI_EXPLORE_CALLS_H
#define GAPP_TESTS_ABI_EXPLORE_CALLS_H

#include "t.h"

#define E_CALLS_MOST 24
/* The first byte says which call, the second on which file; the others choose its arguments. */
#define E_CALL_BYTES 16

struct e_sequence {
	u32 count;
	u8 calls[E_CALLS_MOST][E_CALL_BYTES];
};

/* Starts and ends the processes that sequences follow. */
void e_begin(void);
void e_end(void);
/* Sets the sequences to begin with, each of which starts a session. Returns how many. */
u32 e_usual(struct e_sequence *sequences);
/* Makes the calls, and closes what they have opened. */
void e_run(const struct e_sequence *sequence);
/* How often a session was started. */
unsigned long e_started(void);

#endif /* GAPP_TESTS_ABI_EXPLORE_CALLS_H */
