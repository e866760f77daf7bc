// SPDX-License-Identifier: GPL-2.0
/* When recordings that are joined followed a process, and what is known only of all of them. */
#include "handovers.h"
#include "join_results.h"

static int compare_lived(const void *a, const void *b)
{
	const struct lived *x = a, *y = b;

	return compare_by(three_way(x->tgid, y->tgid), three_way(x->begin_ns, y->begin_ns),
			  three_way(x->end_ns, y->end_ns));
}

/* The lives of one process become one, from its first thread's begin to its last one's end. */
static size_t fold(struct lived *lives, size_t count)
{
	size_t used = 0;

	if (!count)
		return 0;
	qsort(lives, count, sizeof(*lives), compare_lived);
	for (size_t i = 1; i < count; i++) {
		if (lives[i].tgid != lives[used].tgid)
			lives[++used] = lives[i];
		else if (lives[i].end_ns > lives[used].end_ns)
			lives[used].end_ns = lives[i].end_ns;
	}
	return used + 1;
}

/* Sets @lives, allocated, to the processes of a recording. Returns 0, or -1 without memory. */
static int find_lives(const struct joined_recording *recording, struct lived **lives, size_t *count)
{
	const struct model *model = &recording->figures->results.model;
	const u64 start = model->status.start_ns, stop = start + model->status.wall_ns;
	size_t used = 0;

	*lives = calloc(model->thread_count + model->process_count + 1, sizeof(**lives));
	if (!*lives)
		return -1;
	for (size_t i = 0; i < model->thread_count; i++) {
		const struct gapp_thread_figures *row = &model->threads[i];
		struct lived *lived = &(*lives)[used];

		*lived = (struct lived){ .tgid = row->tgid,
					 .begin_ns = start + row->joined_ns,
					 .end_ns = row->left_ns ? start + row->left_ns : stop };
		memcpy(lived->comm, row->comm, sizeof(lived->comm));
		used += row->tgid ? 1 : 0;
	}
	/* nobody knows when these threads lived */
	for (size_t i = 0; i < model->process_count; i++) {
		const struct gapp_thread_figures *row = &model->processes[i];
		struct lived *lived = &(*lives)[used];

		*lived = (struct lived){ .tgid = row->tgid, .begin_ns = start, .end_ns = stop };
		memcpy(lived->comm, row->comm, sizeof(lived->comm));
		used += row->tgid ? 1 : 0;
	}
	*count = fold(*lives, used);
	for (size_t i = 0; i < *count; i++)
		(*lives)[i].file = recording->file;
	return 0;
}

/* Times without a length overlap where they begin together. */
static bool overlap(const struct lived *a, const struct lived *b)
{
	return a->begin_ns == b->begin_ns || (a->begin_ns < b->end_ns && b->begin_ns < a->end_ns);
}

/* The first of those before that was followed at the same time, or NULL. */
static const struct lived *find_other(const struct results_joiner *joiner,
				      const struct lived *lived)
{
	size_t low = 0, high = joiner->life_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (joiner->lives[middle].tgid < lived->tgid)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < joiner->life_count && joiner->lives[low].tgid == lived->tgid; low++)
		if (overlap(&joiner->lives[low], lived))
			return &joiner->lives[low];
	return NULL;
}

int results_note_lives(struct results_joiner *joiner, const struct joined_recording *recording,
		       struct twice *twice)
{
	_cleanup_free_ struct lived *lives = NULL;
	struct lived *all;
	size_t count;

	*twice = (struct twice){ 0 };
	if (find_lives(recording, &lives, &count))
		return -1;
	for (size_t i = 0; i < count && !twice->file; i++) {
		const struct lived *other = find_other(joiner, &lives[i]);

		if (!other)
			continue;
		twice->tgid = other->tgid;
		memcpy(twice->comm, other->comm, sizeof(twice->comm));
		twice->file = other->file;
	}
	if (!count)
		return 0;
	all = reallocarray(joiner->lives, joiner->life_count + count, sizeof(*all));
	if (!all)
		return -1;
	memcpy(all + joiner->life_count, lives, count * sizeof(*lives));
	joiner->lives = all;
	joiner->life_count += count;
	qsort(all, joiner->life_count, sizeof(*all), compare_lived);
	return 0;
}

/* Most frequent first, as handovers_make() has them. */
static int compare_handovers(const void *a, const void *b)
{
	const struct handover *x = a, *y = b;

	return compare_by(three_way(y->count, x->count), three_way(x->from.tid, y->from.tid),
			  three_way(x->to.tid, y->to.tid));
}

static int compare_threads(const void *a, const void *b)
{
	const struct gapp_thread_figures *x = a, *y = b;

	return compare_by(three_way(x->tgid, y->tgid), three_way(x->tid, y->tid));
}

/* How many threads are in the list once more: each recording of one has counted it. */
int results_count_again(const struct model *model, u64 *again)
{
	_cleanup_free_ struct gapp_thread_figures *rows = NULL;

	*again = 0;
	if (!model->thread_count)
		return 0;
	rows = reallocarray(NULL, model->thread_count, sizeof(*rows));
	if (!rows)
		return -1;
	memcpy(rows, model->threads, model->thread_count * sizeof(*rows));
	qsort(rows, model->thread_count, sizeof(*rows), compare_threads);
	for (size_t i = 1; i < model->thread_count; i++)
		*again += rows[i].tid && !compare_threads(&rows[i - 1], &rows[i]);
	return 0;
}

int results_join_end(struct results_joiner *joiner)
{
	struct results *results = &joiner->results;
	struct model *model = &results->model;
	u64 start = model->status.start_ns, again;

	model->status.wall_ns = joiner->end_ns - start;
	for (size_t i = 0; i < model->thread_count; i++) {
		model->threads[i].joined_ns -= start;
		if (model->threads[i].left_ns)
			model->threads[i].left_ns -= start;
	}
	for (size_t i = 0; i < model->wait_count; i++) {
		model->waits[i].joined_ns -= start;
		if (model->waits[i].runq_max_ns)
			model->waits[i].runq_max_at_ns -= start;
	}
	if (results_count_again(model, &again))
		return -1;
	/* what was merged before has no thread twice in its count */
	again -= again < joiner->counted_once ? again : joiner->counted_once;
	model->status.threads -= again < model->status.threads ? again : 0;
	if (joiner->handovers) {
		for (u32 i = 0; i < joiner->handovers->row_count; i++)
			joiner->handovers->rows[i].last_ns -= start;
		if (joiner->handovers->row_count)
			qsort(joiner->handovers->rows, joiner->handovers->row_count,
			      sizeof(*joiner->handovers->rows), compare_handovers);
	}
	model_rank(model);
	results->merged = &joiner->merged;
	results->commands = joiner->commands;
	results->handovers = joiner->handovers;
	return 0;
}

void results_joiner_free(struct results_joiner *joiner)
{
	results_free(&joiner->results);
	for (u32 i = 0; i < joiner->merged.count; i++)
		merged_part_free(&joiner->merged.parts[i]);
	free(joiner->merged.parts);
	command_lines_free(joiner->commands);
	verify_free(&joiner->copies.verify);
	/* texts of rows belong to the recordings */
	if (joiner->handovers)
		free(joiner->handovers->rows);
	free(joiner->handovers);
	free(joiner->lives);
}
