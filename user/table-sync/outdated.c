// SPDX-License-Identifier: GPL-2.0
#include "outdated.h"

#include "util/hash_index.h"

/* Further open intervals of one process are merged into its newest one. */
#define OPEN_MAX 64

/**
 * struct interval - a range of a process's memory, and how long the module's mapping was outdated
 * @pid: process id; 0: the element is unused
 * @start: first address
 * @end: first address behind the range
 * @begin_ns: when the process first mapped something else there
 * @last_ns: a mapping set that was read at or after this time ends the interval
 * @end_ns: when the module got the new mappings; OUTDATED_OPEN: not yet
 * @before: number of the process's interval that was added before this one; 0: none
 *
 * @last_ns and @end_ns never decrease from an interval to the one of the same process added next.
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
 * struct outdated - the intervals of all processes, numbered from 1 on
 * @newest: number of the interval that was added last; 0: none
 * @open: intervals whose end is not known yet
 * @closed_ns: latest end of the intervals whose end is known
 * @over_ns: see outdated_over()
 * @by_process: finds the element of @intervals with a process's newest interval
 * @intervals: interval number i is element i % OUTDATED_MAX, until a newer one replaces it
 */
struct outdated {
	u64 newest;
	u32 open;
	u64 closed_ns;
	u64 over_ns;
	struct hash_index by_process;
	struct interval intervals[OUTDATED_MAX];
};

struct outdated *outdated_new(void)
{
	struct outdated *outdated = calloc(1, sizeof(*outdated));

	if (outdated && hash_index_reserve(&outdated->by_process, OUTDATED_MAX)) {
		free(outdated);
		return NULL;
	}
	return outdated;
}

void outdated_free(struct outdated *outdated)
{
	if (outdated)
		hash_index_free(&outdated->by_process);
	free(outdated);
}

static bool is_of_process(const void *intervals, u32 id, const void *pid)
{
	return ((const struct interval *)intervals)[id].pid == *(const pid_t *)pid;
}

static u32 find(const struct outdated *outdated, pid_t pid)
{
	return hash_index_find(&outdated->by_process, gapp_mix(pid), is_of_process,
			       outdated->intervals, &pid);
}

/* The process's interval that was added last, or NULL. */
static struct interval *first_of(const struct outdated *outdated, pid_t pid)
{
	u32 id = find(outdated, pid);

	return id == HASH_NONE ? NULL : (struct interval *)&outdated->intervals[id];
}

/* The next older interval of the same process, or NULL. The list goes from new to old. */
static struct interval *next_of(const struct outdated *outdated, const struct interval *interval)
{
	u64 number = interval->before;

	if (!number || outdated->newest - number >= OUTDATED_MAX)
		return NULL;
	return (struct interval *)&outdated->intervals[number % OUTDATED_MAX];
}

static void widen(struct interval *interval, const struct interval *by)
{
	if (by->start < interval->start)
		interval->start = by->start;
	if (by->end > interval->end)
		interval->end = by->end;
	if (by->begin_ns < interval->begin_ns)
		interval->begin_ns = by->begin_ns;
}

static void set_end(struct outdated *outdated, struct interval *interval, u64 end_ns)
{
	if (interval->end_ns == OUTDATED_OPEN)
		outdated->open--;
	interval->end_ns = end_ns;
	if (end_ns == OUTDATED_OPEN)
		outdated->open++;
	else if (end_ns > outdated->closed_ns)
		outdated->closed_ns = end_ns;
	outdated->over_ns = outdated->open ? OUTDATED_OPEN : outdated->closed_ns;
}

/* Stores the interval in place of the oldest one of all processes. */
static void put(struct outdated *outdated, const struct interval *added)
{
	u64 number = ++outdated->newest;
	u32 id = number % OUTDATED_MAX, former;
	struct interval *interval = &outdated->intervals[id];

	if (interval->pid && find(outdated, interval->pid) == id)
		hash_index_renumber(&outdated->by_process, gapp_mix(interval->pid), id, HASH_NONE);
	set_end(outdated, interval, added->end_ns);
	former = find(outdated, added->pid);
	*interval = *added;
	if (former == HASH_NONE) {
		/* does not fail: there is room for all */
		hash_index_add(&outdated->by_process, gapp_mix(added->pid), id);
		return;
	}
	interval->before = number - (id - former + OUTDATED_MAX) % OUTDATED_MAX;
	hash_index_renumber(&outdated->by_process, gapp_mix(added->pid), former, id);
}

void outdated_add(struct outdated *outdated, pid_t pid, u64 start, u64 length, u64 begin_ns,
		  u64 end_ns)
{
	struct interval added = {
		.pid = pid,
		.start = start,
		.end = start + length < start ? UINT64_MAX : start + length,
		.begin_ns = begin_ns,
		.last_ns = begin_ns,
		.end_ns = end_ns,
	};
	struct interval *newest = first_of(outdated, pid), *into = NULL, *interval;
	u32 count = 0;

	if (newest && newest->end_ns > added.end_ns)
		added.end_ns = newest->end_ns;
	if (newest && newest->last_ns > added.last_ns)
		added.last_ns = newest->last_ns;
	for (interval = newest; interval; interval = next_of(outdated, interval)) {
		if (interval->end_ns != OUTDATED_OPEN)
			break;
		if (interval->start < added.end && added.start < interval->end && !into)
			into = interval;
		count++;
	}
	if (!into && count >= OPEN_MAX)
		into = newest;
	if (!into) {
		put(outdated, &added);
		return;
	}
	widen(into, &added);
	/* intervals that were added after @into may not end earlier than it */
	for (interval = newest;; interval = next_of(outdated, interval)) {
		interval->last_ns = added.last_ns;
		if (interval == into)
			break;
	}
}

void outdated_sent(struct outdated *outdated, pid_t pid, u64 begin_ns, u64 end_ns)
{
	struct interval *interval = first_of(outdated, pid);

	for (; interval && interval->end_ns == OUTDATED_OPEN;
	     interval = next_of(outdated, interval))
		if (interval->last_ns <= begin_ns)
			set_end(outdated, interval, end_ns);
}

bool outdated_fork(struct outdated *outdated, pid_t pid, pid_t parent, u64 time_ns)
{
	struct interval *interval = first_of(outdated, parent);
	bool any = false;

	for (; interval && interval->end_ns >= time_ns; interval = next_of(outdated, interval)) {
		if (interval->begin_ns > time_ns)
			continue;
		outdated_add(outdated, pid, interval->start, interval->end - interval->start,
			     time_ns, OUTDATED_OPEN);
		any = true;
	}
	return any;
}

const u64 *outdated_over(const struct outdated *outdated)
{
	return &outdated->over_ns;
}

bool outdated_any(const struct outdated *outdated, pid_t pid, u64 begin_ns, u64 end_ns)
{
	struct interval *interval = first_of(outdated, pid);

	for (; interval && interval->end_ns >= begin_ns; interval = next_of(outdated, interval))
		if (interval->begin_ns <= end_ns)
			return true;
	return false;
}

bool outdated_at(const struct outdated *outdated, pid_t pid, u64 address, u64 begin_ns, u64 end_ns)
{
	struct interval *interval = first_of(outdated, pid);

	for (; interval && interval->end_ns >= begin_ns; interval = next_of(outdated, interval))
		if (interval->begin_ns <= end_ns && interval->start <= address &&
		    address < interval->end)
			return true;
	return false;
}
