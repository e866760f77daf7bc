// SPDX-License-Identifier: GPL-2.0
#include "counter_watch.h"

#include "fetch.h"

void counter_watch_begin(struct counter_watch *watch, struct device *dev,
			 const struct tallies *asked, const struct cpu_nodes *nodes,
			 struct blocks_writer *writer)
{
	if (!tallies_any_counted(asked))
		return;
	*watch = (struct counter_watch){
		.dev = dev,
		.asked = asked,
		.nodes = nodes,
		.writer = writer,
		.aside = { .type = BLOCK_NODE_TALLIES },
	};
}

/* Keeps and writes the point of some CPUs. Returns 0, or -1 without memory. */
static int add(struct counter_watch *watch, u64 time_ns, const struct gapp_cpu_tallies *cpus,
	       size_t count)
{
	const u32 tallies = tallies_number(watch->asked);

	if (counter_point_set(&watch->point, time_ns, cpus, count, watch->nodes) ||
	    counter_series_add(&watch->series, &watch->point, tallies))
		return out_of_memory();
	if (!watch->writer)
		return 0;
	counter_point_pack(&watch->point, tallies, &watch->aside.pack);
	blocks_aside_end(watch->writer, &watch->aside);
	return 0;
}

int counter_watch_look(struct counter_watch *watch)
{
	_cleanup_free_ struct gapp_cpu_tallies *cpus = NULL;
	size_t count = 0;

	if (!watch->dev || watch->failed)
		return 0;
	if (fetch_cpu_tallies(watch->dev, &cpus, &count)) {
		watch->failed = true;
		return 0;
	}
	return add(watch, clock_ns(), cpus, count);
}

int counter_watch_end(struct counter_watch *watch, u64 end_ns, struct counted *counted)
{
	if (!watch->dev)
		return 0;
	/* root may have ended the session before the last look */
	if (end_ns <= watch->point.time_ns)
		end_ns = clock_ns();
	if (add(watch, end_ns, counted->cpus, counted->cpu_count))
		return -1;
	if (watch->writer)
		blocks_aside_flush(watch->writer, &watch->aside);
	counted->series = watch->series;
	watch->series = (struct counter_series){ 0 };
	return 0;
}

void counter_watch_free(struct counter_watch *watch)
{
	counter_series_free(&watch->series);
	counter_point_free(&watch->point);
	pack_free(&watch->aside.pack);
	*watch = (struct counter_watch){ 0 };
}
