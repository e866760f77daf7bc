/* SPDX-License-Identifier: GPL-2.0 */
/* What gapp-read top shows: a recording that goes on. Callers find write errors with ferror(). */
#ifndef GAPP_READ_LIVE_H
#define GAPP_READ_LIVE_H

#include "report.h"

/* What the first table has, and what it is sorted by. */
enum live_order {
	LIVE_PLACES,
	LIVE_PLACES_NOW,
	LIVE_THREADS,
	LIVE_THREADS_NOW,
	LIVE_ORDERS,
};

/* Names of the orders. */
extern const char *const live_orders[LIVE_ORDERS];

/**
 * struct live - what is shown
 * @now: figures from the begin until now
 * @before: figures until the look before; NULL: there was none
 * @options: what was asked for
 * @order: how the tables are sorted
 * @terminal: where lines and columns count
 * @columns: of the terminal
 * @lines: at most; 0: as many as it takes
 */
struct live {
	const struct results *now;
	const struct results *before;
	const struct options *options;
	enum live_order order;
	bool terminal;
	unsigned int columns;
	unsigned int lines;
};

/* Writes what is shown. Returns 0, or -1 without memory. */
int report_live(FILE *out, const struct live *live);

#endif /* GAPP_READ_LIVE_H */
