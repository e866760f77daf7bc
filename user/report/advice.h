/* SPDX-License-Identifier: GPL-2.0 */
/* What a person can do for names of functions that have none. */
#ifndef GAPP_READ_ADVICE_H
#define GAPP_READ_ADVICE_H

#include "report.h"

/*
 * Sets the advice of @results by the functions that are ranked in it: what is worth a line, each
 * once. Asks the system's package manager whose a file is. Objects of frames must live still.
 * Returns 0, or -1 without memory.
 */
int results_advise(struct results *results);

#endif /* GAPP_READ_ADVICE_H */
