// SPDX-License-Identifier: GPL-2.0
/* One table, so that it fits one file and a pipe. Its first column says what a row is. */
#include <stdarg.h>

#include "csv_cell.h"
#include "exports.h"
#include "pieces.h"
#include "util/names.h"

enum column {
	ROW,
	RANK,
	KIND,
	FUNCTION,
	OBJECT,
	SOURCE,
	LINE,
	WAIT,
	PATH,
	COMM,
	TID,
	TGID,
	THREADS,
	CRITICAL_S,
	PERCENT,
	SLICES,
	MEDIAN_S,
	RUNNING,
	COMPLETE,
	CMETRIC_S,
	RUNQ_SHARE_S,
	RUN_S,
	RUNQ_S,
	BLOCKED_S,
	WAKEUPS,
	BLOCKS,
	COLUMNS,
};

static const char *const names[COLUMNS] = {
	[ROW] = "row",
	[RANK] = "rank",
	[KIND] = "kind",
	[FUNCTION] = "function",
	[OBJECT] = "object",
	[SOURCE] = "file",
	[LINE] = "line",
	[WAIT] = "wait",
	[PATH] = "path",
	[COMM] = "comm",
	[TID] = "tid",
	[TGID] = "tgid",
	[THREADS] = "threads",
	[CRITICAL_S] = "critical_s",
	[PERCENT] = "percent",
	[SLICES] = "slices",
	[MEDIAN_S] = "median_s",
	[RUNNING] = "running",
	[COMPLETE] = "complete",
	[CMETRIC_S] = "cmetric_s",
	[RUNQ_SHARE_S] = "runq_share_s",
	[RUN_S] = "run_s",
	[RUNQ_S] = "runq_s",
	[BLOCKED_S] = "blocked_s",
	[WAKEUPS] = "wakeups",
	[BLOCKS] = "blocks",
};

/**
 * struct csv - the table that is being written
 * @out: the stream
 * @results: where its figures are from
 * @cells: cells of the row; NULL: empty
 * @critical: makes critical time nanoseconds
 * @waited: makes time with no thread active nanoseconds
 * @failed: there was no memory
 */
struct csv {
	FILE *out;
	const struct results *results;
	char *cells[COLUMNS];
	struct rounding critical;
	struct rounding waited;
	bool failed;
};

/* Sets a cell; @text: to be freed; NULL: there was no memory. */
static void set(struct csv *csv, enum column column, char *text)
{
	csv->cells[column] = text;
	csv->failed |= !text;
}

_attribute_(format(printf, 3, 4)) static void set_to(struct csv *csv, enum column column,
						     const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	set(csv, column, text);
}

/* @name: NULL: the cell stays empty. */
static void set_name(struct csv *csv, enum column column, const char *name)
{
	if (name)
		set(csv, column, name_text(name, strlen(name)));
}

static void set_seconds(struct csv *csv, enum column column, u64 ns)
{
	set_to(csv, column, "%llu.%09llu", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

static void set_number(struct csv *csv, enum column column, u64 number)
{
	set_to(csv, column, "%llu", number);
}

void csv_put_cell(FILE *out, const char *text)
{
	bool quoted = strpbrk(text, "\",") || *text == ' ';

	if (quoted)
		putc('"', out);
	if (*text && strchr("=+-@", *text))
		putc('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	if (quoted)
		putc('"', out);
}

/* Writes the row, and makes the next one empty. */
static void end_row(struct csv *csv)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		if (i)
			putc(',', csv->out);
		if (csv->cells[i])
			csv_put_cell(csv->out, csv->cells[i]);
		free(csv->cells[i]);
		csv->cells[i] = NULL;
	}
	putc('\n', csv->out);
}

static void set_critical(struct csv *csv, struct rounding *rounding, double ns, double percent)
{
	set_seconds(csv, CRITICAL_S, rounding_next(rounding, ns));
	set_to(csv, PERCENT, "%.6f", percent);
}

/* Sets the functions of a path, the outermost first, with ; between them. */
static void set_path(struct csv *csv, const struct ranked *row)
{
	char *path = NULL;
	size_t size;
	FILE *stream = open_memstream(&path, &size);

	if (!stream) {
		csv->failed = true;
		return;
	}
	for (size_t i = row->frame_count; i--;) {
		_cleanup_free_ char *text = frame_text(&row->frames[i]);

		csv->failed |= !text;
		fprintf(stream, "%s%s", text ? text : "", i ? ";" : "");
	}
	csv->failed |= fclose(stream);
	set(csv, PATH, path);
}

static void set_frame(struct csv *csv, const struct ranked *row)
{
	const struct line_count *line = row->line_count && row->lines->file ? row->lines : NULL;
	const struct frame *frame = row->frames;
	const char *file = line ? line->file : frame->file;
	u32 number = line ? line->line : frame->line;

	set(csv, FUNCTION, frame_text(frame));
	set_name(csv, OBJECT, frame->module);
	set_name(csv, SOURCE, file);
	if (file && number)
		set_number(csv, LINE, number);
	set_path(csv, row);
}

static void put_place(struct csv *csv, size_t rank, const struct ranked *row)
{
	bool waited = row->kind == PATH_WAITED;

	set_name(csv, ROW, "place");
	set_number(csv, RANK, rank);
	set_name(csv, KIND, waited ? "waited" : "ran");
	if (row->frame_count)
		set_frame(csv, row);
	set_name(csv, WAIT, waited ? wait_name(row->wait) : NULL);
	set_name(csv, COMM, row->comm);
	if (row->tgid > 0)
		set_number(csv, TGID, row->tgid);
	set_number(csv, THREADS, row->threads);
	set_critical(csv, waited ? &csv->waited : &csv->critical, row->critical_ns,
		     results_row_percent(csv->results, row));
	set_number(csv, SLICES, row->slices);
	if (row->median_ns)
		set_seconds(csv, MEDIAN_S, row->median_ns);
	if (row->running > 0)
		set_to(csv, RUNNING, "%.6f", row->running);
	set_name(csv, COMPLETE, row->complete ? "true" : "false");
	end_row(csv);
}

/* Writes a row for time without a call path. */
static int put_pathless(void *context, const struct piece *piece)
{
	struct csv *csv = context;
	const struct {
		const char *kind;
		struct rounding *rounding;
		double ns;
	} parts[] = { { "ran", &csv->critical, piece->critical_ns },
		      { "waited", &csv->waited, piece->waited_ns } };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i].ns <= 0)
			continue;
		set_name(csv, ROW, "no call path");
		set_name(csv, KIND, parts[i].kind);
		set_to(csv, FUNCTION, "[%s]", piece->why);
		set_critical(csv, parts[i].rounding, parts[i].ns,
			     results_percent_of_all(csv->results, parts[i].ns));
		end_row(csv);
	}
	return 0;
}

static void put_thread(struct csv *csv, const struct gapp_thread_figures *thread, bool exited)
{
	set_name(csv, ROW, exited ? "exited" : "thread");
	set(csv, COMM, name_text(thread->comm, comm_len(thread->comm)));
	if (exited)
		set_number(csv, THREADS, thread->threads);
	else
		set_number(csv, TID, thread->tid);
	set_number(csv, TGID, thread->tgid);
	if (csv->results->ranked)
		set_seconds(csv, CRITICAL_S, share_ns(thread->critical_run));
	set_seconds(csv, CMETRIC_S, share_ns(thread->cm_run));
	set_seconds(csv, RUNQ_SHARE_S, share_ns(thread->cm_runq));
	set_seconds(csv, RUN_S, thread->run_ns);
	set_seconds(csv, RUNQ_S, thread->runq_ns);
	set_seconds(csv, BLOCKED_S, thread->blocked_ns);
	set_number(csv, SLICES, thread->slices);
	set_number(csv, WAKEUPS, thread->wakeups);
	set_number(csv, BLOCKS, thread->blocks);
	end_row(csv);
}

int export_csv(FILE *out, const struct results *results, _unused_ const struct options *options)
{
	const struct model *model = &results->model;
	struct csv csv = { .out = out, .results = results };

	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(out, "%s%s", names[i], i + 1 < COLUMNS ? "," : "\n");
	for (size_t i = 0; i < results->places.count && !ferror(out); i++)
		put_place(&csv, i + 1, &results->places.rows[i]);
	if (results->ranked)
		pieces_without_path(results, &results->places, put_pathless, &csv);
	for (size_t i = 0; i < model->thread_count && !ferror(out); i++)
		put_thread(&csv, &model->threads[i], false);
	for (size_t i = 0; i < model->process_count && !ferror(out); i++)
		put_thread(&csv, &model->processes[i], true);
	return csv.failed ? -1 : 0;
}
