// SPDX-License-Identifier: GPL-2.0
/*
 * The level at which something has a tenth of a time, for the first sentence: a place, else a
 * function, else a thread or a team, else a process. What there is only one of says nothing: in a
 * session of one process that process has all of the time.
 */
#include "text_private.h"

/* With a part of the time as large as that, the first places say where it is. */
#define FIRST_PLACES 5
#define NEARLY_ALL 0.9

enum level {
	LEVEL_THREAD,
	LEVEL_TEAM,
	LEVEL_PROCESS,
};

static bool is_of(const struct text *text, const struct text_whole *whole, const struct ranked *row)
{
	return row->kind == whole->kind && (!whole->tgid || row->tgid == whole->tgid) &&
	       text_row_counts(text, row);
}

/* The first row of that time with at least @least_ns; NULL: there is none. */
static const struct ranked *first_of(const struct text *text, const struct text_whole *whole,
				     const struct ranking *ranking, double least_ns)
{
	for (size_t i = 0; i < ranking->count; i++) {
		const struct ranked *row = &ranking->rows[i];

		if (is_of(text, whole, row) && row->critical_ns >= least_ns)
			return row;
	}
	return NULL;
}

/* The first place that has any of that time, or NULL. */
const struct ranked *text_first_place(const struct text *text, const struct text_whole *whole)
{
	return first_of(text, whole, &text->results->places, 0);
}

/* Adds @before and how many places that time is in, if there are several: ", in 16 places". */
void text_in_places(struct text *text, const struct text_whole *whole, const char *before)
{
	const struct ranking *places = &text->results->places;
	size_t count = 0;

	for (size_t i = 0; i < places->count; i++)
		count += is_of(text, whole, &places->rows[i]);
	if (count > 1)
		text_add(text, "%s%zu places", before, count);
}

/* Whether a part of that time that counts is in other places than the first ones. */
bool text_is_spread(const struct text *text, const struct text_whole *whole)
{
	const struct ranking *places = &text->results->places;
	double first = 0, all = 0;
	size_t count = 0;

	for (size_t i = 0; i < places->count; i++) {
		if (!is_of(text, whole, &places->rows[i]))
			continue;
		all += places->rows[i].critical_ns;
		if (count++ < FIRST_PLACES)
			first += places->rows[i].critical_ns;
	}
	return first < NEARLY_ALL * all;
}

static bool is_leader(const struct ranked *row)
{
	return row->tid == row->tgid;
}

/* Whether a thread or process is another one than @row at that level. */
static bool is_another(enum level level, const struct ranked *row, s32 tid, s32 tgid,
		       const void *comm)
{
	switch (level) {
	case LEVEL_THREAD:
		return tid != row->tid;
	case LEVEL_TEAM:
		/* a leader does other work than the threads of its process */
		return is_leader(row) != (tid == tgid) ||
		       text_team_compare((const u8 *)row->comm, comm);
	default:
		return tgid != row->tgid;
	}
}

/* Whether the target has another one like @row, so that it says something which one it is. */
static bool has_another(const struct text *text, const struct text_whole *whole, enum level level,
			const struct ranked *row)
{
	const struct ranking *ranking = level == LEVEL_PROCESS ? &text->results->by_process :
								 &text->results->by_thread;

	for (size_t i = 0; i < text->model->thread_count; i++) {
		const struct gapp_thread_figures *thread = &text->model->threads[i];

		if ((!whole->tgid || thread->tgid == whole->tgid) &&
		    is_another(level, row, thread->tid, thread->tgid, thread->comm))
			return true;
	}
	for (size_t i = 0; i < ranking->count; i++) {
		const struct ranked *other = &ranking->rows[i];

		if ((!whole->tgid || other->tgid == whole->tgid) &&
		    is_another(level, row, other->tid, other->tgid, other->comm))
			return true;
	}
	return false;
}

/* For qsort: threads of one team that wait for one reason follow each other. */
static int team_compare(const void *a, const void *b)
{
	const struct ranked *x = *(const struct ranked *const *)a;
	const struct ranked *y = *(const struct ranked *const *)b;

	return compare_by(three_way(is_leader(x), is_leader(y)), three_way(x->wait, y->wait),
			  text_team_compare((const u8 *)x->comm, (const u8 *)y->comm));
}

/* Adds up the first rows of @rows that are of one team. Returns how many those are. */
static size_t add_team(struct text_holder *team, const struct ranked *const *rows, size_t count)
{
	struct ranked *sum = &team->row;
	double n_ns = 0;
	size_t i;

	*team = (struct text_holder){ .row = *rows[0], .team = true };
	sum->critical_ns = 0;
	memset(sum->waiting_ns, 0, sizeof(sum->waiting_ns));
	for (i = 0; i < count && !team_compare(&rows[0], &rows[i]); i++) {
		const struct ranked *row = rows[i];

		sum->critical_ns += row->critical_ns;
		n_ns += row->running * row->critical_ns;
		for (size_t wait = 0; wait < GAPP_WAIT_REASONS; wait++)
			sum->waiting_ns[wait] += row->waiting_ns[wait];
		team->numbered |= !text_same_name((const u8 *)rows[0]->comm, (const u8 *)row->comm);
	}
	sum->threads = i;
	sum->running = sum->critical_ns > 0 ? n_ns / sum->critical_ns : 0;
	return i;
}

/* Whether @team says more than @other; threads that sleep of their own choice hold nobody up. */
static bool is_larger(const struct ranked *team, const struct ranked *other)
{
	bool sleeps = team->kind == PATH_WAITED && team->wait == GAPP_WAIT_SLEEP;
	bool other_sleeps = other->kind == PATH_WAITED && other->wait == GAPP_WAIT_SLEEP;

	return sleeps == other_sleeps ? team->critical_ns > other->critical_ns : other_sleeps;
}

/* Finds the team with most of that time. False: there are no threads, or no memory. */
static bool find_team(const struct text *text, const struct text_whole *whole,
		      struct text_holder *largest)
{
	_cleanup_free_ const struct ranked **rows = NULL;
	const struct ranking *threads = &text->results->by_thread;
	struct text_holder team;
	size_t count = 0;

	rows = reallocarray(NULL, threads->count + 1, sizeof(*rows));
	if (!rows) {
		out_of_memory();
		return false;
	}
	for (size_t i = 0; i < threads->count; i++)
		if (is_of(text, whole, &threads->rows[i]))
			rows[count++] = &threads->rows[i];
	qsort(rows, count, sizeof(*rows), team_compare);
	for (size_t i = 0; i < count;) {
		size_t first = i;

		i += add_team(&team, rows + i, count - i);
		if (!first || is_larger(&team.row, &largest->row))
			*largest = team;
	}
	return count;
}

/* The process of a thread that is its only one: a process has a command line. */
static const struct ranked *process_of(const struct text *text, const struct text_whole *whole,
				       const struct ranked *thread)
{
	const struct ranking *processes = &text->results->by_process;

	for (size_t i = 0; i < processes->count; i++) {
		const struct ranked *row = &processes->rows[i];

		if (row->kind == thread->kind && row->wait == thread->wait &&
		    row->tgid == thread->tgid && row->threads == 1 && !whole->tgid &&
		    has_another(text, whole, LEVEL_PROCESS, row))
			return row;
	}
	return thread;
}

/* A team, unless one of its threads has most of the team's time. */
static bool find_threads(const struct text *text, const struct text_whole *whole,
			 struct text_holder *holder)
{
	const struct ranking *threads = &text->results->by_thread;
	double least = BOTTLENECK_PART * whole->ns;
	const struct ranked *row = first_of(text, whole, threads, least);

	if (find_team(text, whole, holder) && holder->row.threads > 1 &&
	    holder->row.critical_ns >= least &&
	    (!row || row->critical_ns < MOST_OF * holder->row.critical_ns) &&
	    has_another(text, whole, LEVEL_TEAM, &holder->row))
		return true;
	if (!row || !has_another(text, whole, LEVEL_THREAD, row))
		return false;
	*holder = (struct text_holder){ .row = *process_of(text, whole, row) };
	return true;
}

/**
 * text_find_holder() - finds what has a tenth of a time, at the first level at which anything has
 * @text: the report
 * @whole: the time
 * @holder: what was found
 *
 * Return: whether there is any.
 */
bool text_find_holder(const struct text *text, const struct text_whole *whole,
		      struct text_holder *holder)
{
	const struct results *results = text->results;
	double least = BOTTLENECK_PART * whole->ns;
	const struct ranked *row = first_of(text, whole, &results->places, least) ?:
					   first_of(text, whole, &results->functions, least);

	if (!row && find_threads(text, whole, holder))
		return true;
	if (!row && !whole->tgid) {
		row = first_of(text, whole, &results->by_process, least);
		if (row && !has_another(text, whole, LEVEL_PROCESS, row))
			row = NULL;
	}
	if (row)
		*holder = (struct text_holder){ .row = *row };
	return row;
}

/* What a row without a path stands for; a kernel thread never leaves the kernel. */
const char *text_kind(const struct ranked *row)
{
	if (row->kernel_count && row->kernel->in == GAPP_IN_KTHREAD)
		return "kernel thread";
	return row->tid ? "thread" : "process";
}

/* "rehash (hash.c:88)", "thread io (4711)", "16 threads worker-*", "process 4711: cc1 big.c" */
void text_holder(const struct text *text, char *cell, const struct text_holder *holder)
{
	const struct ranked *row = &holder->row;
	char name[TEXT_CELL_SIZE];

	if (row->frame_count) {
		text_code_in_words(cell, row);
		return;
	}
	if (holder->team) {
		text_team(name, (const u8 *)row->comm, holder->numbered, TEXT_COLUMNS_MAX);
		snprintf(cell, TEXT_CELL_SIZE, "%llu threads ", row->threads);
	} else {
		if (row->tid)
			text_code(name, row);
		else
			text_process(text, name, row);
		snprintf(cell, TEXT_CELL_SIZE, "%s ", text_kind(row));
	}
	cell_add(cell, "%s", name);
}
