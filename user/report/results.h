/* SPDX-License-Identifier: GPL-2.0 */
/* All that a recording came to: what the reports are made of. */
#ifndef GAPP_READ_RESULTS_H
#define GAPP_READ_RESULTS_H

#include "profile/profile.h"
#include "profile/profile.h"
#include "table-sync/sync.h"

/* A path that held the others up for less of the run is not worth a line. */
#define NOTABLE_PERCENT 3.0

/**
 * struct own - what the reader itself took
 * @cpu_s: its CPU time
 * @rss_kib: its memory at most
 * @report_s: from the end of the recording to the report
 */
struct own {
	double cpu_s;
	u64 rss_kib;
	double report_s;
};

/**
 * struct results - what a recording came to
 * @model: figures of the session and its threads
 * @ranked: there were records; without (GAPP_LEVEL_STATS) nothing that follows is set
 * @counters: what became of slices, samples and paths
 * @targets: targets
 * @target_count: how many
 * @paths: call paths
 * @by: what --by asked for; unused with BY_PATH
 * @functions: functions over all paths
 * @lines: lines over all paths
 * @sums: the totals
 * @table_sync: what the module was sent to unwind by
 * @own: what the reader took
 */
struct results {
	struct model model;
	bool ranked;
	struct gapp_counters counters;
	struct gapp_target_figures *targets;
	size_t target_count;
	struct ranking paths;
	struct ranking by;
	struct ranking functions;
	struct ranking lines;
	struct profile_sums sums;
	struct table_sync_figures table_sync;
	struct own own;
};

void results_free(struct results *results);
#define _cleanup_results_ _cleanup_(results_free)

static inline double share_to_ns(u64 share)
{
	return (double)share / (1 << GAPP_SHARE_SHIFT);
}

double results_critical_ns(const struct results *results);
double results_percent(const struct results *results, double ns);
double results_complete_percent(const struct results *results);
double results_probe_ns(const struct results *results);
double results_probe_percent(const struct results *results);
double results_unattributed_ns(const struct results *results);

/* Several targets that know nothing of each other: n, and what is derived from it, is not one. */
bool results_apart(const struct results *results);
const struct gapp_target_figures *results_target(const struct results *results, s32 tgid);

#endif /* GAPP_READ_RESULTS_H */
