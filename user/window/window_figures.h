/* SPDX-License-Identifier: GPL-2.0 */
/* The module's figures of a span of time, from its figures so far at the span's two ends. */
#ifndef GAPP_READ_WINDOW_FIGURES_H
#define GAPP_READ_WINDOW_FIGURES_H

#include "report/report.h"

/*
 * Adds to the parallelism of a session that runs the time since the last change of n, which the
 * module does not have in it. To be called for both ends.
 */
void window_complete(struct results *figures);

/*
 * Makes of the figures at the end of a span those of the span. @begin: figures at its begin; all
 * zero: the span begins with the session. What cannot be told of a span, because the module keeps
 * the largest value alone, is that at one of the ends: the number of live threads, and N_min.
 * Returns 0, or -1 without memory.
 */
int window_figures(struct results *figures, const struct results *begin);

#endif /* GAPP_READ_WINDOW_FIGURES_H */
