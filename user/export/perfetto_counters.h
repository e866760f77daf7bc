/* SPDX-License-Identifier: GPL-2.0 */
/* Tracks of Perfetto of what --counters asked for: how often a second, by NUMA node. */
#ifndef GAPP_READ_PERFETTO_COUNTERS_H
#define GAPP_READ_PERFETTO_COUNTERS_H

#include "perfetto_packets.h"
#include "report/report.h"

/*
 * Writes all of them, if there are counters over time. Returns 0, or -1 without memory or if
 * nothing can be written.
 */
int perfetto_counters(struct packets *packets, const struct results *results);

#endif /* GAPP_READ_PERFETTO_COUNTERS_H */
