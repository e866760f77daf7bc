// SPDX-License-Identifier: GPL-2.0
#include "diff.h"

#include <math.h>

double diff_low_percent(const struct results *results)
{
	double low_ns = results_critical_ns(results) + results->model.status.idle_ns;

	return results_percent_of_all(results, low_ns);
}

static bool is_whole_run(const struct options *options)
{
	return options->command && !options->duration_ns && !options->delay_ns;
}

static enum diff_verdict verdict_of(double change, double least)
{
	if (fabs(change) < least)
		return DIFF_SAME;
	return change > 0 ? DIFF_WORSE : DIFF_BETTER;
}

static enum diff_verdict judge(const struct diff *diff)
{
	const struct results *before = diff->before.results, *after = diff->after.results;
	double then = before->model.status.wall_ns, now = after->model.status.wall_ns;

	if (diff->whole_runs && then > 0)
		return verdict_of(100 * (now - then) / then, DIFF_WALL_PERCENT);
	return verdict_of(diff_low_percent(after) - diff_low_percent(before), DIFF_POINTS);
}

const struct change *diff_main_change(const struct diff *diff)
{
	for (size_t i = 0; i < diff->rows.count; i++) {
		const struct change *change = &diff->rows.rows[i];
		double points = change_points(change);
		enum diff_verdict way = points > 0 ? DIFF_WORSE : DIFF_BETTER;

		if (fabs(points) < DIFF_POINTS)
			return NULL;
		if (diff->verdict == DIFF_SAME || diff->verdict == way)
			return change;
	}
	return NULL;
}

int diff_make(struct diff *diff)
{
	const struct two two = { diff->before.results, diff->after.results };

	diff->whole_runs = is_whole_run(diff->before.options) && is_whole_run(diff->after.options);
	diff->verdict = judge(diff);
	if (changes_find(&diff->rows, &two, diff->options->by))
		return -1;
	return diff->options->by == BY_FUNCTION ? 0 :
						  changes_find(&diff->functions, &two, BY_FUNCTION);
}

void diff_free(struct diff *diff)
{
	changes_free(&diff->rows);
	changes_free(&diff->functions);
}
