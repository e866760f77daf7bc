// SPDX-License-Identifier: GPL-2.0
/*
 * Teams: threads whose names are equal, or differ only in the numbers at their ends. What they are
 * called, and whether their work is uneven.
 */
#include <ctype.h>

#include "util/names.h"
#include "text_private.h"

#define NAME_COLUMNS 24

/* Length of a name without the number at its end. */
static size_t stem_len(const u8 *comm)
{
	size_t len = comm_len(comm);

	while (len && isdigit(comm[len - 1]))
		len--;
	return len;
}

/*
 * For sorting by teams: 0 if threads with these names are of one team. "cc" and "cc1" are of two: a
 * number says which of several threads it is only where each of them has one.
 */
int text_team_compare(const u8 *x, const u8 *y)
{
	size_t x_len = stem_len(x), y_len = stem_len(y);
	int order = memcmp(x, y, x_len < y_len ? x_len : y_len);

	return compare_by(order, three_way(x_len, y_len),
			  three_way(x_len < comm_len(x), y_len < comm_len(y)));
}

bool text_same_name(const u8 *x, const u8 *y)
{
	return comm_len(x) == comm_len(y) && !memcmp(x, y, comm_len(x));
}

/* "worker-*" of a team with several names, else the name; @comm: of one of its threads */
void text_team(char *cell, const u8 *comm, bool numbered, unsigned int columns)
{
	text_cut(cell, (const char *)comm, numbered ? stem_len(comm) : comm_len(comm), columns);
	if (numbered)
		cell_add(cell, "*");
}

static int by_team(const void *a, const void *b)
{
	return text_team_compare((*(const struct gapp_thread_figures *const *)a)->comm,
				 (*(const struct gapp_thread_figures *const *)b)->comm);
}

#define EVEN_RATIO 1.2 /* longest to average: up to here a team is called even */

/**
 * struct team - threads of one team
 * @first: one of them
 * @numbered: not all of them have the name of @first
 * @threads: number of threads
 * @least: shortest on-CPU time of a thread, nanoseconds
 * @most: longest on-CPU time of a thread
 * @sum: on-CPU time of all
 */
struct team {
	const struct gapp_thread_figures *first;
	bool numbered;
	size_t threads;
	u64 least;
	u64 most;
	u64 sum;
};

static bool is_leader(const struct gapp_thread_figures *thread)
{
	return thread->tid == thread->tgid;
}

/* Leaves leaders out unless all threads are leaders: a leader does other work than its threads. */
static struct team make_team(const struct gapp_thread_figures *const *threads, size_t count)
{
	struct team team = { .least = UINT64_MAX };
	bool only_leaders = true;

	for (size_t i = 0; i < count; i++)
		only_leaders = only_leaders && is_leader(threads[i]);
	for (size_t i = 0; i < count; i++) {
		u64 run = threads[i]->run_ns;

		if (is_leader(threads[i]) && !only_leaders)
			continue;
		if (!team.threads++)
			team.first = threads[i];
		team.numbered |= !text_same_name(team.first->comm, threads[i]->comm);
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
	char name[TEXT_CELL_SIZE];

	text_team(name, team->first->comm, team->numbered, NAME_COLUMNS);
	text_add(text, "%zu %s: %.2f..%.2f %s on CPUs, most/average %.1f", team->threads, name,
		 text_time(text, team->least), text_time(text, team->most), text->unit,
		 unevenness(team));
	if (others)
		text_add(text, "; %zu more team%s", others, text_plural(others));
	text_end(text);
}

/* Writes one line about the team with the largest excess(). */
void text_imbalance(struct text *text)
{
	_cleanup_free_ const struct gapp_thread_figures **threads = NULL;
	size_t count = text->model->thread_count, uneven = 0, teams = 0;
	double notable = text->model->status.wall_ns * NOTABLE_PERCENT / 100;
	struct team worst = { 0 };

	threads = reallocarray(NULL, count + 1, sizeof(*threads));
	if (!threads) {
		out_of_memory();
		return;
	}
	for (size_t i = 0; i < count; i++)
		threads[i] = &text->model->threads[i];
	qsort(threads, count, sizeof(*threads), by_team);
	for (size_t first = 0, last; first < count; first = last) {
		struct team team;

		for (last = first + 1; last < count; last++)
			if (text_team_compare(threads[first]->comm, threads[last]->comm))
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
	if (!teams)
		return;
	text_title(text, "Imbalance");
	if (uneven)
		put_team(text, &worst, uneven - 1);
	else
		text_line(text, "none among threads of one name");
}
