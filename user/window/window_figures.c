// SPDX-License-Identifier: GPL-2.0
#include "window_figures.h"

#include <string.h>

/* Figures of two moments are read one after the other, so one may be a little too small. */
static u64 less(u64 end, u64 begin)
{
	return end > begin ? end - begin : 0;
}

static u32 larger(u32 a, u32 b)
{
	return a > b ? a : b;
}

void window_complete(struct results *figures)
{
	struct model *model = &figures->model;
	const u32 n = model->status.n;
	u64 known = 0, *longer;

	if (results_apart(figures) || model->status.state != GAPP_SESSION_RUNNING)
		return;
	for (size_t i = 0; i < model->parallelism_count; i++)
		known += model->parallelism[i];
	if (known >= model->status.wall_ns || n > GAPP_MAX_THREADS)
		return;
	if (n >= model->parallelism_count) {
		longer = reallocarray(model->parallelism, n + 1, sizeof(*longer));
		if (!longer)
			return;
		memset(longer + model->parallelism_count, 0,
		       (n + 1 - model->parallelism_count) * sizeof(*longer));
		model->parallelism = longer;
		model->parallelism_count = n + 1;
	}
	model->parallelism[n] += model->status.wall_ns - known;
}

/* N_min: its extremes, if they were reached in the span, or else what it was at the two ends. */
static void subtract_threshold(struct gapp_status *end, const struct gapp_status *begin)
{
	const u32 most = larger(end->n_min, begin->n_min);
	const u32 least = end->n_min < begin->n_min || !begin->n_min ? end->n_min : begin->n_min;

	if (!end->n_min_most || !begin->wall_ns)
		return;
	end->n_min_most_ns = end->n_min_most > begin->n_min_most ?
				     end->n_min_most_ns :
				     less(end->n_min_most_ns, begin->n_min_most_ns);
	if (!end->n_min_most_ns)
		end->n_min_most = most;
	if (end->n_min_least >= begin->n_min_least)
		end->n_min_least = least;
	if (end->n_min_least >= end->n_min_most) {
		end->n_min_most = end->n_min_least;
		end->n_min_most_ns = end->wall_ns;
	}
}

static void subtract_status(struct gapp_status *end, const struct gapp_status *begin)
{
	if (!begin->wall_ns)
		return;
	end->start_ns += begin->wall_ns;
	end->wall_ns = less(end->wall_ns, begin->wall_ns);
	end->g = less(end->g, begin->g);
	end->c = less(end->c, begin->c);
	end->s = less(end->s, begin->s);
	end->idle_ns = less(end->idle_ns, begin->idle_ns);
	end->unexpected = less(end->unexpected, begin->unexpected);
	end->marks_left_out = less(end->marks_left_out, begin->marks_left_out);
	subtract_threshold(end, begin);
	if (end->peak == begin->peak)
		end->peak = larger(end->live, begin->live);
}

static void subtract_counters(struct gapp_counters *end, const struct gapp_counters *begin)
{
	end->slices = less(end->slices, begin->slices);
	end->critical_slices = less(end->critical_slices, begin->critical_slices);
	end->unsampled_slices = less(end->unsampled_slices, begin->unsampled_slices);
	end->switches = less(end->switches, begin->switches);
	end->records = less(end->records, begin->records);
	end->samples = less(end->samples, begin->samples);
	/* threads that are not followed are in no figure of the span either */
	for (unsigned int i = 0; i < GAPP_LOST_CAUSES; i++)
		if (i != GAPP_LOST_THREADS)
			end->lost[i] = less(end->lost[i], begin->lost[i]);
	end->lost_critical_share = less(end->lost_critical_share, begin->lost_critical_share);
	end->lost_wait_ns = less(end->lost_wait_ns, begin->lost_wait_ns);
	end->probe_calls = less(end->probe_calls, begin->probe_calls);
	end->probe_timed = less(end->probe_timed, begin->probe_timed);
	end->probe_ns = less(end->probe_ns, begin->probe_ns);
	end->post_waits = less(end->post_waits, begin->post_waits);
	end->stack_copies = less(end->stack_copies, begin->stack_copies);
	end->posts = less(end->posts, begin->posts);
	if (end->longest_ns <= begin->longest_ns)
		end->longest_ns = begin->probe_calls ? 0 : end->longest_ns;
}

static void subtract_row(struct gapp_thread_figures *end, const struct gapp_thread_figures *begin)
{
	end->cm_run = less(end->cm_run, begin->cm_run);
	end->cm_runq = less(end->cm_runq, begin->cm_runq);
	end->run_ns = less(end->run_ns, begin->run_ns);
	end->runq_ns = less(end->runq_ns, begin->runq_ns);
	end->blocked_ns = less(end->blocked_ns, begin->blocked_ns);
	end->slices = less(end->slices, begin->slices);
	end->wakeups = less(end->wakeups, begin->wakeups);
	end->blocks = less(end->blocks, begin->blocks);
	end->kernel_run_ns = less(end->kernel_run_ns, begin->kernel_run_ns);
	end->kernel_runq_ns = less(end->kernel_runq_ns, begin->kernel_runq_ns);
	end->kernel_seen_run_ns = less(end->kernel_seen_run_ns, begin->kernel_seen_run_ns);
	end->kernel_seen_runq_ns = less(end->kernel_seen_runq_ns, begin->kernel_seen_runq_ns);
	end->critical_run = less(end->critical_run, begin->critical_run);
}

static int compare_ids(const void *a, const void *b)
{
	const struct gapp_thread_figures *x = a, *y = b;

	return compare_by(three_way(x->tgid, y->tgid), three_way(x->tid, y->tid),
			  three_way(x->joined_ns, y->joined_ns));
}

static void sort_by_ids(struct gapp_thread_figures *rows, size_t count)
{
	if (count)
		qsort(rows, count, sizeof(*rows), compare_ids);
}

/* The row of the sums of a process; what is beyond the module's bound is in a row without an id. */
static struct gapp_thread_figures *sum_of(struct model *model, s32 tgid)
{
	struct gapp_thread_figures *others = NULL;

	for (size_t i = 0; i < model->process_count; i++) {
		if (model->processes[i].tgid == tgid)
			return &model->processes[i];
		if (!model->processes[i].tgid)
			others = &model->processes[i];
	}
	return others;
}

/*
 * Subtracts the rows of threads. A thread that has no row any more has been added to the sums of
 * its process. Both lists are in the order of compare_ids().
 */
static void subtract_threads(struct model *end, const struct gapp_thread_figures *begin,
			     size_t count, u64 begin_wall_ns)
{
	size_t kept = 0, j = 0;

	for (size_t i = 0; i <= end->thread_count; i++) {
		struct gapp_thread_figures *row = i < end->thread_count ? &end->threads[i] : NULL;

		for (; j < count && (!row || compare_ids(&begin[j], row) < 0); j++) {
			struct gapp_thread_figures *sum = sum_of(end, begin[j].tgid);

			if (!sum)
				continue;
			subtract_row(sum, &begin[j]);
			if (begin[j].left_ns)
				sum->threads = less(sum->threads, 1);
		}
		if (!row)
			break;
		if (j < count && !compare_ids(&begin[j], row))
			subtract_row(row, &begin[j++]);
		if (row->left_ns && row->left_ns <= begin_wall_ns)
			continue;
		row->joined_ns = less(row->joined_ns, begin_wall_ns);
		row->left_ns = less(row->left_ns, begin_wall_ns);
		end->threads[kept++] = *row;
	}
	end->thread_count = kept;
}

static void subtract_processes(struct model *end, const struct model *begin)
{
	for (size_t i = 0; i < begin->process_count; i++) {
		const struct gapp_thread_figures *before = &begin->processes[i];
		struct gapp_thread_figures *row = sum_of(end, before->tgid);

		if (!row)
			continue;
		subtract_row(row, before);
		row->threads = less(row->threads, before->threads);
	}
}

/* Drops the sums of processes of which no thread ended in the span. */
static void drop_empty_processes(struct model *model)
{
	size_t kept = 0;

	for (size_t i = 0; i < model->process_count; i++)
		if (model->processes[i].threads)
			model->processes[kept++] = model->processes[i];
	model->process_count = kept;
}

/* Returns 0, or -1 without memory. */
static int subtract_model(struct model *end, const struct model *begin)
{
	_cleanup_free_ struct gapp_thread_figures *before = NULL;

	before = reallocarray(NULL, begin->thread_count + 1, sizeof(*before));
	if (!before)
		return -1;
	if (begin->thread_count)
		memcpy(before, begin->threads, begin->thread_count * sizeof(*before));
	sort_by_ids(before, begin->thread_count);
	sort_by_ids(end->threads, end->thread_count);
	subtract_processes(end, begin);
	subtract_threads(end, before, begin->thread_count, begin->status.wall_ns);
	drop_empty_processes(end);
	end->status.threads = end->thread_count;
	for (size_t i = 0; i < end->process_count; i++)
		end->status.threads += end->processes[i].threads;
	for (size_t n = 0; n < end->parallelism_count; n++)
		end->parallelism[n] = less(end->parallelism[n], model_with(begin, n));
	return 0;
}

static void subtract_targets(struct results *end, const struct results *begin)
{
	for (size_t i = 0; i < end->target_count; i++) {
		struct gapp_target_figures *row = &end->targets[i];

		for (size_t j = 0; j < begin->target_count; j++) {
			const struct gapp_target_figures *before = &begin->targets[j];

			if (before->id != row->id)
				continue;
			row->g = less(row->g, before->g);
			row->c = less(row->c, before->c);
			row->s = less(row->s, before->s);
			row->idle_ns = less(row->idle_ns, before->idle_ns);
			row->wall_ns = less(row->wall_ns, before->wall_ns);
			row->spun_ns = less(row->spun_ns, before->spun_ns);
		}
		/* only STOP sets it, for all of the session */
		row->critical_runq = 0;
	}
}

/*
 * Critical time of the window, as a share: how long few threads were active. Where the threshold
 * has changed, or several targets have numbers of their own, the integral C is a lower bound.
 */
static u64 critical_of(const struct results *results)
{
	const struct model *model = &results->model;
	const struct gapp_status *status = &model->status;
	u64 low_ns = 0;

	if (!model->parallelism_count || results_apart(results) || !status->n_min_most ||
	    status->n_min_most_ns < status->wall_ns)
		return status->c;
	for (size_t n = 1; n <= status->n_min_most; n++)
		low_ns += model_with(model, n);
	return low_ns << GAPP_SHARE_SHIFT;
}

/*
 * Only STOP sets how much of the critical time threads waited for a CPU, and the share of slices
 * that have not ended is in no counter. So both are made of all of it and the threads' rows.
 */
static void set_critical(struct results *results)
{
	const u64 critical = critical_of(results);
	const struct model *model = &results->model;
	u64 run = 0;

	for (size_t i = 0; i < model->thread_count; i++)
		run += model->threads[i].critical_run;
	for (size_t i = 0; i < model->process_count; i++)
		run += model->processes[i].critical_run;
	results->counters.critical_run = run;
	results->counters.critical_runq = less(critical, run);
}

int window_figures(struct results *figures, const struct results *begin)
{
	struct model *model = &figures->model;

	if (subtract_model(model, &begin->model))
		return -1;
	subtract_status(&model->status, &begin->model.status);
	subtract_counters(&figures->counters, &begin->counters);
	subtract_targets(figures, begin);
	set_critical(figures);
	model->targets_wall_ns = 0;
	if (results_apart(figures))
		for (size_t i = 0; i < figures->target_count; i++)
			model->targets_wall_ns += figures->targets[i].wall_ns;
	model_rank(model);
	/* as many threads as were active lived */
	if (begin->model.status.wall_ns && model->parallelism_count)
		model->status.peak = larger(model->status.peak, model->parallelism_count - 1);
	return 0;
}
