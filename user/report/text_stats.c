// SPDX-License-Identifier: GPL-2.0
/* The report of threads' figures alone: its first sentence, and what -v has of it too. */
#include "util/names.h"
#include "report.h"
#include "text.h"

#define BAR_COLUMNS 40
#define SINGLE_ROWS 8 /* most threads active for which each n has its own row */

static void put_time(const struct text *text, u64 ns)
{
	char time[64] = "";

	text_append_time(text, time, sizeof(time), ns);
	fputs(time, text->out);
}

/* "0.81 s of 2.00 s (40 %)" */
static void put_part(const struct text *text, u64 ns)
{
	char part[128] = "";

	text_append_part(text, part, sizeof(part), ns);
	fputs(part, text->out);
}

static void put_nothing_recorded(FILE *out, const char *exe)
{
	char path[TEXT_CELL_SIZE];

	fputs("Nothing was recorded: ", out);
	if (!exe) {
		fputs("the target ended before any of its threads was seen", out);
		return;
	}
	text_cut(path, exe, strlen(exe), TEXT_COLUMNS_MAX);
	fprintf(out, NO_PROCESS_EXECUTED, path);
}

/**
 * text_stats_sentence() - how long one thread ran alone
 * @text: the report
 */
void text_stats_sentence(const struct text *text)
{
	const struct model *model = text->model;
	u64 wall = model->status.wall_ns, idle = model_with(model, 0);
	u64 alone = model_with(model, 1);
	FILE *out = text->out;

	if (model_is_empty(model)) {
		put_nothing_recorded(out, text->options->exe);
	} else if (idle == wall) {
		fputs("No thread was active in ", out);
		put_time(text, wall);
		fputs(": the whole target waited", out);
	} else if (model->status.threads == 1) {
		fputs("The only thread was active for ", out);
		put_part(text, wall - idle);
	} else if (alone) {
		fputs("For ", out);
		put_part(text, alone);
		fputs(" one thread ran alone", out);
		if (idle) {
			fputs(", for ", out);
			put_time(text, idle);
			fputs(" none", out);
		}
	} else {
		fputs("Two or more threads were active for ", out);
		put_part(text, wall - idle);
	}
	fputs(".\n", out);
}

static void put_title(FILE *out, const char *title)
{
	fprintf(out, "%-*s", TEXT_INDENT, title);
}

static void put_command(FILE *out, char *const *command)
{
	unsigned int room = TEXT_COLUMNS - TEXT_INDENT;

	put_title(out, "Command");
	for (char *const *argument = command; *argument && room > 1; argument++) {
		_cleanup_free_ char *safe = malloc(NAME_SAFE_SIZE(strlen(*argument)));

		if (!safe)
			break;
		if (argument != command) {
			putc(' ', out);
			room--;
		}
		room -= name_safe(safe, *argument, strlen(*argument), room);
		fputs(safe, out);
	}
	putc('\n', out);
}

static void put_program(FILE *out, const char *path)
{
	char cell[TEXT_CELL_SIZE];

	put_title(out, "Program");
	text_cut(cell, path, strlen(path), TEXT_COLUMNS - TEXT_INDENT);
	fprintf(out, "%s\n", cell);
}

static void put_pids(FILE *out, const pid_t *pids, size_t count)
{
	int column = TEXT_INDENT;

	put_title(out, count == 1 ? "Process" : "Processes");
	for (size_t i = 0; i < count; i++) {
		if (column > TEXT_COLUMNS - 24) {
			fprintf(out, " and %zu more", count - i);
			break;
		}
		column += fprintf(out, "%s%d", i ? ", " : "", pids[i]);
	}
	putc('\n', out);
}

/**
 * text_facts() - what was recorded
 * @text: the report
 */
void text_facts(const struct text *text)
{
	const struct report_options *options = text->options;
	const struct gapp_status *status = &text->model->status;
	FILE *out = text->out;

	if (options->command)
		put_command(out, options->command);
	else if (options->exe)
		put_program(out, options->exe);
	else if (options->all)
		fprintf(out, "%-*sall\n", TEXT_INDENT, "Processes");
	else
		put_pids(out, options->pids, options->pid_count);
	put_title(out, "Run time");
	fprintf(out, "%.*f %s on %u CPU%s\n", text->decimals, text_time(text, status->wall_ns),
		text->unit, status->cpus, text_plural(status->cpus));
	put_title(out, "Threads");
	fprintf(out, "%llu, at most %u at a time\n", status->threads, status->peak);
	if (text->verbose) {
		put_title(out, "Session");
		fprintf(out, "%u%s\n", status->id,
			status->flags & GAPP_STATUS_RESTRICTED ?
				", restricted to processes of your own" :
				"");
	}
}

static void put_bar(const struct text *text, size_t first, size_t last)
{
	char label[32];
	u64 ns = 0;
	int length;

	for (size_t n = first; n <= last; n++)
		ns += model_with(text->model, n);
	if (!ns && first > 1 && last > first)
		return;

	if (first == last)
		snprintf(label, sizeof(label), "%zu", first);
	else
		snprintf(label, sizeof(label), "%zu-%zu", first, last);
	length = model_percent(text->model, ns) / 100 * BAR_COLUMNS + 0.5;
	fprintf(text->out, "%12s %10.*f %6.1f%s%.*s\n", label, text->decimals, text_time(text, ns),
		model_percent(text->model, ns), length ? "  " : "", length,
		"########################################");
}

/**
 * text_parallelism() - the time with each number of threads active
 * @text: the report
 */
void text_parallelism(const struct text *text)
{
	const struct model *model = text->model;
	size_t most = model->parallelism_count ? model->parallelism_count - 1 : 0;
	FILE *out = text->out;

	put_title(out, "Parallelism");
	fprintf(out, "%.2f threads active on average\n", model_average(model));
	fprintf(out, "%12s %10s %6s\n", "active", text->unit, "%");
	put_bar(text, 0, 0);
	put_bar(text, 1, 1);
	for (size_t first = 2, last; first <= most; first = last + 1) {
		last = first;
		if (most > SINGLE_ROWS && first > 2)
			last = 2 * (first - 1);
		put_bar(text, first, last < most ? last : most);
	}
}
