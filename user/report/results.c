// SPDX-License-Identifier: GPL-2.0
#include "report.h"

#include "merged.h"

/* Rows of a ranking whose objects are worth asking servers for. */
#define ASKED_ROWS 16

void results_drop_rankings(struct results *results)
{
	struct ranking *const rankings[] = { &results->places,	   &results->paths,
					     &results->by,	   &results->functions,
					     &results->lines,	   &results->by_thread,
					     &results->by_process, &results->exported };

	for (size_t i = 0; i < ARRAY_SIZE(rankings); i++) {
		ranking_free(rankings[i]);
		*rankings[i] = (struct ranking){ 0 };
	}
	ranked_waits_free(&results->waits);
	results->waits = (struct ranked_waits){ 0 };
	woken_paths_free(&results->woken);
	regions_free(&results->regions);
	call_tree_free(&results->tree);
	results->tree = (struct call_tree){ 0 };
}

void results_free(struct results *results)
{
	model_free(&results->model);
	free(results->targets);
	counted_free(&results->counted);
	results_drop_rankings(results);
	for (size_t i = 0; i < results->advice_count; i++)
		free(results->advice[i]);
}

/* Asks for the objects of a row's frames. Returns whether any was sent. */
static bool ask_for_row(struct symbols *symbols, const struct ranked *row)
{
	bool sent = false;

	for (u32 i = 0; i < row->frame_count; i++) {
		if (row->frames[i].object)
			sent |= symbols_ask_servers(symbols, row->frames[i].object);
	}
	return sent;
}

bool results_ask_servers(const struct results *results, struct symbols *symbols)
{
	const struct ranking *const rankings[] = { &results->places, &results->functions };
	bool sent = false;

	for (size_t i = 0; i < ARRAY_SIZE(rankings); i++) {
		for (size_t j = 0; j < rankings[i]->count && j < ASKED_ROWS; j++) {
			const struct ranked *row = &rankings[i]->rows[j];

			if (percent_of(row->critical_ns, results_wall_of(results, row)) >=
			    NOTABLE_PERCENT)
				sent |= ask_for_row(symbols, row);
		}
	}
	return sent;
}

/* Time with few threads active: the critical shares of all threads. */
double results_critical_ns(const struct results *results)
{
	return share_to_ns(results->counters.critical_run) +
	       share_to_ns(results->counters.critical_runq);
}

/* @ns in percent of the run time. */
double results_percent(const struct results *results, double ns)
{
	u64 wall = results->model.status.wall_ns;

	return wall ? 100 * ns / wall : 0;
}

/*
 * The run time that the times of @row are parts of: of recordings that were merged its target's,
 * for between them nothing was recorded.
 */
u64 results_wall_of(const struct results *results, const struct ranked *row)
{
	const struct gapp_target_figures *target;

	if (!results->merged || row->target >= results->target_count)
		return results->model.status.wall_ns;
	target = &results->targets[row->target];
	return target->id == row->target && target->wall_ns ? target->wall_ns :
							      results->model.status.wall_ns;
}

/*
 * A time of all targets together in percent of what was recorded: of recordings that were merged,
 * of their run times, for between them there may be gaps.
 */
double results_percent_of_all(const struct results *results, double ns)
{
	const struct merged *merged = results->merged;
	double recorded = 0;

	for (u32 i = 0; merged && i < merged->count; i++)
		recorded += merged->parts[i].stop_ns - merged->parts[i].start_ns;
	return recorded > 0 ? 100 * ns / recorded : results_percent(results, ns);
}

/* The critical time of a row in percent of the run time that it is part of. */
double results_row_percent(const struct results *results, const struct ranked *row)
{
	return percent_of(row->critical_ns, results_wall_of(results, row));
}

/* Percent of the paths' critical time that is on paths that reach an outermost frame. */
double results_complete_percent(const struct results *results)
{
	return percent_of(results->sums.complete_ns, results->sums.attributed_ns);
}

/* CPU time of the probe of context switches, estimated from the calls that were timed. */
double results_probe_ns(const struct results *results)
{
	const struct gapp_counters *counters = &results->counters;

	if (!counters->probe_timed)
		return 0;
	return (double)counters->probe_ns / counters->probe_timed * counters->probe_calls;
}

/* results_probe_ns() in percent of the run time on all CPUs. */
double results_probe_percent(const struct results *results)
{
	const struct gapp_status *status = &results->model.status;

	if (!status->wall_ns || !status->cpus)
		return 0;
	return 100 * results_probe_ns(results) / status->wall_ns / status->cpus;
}

/* Critical time without a call path, for any cause. */
double results_unattributed_ns(const struct results *results)
{
	return share_to_ns(results->counters.critical_runq) +
	       share_to_ns(results->counters.lost_critical_share) + results->sums.table_full_ns +
	       results->sums.no_path_ns;
}

double results_unknown_region_ns(const struct results *results)
{
	const struct regions *regions = &results->regions;
	double known = share_to_ns(results->counters.critical_runq);

	for (size_t i = 0; i < regions->count; i++)
		known += regions->rows[i].critical_ns;
	for (size_t i = 0; i < OUTSIDE_UNKNOWN; i++)
		known += regions->outside[i].critical_ns;
	return results_critical_ns(results) > known ? results_critical_ns(results) - known : 0;
}

u64 results_spun_ns(const struct results *results)
{
	u64 ns = 0;

	for (size_t i = 0; i < results->target_count; i++)
		ns += results->targets[i].spun_ns;
	return ns;
}

double results_starved_ns(const struct results *results)
{
	const double queued = share_to_ns(results->counters.critical_runq);
	double known = 0, spun = 0;

	for (size_t i = 0; i < results->paths.count; i++) {
		const struct ranked *row = &results->paths.rows[i];

		if (row->kind != PATH_RAN)
			continue;
		known += row->critical_ns;
		spun += row->waiting_ns[GAPP_WAIT_SPIN];
	}
	if (results_percent(results, queued) < STARVED_PERCENT || spun < known / 2)
		return 0;
	return queued;
}

bool results_apart(const struct results *results)
{
	return results->merged || (results->target_count && results->targets[0].tgid);
}

/* The target that is process @tgid, or NULL. */
const struct gapp_target_figures *results_target(const struct results *results, s32 tgid)
{
	for (size_t i = 0; i < results->target_count; i++)
		if (tgid && results->targets[i].tgid == tgid)
			return &results->targets[i];
	return NULL;
}

/**
 * struct numbered - a target's process and its place in the list
 * @tgid: process id
 * @number: place in the list
 */
struct numbered {
	s32 tgid;
	size_t number;
};

/* For qsort: of one id the target that came last is last. */
static int numbered_compare(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return compare_by(three_way(x->tgid, y->tgid), three_way(x->number, y->number));
}

/* The only target with an id; NULL: none, or it cannot be told whose a row is. */
static const struct numbered *find_numbered(const struct numbered *order, size_t count, s32 tgid)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (order[middle].tgid < tgid)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == count || order[low].tgid != tgid ||
	    (low + 1 < count && order[low + 1].tgid == tgid))
		return NULL;
	return &order[low];
}

double *results_targets_critical_ns(const struct results *results)
{
	_cleanup_free_ struct numbered *order = NULL;
	const size_t count = results->target_count;
	double *ns = calloc(count + 1, sizeof(*ns));

	order = calloc(count + 1, sizeof(*order));
	if (!order || !ns) {
		free(ns);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		order[i] = (struct numbered){ results->targets[i].tgid, i };
		ns[i] = share_to_ns(results->targets[i].critical_runq);
	}
	qsort(order, count, sizeof(*order), numbered_compare);
	for (size_t i = 0; i < results->places.count; i++) {
		const struct ranked *row = &results->places.rows[i];
		const struct numbered *target = find_numbered(order, count, row->tgid);

		if (row->kind == PATH_RAN && target)
			ns[target->number] += row->critical_ns;
	}
	for (size_t i = 0; i < count; i++)
		if (ns[i] < share_to_ns(results->targets[i].c))
			ns[i] = share_to_ns(results->targets[i].c);
	return ns;
}

const char *const by_names[] = {
	[BY_PLACE] = "place",
	[BY_PATH] = "path",
	[BY_SLICE_END] = "slice-end",
	[BY_FUNCTION] = "function",
	[BY_LINE] = "line",
	[BY_THREAD] = "thread",
	[BY_PROCESS] = "process",
	[BY_WAIT_OBJECT] = "wait-object",
	NULL,
};

/* Modules before ABI 1.3 have the last value only. */
unsigned int results_n_min_most(const struct results *results)
{
	const struct gapp_status *status = &results->model.status;

	return status->n_min_most ? status->n_min_most : status->n_min;
}

unsigned int results_n_min_least(const struct results *results)
{
	const struct gapp_status *status = &results->model.status;

	return status->n_min_least ? status->n_min_least : status->n_min;
}

/* Time for which N_min was less than its highest value, in nanoseconds. */
u64 results_n_min_less_ns(const struct results *results)
{
	const struct gapp_status *status = &results->model.status;

	if (!status->n_min_most || status->n_min_most_ns >= status->wall_ns)
		return 0;
	return status->wall_ns - status->n_min_most_ns;
}
