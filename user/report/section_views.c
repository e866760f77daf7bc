// SPDX-License-Identifier: GPL-2.0
#include "section_views.h"

#include <string.h>

#include "report.h"

/* A function with a section's critical time, before it has a row; @frame is one for each. */
struct function_key {
	const struct object *object;
	const struct frame *frame;
	u64 offset;
	u32 section;
	u32 zero;
};

struct function_sum {
	struct function_key key;
	const struct frame *frame;
	double share;
};

/* In the order of time. */
struct thread_ends {
	struct section_thread_end *rows;
	u32 count;
	u32 room;
};

/* What is added up. */
struct sums {
	const struct path_names *names;

	KEYED(function_sum) functions;
};

void section_views_free(struct section_views *views)
{
	if (!views)
		return;
	for (u32 i = 0; i < views->count; i++) {
		for (u32 j = 0; j < views->rows[i].function_count; j++) {
			free(views->rows[i].functions[j].function);
			free(views->rows[i].functions[j].module);
		}
		free(views->rows[i].name);
	}
	free(views->rows);
	free(views);
}

static int add_function(struct sums *sums, u32 section, u32 path, double share)
{
	const struct frame *frame = path_names_function(sums->names, path);
	struct function_key key;
	u32 id;

	memset(&key, 0, sizeof(key));
	key.section = section;
	if (frame && frame->function) {
		key.frame = frame;
	} else if (frame) {
		key.object = frame->object;
		key.offset = frame->offset;
	}
	id = keyed_find(&sums->functions, &key);
	if (id == HASH_NONE)
		id = keyed_add(&sums->functions, &key);
	if (id == HASH_NONE)
		return -1;
	sums->functions.rows[id].frame = frame;
	sums->functions.rows[id].share += share;
	return 0;
}

/* Slices without a sample ran where samples show others that ended as they did. */
static int add_path(struct sums *sums, const struct section_path *row)
{
	const struct path_part *parts = NULL;
	u32 count = 0;

	if (!row->key.sampled)
		parts = path_names_parts(sums->names, row->key.path, &count);
	for (u32 i = 0; i < count; i++)
		if (add_function(sums, row->key.section, parts[i].path,
				 row->critical_share * parts[i].part))
			return -1;
	return count ? 0 : add_function(sums, row->key.section, row->key.path, row->critical_share);
}

static int by_share(const void *a, const void *b)
{
	const struct function_sum *x = a, *y = b;

	return three_way(y->share, x->share);
}

/* The functions come with the most share first. Returns 0, or -1 without memory. */
static int take_function(struct section_row *row, const struct function_sum *sum)
{
	struct section_function *function;

	if (row->function_count >= SECTION_FUNCTIONS)
		return 0;
	function = &row->functions[row->function_count++];
	function->critical_ns = sum->share / (1 << GAPP_SHARE_SHIFT);
	if (!sum->frame)
		return 0;
	function->offset = sum->frame->function ? 0 : sum->frame->offset;
	function->module = strdup(sum->frame->module ?: "?");
	if (sum->frame->function)
		function->function = strdup(sum->frame->function);
	return function->module && (function->function || !sum->frame->function) ? 0 : -1;
}

static int take_functions(struct section_views *views, struct sums *sums)
{
	struct function_sum *rows = sums->functions.rows;
	const u32 count = sums->functions.index.count;

	/* nothing is looked up any more */
	if (count)
		qsort(rows, count, sizeof(*rows), by_share);
	for (u32 i = 0; i < count; i++)
		if (take_function(&views->rows[rows[i].key.section], &rows[i]))
			return -1;
	return 0;
}

static int take_sums(struct section_views *views, const struct sections *sections)
{
	for (u32 i = 0; i < sections->sums.index.count; i++) {
		const struct section_sum *sum = &sections->sums.rows[i];
		struct section_row *row = &views->rows[i];

		*row = (struct section_row){
			.name = strdup(sum->key.text),
			.begins = sum->begins,
			.ns = sum->ns,
			.active_known = sum->measured_ns,
			.active = sum->measured_ns ? (double)sum->thread_ns / sum->measured_ns : 0,
			.critical_ns = sum->critical_share / (1 << GAPP_SHARE_SHIFT),
			.divided_ns = sum->divided_share / (1 << GAPP_SHARE_SHIFT),
		};
		views->count++;
		if (!row->name)
			return -1;
	}
	return 0;
}

static int by_critical(const void *a, const void *b)
{
	const struct section_row *x = a, *y = b;

	return compare_by(three_way(y->critical_ns, x->critical_ns), three_way(y->ns, x->ns), 0);
}

/* What of the run is in no section. With several processes nobody knows whose time that is. */
static void take_outside(struct section_views *views, const struct sections *sections,
			 const struct results *results)
{
	const struct gapp_status *status = &results->model.status;
	const bool apart = results->model.targets_wall_ns;
	double critical = share_to_ns(results->counters.critical_run), inside = 0;
	u64 ns = 0, measured_ns = 0, thread_ns = 0;

	for (u32 i = 0; i < sections->sums.index.count; i++) {
		ns += sections->sums.rows[i].ns;
		measured_ns += sections->sums.rows[i].measured_ns;
		thread_ns += sections->sums.rows[i].thread_ns;
		inside += views->rows[i].critical_ns;
	}
	views->outside_critical_ns = critical > inside ? critical - inside : 0;
	views->outside_known = sections->processes.index.count == 1;
	views->outside_ns = status->wall_ns > ns ? status->wall_ns - ns : 0;
	views->outside_active_known = views->outside_known && views->outside_ns && !apart &&
				      measured_ns == ns && status->s >= thread_ns;
	if (views->outside_active_known)
		views->outside_active = (double)(status->s - thread_ns) / views->outside_ns;
}

static bool has_process(const struct model *model, s32 tgid)
{
	for (size_t i = 0; i < model->process_count; i++)
		if (model->processes[i].tgid == tgid || !model->processes[i].tgid)
			return true;
	return false;
}

/*
 * When the last thread of a process left, CLOCK_MONOTONIC; @stop_ns: one has not, or none is known.
 * 0: all had left before the window.
 */
static u64 end_of(const struct results *results, s32 tgid, u64 stop_ns)
{
	const struct model *model = &results->model;
	u64 last = 0;

	for (size_t i = 0; i < model->thread_count; i++) {
		const struct gapp_thread_figures *thread = &model->threads[i];

		if (thread->tgid != tgid)
			continue;
		if (!thread->left_ns)
			return stop_ns;
		if (thread->left_ns > last)
			last = thread->left_ns;
	}
	if (!last && results->window.end_ns && !has_process(model, tgid))
		return 0;
	return last ? model->status.start_ns + last : stop_ns;
}

/* What goes on for less of the run than a part in so many does not matter. */
#define MATTERS 1000

/* Threads of the process that have left. Returns 0, or -1 without memory. */
static int add_ends(struct thread_ends *ends, const struct results *results, s32 tgid, u64 stop_ns)
{
	const struct model *model = &results->model;
	const u64 process_end = end_of(results, tgid, stop_ns);

	for (size_t i = 0; i < model->thread_count; i++) {
		const struct gapp_thread_figures *thread = &model->threads[i];
		const u64 ns = model->status.start_ns + thread->left_ns;

		if (thread->tgid != tgid || !thread->tid || !thread->left_ns)
			continue;
		if (array_grow(&ends->rows, &ends->room, ends->count, sizeof(*ends->rows)))
			return -1;
		ends->rows[ends->count++] = (struct section_thread_end){
			.ns = ns,
			.tid = thread->tid,
			.tgid = tgid,
			.goes_on = process_end > ns + model->status.wall_ns / MATTERS,
		};
	}
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct section_thread_end *x = a, *y = b;

	return three_way(x->ns, y->ns);
}

/* Ends the sections of threads that have left. Returns 0, or -1 without memory. */
static int end_threads(struct sections *sections, const struct results *results, u64 stop_ns)
{
	struct thread_ends ends = { 0 };
	int failed = 0;

	for (u32 i = 0; i < sections->processes.index.count && !failed; i++)
		failed = add_ends(&ends, results, sections->processes.rows[i].key.id, stop_ns);
	if (ends.count)
		qsort(ends.rows, ends.count, sizeof(*ends.rows), by_time);
	if (!failed)
		failed = sections_end_threads(sections, ends.rows, ends.count);
	free(ends.rows);
	return failed;
}

/* Returns 0, or -1 without memory. */
static int end_all(struct sections *sections, const struct results *results)
{
	const struct model *model = &results->model;
	const u64 stop_ns = model->status.start_ns + model->status.wall_ns;

	if (end_threads(sections, results, stop_ns))
		return -1;
	for (u32 i = 0; i < sections->processes.index.count; i++) {
		struct section_process *process = &sections->processes.rows[i];

		if (process->open_count)
			sections_end(sections, process, end_of(results, process->key.id, stop_ns));
	}
	return 0;
}

/* Of a process that had ended before the window. */
static bool is_empty(const struct section_row *row)
{
	return !row->begins && !row->ns && row->critical_ns <= 0;
}

struct section_views *section_views_make(struct sections *sections, const struct path_names *names,
					 const struct results *results)
{
	struct section_views *views = calloc(1, sizeof(*views));
	struct sums sums = { .names = names };
	int failed = views ? 0 : -1;

	if (views && sections->sums.index.count)
		views->rows = calloc(sections->sums.index.count, sizeof(*views->rows));
	if (views && sections->sums.index.count && !views->rows)
		failed = -1;
	if (!failed) {
		failed = end_all(sections, results);
		views->unpaired = sections->unpaired;
		views->without_room = sections->without_room;
		views->ended_unseen = sections->ended_unseen;
	}
	if (!failed)
		failed = take_sums(views, sections);
	for (u32 i = 0; i < sections->paths.index.count && !failed; i++)
		failed = add_path(&sums, &sections->paths.rows[i]);
	if (!failed)
		failed = take_functions(views, &sums);
	keyed_free(&sums.functions);
	if (failed) {
		section_views_free(views);
		return NULL;
	}
	take_outside(views, sections, results);
	if (views->count)
		qsort(views->rows, views->count, sizeof(*views->rows), by_critical);
	while (views->count && is_empty(&views->rows[views->count - 1]))
		free(views->rows[--views->count].name);
	return views;
}
