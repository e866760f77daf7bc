// SPDX-License-Identifier: GPL-2.0
/* What was recorded; how parallel it was; what the others waited for when it was not. */
#include "util/names.h"
#include "text.h"

#define BAR_COLUMNS 12
#define SHOWN_PERCENT 0.05 /* less is 0.0 */
#define TARGETS_SHOWN 3

static void put_what(struct text *text)
{
	const struct gapp_status *status = &text->model->status;
	char facts[128], what[TEXT_CELL_SIZE], words[512] = "";
	const struct report_options *options = text->options;
	unsigned int room, width;

	snprintf(facts, sizeof(facts), "%.*f %s, %llu thread%s, %u CPU%s", text->decimals,
		 text_time(text, status->wall_ns), text->unit, status->threads,
		 text_plural(status->threads), status->cpus, text_plural(status->cpus));
	if (options->command)
		for (char *const *argument = options->command;
		     *argument && strlen(words) + 1 < sizeof(words); argument++)
			text_append(words, sizeof(words), "%s%s", *words ? " " : "", *argument);
	else if (options->exe)
		snprintf(words, sizeof(words), "%s", options->exe);
	else if (options->all)
		snprintf(words, sizeof(words), "every process");
	else
		for (size_t i = 0; i < options->pid_count; i++)
			text_append(words, sizeof(words), "%s%d", i ? ", " : "process ",
				    options->pids[i]);
	width = TEXT_INDENT + strlen(facts) + 2;
	room = text->columns > width + 8 ? text->columns - width : 8;
	text_cut(what, words, strlen(words), room);
	text_line(text, "%-*s%s: %s", TEXT_INDENT, "Recorded", what, facts);
}

static double percent_between(const struct text *text, size_t first, size_t last)
{
	u64 ns = 0;

	for (size_t n = first; n <= last && n < text->model->parallelism_count; n++)
		ns += model_with(text->model, n);
	return model_percent(text->model, ns);
}

static void put_parallelism(struct text *text)
{
	unsigned int n_min = text->model->status.n_min, cpus = text->model->status.cpus;
	double average = model_average(text->model);
	int length = cpus ? average / cpus * BAR_COLUMNS + 0.5 : 0;
	char line[256];

	if (length > BAR_COLUMNS)
		length = BAR_COLUMNS;
	snprintf(line, sizeof(line), "%-*s%.1f of %u |%.*s%.*s|", TEXT_INDENT, "Parallelism",
		 average, cpus, length, "############", BAR_COLUMNS - length, "............");
	text_append(line, sizeof(line), " none %.0f %%, one %.0f %%", percent_between(text, 0, 0),
		    percent_between(text, 1, 1));
	if (n_min > 1)
		text_append(line, sizeof(line), ", 1-%u %.0f %%", n_min,
			    percent_between(text, 1, n_min));
	text_append(line, sizeof(line), ", >%u %.0f %%", n_min,
		    percent_between(text, n_min + 1, SIZE_MAX));
	text_line(text, "%s", line);
}

/**
 * struct part - of a time, by its cause
 * @name: of the cause
 * @ns: how much
 */
struct part {
	const char *name;
	double ns;
};

static int part_compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

/* "Why low      61.2 %: queue 48.1, lock 3.0"; @parts sum up to @whole_ns. */
static void put_parts(struct text *text, const char *title, double whole_ns, struct part *parts,
		      size_t count)
{
	char line[256];
	size_t i;

	qsort(parts, count, sizeof(*parts), part_compare);
	snprintf(line, sizeof(line), "%-*s%.1f %%:", TEXT_INDENT, title,
		 results_percent(text->results, whole_ns));
	for (i = 0; i < count; i++) {
		double percent = results_percent(text->results, parts[i].ns), rest = 0;
		char one[64];

		if (percent < SHOWN_PERCENT)
			break;
		snprintf(one, sizeof(one), "%s %s %.1f", i ? "," : "", parts[i].name, percent);
		/* room for what may follow: ", rest 12.3" */
		if (strlen(line) + strlen(one) + 11 <= text->columns || i + 1 == count) {
			text_append(line, sizeof(line), "%s", one);
			continue;
		}
		text_append(line, sizeof(line), "%s rest", i ? "," : "");
		for (; i < count; i++)
			rest += parts[i].ns;
		text_append(line, sizeof(line), " %.1f", results_percent(text->results, rest));
	}
	text_line(text, "%s", line);
}

/*
 * What is missing of a time: what --threads-only and the like leave out of it, where rows of it
 * have @shown of @known, and the rest.
 */
static void add_missing(struct part *parts, size_t *count, double missing, double known,
			double shown)
{
	double left_out = known > shown ? known - shown : 0;

	if (left_out > missing)
		left_out = missing;
	if (missing <= 0)
		return;
	parts[(*count)++] = (struct part){ "not shown", left_out };
	parts[(*count)++] = (struct part){ "unknown", missing - left_out };
}

/* Time with few threads active, by what the others waited for. */
static void put_why_low(struct text *text)
{
	const struct results *results = text->results;
	double whole = results_critical_ns(results), shown = 0, alone = 0;
	double queued = share_to_ns(results->counters.critical_runq);
	struct part parts[GAPP_WAIT_REASONS + 4];
	double by_class[GAPP_WAIT_REASONS] = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < results->paths.count; i++) {
		const struct ranked *row = &results->paths.rows[i];
		double waited = 0;

		if (row->kind != PATH_RAN)
			continue;
		for (unsigned int wait = 0; wait < GAPP_WAIT_REASONS; wait++) {
			by_class[wait] += row->waiting_ns[wait];
			waited += row->waiting_ns[wait];
		}
		alone += row->critical_ns > waited ? row->critical_ns - waited : 0;
		shown += row->critical_ns;
	}
	for (unsigned int wait = 0; wait < GAPP_WAIT_REASONS; wait++)
		parts[count++] = (struct part){ text_wait(wait), by_class[wait] };
	parts[count++] = (struct part){ "no others", alone };
	parts[count++] = (struct part){ "cpu-wait", queued };
	add_missing(parts, &count, whole - shown - queued, results->sums.attributed_ns, shown);
	if (results_percent(results, whole) >= SHOWN_PERCENT)
		put_parts(text, "Why low", whole, parts, count);
}

/* Time with no thread active, by what the one waited for that ended it. */
static void put_why_none(struct text *text)
{
	const struct results *results = text->results;
	double whole = results->model.status.idle_ns, shown = 0;
	struct part parts[GAPP_WAIT_REASONS + 2];
	double by_class[GAPP_WAIT_REASONS] = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < results->paths.count; i++) {
		const struct ranked *row = &results->paths.rows[i];

		if (row->kind != PATH_WAITED)
			continue;
		by_class[row->wait % GAPP_WAIT_REASONS] += row->critical_ns;
		shown += row->critical_ns;
	}
	for (unsigned int wait = 0; wait < GAPP_WAIT_REASONS; wait++)
		parts[count++] = (struct part){ text_wait(wait), by_class[wait] };
	add_missing(parts, &count, whole - shown, results->sums.waited_ns, shown);
	if (results_percent(results, whole) >= NOTABLE_PERCENT)
		put_parts(text, "Why none", whole, parts, count);
}

static int group_compare(const void *a, const void *b)
{
	const struct gapp_target_figures *x = *(const struct gapp_target_figures *const *)a;
	const struct gapp_target_figures *y = *(const struct gapp_target_figures *const *)b;

	return (x->c < y->c) - (x->c > y->c);
}

static void put_targets(struct text *text)
{
	_cleanup_free_ const struct gapp_target_figures **order = NULL;
	size_t count = text->results->target_count;
	char line[256], name[TEXT_CELL_SIZE];

	order = reallocarray(NULL, count, sizeof(const struct gapp_target_figures *));
	if (!order) {
		out_of_memory();
		return;
	}
	for (size_t i = 0; i < count; i++)
		order[i] = &text->results->targets[i];
	qsort(order, count, sizeof(const struct gapp_target_figures *), group_compare);
	snprintf(line, sizeof(line), "%-*s%zu; most critical:", TEXT_INDENT, "Targets", count);
	for (size_t i = 0; i < count && i < TARGETS_SHOWN; i++) {
		text_cut(name, (const char *)order[i]->comm, comm_len(order[i]->comm),
			 GAPP_COMM_LEN);
		text_append(line, sizeof(line), "%s %s (%d) %.*f %s", i ? "," : "", name,
			    order[i]->tgid, text->decimals,
			    text_time(text, share_to_ns(order[i]->c)), text->unit);
	}
	text_line(text, "%s", line);
}

/**
 * text_overview() - what was recorded, and how parallel it was
 * @text: the report
 */
void text_overview(struct text *text)
{
	put_what(text);
	if (results_apart(text->results)) {
		put_targets(text);
		return;
	}
	put_parallelism(text);
	put_why_low(text);
	put_why_none(text);
}
