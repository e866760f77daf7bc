// SPDX-License-Identifier: GPL-2.0
/* Reads a session's figures page by page. */
#include "fetch.h"

/* More than the module can hold of anything. */
#define ELEMENTS_MAX 0x100000

struct array {
	char *data;
	size_t count;
	size_t room;
};

/* At least one more element fits. */
static int grow(struct array *array, size_t size)
{
	size_t room = array->room ? 2 * array->room : 64;
	char *data;

	if (array->count < array->room)
		return 0;
	data = realloc(array->data, room * size);
	if (!data)
		return out_of_memory();
	array->data = data;
	array->room = room;
	return 0;
}

static int fetch_pages(struct device *dev, unsigned long request, size_t size, struct array *array)
{
	struct gapp_page page = { 0 };

	do {
		size_t room;

		if (grow(array, size))
			return -1;
		room = array->room - array->count;
		page.buffer = (uintptr_t)(array->data + array->count * size);
		page.capacity = room < GAPP_PAGE_MAX ? room : GAPP_PAGE_MAX;
		page.count = 0;
		if (device_page(dev, request, &page))
			return -1;
		if (page.count > page.capacity || array->count > ELEMENTS_MAX) {
			complain("the module gave more figures than it can have");
			return -1;
		}
		array->count += page.count;
	} while (page.count);
	return 0;
}

/**
 * fetch_model() - all figures of a session
 * @dev: a stopped session
 * @model: zeroed; the caller's to free, whatever is returned
 *
 * Return: 0, or -1 with a complaint made.
 */
int fetch_model(struct device *dev, struct model *model)
{
	struct array threads = { 0 }, processes = { 0 }, parallelism = { 0 };
	int result = -1;

	if (!device_status(dev, &model->status) &&
	    !fetch_pages(dev, GAPP_IOC_THREADS, sizeof(*model->threads), &threads) &&
	    !fetch_pages(dev, GAPP_IOC_PROCESSES, sizeof(*model->processes), &processes) &&
	    !fetch_pages(dev, GAPP_IOC_PARALLELISM, sizeof(*model->parallelism), &parallelism))
		result = 0;

	model->threads = (struct gapp_thread_figures *)threads.data;
	model->thread_count = threads.count;
	model->processes = (struct gapp_thread_figures *)processes.data;
	model->process_count = processes.count;
	model->parallelism = (u64 *)parallelism.data;
	model->parallelism_count = parallelism.count;
	if (!result)
		model_rank(model);
	return result;
}

/* All that the module has; what records came to is not touched. 0, or -1 with a complaint made. */
int fetch_results(struct device *dev, struct results *results)
{
	struct array targets = { 0 };
	int result = -1;

	if (!fetch_model(dev, &results->model) && !device_counters(dev, &results->counters) &&
	    !fetch_pages(dev, GAPP_IOC_TARGETS, sizeof(*results->targets), &targets))
		result = 0;
	results->targets = (struct gapp_target_figures *)targets.data;
	results->group_count = targets.count;
	if (results_apart(results))
		for (size_t i = 0; i < results->group_count; i++)
			results->model.targets_wall_ns += results->targets[i].wall_ns;
	return result;
}
