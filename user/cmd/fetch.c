// SPDX-License-Identifier: GPL-2.0
#include "fetch.h"

#include <stdio.h>
#include <sys/resource.h>

#include "util/hash_index.h"

/* Bound on the elements of a list of figures; the module has fewer of each kind. */
#define ELEMENTS_MAX 0x100000

/* Adds to the array @list of *@count elements all that the module has. Returns 0, or -1. */
static int fetch(struct device *dev, unsigned long request, size_t size, void *list, size_t *count)
{
	struct gapp_page page = { 0 };
	char **elements = list;
	u32 room = 0;

	do {
		if (array_grow(list, &room, *count, size))
			return out_of_memory();
		page.buffer = (uintptr_t)(*elements + *count * size);
		page.capacity = room - *count < GAPP_PAGE_MAX ? room - *count : GAPP_PAGE_MAX;
		page.count = 0;
		if (device_page(dev, request, &page))
			return -1;
		if (page.count > page.capacity || *count > ELEMENTS_MAX) {
			complain("the module gave more figures than it can have");
			return -1;
		}
		*count += page.count;
	} while (page.count);
	return 0;
}

int fetch_results(struct device *dev, struct results *results)
{
	struct model *model = &results->model;

	if (device_status(dev, &model->status) ||
	    fetch(dev, GAPP_IOC_THREADS, sizeof(*model->threads), &model->threads,
		  &model->thread_count) ||
	    (dev->waits && fetch(dev, GAPP_IOC_THREAD_WAITS, sizeof(*model->waits), &model->waits,
				 &model->wait_count)) ||
	    fetch(dev, GAPP_IOC_PROCESSES, sizeof(*model->processes), &model->processes,
		  &model->process_count) ||
	    fetch(dev, GAPP_IOC_PARALLELISM, sizeof(*model->parallelism), &model->parallelism,
		  &model->parallelism_count) ||
	    device_counters(dev, &results->counters) ||
	    fetch(dev, GAPP_IOC_TARGETS, sizeof(*results->targets), &results->targets,
		  &results->target_count))
		return -1;
	model_rank(model);
	if (results_apart(results))
		for (size_t i = 0; i < results->target_count; i++)
			model->targets_wall_ns += results->targets[i].wall_ns;
	return 0;
}

int fetch_handovers(struct device *dev, struct gapp_handover **rows, size_t *count)
{
	return fetch(dev, GAPP_IOC_HANDOVERS, sizeof(**rows), rows, count);
}

int fetch_cpu_tallies(struct device *dev, struct gapp_cpu_tallies **cpus, size_t *count)
{
	return fetch(dev, GAPP_IOC_CPU_TALLIES, sizeof(**cpus), cpus, count);
}

int fetch_counted(struct device *dev, const struct tallies *asked, struct counted *counted)
{
	counted->asked = *asked;
	if (!tallies_any_counted(asked))
		return 0;
	if (fetch(dev, GAPP_IOC_THREAD_TALLIES, sizeof(*counted->threads), &counted->threads,
		  &counted->thread_count))
		return -1;
	return fetch_cpu_tallies(dev, &counted->cpus, &counted->cpu_count);
}

/*
 * The most memory that the process had, KiB. What getrusage() says has that of whoever executed it,
 * too. 0: it cannot be known.
 */
static u64 most_memory(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long kib = 0;
	char line[256];

	if (!file)
		return 0;
	while (!kib && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %llu kB", &kib) != 1)
			kib = 0;
	fclose(file);
	return kib;
}

void take_own(struct own *own, u64 ended_ns)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	own->cpu_s = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
		     (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	own->rss_kib = most_memory() ?: (u64)usage.ru_maxrss;
	own->report_s = (double)(clock_ns() - ended_ns) / NSEC_PER_SEC;
}
