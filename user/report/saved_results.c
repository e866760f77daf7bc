// SPDX-License-Identifier: GPL-2.0
#include "saved_results.h"

#include "exact_loops.h"
#include "handovers.h"
#include "merged.h"
#include "section_views.h"
#include "wait_views.h"

static void save_list(struct blocks_writer *writer, enum block_type type, const void *list,
		      size_t count, size_t size)
{
	blocks_section(writer, type);
	for (size_t i = 0; i < count; i++) {
		pack_sized(blocks_item(writer), (const char *)list + i * size, size);
		blocks_item_end(writer);
	}
}

static void pack_table_sync(struct pack *pack, const struct table_sync_figures *sync)
{
	pack_u64(pack, sync->on);
	pack_u64(pack, sync->objects.tables);
	pack_u64(pack, sync->objects.table_bytes);
	pack_u64(pack, sync->objects.without);
	pack_u64(pack, sync->objects.refused);
	pack_u64(pack, sync->objects.compile_ns);
	pack_u64(pack, sync->objects.load_ns);
	pack_u64(pack, sync->processes);
	pack_u64(pack, sync->sends);
	pack_u64(pack, sync->outdated);
	pack_u64(pack, sync->mapping_requests);
	pack_u64(pack, sync->send_ns);
}

static void pack_window(struct pack *pack, const struct window *window)
{
	pack_u64(pack, window->end_ns);
	pack_u64(pack, window->begin_ns);
	pack_u64(pack, window->number);
	pack_u64(pack, window->full);
	pack_u64(pack, window->skew_ns);
	pack_text(pack, window->cause);
}

static void save_figures(const struct results *results, struct object_numbers *numbers,
			 struct blocks_writer *writer)
{
	static const struct call_paths_figures none;
	const struct call_paths_figures *copies = results->sums.copies;
	struct pack *pack;

	blocks_section(writer, BLOCK_FIGURES);
	pack = blocks_item(writer);
	pack_u64(pack, results->ranked);
	pack_u64(pack, results->model.targets_wall_ns);
	pack_sized(pack, &results->model.status, sizeof(results->model.status));
	pack_sized(pack, &results->counters, sizeof(results->counters));
	pack_double(pack, results->own.cpu_s);
	pack_u64(pack, results->own.rss_kib);
	pack_double(pack, results->own.report_s);
	pack_text(pack, results->no_kernel);
	pack_u64(pack, results->kthreads_without_room);
	pack_table_sync(pack, &results->table_sync);
	pack_u64(pack, results->advice_count);
	for (size_t i = 0; i < results->advice_count; i++)
		pack_text(pack, results->advice[i]);
	pack_u64(pack, !!copies);
	call_paths_save_figures(copies ?: &none, numbers, pack);
	pack_window(pack, &results->window);
	blocks_item_end(writer);
}

void results_save(const struct results *results, struct object_numbers *numbers,
		  struct blocks_writer *writer)
{
	const struct model *model = &results->model;

	save_figures(results, numbers, writer);
	save_list(writer, BLOCK_THREADS, model->threads, model->thread_count,
		  sizeof(*model->threads));
	save_list(writer, BLOCK_THREAD_WAITS, model->waits, model->wait_count,
		  sizeof(*model->waits));
	save_list(writer, BLOCK_PROCESSES, model->processes, model->process_count,
		  sizeof(*model->processes));
	save_list(writer, BLOCK_TARGETS, results->targets, results->target_count,
		  sizeof(*results->targets));
	save_list(writer, BLOCK_PARALLELISM, model->parallelism, model->parallelism_count,
		  sizeof(*model->parallelism));
	if (results->commands)
		command_lines_save(results->commands, writer);
	if (results->wait_views)
		wait_views_save(results->wait_views, writer);
	if (results->handovers)
		handovers_save(results->handovers, writer);
	if (results->sections)
		section_views_save(results->sections, writer);
	if (results->exact_loops)
		exact_loops_save(results->exact_loops, writer);
	if (results->merged)
		merged_save(results->merged, writer);
	if (!results->counted.asked.count)
		return;
	counted_save(&results->counted, writer);
	save_list(writer, BLOCK_THREAD_TALLIES, results->counted.threads,
		  results->counted.thread_count, sizeof(*results->counted.threads));
	save_list(writer, BLOCK_CPU_TALLIES, results->counted.cpus, results->counted.cpu_count,
		  sizeof(*results->counted.cpus));
}

/* Where take_list() puts elements. */
struct list {
	void *elements; /* address of the pointer to them */
	size_t *count;
	u32 room;
	size_t size;
};

static int take_list(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct list *list = context;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		if (*list->count >= SAVED_LIST_MAX || !unpack_keep(unpack, list->size)) {
			unpack->failed = true;
			return 0;
		}
		if (array_grow(list->elements, &list->room, *list->count, list->size))
			return -1;
		unpack_sized(unpack, *(char **)list->elements + *list->count * list->size,
			     list->size);
		if (unpack->failed)
			return 0;
		++*list->count;
	}
	return 0;
}

static void unpack_table_sync(struct unpack *unpack, struct table_sync_figures *sync)
{
	sync->on = unpack_most(unpack, 1);
	sync->objects.tables = unpack_u64(unpack);
	sync->objects.table_bytes = unpack_u64(unpack);
	sync->objects.without = unpack_u64(unpack);
	sync->objects.refused = unpack_u64(unpack);
	sync->objects.compile_ns = unpack_u64(unpack);
	sync->objects.load_ns = unpack_u64(unpack);
	sync->processes = unpack_u64(unpack);
	sync->sends = unpack_u64(unpack);
	sync->outdated = unpack_u64(unpack);
	sync->mapping_requests = unpack_u64(unpack);
	sync->send_ns = unpack_u64(unpack);
}

/* Recordings before minor version 9 of the format have no window; of others it may be all zero. */
static void unpack_window(struct unpack *unpack, struct saved_figures *figures)
{
	struct window *window = &figures->results.window;

	if (unpack->failed || !unpack_more(unpack))
		return;
	window->end_ns = unpack_u64(unpack);
	window->begin_ns = unpack_most(unpack, window->end_ns);
	window->number = unpack_most(unpack, UINT32_MAX);
	window->full = unpack_most(unpack, 1);
	window->skew_ns = unpack_u64(unpack);
	free(figures->window_cause);
	figures->window_cause = unpack_text(unpack);
	window->cause = figures->window_cause;
}

/* What take_figures() needs. */
struct taking {
	struct saved_figures *figures;
	struct saved_objects *objects;
};

static int take_figures(void *context, _unused_ u64 first, _unused_ u64 count,
			struct unpack *unpack)
{
	const struct taking *taking = context;
	struct saved_figures *figures = taking->figures;
	struct results *results = &figures->results;
	u64 advice;

	results->ranked = unpack_most(unpack, 1);
	results->model.targets_wall_ns = unpack_u64(unpack);
	unpack_sized(unpack, &results->model.status, sizeof(results->model.status));
	unpack_sized(unpack, &results->counters, sizeof(results->counters));
	results->own.cpu_s = unpack_double(unpack);
	results->own.rss_kib = unpack_u64(unpack);
	results->own.report_s = unpack_double(unpack);
	free(figures->no_kernel);
	figures->no_kernel = unpack_text(unpack);
	results->no_kernel = figures->no_kernel;
	results->kthreads_without_room = unpack_most(unpack, UINT32_MAX);
	unpack_table_sync(unpack, &results->table_sync);
	advice = unpack_most(unpack, ADVICE_MAX);
	while (results->advice_count < advice && !unpack->failed) {
		char *line = unpack_text(unpack);

		unpack->failed |= !line;
		if (line)
			results->advice[results->advice_count++] = line;
	}
	if (unpack_most(unpack, 1))
		results->sums.copies = &figures->copies;
	if (!figures->copies.verify.cases)
		call_paths_read_figures(&figures->copies, taking->objects, unpack);
	unpack_window(unpack, figures);
	figures->complete = !unpack->failed;
	return 0;
}

int saved_figures_read(struct saved_figures *figures, struct blocks *blocks,
		       struct saved_objects *objects)
{
	struct results *results = &figures->results;
	struct model *model = &results->model;
	struct counted *counted = &results->counted;
	struct taking taking = { figures, objects };
	const struct {
		enum block_type type;
		struct list list;
	} lists[] = {
		{ BLOCK_THREADS,
		  { &model->threads, &model->thread_count, 0, sizeof(*model->threads) } },
		{ BLOCK_THREAD_WAITS,
		  { &model->waits, &model->wait_count, 0, sizeof(*model->waits) } },
		{ BLOCK_PROCESSES,
		  { &model->processes, &model->process_count, 0, sizeof(*model->processes) } },
		{ BLOCK_TARGETS,
		  { &results->targets, &results->target_count, 0, sizeof(*results->targets) } },
		{ BLOCK_PARALLELISM,
		  { &model->parallelism, &model->parallelism_count, 0,
		    sizeof(*model->parallelism) } },
		{ BLOCK_THREAD_TALLIES,
		  { &counted->threads, &counted->thread_count, 0, sizeof(*counted->threads) } },
		{ BLOCK_CPU_TALLIES,
		  { &counted->cpus, &counted->cpu_count, 0, sizeof(*counted->cpus) } },
	};

	if (blocks_each(blocks, BLOCK_FIGURES, take_figures, &taking))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct list list = lists[i].list;

		if (blocks_each(blocks, lists[i].type, take_list, &list))
			return -1;
	}
	/* they are made up, and looking for the node of each would take long */
	if (counted->cpu_count > SAVED_CPUS_MAX)
		counted->cpu_count = 0;
	if (wait_views_read(blocks, &figures->wait_views) ||
	    handovers_read(blocks, &figures->handovers) ||
	    section_views_read(blocks, &figures->sections) ||
	    exact_loops_read(blocks, &figures->exact_loops) || counted_read(blocks, counted) ||
	    merged_read(blocks, &figures->merged))
		return -1;
	results->merged = figures->merged;
	results->wait_views = figures->wait_views;
	results->handovers = figures->handovers;
	results->sections = figures->sections;
	results->exact_loops = figures->exact_loops;
	figures->commands = command_lines_read(blocks);
	results->commands = figures->commands;
	return figures->commands ? 0 : -1;
}

void saved_figures_free(struct saved_figures *figures)
{
	results_free(&figures->results);
	free(figures->no_kernel);
	free(figures->window_cause);
	verify_free(&figures->copies.verify);
	command_lines_free(figures->commands);
	wait_views_free(figures->wait_views);
	handovers_free(figures->handovers);
	section_views_free(figures->sections);
	exact_loops_free(figures->exact_loops);
	merged_free(figures->merged);
}

/* A copy of an array. Returns 0, or -1 without memory. */
static int copy_list(void *to, const void *from, size_t count, size_t size)
{
	void *copy = count ? malloc(count * size) : NULL;

	if (count && !copy)
		return -1;
	if (count)
		memcpy(copy, from, count * size);
	*(void **)to = copy;
	return 0;
}

int saved_figures_copy(const struct saved_figures *figures, struct results *results)
{
	const struct results *from = &figures->results;
	const struct model *model = &from->model;

	*results = (struct results){
		.model = { .status = model->status, .targets_wall_ns = model->targets_wall_ns },
		.counters = from->counters,
		.commands = from->commands,
		.table_sync = from->table_sync,
		.wait_views = from->wait_views,
		.handovers = from->handovers,
		.sections = from->sections,
		.exact_loops = from->exact_loops,
		.merged = from->merged,
		.own = from->own,
		.no_kernel = from->no_kernel,
		.kthreads_without_room = from->kthreads_without_room,
		.window = from->window,
	};
	if (copy_list(&results->model.threads, model->threads, model->thread_count,
		      sizeof(*model->threads)) ||
	    copy_list(&results->model.waits, model->waits, model->wait_count,
		      sizeof(*model->waits)) ||
	    copy_list(&results->model.processes, model->processes, model->process_count,
		      sizeof(*model->processes)) ||
	    copy_list(&results->model.parallelism, model->parallelism, model->parallelism_count,
		      sizeof(*model->parallelism)) ||
	    copy_list(&results->targets, from->targets, from->target_count,
		      sizeof(*results->targets)) ||
	    counted_copy(&results->counted, &from->counted))
		return -1;
	results->model.thread_count = model->thread_count;
	results->model.wait_count = model->wait_count;
	results->model.process_count = model->process_count;
	results->model.parallelism_count = model->parallelism_count;
	results->target_count = from->target_count;
	for (size_t i = 0; i < from->advice_count; i++) {
		results->advice[i] = strdup(from->advice[i]);
		if (!results->advice[i])
			return -1;
		results->advice_count++;
	}
	return 0;
}
