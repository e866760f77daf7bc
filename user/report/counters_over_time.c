// SPDX-License-Identifier: GPL-2.0
#include "counters_over_time.h"

#include <string.h>

/* What take_step() fills. */
struct filling {
	struct counters_over_time *over;
	u32 room;
};

/* The nodes of the last point are those of all: none ever goes. Returns 0, or -1 without memory. */
static int set_nodes(struct counters_over_time *over, const struct counter_series *series)
{
	const struct counter_point *last = &series->points[series->count - 1];

	over->numbers = calloc(last->count + 1, sizeof(*over->numbers));
	if (!over->numbers)
		return -1;
	if (last->count && last->rows[0].node != CPU_NODE_UNKNOWN)
		for (u32 i = 0; i < last->count; i++)
			over->numbers[over->node_count++] = last->rows[i].node;
	return 0;
}

static const struct counter_row *row_of(const struct counter_step *step, u32 node)
{
	for (u32 i = 0; i < step->node_count; i++)
		if (step->nodes[i].node == node)
			return &step->nodes[i];
	return NULL;
}

static int take_step(void *context, const struct counter_step *step)
{
	const struct filling *filling = context;
	struct counters_over_time *over = filling->over;
	struct counter_row *rows = &over->nodes[(size_t)over->steps * over->node_count];

	if (over->steps == filling->room)
		return 0;
	if (!over->steps)
		over->start_ns = step->begin_ns;
	for (u32 i = 0; i < over->node_count; i++) {
		const struct counter_row *row = row_of(step, over->numbers[i]);

		rows[i] = row ? *row : (struct counter_row){ .node = over->numbers[i] };
	}
	over->all[over->steps] = step->all;
	over->end_ns[over->steps++] = step->end_ns;
	return 0;
}

int counters_over_time_make(struct counters_over_time *over, const struct results *results)
{
	const struct counter_series *series = &results->counted.series;
	struct filling filling = { over, series->count };

	*over = (struct counters_over_time){ 0 };
	if (!counter_steps_any(results))
		return 0;
	if (set_nodes(over, series))
		goto fail;
	over->end_ns = calloc(series->count, sizeof(*over->end_ns));
	over->all = calloc(series->count, sizeof(*over->all));
	over->nodes = calloc((size_t)series->count * over->node_count + 1, sizeof(*over->nodes));
	if (over->end_ns && over->all && over->nodes &&
	    !counter_steps_each(results, take_step, &filling))
		return 0;
fail:
	counters_over_time_free(over);
	return -1;
}

void counters_over_time_free(struct counters_over_time *over)
{
	free(over->end_ns);
	free(over->all);
	free(over->nodes);
	free(over->numbers);
	*over = (struct counters_over_time){ 0 };
}
