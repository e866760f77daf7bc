// SPDX-License-Identifier: GPL-2.0
#include "counter_steps.h"

#include <string.h>

/* Sets a row to what was counted between two rows of a node; @then: NULL: nothing before. */
static void set_row(struct counter_row *row, const struct tallies *tallies,
		    const struct node_tallies *then, const struct node_tallies *now)
{
	u64 counts[GAPP_TALLIES];

	for (u32 i = 0; i < GAPP_TALLIES; i++)
		counts[i] = now->counts[i] - (then ? then->counts[i] : 0);
	*row = (struct counter_row){ .node = now->node };
	counter_row_set(row, tallies, counts, now->uncounted);
}

static bool knows_nodes(const struct counter_point *point)
{
	return point->count && point->rows[0].node != CPU_NODE_UNKNOWN;
}

static int take_point(void *context, const struct counter_point *point)
{
	struct counter_steps *steps = context;
	const struct counter_point *before = &steps->before;
	const struct node_tallies then = counter_point_sum(before), now = counter_point_sum(point);
	struct counter_step step = {
		.begin_ns = before->time_ns,
		.end_ns = point->time_ns,
		.nodes = steps->nodes,
	};

	/* what was counted before the recording began, which is nothing */
	if (point->time_ns <= before->time_ns)
		return 0;
	set_row(&step.all, steps->tallies, &then, &now);
	for (u32 i = 0; i < point->count && knows_nodes(point); i++)
		set_row(&step.nodes[step.node_count++], steps->tallies,
			counter_point_row(before, point->rows[i].node), &point->rows[i]);
	return steps->take(steps->context, &step) || counter_point_copy(&steps->before, point) ?
		       -1 :
		       0;
}

/* Returns 0, or -1 without memory. */
static int begin(struct counter_steps *steps, const struct results *results, counter_step_fn take,
		 void *context)
{
	const u64 start_ns = results->model.status.start_ns;

	*steps = (struct counter_steps){
		.tallies = &results->counted.asked,
		.take = take,
		.context = context,
		.before = { .time_ns = start_ns < COUNTER_TIME_MAX ? start_ns : COUNTER_TIME_MAX },
		.nodes = calloc(COUNTER_NODES_MAX, sizeof(*steps->nodes)),
	};
	return steps->nodes ? 0 : -1;
}

static void end(struct counter_steps *steps)
{
	counter_point_free(&steps->before);
	free(steps->nodes);
}

bool counter_steps_any(const struct results *results)
{
	return results->counted.series.count && tallies_any_counted(&results->counted.asked);
}

int counter_steps_each(const struct results *results, counter_step_fn take, void *context)
{
	const struct counter_series *series = &results->counted.series;
	struct counter_steps steps;
	int error = begin(&steps, results, take, context);

	for (u32 i = 0; i < series->count && !error; i++)
		error = take_point(&steps, &series->points[i]);
	end(&steps);
	return error;
}

int counter_steps_of_file(const struct results *results, struct blocks *blocks,
			  counter_step_fn take, void *context)
{
	struct counter_steps steps;
	int error = begin(&steps, results, take, context);

	if (!error)
		error = counter_points_each(blocks, take_point, &steps);
	end(&steps);
	return error;
}
