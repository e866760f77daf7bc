// SPDX-License-Identifier: GPL-2.0
/*
 * Random changes by all workers, and readings in between, each noted with its time and with what
 * it was told. Afterwards the sums are found from the changes alone, in the order of their times,
 * and compared.
 */
#include <stdio.h>
#include <stdlib.h>

#include "contention.h"
#include "threads/clock.h"

#define NOTES_EACH 20000
/* The first worker stalls in one of so many changes. */
#define CHANGES_A_STALL 1000
/* Steps of other work between two of them: about a microsecond, hundreds of changes in a stall. */
#define WORK 1000
/* Threads that each worker turns on and off. */
#define THREADS_EACH 8
#define MOST_THREADS (MOST_WORKERS * THREADS_EACH)

/*
 * A change of a thread, or a reading: dn is 0. With @none there was nothing to read. It was under
 * way from time @began to time @ended.
 */
struct noted {
	struct gapp_at at;
	u64 began, ended;
	u32 thread;
	int dn;
	bool none;
};

/**
 * struct shares - what a thread has collected while it was active
 * @g_since: G when it became active
 * @c_since: C when it became active
 * @g: share
 * @c: critical share
 */
struct shares {
	u64 g_since, c_since;
	u64 g, c;
};

/**
 * struct found - how what was told differs from the formulas
 * @changes: changes that were noted
 * @wrong_changes: changes whose integrals are wrong
 * @wrong_n: changes whose n is wrong
 * @wrong_threads: threads whose shares are wrong
 * @wrong_times: numbers of threads for which the time is wrong
 * @wrong_moments: changes and readings that count at a time when they were not under way
 * @reads: readings that were noted
 * @late_reads: readings of an earlier state than the last one before their time
 * @wrong_reads: readings of no state
 * @posts: changes that were posted
 * @post_waits: changes that found no free post
 * @longest_ns: the longest that a change took of a worker that does not stall
 * @stalls: of all rounds
 * @at_end: the integrals at the end are right
 */
struct found {
	u64 changes, wrong_changes, wrong_n, wrong_threads, wrong_times;
	u64 wrong_moments;
	u64 reads, late_reads, wrong_reads;
	u64 posts, post_waits, longest_ns;
	struct stalls stalls;
	bool at_end;
};

/* The sums, found by the formulas as they stand in docs/design/metric.md. */
struct sums {
	u64 t, g, c, s;
	u32 n;
};

static struct noted *notes;
/* The sums after each change, in order. */
static struct sums *states;
static size_t state_count;
static struct shares told[MOST_THREADS], replayed[MOST_THREADS];
static u64 times[MOST_THREADS + 1];

static void change_at_random(struct worker *worker)
{
	struct noted *note = notes + (size_t)worker->number * NOTES_EACH;
	bool active[THREADS_EACH];
	u32 i, thread;

	/* the others change and read what this one holds */
	stall_every = worker->number ? 0 : CHANGES_A_STALL;
	memset(active, true, sizeof(active));
	for (i = 0; i < NOTES_EACH; i++, note++) {
		thread = draw(worker) / 64 % THREADS_EACH;
		memset(note, 0, sizeof(*note));
		other_work(worker, WORK);
		note->thread = worker->number * THREADS_EACH + thread;
		note->began = gapp_clock();
		if (i % 3 == 2) {
			note->none = !integrals_read(worker, &note->at);
		} else {
			note->dn = active[thread] ? -1 : 1;
			active[thread] = !active[thread];
			integrals_change(worker, note->dn, &note->at);
		}
		note->ended = gapp_clock();
		WRITE_ONCE(worker->done, worker->done + 1);
	}
}

/* A reading at the time of a change may have seen the change, so it comes after. */
static int by_time(const void *a, const void *b)
{
	const struct noted *x = a, *y = b;

	if (x->at.t != y->at.t)
		return x->at.t < y->at.t ? -1 : 1;
	return !x->dn - !y->dn;
}

static void go_to(struct sums *sum, u64 t, u32 n_min)
{
	u64 dt = t - sum->t, share = share_of(dt, sum->n);

	sum->g += share;
	sum->c += sum->n <= n_min ? share : 0;
	sum->s += dt * sum->n;
	sum->t = t;
}

static bool same_sums(const struct sums *sum, const struct gapp_at *at)
{
	return sum->g == at->g && sum->c == at->c && sum->s == at->s;
}

static void collect(struct shares *shares, int dn, u64 g, u64 c)
{
	if (dn > 0) {
		shares->g_since = g;
		shares->c_since = c;
		return;
	}
	shares->g += g - shares->g_since;
	shares->c += c - shares->c_since;
}

/*
 * A reading has the sums after one change, and what they have grown since. That may be an earlier
 * change than the last one before the reading's time: a change takes its time before others see
 * it.
 */
static void compare_reading(const struct noted *note, u32 n_min, struct found *found)
{
	size_t i = state_count;
	struct sums then;

	found->reads++;
	while (i--) {
		then = states[i];
		go_to(&then, note->at.t, n_min);
		if (then.n == note->at.n && same_sums(&then, &note->at)) {
			found->late_reads += i + 1 < state_count;
			return;
		}
	}
	found->wrong_reads++;
}

/*
 * Notes before @end, in the order of their times, @sum as of the one before. Changes of the same
 * time may have come in any order: that gives the same integrals, and the same n after the last.
 */
static void replay(const struct noted *note, const struct noted *end, struct sums *sum, u32 n_min,
		   u64 start, struct found *found)
{
	struct sums then;
	bool alone = true;

	for (; note < end; note++) {
		if (note->dn && note->thread >= THREADS_EACH &&
		    note->ended - note->began > found->longest_ns)
			found->longest_ns = note->ended - note->began;
		if (note->none)
			continue;
		found->wrong_moments += start + note->at.t < note->began ||
					start + note->at.t > note->ended;
		if (!note->dn) {
			compare_reading(note, n_min, found);
			continue;
		}
		then = *sum;
		go_to(&then, note->at.t, n_min);
		found->changes++;
		found->wrong_changes += !same_sums(&then, &note->at);
		times[sum->n] += then.t - sum->t;
		alone = then.t > sum->t && (note + 1 == end || note[1].at.t > then.t);
		*sum = then;
		sum->n += note->dn;
		states[state_count++] = *sum;
		found->wrong_n += alone && sum->n != note->at.n;
		collect(&told[note->thread], note->dn, note->at.g, note->at.c);
		collect(&replayed[note->thread], note->dn, then.g, then.c);
	}
}

static void add_stalls(struct stalls *sum)
{
	sum->count += stalls.count;
	sum->in_vain += stalls.in_vain;
	sum->merges += stalls.merges;
	sum->used_up += stalls.used_up;
	sum->late_looks += stalls.late_looks;
	sum->slow_readings += stalls.slow_readings;
}

/*
 * What does not depend on how long things take on a busy machine: nobody goes on waiting beyond the
 * bound, and, unless all workers were kept from a CPU, others go on while one stalls.
 */
static bool is_bounded(u32 workers, const struct found *found)
{
	const struct stalls *all = &found->stalls;

	if (workers > 1 && (all->in_vain == all->count || all->late_looks))
		return false;
	return !all->slow_readings;
}

static int verdict(u32 workers, const struct found *found)
{
	const struct stalls *all = &found->stalls;
	bool good = found->at_end && !found->wrong_changes && !found->wrong_n &&
		    !found->wrong_threads && !found->wrong_times && !found->wrong_reads &&
		    !found->wrong_moments;

	good &= is_bounded(workers, found);
	printf("%s - contention: %u %s%s: ", good ? "ok" : "not ok", workers,
	       workers == 1 ? "writer" : "writers",
	       gapp_clock_scale ? "" : " by a clock that is slow to read");
	if (workers > 1)
		printf("%llu posts, %llu found no room; in %u of %u stalls of a writer the others went on, in %u of %u of one that merged nobody's posts were used up; a change took at most %llu us, and %u waited beyond 2; ",
		       found->posts, found->post_waits, all->count - all->in_vain, all->count,
		       all->merges - all->used_up, all->merges, found->longest_ns / 1000,
		       all->late_looks);
	if (all->slow_readings)
		printf("the clock was read %u times while others had to wait; ",
		       all->slow_readings);
	if (good)
		printf("a replay of %llu changes, each at its own time, gives the same sums, times by n and threads' shares, and %llu readings are of a state, %llu of them of one that was not the last",
		       found->changes, found->reads, found->late_reads);
	else
		printf("%llu count at a wrong time, of %llu changes %llu have wrong sums and %llu a wrong n; %llu threads' shares and %llu times by n are wrong; %llu of %llu readings are of no state; the end is %s",
		       found->wrong_moments, found->changes, found->wrong_changes, found->wrong_n,
		       found->wrong_threads, found->wrong_times, found->wrong_reads, found->reads,
		       found->at_end ? "right" : "wrong");
	putchar('\n');
	return good ? 0 : 1;
}

/* Threads may not meet at once on a busy machine. */
#define ROUNDS 5

static void check_once(struct crew *crew, struct found *found)
{
	u32 n = crew->count * THREADS_EACH, n_min = n / 2, i;
	size_t count = (size_t)crew->count * NOTES_EACH;
	u64 start = gapp_clock();
	struct sums sum = { .n = n };
	struct gapp_at end;

	memset(told, 0, sizeof(told));
	memset(replayed, 0, sizeof(replayed));
	memset(times, 0, sizeof(times));
	states[0] = sum;
	state_count = 1;
	integrals_begin(crew, n, n_min, start);
	crew_run(crew, change_at_random);
	integrals_finish(time_since(start) + 1000, &end);
	found->posts += integrals_posts();
	found->post_waits += integrals_post_waits();
	add_stalls(&found->stalls);
	qsort(notes, count, sizeof(*notes), by_time);
	replay(notes, notes + count, &sum, n_min, start, found);
	times[sum.n] += end.t - sum.t;
	go_to(&sum, end.t, n_min);
	found->at_end &= same_sums(&sum, &end) && sum.n == end.n;
	for (i = 0; i < n; i++)
		found->wrong_threads += told[i].g != replayed[i].g || told[i].c != replayed[i].c;
	for (i = 0; i <= n; i++)
		found->wrong_times += times[i] != integrals_time(i);
}

/* As docs/abi.md says; more where there are few CPUs. */
#define LEAST_POSTS 1024
#define KEPT_POSTS 64

int check_posts(void)
{
	u32 threads, targets;
	bool good = integrals_fill_posts(&threads, &targets) && threads + targets >= LEAST_POSTS &&
		    targets == KEPT_POSTS;

	printf("%s - contention: while nobody merges a CPU has posts for %u events of threads, and then for %u of targets; when somebody has merged, for as many again\n",
	       good ? "ok" : "not ok", threads, targets);
	return good ? 0 : 1;
}

int check_sums(struct crew *crew)
{
	struct found found = { .at_end = true };

	notes = calloc((size_t)crew->count * NOTES_EACH, sizeof(*notes));
	states = calloc((size_t)crew->count * NOTES_EACH + 1, sizeof(*states));
	if (!notes || !states) {
		fprintf(stderr, "contention: no memory for the changes to check\n");
		return 1;
	}
	for (u32 round = 0; round < ROUNDS; round++)
		check_once(crew, &found);
	free(states);
	free(notes);
	return verdict(crew->count, &found);
}
