// SPDX-License-Identifier: GPL-2.0
#include "spans.h"

#include "report/merged.h"
#include "report/recorded.h"

static int compare_spans(const void *a, const void *b)
{
	const struct stays_span *x = a, *y = b;

	return compare_by(three_way(x->target, y->target), three_way(x->begin, y->begin),
			  three_way(x->end, y->end));
}

/* A file may say what it likes of its parts: they lie within it. */
static u64 within(const struct recorded *recorded, u64 time)
{
	if (time < recorded->start_ns)
		return recorded->start_ns;
	return time < recorded->stop_ns ? time : recorded->stop_ns;
}

/*
 * Sets @spans, allocated, to when the targets of a merged recording were recorded. Returns 0, or -1
 * without memory.
 */
static int make_spans(const struct results *results, struct stays_span **spans, size_t *count)
{
	const struct merged *merged = results->merged;
	const struct recorded *recorded = results->recorded;
	size_t all = 0, used = 0;

	for (u32 i = 0; i < merged->count; i++)
		all += merged->parts[i].target_count;
	*spans = calloc(all + 1, sizeof(**spans));
	if (!*spans)
		return -1;
	for (u32 i = 0; i < merged->count; i++) {
		const struct merged_part *part = &merged->parts[i];

		for (u32 j = 0; j < part->target_count; j++)
			(*spans)[used++] = (struct stays_span){
				.target = part->targets[j],
				.every_slice = part->every_slice,
				.begin = within(recorded, part->start_ns),
				.end = within(recorded, part->stop_ns),
			};
	}
	qsort(*spans, used, sizeof(**spans), compare_spans);
	*count = used;
	return 0;
}

int export_spans(struct stays *stays, const struct results *results)
{
	struct stays_span *spans;
	size_t count;

	if (!results->merged)
		return 0;
	if (make_spans(results, &spans, &count)) {
		free(spans);
		return -1;
	}
	stays_set_spans(stays, spans, count);
	return 0;
}
