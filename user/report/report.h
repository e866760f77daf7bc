/* SPDX-License-Identifier: GPL-2.0 */
/* Reports. A write error is left to the stream: see ferror(). */
#ifndef GAPP_READ_REPORT_H
#define GAPP_READ_REPORT_H

#include <stdio.h>

#include "cmd/opts.h"
#include "cmd/results.h"

void report_text(FILE *out, const struct results *results, const struct options *options);
void report_json(FILE *out, const struct results *results, const struct options *options);

/* With -x, where there was none; %s: its path. */
#define NO_PROCESS_EXECUTED                              \
	"no process executed %s while it was recorded: " \
	"is it a script? Then give its interpreter"

#endif /* GAPP_READ_REPORT_H */
