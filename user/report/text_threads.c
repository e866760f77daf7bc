// SPDX-License-Identifier: GPL-2.0
/* Threads: their table, and the report of threads' figures alone. */
#include "util/names.h"
#include "text_private.h"

#define NAME_COLUMN 60
#define NAME_COLUMNS 24

/* Whether @row is the sum of a process's exited threads. */
static bool is_process(const struct model *model, const struct gapp_thread_figures *row)
{
	return row >= model->processes && row < model->processes + model->process_count;
}

static const struct gapp_thread_figures **new_rows(size_t count)
{
	const struct gapp_thread_figures **rows = reallocarray(NULL, count + 1, sizeof(*rows));

	if (!rows)
		out_of_memory();
	return rows;
}

/* Merges threads and processes, which model_rank() has sorted, into one order. */
static const struct gapp_thread_figures **merge_rows(const struct model *model)
{
	const struct gapp_thread_figures *threads = model->threads, *processes = model->processes;
	size_t count = model->thread_count + model->process_count, thread = 0, process = 0;
	const struct gapp_thread_figures **rows = new_rows(count);

	for (size_t i = 0; rows && i < count; i++) {
		bool process_next = thread == model->thread_count;

		if (!process_next && process < model->process_count)
			process_next = share_compare(&threads[thread], &processes[process]) > 0;
		rows[i] = process_next ? &processes[process++] : &threads[thread++];
	}
	return rows;
}

static void put_row(struct text *text, const struct gapp_thread_figures *row)
{
	char name[NAME_SAFE_SIZE(GAPP_COMM_LEN)], id[16] = "-", exited[32] = "";
	bool process = is_process(text->model, row);
	s32 number = process ? row->tgid : row->tid;
	u64 cmetric = share_ns(row->cm_run);
	int room = text->columns > NAME_COLUMN + NAME_COLUMNS ? text->columns - NAME_COLUMN :
								NAME_COLUMNS;
	int decimals = text->decimals;

	if (process)
		room -= snprintf(exited, sizeof(exited), " (%llu)", row->threads);
	name_safe(name, row->comm, comm_len(row->comm), room > 1 ? room : 1);
	if (number)
		snprintf(id, sizeof(id), "%d", number);
	fprintf(text->out, "%7s %8.*f %5.1f %8.*f %9.*f %8.*f %7llu  %s%s\n", id, decimals,
		text_time(text, cmetric), model_percent(text->model, cmetric), decimals,
		text_time(text, row->run_ns), decimals, text_time(text, row->runq_ns), decimals,
		text_time(text, row->blocked_ns), row->slices, name, exited);
}

static int by_team(const void *a, const void *b)
{
	return text_team_compare((*(const struct gapp_thread_figures *const *)a)->comm,
				 (*(const struct gapp_thread_figures *const *)b)->comm);
}

/**
 * struct group - threads of one team
 * @row: one of them
 * @numbered: not all of them have the name of @row
 * @threads: number of threads
 * @cmetric: sum of their CMetric, in shares
 */
struct group {
	const struct gapp_thread_figures *row;
	bool numbered;
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

static size_t make_groups(const struct model *model, struct group *groups,
			  const struct gapp_thread_figures **rows, size_t count)
{
	size_t made = 0;

	qsort(rows, count, sizeof(*rows), by_team);
	for (size_t i = 0; i < count; i++) {
		struct group *group = made ? &groups[made - 1] : NULL;

		if (!group || text_team_compare(group->row->comm, rows[i]->comm)) {
			group = &groups[made++];
			*group = (struct group){ .row = rows[i] };
		}
		group->numbered |= !text_same_name(group->row->comm, rows[i]->comm);
		group->threads += is_process(model, rows[i]) ? rows[i]->threads : 1;
		group->cmetric += rows[i]->cm_run;
	}
	qsort(groups, made, sizeof(*groups), group_compare);
	return made;
}

static void put_rest(struct text *text, const struct gapp_thread_figures **rows, size_t count)
{
	_cleanup_free_ struct group *groups = reallocarray(NULL, count, sizeof(*groups));
	char name[TEXT_CELL_SIZE], label[TEXT_CELL_SIZE], percent[TEXT_WORDS_SIZE];
	size_t threads = 0, made;
	u64 shares = 0;

	if (!groups) {
		out_of_memory();
		return;
	}
	made = make_groups(text->model, groups, rows, count);
	for (size_t i = 0; i < made; i++) {
		threads += groups[i].threads;
		shares += groups[i].cmetric;
	}
	text_add(text, "%7s %zu more, %.*f %s (%s):", "", threads, text->decimals,
		 text_time(text, share_ns(shares)), text->unit,
		 text_percent(percent, model_percent(text->model, share_ns(shares))));

	for (size_t i = 0; i < made; i++) {
		text_team(name, groups[i].row->comm, groups[i].numbered, TEXT_COLUMNS_MAX);
		snprintf(label, sizeof(label), "%s%zu %.128s", i ? ", " : " ", groups[i].threads,
			 name);
		/* room for what may follow: ", 65536 others" */
		if (strlen(text->line) + strlen(label) + 14 > text->columns && i + 1 < made) {
			text_add(text, "%s%zu other%s", i ? ", " : " ", threads,
				 text_plural(threads));
			break;
		}
		text_add(text, "%s", label);
		threads -= groups[i].threads;
	}
	text_whole(text);
}

/* Writes the table of threads. */
void text_threads(struct text *text)
{
	const struct model *model = text->model;
	_cleanup_free_ const struct gapp_thread_figures **rows = merge_rows(model);
	size_t count = model->thread_count + model->process_count, shown = count;

	if (!rows)
		return;
	if (!text->options->verbose && count > TEXT_ROWS)
		shown = TEXT_ROWS;

	fprintf(text->out,
		"Threads by CMetric: their share of the run time, of each moment among those\n"
		"active in it. Times in %s.\n",
		text->unit);
	fprintf(text->out, "%7s %8s %5s %8s %9s %8s %7s  %s\n", "tid", "CMetric", "%", "on-CPU",
		"run-queue", "blocked", "slices", "name");
	for (size_t i = 0; i < shown; i++)
		put_row(text, rows[i]);
	if (model->process_count)
		fputs("    (n)  n threads of this process that exited, in one sum\n", text->out);
	if (shown < count)
		put_rest(text, rows + shown, count - shown);
}

#define BAR_COLUMNS 40
#define SINGLE_ROWS 8 /* most threads active for which each n has its own row */

static void add_command(struct text *text, char *const *command)
{
	unsigned int room = text->columns - TEXT_INDENT;

	for (char *const *argument = command; *argument && room > 1; argument++) {
		_cleanup_free_ char *safe = malloc(NAME_SAFE_SIZE(strlen(*argument)));

		if (!safe)
			break;
		if (argument != command) {
			text_add(text, " ");
			room--;
		}
		room -= name_safe(safe, *argument, strlen(*argument), room);
		text_add(text, "%s", safe);
	}
}

static void add_pids(struct text *text, const pid_t *pids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(text->line) > text->columns - 24) {
			text_add(text, " and %zu more", count - i);
			break;
		}
		text_add(text, "%s%d", i ? ", " : "", pids[i]);
	}
}

/* Names the processes of --comm and --cgroup. Returns @words. */
char *text_selection(const struct options *options, char words[static TEXT_CELL_SIZE])
{
	if (!options->cgroup)
		snprintf(words, TEXT_CELL_SIZE, "called %s", options->comm);
	else if (!options->comm)
		snprintf(words, TEXT_CELL_SIZE, "of control group %s", options->cgroup);
	else
		snprintf(words, TEXT_CELL_SIZE, "called %.64s of control group %s", options->comm,
			 options->cgroup);
	return words;
}

/* Writes what was recorded. */
void text_facts(struct text *text)
{
	const struct options *options = text->options;
	const struct gapp_status *status = &text->model->status;
	char cell[TEXT_CELL_SIZE], words[TEXT_CELL_SIZE];

	if (options->command) {
		text_title(text, "Command");
		add_command(text, options->command);
	} else if (options->exe) {
		text_title(text, "Program");
		text_cut(cell, options->exe, strlen(options->exe), text->columns - TEXT_INDENT);
		text_add(text, "%s", cell);
	} else if (options->comm || options->cgroup) {
		text_title(text, "Processes");
		text_selection(options, words);
		text_cut(cell, words, strlen(words), text->columns - TEXT_INDENT);
		text_add(text, "%s", cell);
	} else if (options->all) {
		text_title(text, "Processes");
		text_add(text, "all");
	} else if (!options->pid_count && options->kthreads) {
		text_title(text, "Kernel");
		text_cut(cell, options->kthreads, strlen(options->kthreads),
			 text->columns - TEXT_INDENT);
		text_add(text, "threads %s", cell);
	} else {
		text_title(text, options->pid_count == 1 ? "Process" : "Processes");
		add_pids(text, options->pids, options->pid_count);
	}
	text_whole(text);
	fprintf(text->out, "%-*s%.*f %s on %u CPU%s\n", TEXT_INDENT, "Run time", text->decimals,
		text_time(text, status->wall_ns), text->unit, status->cpus,
		text_plural(status->cpus));
	fprintf(text->out, "%-*s%llu, at most %u at a time\n", TEXT_INDENT, "Threads",
		status->threads, status->peak);
	if (text->options->verbose)
		fprintf(text->out, "%-*s%u%s\n", TEXT_INDENT, "Session", status->id,
			status->flags & GAPP_STATUS_RESTRICTED ?
				", restricted to processes of your own" :
				"");
}

static void put_bar(struct text *text, size_t first, size_t last)
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
void text_parallelism(struct text *text)
{
	const struct model *model = text->model;
	size_t most = model->parallelism_count ? model->parallelism_count - 1 : 0;

	fprintf(text->out, "%-*s%.2f threads active on average\n", TEXT_INDENT, "Parallelism",
		model_average(model));
	fprintf(text->out, "%12s %10s %6s\n", "active", text->unit, "%");
	put_bar(text, 0, 0);
	put_bar(text, 1, 1);
	for (size_t first = 2, last; first <= most; first = last + 1) {
		last = first;
		if (most > SINGLE_ROWS && first > 2)
			last = 2 * (first - 1);
		put_bar(text, first, last < most ? last : most);
	}
}
