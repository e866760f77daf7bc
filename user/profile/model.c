// SPDX-License-Identifier: GPL-2.0
#include "profile.h"

void model_free(struct model *model)
{
	free(model->threads);
	free(model->processes);
	free(model->waits);
	free(model->parallelism);
}

int share_compare(const void *a, const void *b)
{
	const struct gapp_thread_figures *x = a, *y = b;

	return compare_by(three_way(y->cm_run, x->cm_run), three_way(x->tgid, y->tgid),
			  three_way(x->tid, y->tid));
}

static int waits_compare(const void *a, const void *b)
{
	const struct gapp_thread_waits *x = a, *y = b;

	return compare_by(three_way(x->tgid, y->tgid), three_way(x->tid, y->tid),
			  three_way(x->joined_ns, y->joined_ns));
}

void model_rank(struct model *model)
{
	if (model->wait_count)
		qsort(model->waits, model->wait_count, sizeof(*model->waits), waits_compare);
	if (model->thread_count)
		qsort(model->threads, model->thread_count, sizeof(*model->threads), share_compare);
	if (model->process_count)
		qsort(model->processes, model->process_count, sizeof(*model->processes),
		      share_compare);
	while (model->parallelism_count > 1 && !model->parallelism[model->parallelism_count - 1])
		model->parallelism_count--;
}

/* @ns in percent of the run time. */
double model_percent(const struct model *model, u64 ns)
{
	u64 wall = model->status.wall_ns;

	return wall ? 100.0 * ns / wall : 0;
}

/* Nanoseconds with @n threads active. */
u64 model_with(const struct model *model, size_t n)
{
	return n < model->parallelism_count ? model->parallelism[n] : 0;
}

double model_average(const struct model *model)
{
	long double sum = 0;

	for (size_t n = 0; n < model->parallelism_count; n++)
		sum += (long double)n * model->parallelism[n];
	return model->status.wall_ns ? sum / model->status.wall_ns : 0;
}

static long double shares(const struct gapp_thread_figures *rows, size_t count)
{
	long double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (long double)rows[i].cm_run + rows[i].cm_runq;
	return sum;
}

double model_accounted(const struct model *model)
{
	long double sum = shares(model->threads, model->thread_count) +
			  shares(model->processes, model->process_count);

	sum = sum / (1 << GAPP_SHARE_SHIFT) + model->status.idle_ns;
	return 100 * sum / (model->targets_wall_ns ?: model->status.wall_ns);
}

/* Least time to compare: gapp and the kernel read clocks microseconds apart at every switch. */
#define COMPARABLE_NS (10 * 1000 * 1000ULL)

static u64 distance(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

/* The kernel's account of a thread that was on a CPU may lack up to one tick, @tick_ns. */
static u64 differs(const struct gapp_thread_figures *thread, u64 tick_ns, u64 seen_ns,
		   u64 kernel_ns)
{
	u64 ns = distance(seen_ns, kernel_ns);

	if (!(thread->flags & GAPP_FIGURES_KERNEL_LATE))
		return ns;
	return ns > tick_ns ? ns - tick_ns : 0;
}

static double percent_same(u64 differ_ns, u64 of_ns)
{
	return of_ns > differ_ns ? 100 - 100.0 * differ_ns / of_ns : 0;
}

void model_agreement(const struct model *model, struct agreement *agreement)
{
	u64 active_differ_ns = 0;

	memset(agreement, 0, sizeof(*agreement));
	for (size_t i = 0; i < model->thread_count; i++) {
		const struct gapp_thread_figures *thread = &model->threads[i];
		u64 tick_ns = model->status.tick_ns;
		u64 kernel_ns = thread->kernel_run_ns + thread->kernel_runq_ns, ns;

		if (!(thread->flags & GAPP_FIGURES_KERNEL_SEEN))
			continue;
		ns = differs(thread, tick_ns, thread->kernel_seen_run_ns, thread->kernel_run_ns) +
		     distance(thread->kernel_seen_runq_ns, thread->kernel_runq_ns);
		agreement->kernel_ns += kernel_ns;
		agreement->differ_ns += ns;
		active_differ_ns += differs(
			thread, tick_ns, thread->kernel_seen_run_ns + thread->kernel_seen_runq_ns,
			kernel_ns);
		if (ns > agreement->worst_ns) {
			agreement->worst = thread;
			agreement->worst_ns = ns;
		}
	}

	agreement->any = agreement->kernel_ns + agreement->differ_ns >= COMPARABLE_NS;
	agreement->percent = percent_same(agreement->differ_ns, agreement->kernel_ns);
	agreement->active_percent = percent_same(active_differ_ns, agreement->kernel_ns);
}

const struct gapp_thread_waits *model_waits(const struct model *model,
					    const struct gapp_thread_figures *thread)
{
	const struct gapp_thread_waits key = { .tgid = thread->tgid,
					       .tid = thread->tid,
					       .joined_ns = thread->joined_ns };

	if (!model->wait_count)
		return NULL;
	return bsearch(&key, model->waits, model->wait_count, sizeof(key), waits_compare);
}

u64 waits_blocked_ns(const struct gapp_thread_waits *waits)
{
	u64 ns = 0;

	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		ns += waits->blocked_ns[i];
	return ns;
}

size_t model_wrong_lives(const struct model *model)
{
	size_t wrong = 0;

	for (size_t i = 0; i < model->wait_count; i++) {
		const struct gapp_thread_waits *waits = &model->waits[i];

		wrong += waits->run_ns + waits->runq_ns + waits->unknown_ns +
				 waits_blocked_ns(waits) !=
			 waits->life_ns;
	}
	return wrong;
}

bool model_recount_ok(const struct model *model)
{
	return model->status.flags & GAPP_STATUS_RECOUNT_OK;
}

/* Whether the session followed no thread, or for no time. */
bool model_is_empty(const struct model *model)
{
	return !model->status.wall_ns || !model->status.threads;
}
