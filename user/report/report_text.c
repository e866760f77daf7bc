// SPDX-License-Identifier: GPL-2.0
/* The report for people: what comes after what. */
#include "report.h"
#include "text.h"

/* What is left out of the table, a path at length, imbalance, quality, checks; blank lines. */
#define LINES_AFTER_TABLE (1 + 4 + 1 + 3 + 1)
#define LINES_VERIFIED 2
#define BLANKS_AFTER_TABLE 2

#define LINES_BEFORE_TIGHT 4 /* the sentence, and a warning */

/* Threads' figures alone, as with --level stats. */
static void put_stats(struct text *text)
{
	text_not_followed(text);
	text_warnings(text);
	text_stats_sentence(text);
	putc('\n', text->out);
	text_facts(text);
	if (model_is_empty(text->model))
		return;
	if (!results_apart(text->results))
		text_parallelism(text);
	putc('\n', text->out);
	text_threads(text);
	putc('\n', text->out);
	text_checks(text);
}

static void put_at_length(struct text *text)
{
	text_facts(text);
	if (!results_apart(text->results))
		text_parallelism(text);
	text_blank(text);
	text_threads(text);
	text_blank(text);
	text_volume(text);
	text_quality(text);
	text_walks(text);
	text_checks(text);
}

static void put_ranked(struct text *text)
{
	unsigned int lines, after = LINES_AFTER_TABLE;

	text_not_followed(text);
	text_sentence(text);
	if (model_is_empty(text->model)) {
		text_warnings(text);
		text_blank(text);
		text_facts(text);
		return;
	}
	text_doubts(text);
	text->tight = !text->verbose && text->lines > LINES_BEFORE_TIGHT;
	text_blank(text);
	text_overview(text);
	text_blank(text);
	lines = text->lines;
	if (text->options->verify)
		after += LINES_VERIFIED;
	text_paths(text, after + (text->tight ? 0 : BLANKS_AFTER_TABLE));
	if (text->lines > lines)
		text_blank(text);
	text_imbalance(text);
	if (text->verbose) {
		put_at_length(text);
		return;
	}
	text_quality(text);
	text_checks_in_short(text);
}

/**
 * report_text() - the report, no wider than the terminal, or 80 columns
 * @out: where to
 * @results: of a stopped session
 * @options: what was asked for
 */
void report_text(FILE *out, const struct results *results, const struct report_options *options)
{
	struct text text;

	text_begin(&text, out, results, options);
	if (results->ranked)
		put_ranked(&text);
	else
		put_stats(&text);
}
