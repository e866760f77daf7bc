// SPDX-License-Identifier: GPL-2.0
/* Two recordings compared, for people. */
#include <math.h>

#include "diff.h"
#include "merged.h"
#include "text_private.h"

#define ROWS 10 /* of the table, without --top */
#define FUNCTIONS 5 /* below it */
#define FIGURE_COLUMNS 14

static const char *const verdicts[] = {
	[DIFF_SAME] = "No clear change",
	[DIFF_BETTER] = "Better",
	[DIFF_WORSE] = "Worse",
};

/* Adds what became of the row that changed most: ", and rehash (hash.c:88) has ...". */
static void add_main_change(struct text *text, const struct diff *diff)
{
	const struct change *change = diff_main_change(diff);
	char code[TEXT_CELL_SIZE], then[TEXT_WORDS_SIZE], now[TEXT_WORDS_SIZE];

	if (!change)
		return;
	text_code_in_words(code, change_row(change));
	if (!change->before)
		text_add(text, "; %s is new, with %s of the run", code,
			 text_percent(now, change->after_percent));
	else if (!change->after)
		text_add(text, "; %s is gone, which had %s of the run", code,
			 text_percent(then, change->before_percent));
	else
		text_add(text, "; %s has %s of the run instead of %s", code,
			 text_percent(now, change->after_percent),
			 text_percent(then, change->before_percent));
}

static void put_sentence(struct text *text, const struct diff *diff)
{
	const struct results *before = diff->before.results, *after = diff->after.results;
	bool same = diff->verdict == DIFF_SAME;
	char now[TEXT_WORDS_SIZE], then[TEXT_WORDS_SIZE];

	text_add(text, "%s: ", verdicts[diff->verdict]);
	if (diff->whole_runs) {
		text_add(text, "the run took %s",
			 text_long_time(text, now, after->model.status.wall_ns));
		text_add(text, same ? ", and %s before" : " instead of %s",
			 text_long_time(text, then, before->model.status.wall_ns));
	} else {
		text_add(text, "for %s of the run few threads were active or none",
			 text_percent(now, diff_low_percent(after)));
		text_add(text, same ? ", and for %s before" : " instead of %s",
			 text_percent(then, diff_low_percent(before)));
	}
	add_main_change(text, diff);
	text_add(text, ".");
	text_wrap(text, 0, TEXT_BOLD);
}

static u32 merged_of(const struct results *results)
{
	return results->merged ? results->merged->count : 1;
}

/* Says what makes figures of the two mean different things. */
static void put_doubts(struct text *text, const struct diff *diff)
{
	const struct results *before = diff->before.results, *after = diff->after.results;
	unsigned int then = results_n_min_most(before), now = results_n_min_most(after);

	if (!before->ranked || !after->ranked)
		text_warning(
			text,
			"%s was recorded with --level stats: it has no critical time and no places",
			before->ranked ? diff->after.file : diff->before.file);
	/* merged recordings have no number in common */
	else if (then != now && then && now)
		text_warning(
			text,
			"few threads were at most %u before, and %u now: critical times do not compare; record both with -n %u",
			then, now, then);
	if (merged_of(before) != merged_of(after))
		text_warning(
			text,
			"%s is merged of %u recordings, %s of %u: what is only in one of them is no change",
			merged_of(before) > 1 ? diff->before.file : diff->after.file,
			merged_of(before) > 1 ? merged_of(before) : merged_of(after),
			merged_of(before) > 1 ? diff->after.file : diff->before.file,
			merged_of(before) > 1 ? merged_of(after) : merged_of(before));
	if (before->model.status.cpus != after->model.status.cpus)
		text_warning(text, "there were %u CPUs before, and %u now",
			     before->model.status.cpus, after->model.status.cpus);
}

static void put_recorded(FILE *out, const char *title, const struct recorded *recorded)
{
	struct text text;

	text_begin(&text, out, recorded->results, recorded->options);
	text_what(&text, title);
}

static void put_figure(struct text *text, const char *title, const char *before, const char *after,
		       const char *format, double change)
{
	/* no "-0.0" */
	if (fabs(change) < SHOWN_PERCENT)
		change = 0;
	text_title(text, title);
	text_add(text, "%*s %*s ", FIGURE_COLUMNS, before, FIGURE_COLUMNS, after);
	text_line(text, format, change);
}

static void put_time(struct text *text, const char *title, double then, double now)
{
	char before[TEXT_WORDS_SIZE], after[TEXT_WORDS_SIZE];

	text_long_time(text, before, then);
	text_long_time(text, after, now);
	put_figure(text, title, before, after, "%+9.1f %%", then > 0 ? 100 * (now / then - 1) : 0);
}

static void put_number(struct text *text, const char *title, double then, double now)
{
	char before[TEXT_WORDS_SIZE], after[TEXT_WORDS_SIZE];

	snprintf(before, sizeof(before), "%.1f", then);
	snprintf(after, sizeof(after), "%.1f", now);
	put_figure(text, title, before, after, "%+9.1f", now - then);
}

static void put_part(struct text *text, const char *title, const struct diff *diff, double then_ns,
		     double now_ns)
{
	double then = results_percent_of_all(diff->before.results, then_ns);
	double now = results_percent_of_all(diff->after.results, now_ns);
	char before[TEXT_WORDS_SIZE], after[TEXT_WORDS_SIZE];

	snprintf(before, sizeof(before), "%.1f %%", then);
	snprintf(after, sizeof(after), "%.1f %%", now);
	put_figure(text, title, before, after, "%+9.1f points", now - then);
}

static void put_totals(struct text *text, const struct diff *diff)
{
	const struct results *before = diff->before.results, *after = diff->after.results;
	const struct model *then = &before->model, *now = &after->model;

	text_title(text, "");
	text_line(text, "%*s %*s    change", FIGURE_COLUMNS, "base", FIGURE_COLUMNS, "new");
	put_time(text, "Run time", then->status.wall_ns, now->status.wall_ns);
	if (!results_apart(before) && !results_apart(after)) {
		put_number(text, "Parallelism", model_average(then), model_average(now));
		put_part(text, "One active", diff, model_with(then, 1), model_with(now, 1));
		put_part(text, "None active", diff, then->status.idle_ns, now->status.idle_ns);
	}
	if (!before->ranked || !after->ranked)
		return;
	put_part(text, "Critical", diff, results_critical_ns(before), results_critical_ns(after));
	put_time(text, "", results_critical_ns(before), results_critical_ns(after));
}

static void put_row(struct text *text, const struct change *change, enum text_style style)
{
	if (change->before)
		text_add(text, "%7.1f", change->before_percent);
	else
		text_add(text, "%7s", "-");
	if (change->after)
		text_add(text, " %7.1f", change->after_percent);
	else
		text_add(text, " %7s", "-");
	text_add(text, " %+7.1f ", change_points(change));
	text_add(text, "%-9s ", !change->before ? "appeared" : !change->after ? "vanished" : "");
	text_row(text, change_row(change), style);
}

/* Whether what changed is seen in the figures. */
static bool is_seen(const struct change *change)
{
	return fabs(change_points(change)) >= SHOWN_PERCENT;
}

static void put_rows(struct text *text, const struct changes *changes, const char *title,
		     size_t most)
{
	size_t shown = 0, seen = 0;

	text_blank(text);
	text_line(text, "%7s %7s %7s %10s%s", "base %", "new %", "change", "", title);
	for (size_t i = 0; i < changes->count; i++) {
		const struct change *change = &changes->rows[i];

		if (!is_seen(change))
			continue;
		seen++;
		if (shown < most)
			put_row(text, change, !shown++ ? TEXT_BOLD : TEXT_PLAIN);
	}
	if (!seen)
		text_line(text, "%7s none has changed", "");
	else if (seen > shown)
		text_line(text, "%7s %zu more changed less", "", seen - shown);
}

static void put_table(struct text *text, const struct changes *changes, enum by by, size_t most)
{
	char title[64];

	snprintf(title, sizeof(title), "%s, by change; %% of the run",
		 by == BY_SLICE_END ? "slice end" : by_names[by]);
	put_rows(text, changes, title, most);
}

void diff_text(FILE *out, const struct diff *diff)
{
	bool longer = diff->after.results->model.status.wall_ns >
		      diff->before.results->model.status.wall_ns;
	const struct results *units = longer ? diff->after.results : diff->before.results;
	const struct options *options = diff->options;
	size_t most = options->top ? options->top : options->verbose ? SIZE_MAX : ROWS;
	struct text text;

	text_begin(&text, out, units, options);
	put_sentence(&text, diff);
	put_doubts(&text, diff);
	text_blank(&text);
	put_recorded(out, "Base", &diff->before);
	put_recorded(out, "New", &diff->after);
	text_blank(&text);
	put_totals(&text, diff);
	if (!diff->before.results->ranked || !diff->after.results->ranked)
		return;
	put_table(&text, &diff->rows, options->by, most);
	if (options->by == BY_PLACE)
		put_table(&text, &diff->functions, BY_FUNCTION,
			  options->top || options->verbose ? most : FUNCTIONS);
}
