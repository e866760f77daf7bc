/* SPDX-License-Identifier: GPL-2.0 */
/* What a person can do for names of functions that have none, and for what else is missing. */
#ifndef GAPP_READ_ADVICE_H
#define GAPP_READ_ADVICE_H

#include "report.h"
#include "spin/capstone_library.h"

/*
 * Threads seem active, and nobody knows whether they spin. A recording that was made elsewhere
 * names another package, behind the same beginning.
 */
#define ADVICE_DECODER_BEGIN "not known: to have busy-wait loops found,"
#define ADVICE_DECODER ADVICE_DECODER_BEGIN " install libcapstone (Debian: " CAPSTONE_PACKAGE ")"

/*
 * Sets the advice of @results by the functions that are ranked in it: what is worth a line, each
 * once. Asks the system's package manager whose a file is. Objects of frames must live still.
 * Returns 0, or -1 without memory.
 */
int results_advise(struct results *results);

#endif /* GAPP_READ_ADVICE_H */
