// SPDX-License-Identifier: GPL-2.0
#include "live.h"

#include "changes.h"
#include "live_counters.h"
#include "text_private.h"
#include "util/names.h"

#define PLACES 10 /* where lines do not count */
#define THREADS 5
#define LEAST_ROWS 3 /* lines of the second table */

const char *const live_orders[LIVE_ORDERS] = {
	[LIVE_PLACES] = "places so far",
	[LIVE_PLACES_NOW] = "places now",
	[LIVE_THREADS] = "threads so far",
	[LIVE_THREADS_NOW] = "threads now",
};

/**
 * struct live_row - a row of a table
 * @place: a place; or NULL
 * @thread: a thread; or NULL
 * @so_far: percent of the run
 * @now: percent of the time since the look before
 * @on_cpu: of a thread: percent of that time on a CPU
 */
struct live_row {
	const struct ranked *place;
	const struct gapp_thread_figures *thread;
	double so_far;
	double now;
	double on_cpu;
};

/**
 * struct table - rows of one kind
 * @rows: the rows
 * @count: elements of @rows
 */
struct table {
	struct live_row *rows;
	size_t count;
};

static void table_free(struct table *table)
{
	free(table->rows);
}

/* Figures of the time between two looks, as far as parallelism needs them. */
static int subtract(struct results *interval, const struct live *live)
{
	const struct model *now = &live->now->model;
	const struct model *before = live->before ? &live->before->model : NULL;
	struct model *model = &interval->model;

	*interval = (struct results){ .model = { .status = now->status } };
	model->parallelism = calloc(now->parallelism_count + 1, sizeof(*model->parallelism));
	if (!model->parallelism)
		return -1;
	model->parallelism_count = now->parallelism_count;
	if (before) {
		model->status.wall_ns -= before->status.wall_ns;
		model->status.idle_ns -= before->status.idle_ns;
	}
	for (size_t n = 0; n < now->parallelism_count; n++)
		model->parallelism[n] = now->parallelism[n] - (before ? model_with(before, n) : 0);
	return 0;
}

static u64 interval_ns(const struct live *live)
{
	return live->now->model.status.wall_ns -
	       (live->before ? live->before->model.status.wall_ns : 0);
}

/*
 * A place's time since the look before is the difference of two rankings. It is about right: more
 * records may put the border between a place and its callers elsewhere.
 */
static int find_places(struct table *table, const struct live *live)
{
	_cleanup_changes_ struct changes changes = { 0 };
	static const struct results nothing;
	const struct two two = { live->before ? live->before : &nothing, live->now };
	double span = interval_ns(live);

	if (changes_find(&changes, &two, BY_PLACE))
		return -1;
	table->rows = calloc(changes.count + 1, sizeof(*table->rows));
	if (!table->rows)
		return -1;
	for (size_t i = 0; i < changes.count; i++) {
		const struct change *change = &changes.rows[i];
		double ns;

		if (!change->after)
			continue;
		ns = change->after->critical_ns -
		     (change->before ? change->before->critical_ns : 0);
		table->rows[table->count++] = (struct live_row){
			.place = change->after,
			.so_far = change->after_percent,
			.now = ns > 0 ? percent_of(ns, span) : 0,
		};
	}
	return 0;
}

static int thread_compare(const void *a, const void *b)
{
	const struct gapp_thread_figures *x = *(const struct gapp_thread_figures *const *)a;
	const struct gapp_thread_figures *y = *(const struct gapp_thread_figures *const *)b;

	return compare_by(three_way(x->tid, y->tid), three_way(x->joined_ns, y->joined_ns));
}

/* Pointers to threads, in the order of thread_compare(). NULL: no memory. */
static const struct gapp_thread_figures **sorted_threads(const struct model *model)
{
	const struct gapp_thread_figures **threads =
		reallocarray(NULL, model->thread_count + 1, sizeof(*threads));

	if (!threads)
		return NULL;
	for (size_t i = 0; i < model->thread_count; i++)
		threads[i] = &model->threads[i];
	qsort(threads, model->thread_count, sizeof(*threads), thread_compare);
	return threads;
}

static int find_threads(struct table *table, const struct live *live)
{
	_cleanup_free_ const struct gapp_thread_figures **former = NULL;
	static const struct results nothing;
	const struct model *now = &live->now->model;
	const struct model *before = live->before ? &live->before->model : &nothing.model;
	double span = interval_ns(live);

	former = sorted_threads(before);
	table->rows = calloc(now->thread_count + 1, sizeof(*table->rows));
	if (!former || !table->rows)
		return -1;
	for (size_t i = 0; i < now->thread_count; i++) {
		const struct gapp_thread_figures *thread = &now->threads[i];
		const struct gapp_thread_figures **then = bsearch(
			&thread, former, before->thread_count, sizeof(*former), thread_compare);
		u64 cm_run = thread->cm_run - (then ? (*then)->cm_run : 0);
		u64 run_ns = thread->run_ns - (then ? (*then)->run_ns : 0);

		table->rows[table->count++] = (struct live_row){
			.thread = thread,
			.so_far = model_percent(now, share_ns(thread->cm_run)),
			.now = percent_of(share_ns(cm_run), span),
			.on_cpu = percent_of(run_ns, span),
		};
	}
	return 0;
}

static int by_so_far(const void *a, const void *b)
{
	const struct live_row *x = a, *y = b;

	return compare_by(three_way(y->so_far, x->so_far), three_way(y->now, x->now));
}

static int by_now(const void *a, const void *b)
{
	const struct live_row *x = a, *y = b;

	return compare_by(three_way(y->now, x->now), three_way(y->so_far, x->so_far));
}

/**
 * struct live_view - what is on the screen
 * @live: what is shown
 * @interval: since the look before
 * @places: rows of places
 * @threads: rows of threads
 */
struct live_view {
	const struct live *live;
	struct results interval;
	struct table places;
	struct table threads;
};

static void view_free(struct live_view *view)
{
	results_free(&view->interval);
	table_free(&view->places);
	table_free(&view->threads);
}

static void put_place(struct text *text, const struct live_row *row, enum text_style style)
{
	text_add(text, "%7.1f %9.1f  ", row->now, row->so_far);
	text_row(text, row->place, style);
}

static void put_thread(struct text *text, const struct live_row *row)
{
	char name[TEXT_CELL_SIZE];

	text_cut(name, (const char *)row->thread->comm, comm_len(row->thread->comm), GAPP_COMM_LEN);
	text_line(text, "%7.1f %9.1f  %6.1f %8d  %s", row->now, row->so_far, row->on_cpu,
		  row->thread->tid, name);
}

static void put_row(struct text *text, const void *what)
{
	const struct live_row *row = what;

	if (row->place)
		put_place(text, row, TEXT_PLAIN);
	else
		put_thread(text, row);
}

/* Whether a row can be seen that is written now. The first one may have lines beyond @end. */
static bool has_room(const struct text *text, const struct live *live, const struct table *table,
		     size_t i, unsigned int end)
{
	unsigned int lines = text->lines + text_dry_run(text, put_row, &table->rows[i]);

	return !live->lines || lines <= (i ? end : live->lines);
}

static void put_places_head(struct text *text)
{
	text_line(text, "%7s %9s  %s", "now %", "so far %", "code that held everyone up");
}

static void put_threads_head(struct text *text)
{
	text_line(text, "%7s %9s  %6s %8s  %s", "now %", "so far %", "on-CPU", "tid",
		  "thread by its CMetric");
}

/* Writes rows up to line @end, or if lines do not count, so many as @most. */
static void put_places(struct text *text, const struct live *live, const struct table *table,
		       unsigned int end)
{
	size_t most = text->options->top ? text->options->top : PLACES;

	if (!table->count)
		return;
	put_places_head(text);
	for (size_t i = 0; i < table->count && i < most; i++) {
		if (!has_room(text, live, table, i, end))
			break;
		put_place(text, &table->rows[i], i ? TEXT_PLAIN : TEXT_BOLD);
	}
}

static void put_threads(struct text *text, const struct live *live, const struct table *table,
			unsigned int end)
{
	size_t most = live->lines ? SIZE_MAX : THREADS;

	put_threads_head(text);
	for (size_t i = 0; i < table->count && i < most; i++) {
		if (!has_room(text, live, table, i, end))
			break;
		put_thread(text, &table->rows[i]);
	}
}

static bool threads_first(const struct live *live)
{
	return live->order >= LIVE_THREADS || !live->now->ranked;
}

static void put_tables(struct text *text, const struct live_view *view)
{
	const struct live *live = view->live;
	unsigned int left = live->lines > text->lines ? live->lines - text->lines : 0;
	unsigned int rows = left > 2 * LEAST_ROWS + 2 ? left / 3 : 0;
	unsigned int middle = live->lines - rows - !!rows;

	if (threads_first(live))
		put_threads(text, live, &view->threads, middle);
	else
		put_places(text, live, &view->places, middle);
	if (live->lines && (!rows || text->lines + LEAST_ROWS > live->lines))
		return;
	text_blank(text);
	if (threads_first(live))
		put_places(text, live, &view->places, live->lines);
	else
		put_threads(text, live, &view->threads, live->lines);
}

/* What recording costs so far. */
static void put_cost(struct text *text)
{
	const struct results *results = text->results;
	double wall_s = (double)results->model.status.wall_ns / NSEC_PER_SEC;
	const u64 *losses = results->counters.lost;
	u64 lost = losses[GAPP_LOST_RING] + losses[GAPP_LOST_THREADS] +
		   losses[GAPP_LOST_RECORDS_OVER_BUDGET];

	text_title(text, "Cost");
	text_add(text, "gapp-read %.1f %% of one CPU, %llu MiB",
		 percent_of(results->own.cpu_s, wall_s), results->own.rss_kib >> 10);
	if (results->counters.probe_timed)
		text_add(text, "; the module %.2f %% of all", results_probe_percent(results));
	if (lost)
		text_add(text, "; %llu records lost", lost);
	text_end(text);
}

static void put_head(struct text *text, const struct live_view *view)
{
	const struct live *live = view->live;
	struct text now = *text;

	if (live->now->ranked)
		text_sentence(text);
	text_blank(text);
	text_what(text, "Recorded");
	if (!results_apart(live->now) && live->now->model.parallelism_count) {
		now.results = &view->interval;
		now.model = &view->interval.model;
		now.lines = 0;
		text_parallel(&now, "Now");
		text_parallel(text, "So far");
		text->lines += now.lines;
		if (live->now->ranked)
			text_why(text, PATH_RAN);
		if (live->now->ranked)
			text_why(text, PATH_WAITED);
	}
	live_counters(text, live);
	put_cost(text);
	text_blank(text);
}

/* Writes what a screen must have: all above the tables, and the first row. */
static void put_least(struct text *text, const void *what)
{
	const struct live_view *view = what;
	const struct table *table = threads_first(view->live) ? &view->threads : &view->places;

	put_head(text, view);
	put_places_head(text);
	if (table->count)
		put_row(text, table->rows);
}

/* A sentence that has no room is cut. */
static void make_room(struct text *text, const struct live_view *view)
{
	text->sentence_lines = view->live->lines ? view->live->lines : TEXT_LINES;
	if (!view->live->lines)
		return;
	while (text->sentence_lines > TEXT_SENTENCE_LEAST &&
	       text_dry_run(text, put_least, view) > view->live->lines)
		text->sentence_lines--;
}

static void begin(struct text *text, FILE *out, const struct live *live)
{
	text_begin(text, out, live->now, live->options);
	text->terminal = live->terminal;
	text->color = text_shows_color(live->options->color, live->terminal);
	if (live->terminal)
		text->columns = live->columns < TEXT_COLUMNS_MIN ? TEXT_COLUMNS_MIN :
				live->columns > TEXT_COLUMNS_MAX ? TEXT_COLUMNS_MAX :
								   live->columns;
}

int report_live(FILE *out, const struct live *live)
{
	_cleanup_(view_free) struct live_view view = { .live = live };
	bool now = live->order == LIVE_PLACES_NOW || live->order == LIVE_THREADS_NOW;
	struct table *places = &view.places, *threads = &view.threads;
	struct text text;

	if (subtract(&view.interval, live) || find_places(places, live) ||
	    find_threads(threads, live))
		return -1;
	qsort(places->rows, places->count, sizeof(*places->rows), now ? by_now : by_so_far);
	qsort(threads->rows, threads->count, sizeof(*threads->rows), now ? by_now : by_so_far);
	begin(&text, out, live);
	if (model_is_empty(&live->now->model)) {
		text_line(&text, "Nothing has run yet.");
		return 0;
	}
	make_room(&text, &view);
	put_head(&text, &view);
	put_tables(&text, &view);
	return 0;
}
