/* SPDX-License-Identifier: GPL-2.0 */
/* When the targets of a merged recording were recorded. */
#ifndef GAPP_READ_SPANS_H
#define GAPP_READ_SPANS_H

#include "report/report.h"
#include "timeline/stays.h"

/*
 * To be called behind stays_init(): sets the spans of a merged recording; of another one there are
 * none. Returns 0, or -1 without memory.
 */
int export_spans(struct stays *stays, const struct results *results);

#endif /* GAPP_READ_SPANS_H */
