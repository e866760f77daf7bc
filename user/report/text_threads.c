// SPDX-License-Identifier: GPL-2.0
/* Threads: their table, teams with uneven work, and the report of threads' figures alone. */
#include <ctype.h>

#include "util/names.h"
#include "text_private.h"

#define NAME_COLUMN 60

/**
 * struct row - a row of the table
 * @figures: a thread's, or the sum of a process's exited threads
 * @is_process: @figures is the sum of a process's exited threads
 */
struct row {
	const struct gapp_thread_figures *figures;
	bool is_process;
};

static size_t threads_in(const struct row *row)
{
	return row->is_process ? row->figures->threads : 1;
}

/* Merges threads and processes, which model_rank() has sorted, into one order. */
static struct row *merge_rows(const struct model *model)
{
	const struct gapp_thread_figures *thread = model->threads, *process = model->processes;
	size_t threads = model->thread_count, processes = model->process_count;
	struct row *rows = reallocarray(NULL, threads + processes + 1, sizeof(*rows));

	if (!rows) {
		out_of_memory();
		return NULL;
	}
	for (struct row *row = rows; threads || processes; row++) {
		if (!processes || (threads && share_compare(thread, process) <= 0)) {
			*row = (struct row){ thread++, false };
			threads--;
		} else {
			*row = (struct row){ process++, true };
			processes--;
		}
	}
	return rows;
}

static void put_row(const struct text *text, const struct row *row)
{
	char name[NAME_SAFE_SIZE(GAPP_COMM_LEN)], id[16] = "-", exited[32] = "";
	const struct gapp_thread_figures *figures = row->figures;
	s32 number = row->is_process ? figures->tgid : figures->tid;
	u64 cmetric = share_ns(figures->cm_run);
	int room = TEXT_COLUMNS - NAME_COLUMN;
	int decimals = text->decimals;

	if (row->is_process)
		room -= snprintf(exited, sizeof(exited), " (%zu)", threads_in(row));
	name_safe(name, figures->comm, comm_len(figures->comm), room > 1 ? room : 1);
	if (number)
		snprintf(id, sizeof(id), "%d", number);
	fprintf(text->out, "%7s %8.*f %5.1f %8.*f %9.*f %8.*f %7llu  %s%s\n", id, decimals,
		text_time(text, cmetric), model_percent(text->model, cmetric), decimals,
		text_time(text, figures->run_ns), decimals, text_time(text, figures->runq_ns),
		decimals, text_time(text, figures->blocked_ns), figures->slices, name, exited);
}

/* Length of the stem: the name without the digits at its end. */
static size_t stem_len(const struct gapp_thread_figures *thread)
{
	size_t len = comm_len(thread->comm);

	while (len && isdigit(thread->comm[len - 1]))
		len--;
	return len;
}

static int figures_stem_compare(const struct gapp_thread_figures *x,
				const struct gapp_thread_figures *y)
{
	size_t x_len = stem_len(x), y_len = stem_len(y);
	int order = memcmp(x->comm, y->comm, x_len < y_len ? x_len : y_len);

	return order ? order : (x_len > y_len) - (x_len < y_len);
}

static int stem_compare(const void *a, const void *b)
{
	return figures_stem_compare(((const struct row *)a)->figures,
				    ((const struct row *)b)->figures);
}

/**
 * struct group - threads with the same stem
 * @row: one of them
 * @threads: number of threads
 * @cmetric: sum of their CMetric, in shares
 */
struct group {
	const struct row *row;
	size_t threads;
	u64 cmetric;
};

static int group_compare(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->cmetric != y->cmetric)
		return x->cmetric < y->cmetric ? 1 : -1;
	return (x->threads < y->threads) - (x->threads > y->threads);
}

static size_t make_groups(struct group *groups, struct row *rows, size_t count)
{
	size_t made = 0;

	qsort(rows, count, sizeof(*rows), stem_compare);
	for (size_t i = 0; i < count; i++) {
		if (!made || stem_compare(groups[made - 1].row, &rows[i]))
			groups[made++] = (struct group){ .row = &rows[i] };
		groups[made - 1].threads += threads_in(&rows[i]);
		groups[made - 1].cmetric += rows[i].figures->cm_run;
	}
	qsort(groups, made, sizeof(*groups), group_compare);
	return made;
}

/* "30 worker-*" */
static int group_label(char *label, size_t size, const struct group *group)
{
	char name[NAME_SAFE_SIZE(GAPP_COMM_LEN)];
	const u8 *comm = group->row->figures->comm;
	size_t len = comm_len(comm), stem = stem_len(group->row->figures);

	name_safe(name, comm, stem, NAME_WHOLE);
	return snprintf(label, size, "%zu %s%s", group->threads, name, stem < len ? "*" : "");
}

static void put_rest(const struct text *text, struct row *rows, size_t count)
{
	_cleanup_free_ struct group *groups = reallocarray(NULL, count, sizeof(*groups));
	char label[128], percent[TEXT_PERCENT_SIZE], head[96];
	size_t threads = 0, made;
	u64 shares = 0;
	int column;

	if (!groups) {
		out_of_memory();
		return;
	}
	made = make_groups(groups, rows, count);
	for (size_t i = 0; i < made; i++) {
		threads += groups[i].threads;
		shares += groups[i].cmetric;
	}
	snprintf(head, sizeof(head), "%zu more, %.*f %s (%s):", threads, text->decimals,
		 text_time(text, share_ns(shares)), text->unit,
		 text_percent(percent, model_percent(text->model, share_ns(shares))));
	column = fprintf(text->out, "%7s %s", "", head);

	for (size_t i = 0; i < made; i++) {
		int length = group_label(label, sizeof(label), &groups[i]);

		/* room for what may follow: ", 65536 others" */
		if (column + length + 16 > TEXT_COLUMNS && i + 1 < made) {
			fprintf(text->out, "%s%zu other%s", i ? ", " : " ", threads,
				text_plural(threads));
			break;
		}
		column += fprintf(text->out, "%s%s", i ? ", " : " ", label);
		threads -= groups[i].threads;
	}
	putc('\n', text->out);
}

/* Writes the table of threads. */
void text_threads(const struct text *text)
{
	const struct model *model = text->model;
	_cleanup_free_ struct row *rows = merge_rows(model);
	size_t count = model->thread_count + model->process_count, shown = count;

	if (!rows)
		return;
	if (!text->verbose && count > TEXT_ROWS)
		shown = TEXT_ROWS;

	fprintf(text->out,
		"Threads by CMetric: their share of the run time, of each moment among those\n"
		"active in it. Times in %s.\n",
		text->unit);
	fprintf(text->out, "%7s %8s %5s %8s %9s %8s %7s  %s\n", "tid", "CMetric", "%", "on-CPU",
		"run-queue", "blocked", "slices", "name");
	for (size_t i = 0; i < shown; i++)
		put_row(text, &rows[i]);
	if (model->process_count)
		fputs("    (n)  n threads of this process that exited, in one sum\n", text->out);
	if (shown < count)
		put_rest(text, rows + shown, count - shown);
}

#define EVEN_RATIO 1.2 /* longest to average: up to here a group is called even */
#define NAME_COLUMNS 24

/**
 * struct team - threads whose names differ only in a number at their end
 * @first: one of them
 * @threads: number of threads
 * @least: shortest on-CPU time of a thread, nanoseconds
 * @most: longest on-CPU time of a thread
 * @sum: on-CPU time of all
 */
struct team {
	const struct gapp_thread_figures *first;
	size_t threads;
	u64 least;
	u64 most;
	u64 sum;
};

static int by_stem(const void *a, const void *b)
{
	return figures_stem_compare(*(const struct gapp_thread_figures *const *)a,
				    *(const struct gapp_thread_figures *const *)b);
}

static bool is_leader(const struct gapp_thread_figures *thread)
{
	return thread->tid == thread->tgid;
}

/* Leaves leaders out unless all threads are leaders: a leader does other work than its threads. */
static struct team make_team(const struct gapp_thread_figures *const *threads, size_t count)
{
	struct team team = { .first = threads[0], .least = UINT64_MAX };
	bool only_leaders = true;

	for (size_t i = 0; i < count; i++)
		only_leaders = only_leaders && is_leader(threads[i]);
	for (size_t i = 0; i < count; i++) {
		u64 run = threads[i]->run_ns;

		if (is_leader(threads[i]) && !only_leaders)
			continue;
		team.threads++;
		team.sum += run;
		if (run < team.least)
			team.least = run;
		if (run > team.most)
			team.most = run;
	}
	return team;
}

static double unevenness(const struct team *team)
{
	return team->sum ? (double)team->most * team->threads / team->sum : 0;
}

/* Longest less average on-CPU time of a team: what even work could save, in nanoseconds. */
static double excess(const struct team *team)
{
	return team->threads ? team->most - (double)team->sum / team->threads : 0;
}

static void put_team(struct text *text, const struct team *team, size_t others)
{
	char name[TEXT_CELL_SIZE], line[256];
	size_t stem = stem_len(team->first);

	text_cut(name, (const char *)team->first->comm, stem, NAME_COLUMNS);
	snprintf(line, sizeof(line), "%-*s%zu %.64s%s: %.2f..%.2f %s on CPUs, most/average %.1f",
		 TEXT_INDENT, "Imbalance", team->threads, name,
		 stem < comm_len(team->first->comm) ? "*" : "", text_time(text, team->least),
		 text_time(text, team->most), text->unit, unevenness(team));
	if (others)
		text_append(line, sizeof(line), "; %zu more group%s", others, text_plural(others));
	text_line(text, "%s", line);
}

/* Sets @threads to all threads, sorted by the stems of their names. Returns their number. */
static size_t sort_threads(const struct model *model, const struct gapp_thread_figures **threads)
{
	for (size_t i = 0; i < model->thread_count; i++)
		threads[i] = &model->threads[i];
	qsort(threads, model->thread_count, sizeof(*threads), by_stem);
	return model->thread_count;
}

/* Writes one line about the team with the largest excess(). */
void text_imbalance(struct text *text)
{
	_cleanup_free_ const struct gapp_thread_figures **threads = reallocarray(
		NULL, text->model->thread_count + 1, sizeof(const struct gapp_thread_figures *));
	struct team worst = { 0 };
	size_t count, uneven = 0, teams = 0;
	double notable = text->model->status.wall_ns * NOTABLE_PERCENT / 100;

	if (!threads) {
		out_of_memory();
		return;
	}
	count = sort_threads(text->model, threads);
	for (size_t first = 0, last; first < count; first = last) {
		struct team team;

		for (last = first + 1; last < count; last++)
			if (figures_stem_compare(threads[first], threads[last]))
				break;
		team = make_team(&threads[first], last - first);
		if (team.threads < 2)
			continue;
		teams++;
		if (unevenness(&team) <= EVEN_RATIO || excess(&team) < notable)
			continue;
		uneven++;
		if (excess(&team) > excess(&worst))
			worst = team;
	}
	if (uneven)
		put_team(text, &worst, uneven - 1);
	else if (teams)
		text_line(text, "%-*snone among threads of one name", TEXT_INDENT, "Imbalance");
}

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

/* Writes for how long one thread ran alone. */
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

/* Writes what was recorded. */
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

/* Writes the time with each number of active threads. */
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
