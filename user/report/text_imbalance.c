// SPDX-License-Identifier: GPL-2.0
/* Threads that do the same work, by their names, and yet not as much of it. */
#include "util/names.h"
#include "text.h"

#define EVEN_RATIO 1.2 /* longest to average: up to here a group is called even */
#define NAME_COLUMNS 24

/**
 * struct team - threads whose names differ only in a number at their end
 * @first: one of them
 * @threads: how many
 * @leaders: of them
 * @least: on-CPU time
 * @most: likewise
 * @sum: likewise
 */
struct team {
	const struct gapp_thread_figures *first;
	size_t threads;
	size_t leaders;
	u64 least;
	u64 most;
	u64 sum;
};

static int by_stem(const void *a, const void *b)
{
	return text_stem_compare(*(const struct gapp_thread_figures *const *)a,
				 *(const struct gapp_thread_figures *const *)b);
}

static bool is_leader(const struct gapp_thread_figures *thread)
{
	return thread->tid == thread->tgid;
}

/* Processes' first threads are a team only if there are no others: else they do something else. */
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

/* More time between the longest and the average is a longer run for everyone. */
static double excess(const struct team *team)
{
	return team->threads ? team->most - (double)team->sum / team->threads : 0;
}

static void put_team(struct text *text, const struct team *team, size_t others)
{
	char name[TEXT_CELL_SIZE], line[256];
	size_t stem = text_stem_len(team->first);

	text_cut(name, (const char *)team->first->comm, stem, NAME_COLUMNS);
	snprintf(line, sizeof(line), "%-*s%zu %.64s%s: %.2f..%.2f %s on CPUs, most/average %.1f",
		 TEXT_INDENT, "Imbalance", team->threads, name,
		 stem < comm_len(team->first->comm) ? "*" : "", text_time(text, team->least),
		 text_time(text, team->most), text->unit, unevenness(team));
	if (others)
		text_append(line, sizeof(line), "; %zu more group%s", others, text_plural(others));
	text_line(text, "%s", line);
}

/* Returns the number of threads, sorted by the stems of their names. */
static size_t sort_threads(const struct model *model, const struct gapp_thread_figures **threads)
{
	for (size_t i = 0; i < model->thread_count; i++)
		threads[i] = &model->threads[i];
	qsort(threads, model->thread_count, sizeof(*threads), by_stem);
	return model->thread_count;
}

/**
 * text_imbalance() - one line about the team that is least even
 * @text: the report
 */
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
			if (text_stem_compare(threads[first], threads[last]))
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
