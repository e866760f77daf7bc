// SPDX-License-Identifier: GPL-2.0
#include "live_counters.h"

#include "counter_steps.h"
#include "text_counts.h"

#define MOST_PART 3 /* of the lines that there are */

/**
 * struct looks - what was counted up to two looks
 * @now: in all and by node, so far
 * @then: as of the look before
 * @seconds: between the two
 */
struct looks {
	struct counter_figures now;
	struct counter_figures then;
	double seconds;
};

static void add_number(struct text *text, const struct looks *looks, const struct counter_row *now,
		       const struct counter_row *then, u32 counter)
{
	const u64 before = then ? then->counts[counter] : 0, count = now->counts[counter];
	const char *mark = text_missing(&looks->now, now, counter);
	char all[TEXT_COUNT_SIZE], rate[TEXT_COUNT_SIZE];

	text_count(all, count);
	text_count(rate, looks->seconds > 0 && count > before ?
				 (count - before) / looks->seconds + 0.5 :
				 0);
	text_add(text, "%s%s, now %s%s/s", mark, all, mark, rate);
}

static const struct counter_row *same_node(const struct counter_figures *figures, u32 node)
{
	for (size_t i = 0; i < figures->node_count; i++)
		if (figures->nodes[i].node == node)
			return &figures->nodes[i];
	return NULL;
}

static void put_counter(struct text *text, const struct looks *looks, u32 counter)
{
	const struct counter_figures *now = &looks->now;

	text_add(text, "%s ", now->tallies->counters[counter].name);
	add_number(text, looks, &now->total, &looks->then.total, counter);
	for (size_t i = 0; i < now->node_count; i++) {
		const struct counter_row *row = &now->nodes[i];

		text_add(text, "; node ");
		row->node == CPU_NODE_UNKNOWN ? text_add(text, "unknown: ") :
						text_add(text, "%u: ", row->node);
		add_number(text, looks, row, same_node(&looks->then, row->node), counter);
	}
	text_wrap(text, TEXT_INDENT, TEXT_PLAIN);
}

/* Adds the local part of a stretch of time; false: there were no loads from memory. */
static bool add_local(struct text *text, const struct counter_row *now,
		      const struct counter_row *then, const struct tallies *tallies)
{
	const u8 local = tallies_counted(tallies, COUNTER_LOCAL_MEMORY);
	const u8 remote = tallies_counted(tallies, COUNTER_REMOTE_MEMORY);
	const double own = (double)now->counts[local] - (then ? then->counts[local] : 0);
	const double other = (double)now->counts[remote] - (then ? then->counts[remote] : 0);

	if (own < 0 || other < 0 || own + other <= 0) {
		text_add(text, "-");
		return false;
	}
	text_add(text, "%.1f %%", percent_of(own, own + other));
	return true;
}

static void put_local(struct text *text, const struct looks *looks)
{
	const struct counter_figures *now = &looks->now;

	text_add(text, "local memory ");
	add_local(text, &now->total, NULL, now->tallies);
	text_add(text, ", now ");
	add_local(text, &now->total, &looks->then.total, now->tallies);
	for (size_t i = 0; i < now->node_count; i++) {
		if (now->nodes[i].node == CPU_NODE_UNKNOWN)
			continue;
		text_add(text, "; node %u: ", now->nodes[i].node);
		add_local(text, &now->nodes[i], NULL, now->tallies);
		text_add(text, ", now ");
		add_local(text, &now->nodes[i], same_node(&looks->then, now->nodes[i].node),
			  now->tallies);
	}
	text_wrap(text, TEXT_INDENT, TEXT_PLAIN);
}

static void begin_line(struct text *text, bool *first)
{
	if (*first)
		text_title(text, "Counters");
	else
		text_add(text, "%*s", TEXT_INDENT, "");
	*first = false;
}

/* Returns how many counters found no line; @most: lines. */
static u32 put_counted(struct text *text, const struct looks *looks, unsigned int most, bool *first)
{
	const unsigned int begin = text->lines;
	const struct counter_figures *now = &looks->now;

	for (u32 i = 0; i < now->column_count; i++) {
		if (i && text->lines - begin >= most)
			return now->column_count - i;
		begin_line(text, first);
		put_counter(text, looks, now->columns[i]);
	}
	if (now->column_count && counter_figures_have_local(now) && text->lines - begin < most) {
		begin_line(text, first);
		put_local(text, looks);
	}
	return 0;
}

static void put_refused(struct text *text, const struct tallies *tallies, bool *first)
{
	for (u32 i = 0; i < tallies->count; i++) {
		const char *why = counter_why_not(tallies, &tallies->counters[i]);

		if (!why)
			continue;
		begin_line(text, first);
		text_add(text, "not counted: %s (%s)", tallies->counters[i].name, why);
		text_wrap(text, TEXT_INDENT, TEXT_PLAIN);
	}
}

static void put_all(struct text *text, const struct live *live, const struct looks *looks)
{
	const unsigned int most = live->lines ? live->lines / MOST_PART : UINT32_MAX;
	bool first = true;
	u32 more = put_counted(text, looks, most, &first);

	if (more) {
		begin_line(text, &first);
		text_line(text, "%u more: they need more lines", more);
	}
	put_refused(text, looks->now.tallies, &first);
}

void live_counters(struct text *text, const struct live *live)
{
	static const struct results nothing;
	struct looks looks;
	u64 ns = live->now->model.status.wall_ns;

	if (!live->now->counted.asked.count)
		return;
	if (live->before)
		ns -= live->before->model.status.wall_ns;
	looks.seconds = (double)ns / NSEC_PER_SEC;
	if (counter_figures_make(&looks.now, live->now) ||
	    counter_figures_make(&looks.then, live->before ? live->before : &nothing))
		out_of_memory();
	put_all(text, live, &looks);
	counter_figures_free(&looks.now);
	counter_figures_free(&looks.then);
}
