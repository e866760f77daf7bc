// SPDX-License-Identifier: GPL-2.0
/*
 * Random changes by all workers, and readings in between, each noted with its time and with what
 * it was told. Afterwards the sums are found from the changes alone, in the order of their times,
 * and compared. What a reading tells may differ a little: it may have been made before a change
 * whose time is earlier was seen.
 */
#include <stdio.h>
#include <stdlib.h>

#include "contention.h"

#define NOTES_EACH 60000
/* Threads that each worker turns on and off. */
#define THREADS_EACH 8

/* A change, or a reading: dn is 0. */
struct noted {
	struct gapp_at at;
	int dn;
};

/**
 * struct found - how what was told differs from the formulas
 * @changes: that were noted
 * @wrong_changes: some of them
 * @reads: that were noted
 * @wrong_reads: some of them
 * @most: share by which a reading is wrong, at most
 * @at_end: it does not
 */
struct found {
	u64 changes, wrong_changes;
	u64 reads, wrong_reads;
	u64 most;
	bool at_end;
};

static struct noted *notes;

static void change_at_random(struct worker *worker)
{
	struct noted *note = notes + (size_t)worker->number * NOTES_EACH;
	int active = THREADS_EACH;
	u32 i;

	for (i = 0; i < NOTES_EACH; i++, note++) {
		bool up = active == 0 || (active < THREADS_EACH && draw(worker) & 64);

		memset(&note->at, 0, sizeof(note->at));
		note->dn = i % 3 == 2 ? 0 : up ? 1 : -1;
		active += note->dn;
		if (note->dn)
			integrals_change(worker, note->dn, &note->at);
		else
			integrals_read(&note->at);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct noted *x = a, *y = b;

	return x->at.t < y->at.t ? -1 : x->at.t > y->at.t;
}

static void go_to(struct gapp_at *sum, u64 t, u32 n_min)
{
	u64 dt = t - sum->t, share = share_of(dt, sum->n);

	sum->g += share;
	sum->c += sum->n <= n_min ? share : 0;
	sum->s += dt * sum->n;
	sum->t = t;
}

/* Of changes at the same time any order gives the same sums, though not the same n. */
static bool same_sums(const struct gapp_at *a, const struct gapp_at *b)
{
	return a->g == b->g && a->c == b->c && a->s == b->s;
}

static void compare(const struct gapp_at *sum, const struct noted *note, struct found *found)
{
	bool same = same_sums(sum, &note->at);
	u64 wrong = sum->g > note->at.g ? sum->g - note->at.g : note->at.g - sum->g;

	if (note->dn) {
		found->changes++;
		found->wrong_changes += !same;
		return;
	}
	found->reads++;
	found->wrong_reads += !same;
	if (!same && wrong > found->most)
		found->most = wrong;
}

static int verdict(u32 workers, const struct found *found)
{
	bool good = found->at_end && !found->wrong_changes;

	printf("%s - contention: %u %s: ", good ? "ok" : "not ok", workers,
	       workers == 1 ? "CPU" : "CPUs");
	if (!found->at_end)
		printf("the sums at the end are not those of the formulas");
	else if (found->wrong_changes)
		printf("the sums at the end are those of the formulas, those on the way are not at %llu of %llu changes",
		       found->wrong_changes, found->changes);
	else
		printf("the sums are those of the formulas, after %llu changes", found->changes);
	if (found->wrong_reads)
		printf("; %llu of %llu readings are not, by up to %llu ns of G", found->wrong_reads,
		       found->reads, found->most >> GAPP_SHARE_SHIFT);
	putchar('\n');
	return good ? 0 : 1;
}

/* Threads may not meet at once on a busy machine. */
#define ROUNDS 5

static void check_once(struct crew *crew, struct found *found)
{
	u32 n = crew->count * THREADS_EACH, n_min = n / 2;
	size_t count = (size_t)crew->count * NOTES_EACH, i;
	u64 start = ktime_get_mono_fast_ns(), now;
	struct gapp_at sum = { .n = n }, end;

	integrals_begin(crew->count, n, n_min, start);
	crew_run(crew, change_at_random);
	now = time_since(start) + 1000;
	integrals_finish(now, &end);
	qsort(notes, count, sizeof(*notes), by_time);
	for (i = 0; i < count; i++) {
		struct gapp_at then = sum;

		go_to(&then, notes[i].at.t, n_min);
		compare(&then, &notes[i], found);
		/* Shares are rounded down at the ends of intervals. */
		if (notes[i].dn)
			sum = then;
		sum.n += notes[i].dn;
	}
	go_to(&sum, now, n_min);
	found->at_end &= same_sums(&sum, &end) && sum.n == end.n;
}

int check_sums(struct crew *crew)
{
	struct found found = { .at_end = true };

	notes = calloc((size_t)crew->count * NOTES_EACH, sizeof(*notes));
	if (!notes) {
		fprintf(stderr, "contention: no memory for the changes to check\n");
		return 1;
	}
	for (u32 round = 0; round < ROUNDS; round++)
		check_once(crew, &found);
	free(notes);
	return verdict(crew->count, &found);
}
