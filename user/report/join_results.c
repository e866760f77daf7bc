// SPDX-License-Identifier: GPL-2.0
#include "join_results.h"

#include "handovers.h"
#include "profile/saved_profile.h"

/* More targets make no sense. */
#define TARGETS_MAX 0x100000U

static u64 begin_of(const struct saved_figures *figures)
{
	return figures->results.model.status.start_ns;
}

static u64 end_of(const struct saved_figures *figures)
{
	const struct gapp_status *status = &figures->results.model.status;
	u64 end = status->start_ns + status->wall_ns;

	/* a file may be made up */
	return end < status->start_ns ? UINT64_MAX : end;
}

/* Adds @count elements to a list. Returns 0, or -1 without memory. */
static int add_list(void *list, u32 *room, size_t *count, const void *more, size_t more_count,
		    size_t size)
{
	if (!more_count)
		return 0;
	if (array_grow(list, room, *count + more_count - 1, size))
		return -1;
	memcpy(*(char **)list + *count * size, more, more_count * size);
	*count += more_count;
	return 0;
}

/**
 * struct first_process - the process of a recording that was followed first
 * @tgid: the process; 0: there is none
 * @comm: its name
 */
struct first_process {
	s32 tgid;
	u8 comm[GAPP_COMM_LEN];
};

static struct first_process first_process(const struct model *model)
{
	const struct gapp_thread_figures *lists[] = { model->threads, model->processes }, *row;
	const size_t counts[] = { model->thread_count, model->process_count };
	const struct gapp_thread_figures *first = NULL;
	struct first_process process = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		for (row = lists[i]; row < lists[i] + counts[i]; row++) {
			bool better = !first || row->joined_ns < first->joined_ns ||
				      (row->joined_ns == first->joined_ns && row->tid == row->tgid);

			/* a sum of threads has the process's name, but no time */
			if (row->tgid && (i ? !first : better))
				first = row;
		}
	}
	if (!first)
		return process;
	process.tgid = first->tgid;
	memcpy(process.comm, first->comm, sizeof(process.comm));
	for (row = model->threads; row < model->threads + model->thread_count; row++)
		if (row->tgid == first->tgid && row->tid == row->tgid)
			memcpy(process.comm, row->comm, sizeof(process.comm));
	return process;
}

/*
 * Which former targets were recorded while a recording was: what is called the same in it is
 * another process then. Returns an array, or NULL without memory.
 */
static bool *find_beside(const struct results_joiner *joiner, const struct saved_figures *figures)
{
	const size_t former = joiner->results.target_count;
	bool *beside = calloc(former + 1, sizeof(*beside));

	for (u32 i = 0; beside && i < joiner->merged.count; i++) {
		const struct merged_part *part = &joiner->merged.parts[i];

		if (part->start_ns >= end_of(figures) || begin_of(figures) >= part->stop_ns)
			continue;
		for (u32 j = 0; j < part->target_count; j++)
			if (part->targets[j] < former)
				beside[part->targets[j]] = true;
	}
	return beside;
}

/**
 * struct former - targets of former recordings
 * @beside: which of them were recorded at the same time
 * @count: how many there are
 */
struct former {
	const bool *beside;
	size_t count;
};

/* The target of a former recording that is the same process, or NULL. */
static struct gapp_target_figures *same_target(struct results_joiner *joiner,
					       const struct former *former,
					       const struct gapp_target_figures *target)
{
	struct gapp_target_figures *rows = joiner->results.targets;

	for (size_t i = 0; i < former->count; i++)
		if (target->tgid && rows[i].tgid == target->tgid && !former->beside[i] &&
		    !memcmp(rows[i].comm, target->comm, sizeof(target->comm)))
			return &rows[i];
	return NULL;
}

static void add_target(struct gapp_target_figures *to, const struct gapp_target_figures *more)
{
	to->g += more->g;
	to->c += more->c;
	to->s += more->s;
	to->idle_ns += more->idle_ns;
	to->critical_runq += more->critical_runq;
	to->wall_ns += more->wall_ns;
	to->spun_ns += more->spun_ns;
	to->n = more->n;
	to->live = more->live;
	if (to->n_min < more->n_min)
		to->n_min = more->n_min;
}

/* Adds one target and sets its number. Returns 0, or -1 without memory. */
static int join_target(struct results_joiner *joiner, const struct former *former,
		       struct gapp_target_figures target, u32 *number)
{
	struct results *results = &joiner->results;
	struct gapp_target_figures *same = same_target(joiner, former, &target);

	if (same) {
		add_target(same, &target);
		*number = same->id;
		return 0;
	}
	target.id = results->target_count;
	*number = target.id;
	return add_list(&results->targets, &joiner->target_room, &results->target_count, &target, 1,
			sizeof(target));
}

static int join_targets(struct results_joiner *joiner, struct joined_recording *recording)
{
	_cleanup_free_ bool *beside = find_beside(joiner, recording->figures);
	const struct results *results = &recording->figures->results;
	const struct first_process process = first_process(&results->model);
	const struct former former = { beside, joiner->results.target_count };
	u32 count = 1;

	for (size_t i = 0; i < results->target_count; i++)
		if (results->targets[i].id < TARGETS_MAX && results->targets[i].id >= count)
			count = results->targets[i].id + 1;
	recording->targets = calloc(count, sizeof(*recording->targets));
	if (!recording->targets || !beside)
		return -1;
	recording->target_count = count;
	for (u32 i = 0; i < count; i++)
		recording->targets[i] = PROFILE_TARGET_UNKNOWN;
	for (size_t i = 0; i < results->target_count; i++) {
		struct gapp_target_figures target = results->targets[i];
		u32 id = target.id;

		if (id >= TARGETS_MAX)
			continue;
		if (!target.tgid) {
			target.tgid = process.tgid;
			memcpy(target.comm, process.comm, sizeof(target.comm));
		}
		if (join_target(joiner, &former, target, &recording->targets[id]))
			return -1;
	}
	return 0;
}

static int compare_u32(const void *a, const void *b)
{
	return three_way(*(const u32 *)a, *(const u32 *)b);
}

/* Adds a part with the targets of the list @from, of which it takes each once. */
static int add_part(struct results_joiner *joiner, struct merged_part part, const u32 *from,
		    u32 count, const struct joined_recording *recording)
{
	u32 used = 0;

	part.targets = calloc(count + 1, sizeof(*part.targets));
	if (!part.targets || !part.file) {
		merged_part_free(&part);
		return -1;
	}
	for (u32 i = 0; i < count; i++) {
		u32 old = from ? from[i] : i;

		if (old < recording->target_count &&
		    recording->targets[old] != PROFILE_TARGET_UNKNOWN)
			part.targets[used++] = recording->targets[old];
	}
	qsort(part.targets, used, sizeof(*part.targets), compare_u32);
	for (u32 i = 0; i < used; i++)
		if (!i || part.targets[i] != part.targets[i - 1])
			part.targets[part.target_count++] = part.targets[i];
	return merged_add(&joiner->merged, &part);
}

/* A recording that is merged itself has the parts that it was made of. */
static int join_parts(struct results_joiner *joiner, const struct joined_recording *recording)
{
	const struct merged *merged = recording->figures->results.merged;
	struct merged_part part = {
		.start_ns = begin_of(recording->figures),
		.stop_ns = end_of(recording->figures),
		.records = recording->records,
		.every_slice = recording->every_slice,
	};

	if (!merged) {
		part.file = strdup(recording->file);
		return add_part(joiner, part, NULL, recording->target_count, recording);
	}
	for (u32 i = 0; i < merged->count; i++) {
		part = merged->parts[i];
		part.file = strdup(part.file);
		part.target_count = 0;
		if (add_part(joiner, part, merged->parts[i].targets, merged->parts[i].target_count,
			     recording))
			return -1;
	}
	return 0;
}

static void join_status(struct gapp_status *to, const struct gapp_status *more, bool first)
{
	if (first) {
		*to = *more;
	} else {
		to->g += more->g;
		to->c += more->c;
		to->s += more->s;
		to->idle_ns += more->idle_ns;
		to->live += more->live;
		to->threads += more->threads;
		to->not_followed += more->not_followed;
		to->processes += more->processes;
		to->unexpected += more->unexpected;
		to->recount_n += more->recount_n;
		to->recount_tracked_n += more->recount_tracked_n;
		to->recount_threads += more->recount_threads;
		to->recount_tracked += more->recount_tracked;
		to->recount_differ += more->recount_differ;
		to->not_followed_denied += more->not_followed_denied;
		to->not_followed_late += more->not_followed_late;
		to->marks_left_out += more->marks_left_out;
		to->flags &= more->flags;
		if (to->peak < more->peak)
			to->peak = more->peak;
		if (to->cpus < more->cpus)
			to->cpus = more->cpus;
		if (to->tick_ns < more->tick_ns)
			to->tick_ns = more->tick_ns;
		if (to->start_ns > more->start_ns)
			to->start_ns = more->start_ns;
	}
	/* threads of several targets have no n in common */
	to->n = 0;
	to->n_min = 0;
	to->n_at_stop = 0;
	to->n_min_most = 0;
	to->n_min_least = 0;
	to->n_min_most_ns = 0;
}

static void join_counters(struct gapp_counters *to, const struct gapp_counters *more)
{
	u64 longest_ns = to->longest_ns > more->longest_ns ? to->longest_ns : more->longest_ns;

	to->slices += more->slices;
	to->critical_slices += more->critical_slices;
	to->unsampled_slices += more->unsampled_slices;
	to->switches += more->switches;
	to->records += more->records;
	to->samples += more->samples;
	to->paths += more->paths;
	to->path_words += more->path_words;
	to->critical_run += more->critical_run;
	to->critical_runq += more->critical_runq;
	for (size_t i = 0; i < GAPP_LOST_CAUSES; i++)
		to->lost[i] += more->lost[i];
	to->lost_critical_share += more->lost_critical_share;
	to->lost_wait_ns += more->lost_wait_ns;
	to->probe_calls += more->probe_calls;
	to->probe_timed += more->probe_timed;
	to->probe_ns += more->probe_ns;
	to->flags |= more->flags;
	to->post_waits += more->post_waits;
	to->stack_copies += more->stack_copies;
	to->tables += more->tables;
	to->table_bytes += more->table_bytes;
	to->spaces += more->spaces;
	to->longest_ns = longest_ns;
	to->posts += more->posts;
}

static void join_table_sync(struct table_sync_figures *to, const struct table_sync_figures *more)
{
	to->on |= more->on;
	to->objects.tables += more->objects.tables;
	to->objects.table_bytes += more->objects.table_bytes;
	to->objects.without += more->objects.without;
	to->objects.refused += more->objects.refused;
	to->objects.compile_ns += more->objects.compile_ns;
	to->objects.load_ns += more->objects.load_ns;
	to->processes += more->processes;
	to->sends += more->sends;
	to->outdated += more->outdated;
	to->mapping_requests += more->mapping_requests;
	to->send_ns += more->send_ns;
}

/* The first cases are kept, as many as a recording can have. Returns 0, or -1 without memory. */
static int join_copies(struct call_paths_figures *to, const struct call_paths_figures *more)
{
	struct verify *verify = &to->verify;

	to->copies += more->copies;
	to->longer += more->longer;
	to->whole += more->whole;
	to->unknown += more->unknown;
	for (u32 i = 0; i < VERIFY_VERDICTS; i++)
		verify->verdicts[i] += more->verify.verdicts[i];
	if (!verify->cases && more->verify.case_count) {
		verify->cases = calloc(VERIFY_KEPT, sizeof(*verify->cases));
		if (!verify->cases)
			return -1;
	}
	for (size_t i = 0; i < more->verify.case_count && verify->case_count < VERIFY_KEPT; i++)
		verify->cases[verify->case_count++] = more->verify.cases[i];
	return 0;
}

/* Advice is for programs, of which each recording has others. */
static int join_advice(struct results *to, const struct results *more)
{
	for (size_t i = 0; i < more->advice_count; i++) {
		size_t j = 0;

		while (j < to->advice_count && strcmp(to->advice[j], more->advice[i]))
			j++;
		if (j < to->advice_count || j == ADVICE_MAX)
			continue;
		to->advice[j] = strdup(more->advice[i]);
		if (!to->advice[j])
			return -1;
		to->advice_count++;
	}
	return 0;
}

static int join_handovers(struct results_joiner *joiner, const struct handovers *more, u64 start_ns)
{
	struct handovers *to = joiner->handovers;
	size_t count;

	if (!more)
		return 0;
	if (!to)
		to = calloc(1, sizeof(*to));
	if (!to)
		return -1;
	joiner->handovers = to;
	to->count += more->count;
	to->lost += more->lost;
	count = to->row_count;
	if (add_list(&to->rows, &joiner->handover_room, &count, more->rows, more->row_count,
		     sizeof(*more->rows)))
		return -1;
	for (; to->row_count < count; to->row_count++)
		to->rows[to->row_count].last_ns += start_ns;
	return 0;
}

/*
 * Adds the lists. Times are CLOCK_MONOTONIC until all are there: then it is known when the first
 * recording began. Returns 0, or -1 without memory.
 */
static int join_lists(struct results_joiner *joiner, const struct model *more)
{
	struct model *model = &joiner->results.model;
	const size_t threads = model->thread_count, waits = model->wait_count;
	const u64 start = more->status.start_ns;
	int error;

	error = add_list(&model->threads, &joiner->thread_room, &model->thread_count, more->threads,
			 more->thread_count, sizeof(*more->threads)) ||
		add_list(&model->waits, &joiner->wait_room, &model->wait_count, more->waits,
			 more->wait_count, sizeof(*more->waits)) ||
		add_list(&model->processes, &joiner->process_room, &model->process_count,
			 more->processes, more->process_count, sizeof(*more->processes));
	if (error)
		return -1;
	for (size_t i = threads; i < model->thread_count; i++) {
		model->threads[i].joined_ns += start;
		if (model->threads[i].left_ns)
			model->threads[i].left_ns += start;
	}
	for (size_t i = waits; i < model->wait_count; i++) {
		model->waits[i].joined_ns += start;
		if (model->waits[i].runq_max_ns)
			model->waits[i].runq_max_at_ns += start;
	}
	return 0;
}

bool results_fit(const struct results_joiner *joiner, const struct saved_figures *figures)
{
	const struct results *have = &joiner->results, *more = &figures->results;
	const size_t handovers = joiner->handovers ? joiner->handovers->row_count : 0;
	const struct {
		size_t count;
		size_t most;
	} lists[] = {
		{ joiner->merged.count + (more->merged ? more->merged->count : 1),
		  MERGED_PARTS_MAX },
		{ have->target_count + more->target_count, MERGED_TARGETS_MAX },
		{ have->model.thread_count + more->model.thread_count, SAVED_LIST_MAX },
		{ have->model.process_count + more->model.process_count, SAVED_LIST_MAX },
		{ have->model.wait_count + more->model.wait_count, SAVED_LIST_MAX },
		{ handovers + (more->handovers ? more->handovers->row_count : 0),
		  SAVED_HANDOVERS_MAX },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (lists[i].count > lists[i].most)
			return false;
	return true;
}

int results_join(struct results_joiner *joiner, struct joined_recording *recording)
{
	const struct saved_figures *figures = recording->figures;
	const struct results *more = &figures->results;
	struct results *results = &joiner->results;
	bool first = !joiner->merged.count;
	u64 again;

	if (more->merged) {
		if (results_count_again(&more->model, &again))
			return -1;
		joiner->counted_once += again;
	}
	if (join_targets(joiner, recording) || join_parts(joiner, recording) ||
	    join_lists(joiner, &more->model))
		return -1;
	join_status(&results->model.status, &more->model.status, first);
	if (joiner->end_ns < end_of(figures))
		joiner->end_ns = end_of(figures);
	results->model.targets_wall_ns += more->model.targets_wall_ns ?: more->model.status.wall_ns;
	results->ranked = more->ranked;
	join_counters(&results->counters, &more->counters);
	join_table_sync(&results->table_sync, &more->table_sync);
	results->own.cpu_s += more->own.cpu_s;
	if (results->own.rss_kib < more->own.rss_kib)
		results->own.rss_kib = more->own.rss_kib;
	results->own.report_s += more->own.report_s;
	results->kthreads_without_room += more->kthreads_without_room;
	results->no_kernel = results->no_kernel ?: more->no_kernel;
	if (more->sums.copies) {
		results->sums.copies = &joiner->copies;
		if (join_copies(&joiner->copies, more->sums.copies))
			return -1;
	}
	if (!joiner->commands)
		joiner->commands = command_lines_new();
	if (!joiner->commands || command_lines_read_more(joiner->commands, recording->blocks))
		return -1;
	return join_advice(results, more) ||
			       join_handovers(joiner, more->handovers, begin_of(figures)) ?
		       -1 :
		       0;
}
