// SPDX-License-Identifier: GPL-2.0
#include "counter_figures.h"

#include <string.h>

#define COUNT_MAX 0x8000000000000000ULL /* a damaged recording may have more */

/* What makes a row: sums by the module's numbers of tallies, and bits of what is missing. */
struct sums {
	u64 counts[GAPP_TALLIES];
	u32 uncounted;
};

static u64 less(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

static void add(struct sums *sums, const __u64 *counts, u32 uncounted)
{
	for (u32 i = 0; i < GAPP_TALLIES; i++)
		sums->counts[i] += counts[i];
	sums->uncounted |= uncounted;
}

bool counter_is_difference(const struct counter_figures *figures, u32 counter)
{
	return figures->tallies->counters[counter].minus != TALLY_NONE;
}

/* Sets the local part, which needs both counters. */
static void set_local(struct counter_row *row, const struct tallies *tallies)
{
	const u8 local = tallies_counted(tallies, COUNTER_LOCAL_MEMORY);
	const u8 remote = tallies_counted(tallies, COUNTER_REMOTE_MEMORY);
	double all;

	if (local == TALLY_NONE || remote == TALLY_NONE)
		return;
	all = (double)row->counts[local] + row->counts[remote];
	row->local_known = all > 0;
	row->local_percent = percent_of(row->counts[local], all);
}

void counter_row_set(struct counter_row *row, const struct tallies *tallies, const u64 *counts,
		     u32 uncounted)
{
	for (u32 i = 0; i < tallies->count; i++) {
		const u8 plus = tally_number(tallies, tallies->counters[i].plus);
		const u8 minus = tally_number(tallies, tallies->counters[i].minus);
		u32 bits;

		if (counter_why_not(tallies, &tallies->counters[i]))
			continue;
		bits = 1U << plus;
		row->counts[i] = counts[plus];
		if (minus != TALLY_NONE) {
			row->counts[i] = less(row->counts[i], counts[minus]);
			bits |= 1U << minus;
		}
		if (uncounted & bits)
			row->missing |= 1U << i;
	}
	set_local(row, tallies);
}

bool place_counters_make(struct place_counters *counters, const struct results *results,
			 const struct ranked *place)
{
	u64 counts[GAPP_TALLIES];

	*counters = (struct place_counters){ .seconds = place->counted.ns / NSEC_PER_SEC };
	if (!results->counted.asked.count || !(counters->seconds > 0))
		return false;
	for (u32 i = 0; i < GAPP_TALLIES; i++)
		counts[i] = place->counted.counts[i] < COUNT_MAX ? place->counted.counts[i] + 0.5 :
								   COUNT_MAX;
	counter_row_set(&counters->row, &results->counted.asked, counts, place->counted.missing);
	return true;
}

static void set_row(struct counter_row *row, const struct counter_figures *figures,
		    const struct sums *sums)
{
	counter_row_set(row, figures->tallies, sums->counts, sums->uncounted);
}

static int by_id(const void *a, const void *b)
{
	const struct gapp_thread_figures *x = *(const struct gapp_thread_figures *const *)a;
	const struct gapp_thread_figures *y = *(const struct gapp_thread_figures *const *)b;

	return compare_by(three_way(x->tgid, y->tgid), three_way(x->tid, y->tid),
			  three_way(y->joined_ns, x->joined_ns));
}

static int id_compare(const void *key, const void *element)
{
	const struct counter_row *row = key;
	const struct gapp_thread_figures *thread =
		*(const struct gapp_thread_figures *const *)element;

	return compare_by(three_way(row->tgid, thread->tgid), three_way(row->tid, thread->tid));
}

/* Names of threads. Of several that had one id it is that of the last. Returns 0, or -1. */
static int name_threads(struct counter_figures *figures, const struct model *model)
{
	const struct gapp_thread_figures **threads =
		calloc(model->thread_count + 1, sizeof(*threads));
	size_t count = 0;

	if (!threads)
		return -1;
	for (size_t i = 0; i < model->thread_count; i++)
		threads[i] = &model->threads[i];
	qsort(threads, model->thread_count, sizeof(*threads), by_id);
	for (size_t i = 0; i < model->thread_count; i++)
		if (!count || threads[count - 1]->tgid != threads[i]->tgid ||
		    threads[count - 1]->tid != threads[i]->tid)
			threads[count++] = threads[i];
	for (size_t i = 0; i < figures->thread_count; i++) {
		struct counter_row *row = &figures->threads[i];
		const struct gapp_thread_figures *const *found =
			row->tid ? bsearch(row, threads, count, sizeof(*threads), id_compare) :
				   NULL;

		row->comm = found ? (*found)->comm : NULL;
	}
	free(threads);
	return 0;
}

static int row_compare(const void *a, const void *b, void *context)
{
	const struct counter_figures *figures = context;
	const struct counter_row *x = a, *y = b;

	for (u32 i = 0; i < figures->column_count; i++) {
		const u8 column = figures->columns[i];

		if (x->counts[column] != y->counts[column])
			return three_way(y->counts[column], x->counts[column]);
	}
	return compare_by(three_way(x->tgid, y->tgid), three_way(x->tid, y->tid));
}

static bool any(const struct counter_row *row, const struct counter_figures *figures)
{
	for (u32 i = 0; i < figures->column_count; i++)
		if (row->counts[figures->columns[i]])
			return true;
	return false;
}

/* Returns 0, or -1 without memory. */
static int make_threads(struct counter_figures *figures, const struct results *results,
			const struct sums *all)
{
	const struct counted *counted = &results->counted;
	struct sums rest = *all, of_threads = { 0 };

	figures->threads = calloc(counted->thread_count + 1, sizeof(*figures->threads));
	if (!figures->threads)
		return -1;
	for (size_t i = 0; i < counted->thread_count; i++) {
		const struct gapp_thread_tallies *thread = &counted->threads[i];
		struct counter_row *row = &figures->threads[figures->thread_count++];
		struct sums sums = { 0 };

		row->tid = thread->tid;
		row->tgid = thread->tgid;
		add(&sums, thread->counts, thread->uncounted);
		add(&of_threads, thread->counts, thread->uncounted);
		set_row(row, figures, &sums);
	}
	for (u32 i = 0; i < GAPP_TALLIES; i++)
		rest.counts[i] = less(rest.counts[i], of_threads.counts[i]);
	set_row(&figures->others, figures, &rest);
	figures->has_others = any(&figures->others, figures);
	if (name_threads(figures, &results->model))
		return -1;
	qsort_r(figures->threads, figures->thread_count, sizeof(*figures->threads), row_compare,
		figures);
	return 0;
}

static int by_node(const void *a, const void *b)
{
	const struct counter_row *x = a, *y = b;

	return three_way(x->node, y->node);
}

/* Adds a CPU to the sums of its node, which are added unless they are there. */
static void add_cpu(struct counter_figures *figures, struct sums *sums,
		    const struct gapp_cpu_tallies *cpu, u32 node)
{
	size_t i = 0;

	while (i < figures->node_count && figures->nodes[i].node != node)
		i++;
	if (i == figures->node_count)
		figures->nodes[figures->node_count++].node = node;
	add(&sums[i], cpu->counts, cpu->uncounted);
}

/* Returns 0, or -1 without memory. */
static int make_nodes(struct counter_figures *figures, const struct counted *counted)
{
	const size_t room = counted->nodes ? counted->nodes->count + 1 : 0;
	struct sums *sums;

	if (!counted->nodes || !counted->nodes->count)
		return 0;
	figures->nodes = calloc(room, sizeof(*figures->nodes));
	sums = calloc(room, sizeof(*sums));
	for (size_t i = 0; i < counted->cpu_count && figures->nodes && sums; i++) {
		const struct gapp_cpu_tallies *cpu = &counted->cpus[i];
		const u32 node = cpu_nodes_of(counted->nodes, cpu->cpu);
		struct sums one = { 0 };

		add(&one, cpu->counts, cpu->uncounted);
		/* a CPU that is not online is on no node, and nothing ran there */
		if (node != CPU_NODE_UNKNOWN || memcmp(&one, &(struct sums){ 0 }, sizeof(one)))
			add_cpu(figures, sums, cpu, node);
	}
	for (size_t i = 0; i < figures->node_count; i++)
		set_row(&figures->nodes[i], figures, &sums[i]);
	if (figures->node_count)
		qsort(figures->nodes, figures->node_count, sizeof(*figures->nodes), by_node);
	free(sums);
	return figures->nodes && sums ? 0 : -1;
}

static u64 on_cpu_ns(const struct results *results)
{
	const struct model *model = &results->model;
	u64 ns = results_spun_ns(results);

	for (size_t i = 0; i < model->thread_count; i++)
		ns += model->threads[i].run_ns;
	for (size_t i = 0; i < model->process_count; i++)
		ns += model->processes[i].run_ns;
	return ns;
}

int counter_figures_make(struct counter_figures *figures, const struct results *results)
{
	const struct counted *counted = &results->counted;
	struct sums all = { 0 };
	u32 of_threads = 0;

	*figures = (struct counter_figures){ .tallies = &counted->asked };
	for (u32 i = 0; i < counted->asked.count; i++)
		if (!counter_why_not(&counted->asked, &counted->asked.counters[i]))
			figures->columns[figures->column_count++] = i;
	figures->known = counted->cpu_count;
	if (!figures->known)
		return 0;
	figures->on_cpu_ns = on_cpu_ns(results);
	for (size_t i = 0; i < counted->cpu_count; i++)
		add(&all, counted->cpus[i].counts, counted->cpus[i].uncounted);
	if (make_threads(figures, results, &all) || make_nodes(figures, counted))
		return -1;
	/* what is missing of a thread is missing of all */
	for (size_t i = 0; i < counted->thread_count; i++)
		of_threads |= counted->threads[i].uncounted;
	all.uncounted |= of_threads;
	set_row(&figures->total, figures, &all);
	return 0;
}

void counter_figures_free(struct counter_figures *figures)
{
	free(figures->threads);
	free(figures->nodes);
	*figures = (struct counter_figures){ 0 };
}

bool counter_figures_have_local(const struct counter_figures *figures)
{
	return tallies_counted(figures->tallies, COUNTER_LOCAL_MEMORY) != TALLY_NONE &&
	       tallies_counted(figures->tallies, COUNTER_REMOTE_MEMORY) != TALLY_NONE;
}

bool counter_figures_miss(const struct counter_figures *figures)
{
	/* what is missing of a row is missing of the total */
	return figures->total.missing;
}
