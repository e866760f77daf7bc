// SPDX-License-Identifier: GPL-2.0
/* The table of threads, and the one line for those that do not fit. */
#include <ctype.h>

#include "util/names.h"
#include "text.h"

#define NAME_COLUMN 60

/**
 * struct row - a row of the table
 * @figures: a thread's, or the sum of a process's exited threads
 * @is_process: the latter
 */
struct row {
	const struct gapp_thread_figures *figures;
	bool is_process;
};

static size_t threads_in(const struct row *row)
{
	return row->is_process ? row->figures->threads : 1;
}

/* Threads and processes are in order each. */
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

/* What names that differ only in a number at their end have in common. */
size_t text_stem_len(const struct gapp_thread_figures *thread)
{
	size_t len = comm_len(thread->comm);

	while (len && isdigit(thread->comm[len - 1]))
		len--;
	return len;
}

int text_stem_compare(const struct gapp_thread_figures *x, const struct gapp_thread_figures *y)
{
	size_t x_len = text_stem_len(x), y_len = text_stem_len(y);
	int order = memcmp(x->comm, y->comm, x_len < y_len ? x_len : y_len);

	return order ? order : (x_len > y_len) - (x_len < y_len);
}

static int stem_compare(const void *a, const void *b)
{
	return text_stem_compare(((const struct row *)a)->figures,
				 ((const struct row *)b)->figures);
}

/**
 * struct group - threads with the same stem
 * @row: one of them
 * @threads: how many
 * @cmetric: of all, in shares
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
	size_t len = comm_len(comm), stem = text_stem_len(group->row->figures);

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

/**
 * text_threads() - the table
 * @text: the report
 */
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
