// SPDX-License-Identifier: GPL-2.0
#include "conditions.h"

#include <ctype.h>
#include <math.h>

#include "text_private.h"

/* What a figure is a number of. */
enum sort {
	SORT_PART, /* of the run: percent, or a time */
	SORT_TIME,
	SORT_NUMBER,
};

static const struct {
	const char *name;
	enum sort sort;
	bool named; /* a name follows */
} figures[FIGURE_COUNT] = {
	[FIGURE_SERIAL] = { "serial", SORT_PART, false },
	[FIGURE_IDLE] = { "idle", SORT_PART, false },
	[FIGURE_CRITICAL] = { "critical", SORT_PART, false },
	[FIGURE_PLACE] = { "place:", SORT_PART, true },
	[FIGURE_FUNCTION] = { "function:", SORT_PART, true },
	[FIGURE_WALL] = { "wall", SORT_TIME, false },
	[FIGURE_PARALLELISM] = { "parallelism", SORT_NUMBER, false },
	[FIGURE_THREADS] = { "threads", SORT_NUMBER, false },
};

static const struct {
	const char *sign;
	enum compare compare;
} compares[] = {
	/* the longer ones first */
	{ ">=", COMPARE_AT_LEAST }, { "<=", COMPARE_AT_MOST }, { ">", COMPARE_ABOVE },
	{ "<", COMPARE_BELOW },	    { "+", COMPARE_RISES },    { "-", COMPARE_FALLS },
};

static const struct {
	const char *name;
	enum condition_unit unit;
	double factor;
} units[] = {
	{ "", UNIT_NONE, 1 },  { "%", UNIT_PERCENT, 1 }, { "pp", UNIT_POINTS, 1 },
	{ "s", UNIT_NS, 1e9 }, { "ms", UNIT_NS, 1e6 },	 { "us", UNIT_NS, 1e3 },
};

static size_t trimmed(const char *text, size_t len)
{
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	return len;
}

/* Reads the number and its unit at @text up to its end. Returns 0, or -1. */
static int parse_value(struct condition *condition, const char *text)
{
	size_t len;
	char *unit;

	if (!isdigit((unsigned char)*text) || text[strcspn(text, "xX")])
		return -1;
	condition->value = strtod(text, &unit);
	unit += strspn(unit, " ");
	len = trimmed(unit, strlen(unit));
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strlen(units[i].name) != len || memcmp(units[i].name, unit, len))
			continue;
		condition->unit = units[i].unit;
		condition->value *= units[i].factor;
		return isfinite(condition->value) ? 0 : -1;
	}
	return -1;
}

/* Reads what stands before the comparison: @len bytes at the begin of the text. */
static int parse_figure(struct condition *condition, size_t len)
{
	for (int i = 0; i < FIGURE_COUNT; i++) {
		size_t word = strlen(figures[i].name);
		bool named = len > word;

		if (len < word || memcmp(condition->text, figures[i].name, word) ||
		    figures[i].named != named)
			continue;
		condition->figure = i;
		condition->name = condition->text + word;
		condition->name_len = len - word;
		return 0;
	}
	return -1;
}

static bool unit_fits(const struct condition *condition)
{
	enum sort sort = figures[condition->figure].sort;
	bool change = condition_is_change(condition);

	switch (condition->unit) {
	case UNIT_PERCENT:
		return change || sort == SORT_PART;
	case UNIT_POINTS:
		return change && sort == SORT_PART;
	case UNIT_NS:
		return sort != SORT_NUMBER;
	default:
		return sort == SORT_NUMBER;
	}
}

/* From the end, because a name may hold anything, such as "operator> in sort". */
int condition_parse(struct condition *condition, const char *text)
{
	size_t at;

	text += strspn(text, " \t");
	*condition = (struct condition){ .text = text };
	for (at = strlen(text); at && !strchr("<>=+-", text[at - 1]);)
		at--;
	if (!at || parse_value(condition, text + at + strspn(text + at, " \t")))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(compares); i++) {
		size_t len = strlen(compares[i].sign);

		if (at < len || memcmp(text + at - len, compares[i].sign, len))
			continue;
		condition->compare = compares[i].compare;
		if (parse_figure(condition, trimmed(text, at - len)))
			return -1;
		return unit_fits(condition) ? 0 : -1;
	}
	return -1;
}

static bool is_called(const struct ranked *row, const struct condition *condition)
{
	const char *full = row->frame_count ? row->frames->function : NULL;
	char code[TEXT_CELL_SIZE], brief[TEXT_CELL_SIZE] = "";
	const char *const names[] = { full ? full : "", code, brief };

	text_code(code, row);
	if (row->frame_count)
		text_function(brief, row->frames, row->frame_count);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == condition->name_len &&
		    !memcmp(names[i], condition->name, condition->name_len))
			return true;
	return false;
}

static const struct ranking *ranking_of(const struct results *results,
					const struct condition *condition)
{
	return condition->figure == FIGURE_PLACE ? &results->places : &results->functions;
}

/* Critical time of the rows of a name; @found: it stays as it is if there is none. */
static double ns_of_name(const struct results *results, const struct condition *condition,
			 bool *found)
{
	const struct ranking *ranking = ranking_of(results, condition);
	double ns = 0;

	for (size_t i = 0; i < ranking->count; i++) {
		if (!is_called(&ranking->rows[i], condition))
			continue;
		ns += ranking->rows[i].critical_ns;
		*found = true;
	}
	return ns;
}

/* As the tables of a report have it: of each row's own target. */
static double percent_of_name(const struct results *results, const struct condition *condition)
{
	const struct ranking *ranking = ranking_of(results, condition);
	double percent = 0;

	for (size_t i = 0; i < ranking->count; i++)
		if (is_called(&ranking->rows[i], condition))
			percent += results_row_percent(results, &ranking->rows[i]);
	return percent;
}

static double part_of(const struct results *results, const struct condition *condition, double ns)
{
	return condition->figure == FIGURE_PLACE || condition->figure == FIGURE_FUNCTION ?
		       percent_of_name(results, condition) :
		       results_percent_of_all(results, ns);
}

/* In nanoseconds, or a plain number. */
static double value_of(const struct results *results, const struct condition *condition,
		       bool *found)
{
	const struct model *model = &results->model;

	switch (condition->figure) {
	case FIGURE_SERIAL:
		return model->parallelism_count > 1 ? model_with(model, 1) : 0;
	case FIGURE_IDLE:
		return model->status.idle_ns;
	case FIGURE_CRITICAL:
		return results_critical_ns(results);
	case FIGURE_WALL:
		return model->status.wall_ns;
	case FIGURE_PARALLELISM:
		return model_average(model);
	case FIGURE_THREADS:
		return model->status.threads;
	default:
		return ns_of_name(results, condition, found);
	}
}

/* Why the results do not have the figure; NULL: they have it. */
static const char *why_unknown(const struct results *results, enum figure figure)
{
	bool of_records = figure == FIGURE_CRITICAL || figure == FIGURE_PLACE ||
			  figure == FIGURE_FUNCTION;
	bool of_one = figure == FIGURE_SERIAL || figure == FIGURE_IDLE ||
		      figure == FIGURE_PARALLELISM;

	if (!results->model.status.wall_ns)
		return "nothing was recorded";
	if (of_records && !results->ranked)
		return "it was recorded with --level stats, which has no critical time";
	if (of_one && results_apart(results))
		return "each process was a target of its own: record with --as-one";
	return NULL;
}

static double percent_change(double before, double after)
{
	if (before > 0)
		return 100 * (after - before) / before;
	return after > 0 ? INFINITY : 0;
}

/* The figure in the unit of the condition, or how much it has changed. */
static double measured(const struct condition *condition, const struct results *before,
		       const struct results *after, bool *found)
{
	bool part = figures[condition->figure].sort == SORT_PART;
	double now = value_of(after, condition, found), then;

	if (!condition_is_change(condition))
		return condition->unit == UNIT_PERCENT ? part_of(after, condition, now) : now;
	then = value_of(before, condition, found);
	if (condition->unit == UNIT_NS || !part)
		return condition->unit == UNIT_PERCENT ? percent_change(then, now) : now - then;
	/* two runs need not have been of one length */
	then = part_of(before, condition, then);
	now = part_of(after, condition, now);
	return condition->unit == UNIT_PERCENT ? percent_change(then, now) : now - then;
}

bool condition_holds(const struct condition *condition, double value)
{
	switch (condition->compare) {
	case COMPARE_AT_LEAST:
		return value >= condition->value;
	case COMPARE_BELOW:
		return value < condition->value;
	case COMPARE_AT_MOST:
		return value <= condition->value;
	case COMPARE_FALLS:
		return value < -condition->value;
	default:
		return value > condition->value;
	}
}

static void tell(const struct condition *condition, double value)
{
	static const char *const names[] = {
		[UNIT_NONE] = "", [UNIT_PERCENT] = " %", [UNIT_POINTS] = " pp", [UNIT_NS] = " s"
	};
	bool change = condition_is_change(condition);

	if (condition->unit == UNIT_NS)
		value /= 1e9;
	if (isinf(value))
		complain("--fail-if '%s': it was 0 before", condition->text);
	else
		complain(change ? "--fail-if '%s': it is %+.*f%s" : "--fail-if '%s': it is %.*f%s",
			 condition->text, condition->unit == UNIT_NS ? 3 : 1, value,
			 names[condition->unit]);
}

/* Returns what conditions_check() does, of one condition. */
static int check(const struct condition *condition, const struct results *before,
		 const struct results *after)
{
	const char *unknown = why_unknown(after, condition->figure);
	bool found = !figures[condition->figure].named;
	double value;

	if (!unknown && condition_is_change(condition))
		unknown = why_unknown(before, condition->figure);
	if (unknown) {
		complain("--fail-if '%s': the figure is not known: %s", condition->text, unknown);
		return STATUS_FAILED;
	}
	value = measured(condition, before, after, &found);
	if (!found)
		complain("--fail-if '%s': nothing is called '%.*s', so it is 0", condition->text,
			 (int)condition->name_len, condition->name);
	if (!condition_holds(condition, value))
		return 0;
	tell(condition, value);
	return STATUS_CONDITION;
}

int conditions_check(const struct condition *conditions, size_t count, const struct results *before,
		     const struct results *after)
{
	int status = 0;

	for (size_t i = 0; i < count; i++) {
		int one = check(&conditions[i], before, after);

		if (one > status)
			status = one;
	}
	return status;
}
