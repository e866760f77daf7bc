/* SPDX-License-Identifier: GPL-2.0 */
/* What --counters of top asks for, so far and now. */
#ifndef GAPP_READ_LIVE_COUNTERS_H
#define GAPP_READ_LIVE_COUNTERS_H

#include "live.h"
#include "text_private.h"

/* Writes nothing without --counters. Where lines count, it takes a third of them at most. */
void live_counters(struct text *text, const struct live *live);

#endif /* GAPP_READ_LIVE_COUNTERS_H */
