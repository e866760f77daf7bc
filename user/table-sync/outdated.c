// SPDX-License-Identifier: GPL-2.0
#include "outdated.h"

#include "core/mix.h"

#define BUCKETS 1024
/* More that the module does not know at once are put together. */
#define OPEN_MAX 64

/**
 * struct interval - a range of a process's memory, and for how long it was stale
 * @pid: the process
 * @start: first address
 * @end: behind the last one
 * @begin_ns: when it was mapped first
 * @last_ns: what the module is told ends it if it is of later; of a process never before the one
 *	that was added before
 * @end_ns: when it knew; of a process never before the one that was added before; STALE_OPEN: not
 *yet
 * @before: number of the one before in its bucket
 */
struct interval {
	pid_t pid;
	u64 start;
	u64 end;
	u64 begin_ns;
	u64 last_ns;
	u64 end_ns;
	u64 before;
};

/**
 * struct stale - all of them, by number; the first one's is 1
 * @newest: number of the last one; 0: there was none
 * @open: how many the module does not know yet
 * @closed_ns: when it knew all others
 * @over_ns: when it knew all of them; STALE_OPEN: not yet
 * @buckets: number of the last one of processes whose id comes out there
 * @intervals: by number, modulo how many there are: those of numbers too old are others now
 */
struct stale {
	u64 newest;
	u32 open;
	u64 closed_ns;
	u64 over_ns;
	u64 buckets[BUCKETS];
	struct interval intervals[STALE_MAX];
};

struct stale *stale_new(void)
{
	return calloc(1, sizeof(struct stale));
}

void stale_free(struct stale *stale)
{
	free(stale);
}

/* NULL: there is none any more. */
static struct interval *get(const struct stale *stale, u64 number)
{
	if (!number || stale->newest - number >= STALE_MAX)
		return NULL;
	return (struct interval *)&stale->intervals[number % STALE_MAX];
}

static u64 *bucket_of(const struct stale *stale, pid_t pid)
{
	return (u64 *)&stale->buckets[gapp_mix(pid) % BUCKETS];
}

/* The one of the process with this number or, added before, the next one. */
static struct interval *of_process(const struct stale *stale, pid_t pid, u64 number)
{
	struct interval *one = get(stale, number);

	while (one && one->pid != pid)
		one = get(stale, one->before);
	return one;
}

/* Those of a process, newest first. */
static struct interval *first_of(const struct stale *stale, pid_t pid)
{
	return of_process(stale, pid, *bucket_of(stale, pid));
}

static struct interval *next_of(const struct stale *stale, const struct interval *one)
{
	return of_process(stale, one->pid, one->before);
}

static void widen(struct interval *one, const struct interval *by)
{
	if (by->start < one->start)
		one->start = by->start;
	if (by->end > one->end)
		one->end = by->end;
	if (by->begin_ns < one->begin_ns)
		one->begin_ns = by->begin_ns;
}

static void set_end(struct stale *stale, struct interval *one, u64 end_ns)
{
	if (one->end_ns == STALE_OPEN)
		stale->open--;
	one->end_ns = end_ns;
	if (end_ns == STALE_OPEN)
		stale->open++;
	else if (end_ns > stale->closed_ns)
		stale->closed_ns = end_ns;
	stale->over_ns = stale->open ? STALE_OPEN : stale->closed_ns;
}

static void put(struct stale *stale, const struct interval *one)
{
	u64 *bucket = bucket_of(stale, one->pid), number = ++stale->newest;
	struct interval *at = &stale->intervals[number % STALE_MAX];

	set_end(stale, at, one->end_ns);
	*at = *one;
	at->before = *bucket;
	*bucket = number;
}

void stale_add(struct stale *stale, pid_t pid, u64 start, u64 length, u64 begin_ns, u64 end_ns)
{
	struct interval added = {
		.pid = pid,
		.start = start,
		.end = start + length < start ? UINT64_MAX : start + length,
		.begin_ns = begin_ns,
		.last_ns = begin_ns,
		.end_ns = end_ns,
	};
	struct interval *newest = first_of(stale, pid), *into = NULL, *one;
	u32 count = 0;

	/* not before what was added before */
	if (newest && newest->end_ns > added.end_ns)
		added.end_ns = newest->end_ns;
	if (newest && newest->last_ns > added.last_ns)
		added.last_ns = newest->last_ns;
	for (one = first_of(stale, pid); one; one = next_of(stale, one)) {
		if (one->end_ns != STALE_OPEN)
			break;
		if (one->start < added.end && added.start < one->end && !into)
			into = one;
		count++;
	}
	if (!into && count >= OPEN_MAX)
		into = newest;
	if (!into) {
		put(stale, &added);
		return;
	}
	widen(into, &added);
	/* those that were added after it, too */
	for (one = first_of(stale, pid); one; one = next_of(stale, one)) {
		one->last_ns = added.last_ns;
		if (one == into)
			break;
	}
}

void stale_told(struct stale *stale, pid_t pid, u64 begin_ns, u64 end_ns)
{
	struct interval *one;

	for (one = first_of(stale, pid); one; one = next_of(stale, one)) {
		if (one->end_ns != STALE_OPEN)
			return;
		if (one->last_ns <= begin_ns)
			set_end(stale, one, end_ns);
	}
}

bool stale_fork(struct stale *stale, pid_t pid, pid_t parent, u64 time_ns)
{
	struct interval *one;
	bool any = false;

	for (one = first_of(stale, parent); one; one = next_of(stale, one)) {
		if (one->end_ns < time_ns)
			break;
		if (one->begin_ns > time_ns)
			continue;
		stale_add(stale, pid, one->start, one->end - one->start, time_ns, STALE_OPEN);
		any = true;
	}
	return any;
}

const u64 *stale_over(const struct stale *stale)
{
	return &stale->over_ns;
}

bool stale_any(const struct stale *stale, pid_t pid, u64 begin_ns, u64 end_ns)
{
	struct interval *one;

	for (one = first_of(stale, pid); one; one = next_of(stale, one)) {
		if (one->end_ns < begin_ns)
			break;
		if (one->begin_ns <= end_ns)
			return true;
	}
	return false;
}

bool stale_at(const struct stale *stale, pid_t pid, u64 address, u64 begin_ns, u64 end_ns)
{
	struct interval *one;

	for (one = first_of(stale, pid); one; one = next_of(stale, one)) {
		if (one->end_ns < begin_ns)
			break;
		if (one->begin_ns <= end_ns && one->start <= address && address < one->end)
			return true;
	}
	return false;
}
